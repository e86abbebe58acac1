import { text as look } from 'served:inbox.css'
import { text as script } from 'served:inbox.js'
import { text as icon } from 'served:inbox.svg'
import express, { type Router } from 'express'
import { inboxMain, inboxPage } from '../page/inbox-page.js'
import { readView } from '../page/view.js'
import type { ProviderSimulation } from '../provider-simulation.js'
import type { Connection } from '../reach.js'
import { createLivePages, maxStreams, nextChangeInMs, streamPath } from './live-pages.js'

// Messages contain foreign text: after a missing escape, this policy still blocks foreign scripts (XSS).
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

const files = { 'inbox.css': look, 'inbox.js': script, 'inbox.svg': icon }

/** Creates the inbox page, its three files, and the stream of its updates. */
export function pageRoutes(simulation: ProviderSimulation, connection: Connection): Router {
  const { clock, changes } = simulation
  const realNow = () => clock.now() - clock.aheadMs()
  const pages = createLivePages({
    changes,
    render: (view) => inboxMain(simulation, connection, view),
    nextChangeInMs: () => nextChangeInMs(simulation),
    realNow,
  })
  const router = express.Router()
  router.use((_request, response, next) => {
    response.set({
      'Cache-Control': 'no-store',
      'Content-Security-Policy': policy,
      'Referrer-Policy': 'same-origin',
    })
    next()
  })
  router.get('/', (request, response) => {
    const view = readView(request.originalUrl)
    response.type('html').send(inboxPage(inboxMain(simulation, connection, view), view, realNow()))
  })
  for (const [file, text] of Object.entries(files)) {
    router.get(`/${file}`, (_request, response) => void response.type(file).send(text))
  }
  router.get(streamPath, (request, response) => {
    if (pages.open(response, readView(request.originalUrl))) return
    response.status(503).json({ error: 'streams', msg: `At most ${maxStreams} pages can be open.` })
  })
  return router
}
