import express, { type ErrorRequestHandler, type Express } from 'express'
import type { Connection } from '../connection.js'
import { controlRoutes } from '../control/control-routes.js'
import type { ProviderSimulation } from '../provider-simulation.js'
import type { ResponseRules } from '../service/responder.js'
import { hostCheck } from './host-check.js'
import { linkRoutes } from './link-routes.js'
import { operationRoutes } from './operation-routes.js'
import { operationsOpenApi } from './operations-openapi.js'
import { pageRoutes } from './page-routes.js'
import { pathHint } from './path-hint.js'

/** The sandbox over HTTP: the provider's operations, its short URLs, the inbox and its controls. */
export function createApp(
  simulation: ProviderSimulation,
  connection: Connection,
  allowedHosts: readonly string[],
  rules: ResponseRules,
): Express {
  const { basePath, baseUrl } = connection
  const { dialect } = rules
  const app = express()
  app.disable('x-powered-by').enable('case sensitive routing')
  // A foreign page that embeds an answer, as a script or an image, reads nothing of it.
  app.use((_request, response, next) => {
    response.set({ 'X-Content-Type-Options': 'nosniff', 'Cross-Origin-Resource-Policy': 'same-origin' })
    next()
  })
  app.use(hostCheck(allowedHosts))
  app.use(basePath, operationRoutes(simulation, dialect))
  app.use('/s', linkRoutes(simulation.links, simulation.clock.now))
  app.get('/openapi.json', (_request, response) => {
    response.json(operationsOpenApi(simulation.catalogue, rules, baseUrl))
  })
  app.use(pageRoutes(simulation, connection))
  app.use('/_sandbox', controlRoutes(simulation, connection, dialect))
  app.use((request, response) => {
    const { method, path } = request
    const similar = pathHint(method, path, { dialect, basePath })
    const isControl = path.startsWith('/_sandbox/')
    const list = isControl
      ? 'GET /_sandbox/ lists what there is.'
      : 'The operations are listed at /openapi.json.'
    const hint = similar ?? list
    if (similar !== undefined || path.startsWith(`${basePath}/`)) {
      simulation.requests.notMatched({ method, path, hint })
    }
    response.status(404).json({ title: 'Not Found', detail: `There is no ${method} ${path}. ${hint}` })
  })
  app.use(respondWithError)
  return app
}

/** For a request that never reached an operation: a body that cannot be read, for example. */
const respondWithError: ErrorRequestHandler = (error, _request, response, next) => {
  if (response.headersSent) return next(error)
  const status = Number.isSafeInteger(error?.status) ? error.status : 500
  if (status >= 500) console.error(error)
  response
    .status(status)
    .json({ title: 'The request failed', detail: status < 500 ? error.message : 'See the log.' })
}
