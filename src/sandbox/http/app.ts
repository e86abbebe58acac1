import express, { type ErrorRequestHandler, type Express } from 'express'
import type { ProviderSimulation } from '../provider-simulation.js'
import type { Connection } from '../page/inbox-page.js'
import { controlRoutes } from './control-routes.js'
import { linkRoutes } from './link-routes.js'
import { onlyFromHere } from './loopback.js'
import { openApiOf } from './openapi.js'
import { operationRoutes } from './operation-routes.js'
import { pageRoutes } from './page-routes.js'

/** The sandbox over HTTP: the provider's operations, its short URLs, the inbox and its controls. */
export function createApp(simulation: ProviderSimulation, connection: Connection): Express {
  const app = express()
  app.disable('x-powered-by').enable('case sensitive routing')
  app.use(onlyFromHere(new URL(connection.baseUrl).port))
  app.use('/v1', operationRoutes(simulation))
  app.use('/s', linkRoutes(simulation.links, simulation.clock.now))
  app.get('/openapi.json', (_request, response) => {
    response.json(openApiOf(simulation.catalogue, connection.baseUrl))
  })
  app.use(pageRoutes(simulation, connection))
  app.use('/_sandbox', controlRoutes(simulation))
  app.use((request, response) => {
    response
      .status(404)
      .json({ title: 'Not Found', detail: `${request.method} ${request.path} is nothing here.` })
  })
  app.use(answerFailure)
  return app
}

/** What a framework responder for what never reached an operation: a body that cannot be read, for example. */
const answerFailure: ErrorRequestHandler = (error, _request, response, next) => {
  if (response.headersSent) return next(error)
  const status = Number.isSafeInteger(error?.status) ? error.status : 500
  if (status >= 500) console.error(error)
  response
    .status(status)
    .json({ title: 'The request failed', detail: status < 500 ? error.message : 'See the log.' })
}
