import { once } from 'node:events'
import express from 'express'
import session from 'express-session'

/** The Express app that every login is part of, with a route that does nothing. */
export function host() {
  const app = express()
  const cookie = { sameSite: 'lax' }
  app.use(session({ secret: 'session secret', resave: false, saveUninitialized: false, cookie }))
  app.post('/bare', express.json(), (_req, res) => res.status(429).json({ code: 'no' }))
  return app
}

/** The port it listens on. */
export async function serve(app) {
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server.address().port
}
