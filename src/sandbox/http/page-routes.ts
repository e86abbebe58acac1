import express, { type Request, type Response, type Router } from 'express'
import type { ProviderSimulation } from '../provider-simulation.js'
import { type Connection, inboxMain, inboxPage } from '../page/inbox-page.js'
import { inboxScript } from '../page/script.js'
import { inboxIcon, inboxStyle } from '../page/style.js'

// Messages hold whatever a program sent: if an escape were ever missed, no script of theirs would run.
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

const lookEveryMs = 250
const maxStreams = 20
const maxFilter = 20

/** The inbox page, its three files, and the stream that keeps it live. */
export function pageRoutes(simulation: ProviderSimulation, connection: Connection): Router {
  const router = express.Router()
  router.use((_request, response, next) => {
    response.set({
      'Cache-Control': 'no-store',
      'Content-Security-Policy': policy,
      'Referrer-Policy': 'same-origin',
      'X-Content-Type-Options': 'nosniff',
    })
    next()
  })
  router.get('/', (request, response) => {
    const filter = filterOf(request)
    response.type('html').send(inboxPage(inboxMain(simulation, connection, filter), filter))
  })
  router.get('/inbox.css', (_request, response) => void response.type('css').send(inboxStyle))
  router.get('/inbox.js', (_request, response) => void response.type('js').send(inboxScript))
  router.get('/inbox.svg', (_request, response) => void response.type('svg').send(inboxIcon))

  let streams = 0
  router.get('/_sandbox/stream', (request, response) => {
    if (streams >= maxStreams) {
      response.status(503).json({ error: 'streams', msg: `${maxStreams} pages are open already.` })
      return
    }
    streams += 1
    response.on('close', () => {
      streams -= 1
    })
    keepLive(response, () => inboxMain(simulation, connection, filterOf(request)))
  })
  return router
}

function filterOf(request: Request): string {
  const phone = new URL(request.originalUrl, 'http://sandbox').searchParams.get('phone') ?? ''
  return phone.replace(/\D/g, '').slice(0, maxFilter)
}

/**
 * Sends the picture again whenever it looks different. It is compared rather than announced, because
 * messages change their state by the passing of time alone.
 */
function keepLive(response: Response, picture: () => string): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8' })
  let shown = ''
  function look(): void {
    // A reader that cannot keep up must not pile up pictures here.
    if (response.writableNeedDrain) return
    const now = picture()
    if (now === shown) return
    shown = now
    response.write(`data: ${JSON.stringify(now)}\n\n`)
  }
  look()
  const timer = setInterval(look, lookEveryMs)
  response.on('close', () => clearInterval(timer))
}
