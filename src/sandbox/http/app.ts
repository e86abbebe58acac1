import express, { type ErrorRequestHandler, type Express } from 'express'
import type { Machine } from '../machine.js'
import { inboxPage } from '../page/inbox-page.js'
import { linkRoutes } from './link-routes.js'
import { onlyFromHere } from './loopback.js'
import { operationRoutes } from './operation-routes.js'

/** The sandbox over HTTP: the provider's operations, its short URLs and the inbox. */
export function createApp(machine: Machine, port: number): Express {
  const app = express()
  app.disable('x-powered-by')
  app.use(onlyFromHere(port))
  app.use('/v1', operationRoutes(machine))
  app.use('/s', linkRoutes(machine.links, machine.clock.now))
  app.get('/', (_request, response) => {
    response
      .set('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'; base-uri 'none'")
      .set('Cache-Control', 'no-store')
      .type('html')
      .send(inboxPage(machine.mailroom.list()))
  })
  app.use((request, response) => {
    response
      .status(404)
      .json({ title: 'Not Found', detail: `${request.method} ${request.path} is nothing here.` })
  })
  app.use(answerFailure)
  return app
}

/** What a framework answers for what never reached an operation: a body that cannot be read, for example. */
const answerFailure: ErrorRequestHandler = (error, _request, response, next) => {
  if (response.headersSent) return next(error)
  const status = Number.isSafeInteger(error?.status) ? error.status : 500
  if (status >= 500) console.error(error)
  response
    .status(status)
    .json({ title: 'The request failed', detail: status < 500 ? error.message : 'See the log.' })
}
