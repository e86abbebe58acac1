import express, { type Express } from 'express'
import type { Inbox } from './inbox.js'
import { inboxPage } from './inbox-page.js'
import { onlyFromHere } from './loopback.js'
import { type OperationRouteParts, operationRoutes } from './operation-routes.js'

interface AppParts extends OperationRouteParts {
  readonly inbox: Inbox
  readonly port: () => number
}

/** The sandbox over HTTP: the provider's operations and the inbox. */
export function createApp({ inbox, port, ...operationParts }: AppParts): Express {
  const app = express()
  app.disable('x-powered-by')
  app.use(onlyFromHere(port))
  app.use('/v1', operationRoutes(operationParts))
  app.get('/', (_request, response) => {
    response
      .set('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'; base-uri 'none'")
      .set('Cache-Control', 'no-store')
      .type('html')
      .send(inboxPage(inbox.list()))
  })
  return app
}
