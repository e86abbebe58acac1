import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type Response,
  type Router,
} from 'express'
import { readClick } from '../clicks.js'
import { controlRoutes } from '../control/control-routes.js'
import type { SandboxSettings } from '../options.js'
import type { ProviderSimulation } from '../provider-simulation.js'
import type { Connection } from '../reach.js'
import { type Catalogue, observedPaths, pathsOf } from '../service/dialect.js'
import type { LinkStore } from '../short-links.js'
import { hostCheck } from './host-check.js'
import { operationRoutes } from './operation-routes.js'
import { operationsOpenApi } from './operations-openapi.js'
import { pageRoutes } from './page-routes.js'

/** Creates the sandbox over HTTP: the provider's operations, short URLs, the inbox and its controls. */
export function createApp(
  simulation: ProviderSimulation,
  connection: Connection,
  allowedHosts: readonly string[],
  settings: SandboxSettings,
): Express {
  const { basePath, dialect } = settings
  const app = express()
  app.disable('x-powered-by').enable('case sensitive routing')
  // A foreign page that embeds a response, as a script or an image, must not read it.
  app.use((_request, response, next) => {
    response.set({ 'X-Content-Type-Options': 'nosniff', 'Cross-Origin-Resource-Policy': 'same-origin' })
    next()
  })
  app.use(hostCheck(allowedHosts))
  app.use(basePath, operationRoutes(simulation, dialect))
  app.use('/s', linkRoutes(simulation.links, simulation.clock.now))
  app.get('/openapi.json', (_request, response) => {
    response.json(operationsOpenApi(simulation.catalogue, settings, connection.baseUrl))
  })
  app.use(pageRoutes(simulation, connection))
  app.use('/_sandbox', controlRoutes(simulation, connection, dialect))
  app.use((request, response) => {
    const { method, path } = request
    const similar = pathHint(method, path, simulation.catalogue, basePath)
    const isControl = path.startsWith('/_sandbox/')
    const list = isControl
      ? 'GET /_sandbox/ lists the routes.'
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

/** For a request that reached no operation, such as an unreadable body. */
const respondWithError: ErrorRequestHandler = (error, _request, response, next) => {
  if (response.headersSent) return next(error)
  const status = Number.isSafeInteger(error?.status) ? error.status : 500
  if (status >= 500) console.error(error)
  response
    .status(status)
    .json({ title: 'The request failed', detail: status < 500 ? error.message : 'See the log.' })
}

/** Suggests the intended path of a request that no operation matched; undefined if none is similar. */
function pathHint(method: string, path: string, catalogue: Catalogue, basePath: string): string | undefined {
  const own = Object.values(catalogue).flatMap((operation) =>
    pathsOf(operation).map((one) => ({ method: operation.method, path: `${basePath}${one}` })),
  )
  const exact = own.find((route) => route.path === path)
  if (exact !== undefined && exact.method !== method) return `Use ${exact.method}, not ${method}.`
  if (observedPaths.some((one) => `${basePath}${one}` === path)) return '--dialect observed has this path.'
  const plain = path.toLowerCase().replaceAll(/\/+/g, '/').replace(/\/$/, '')
  const [nearest] = own
    .filter((route) => plain.endsWith(route.path.slice(basePath.length)))
    .sort((a, b) => b.path.length - a.path.length)
  return nearest && `Did you mean ${nearest.method} ${nearest.path}?`
}

/** Follows short URLs: every GET is a click. */
function linkRoutes(links: LinkStore, now: () => number): Router {
  function follow(request: Request, response: Response): void {
    const link = links.at(request.originalUrl.replace(/\?.*$/s, ''))
    response.set('Cache-Control', 'no-store')
    if (link === undefined) {
      response
        .status(404)
        .json({ error: 'url', msg: 'There is no short URL at this address, or it has expired.' })
      return
    }
    // Link checkers send HEAD. Only a visit counts.
    if (request.method === 'GET') links.clicked(link, readClick(request, now()))
    response.redirect(302, link.urlLong)
  }

  return express.Router().get(['/:alias', '/:domain/:alias'], follow)
}
