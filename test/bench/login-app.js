// An app with a login in two steps, three times: on this package, and by hand on undici and on a verify SDK.
import { once } from 'node:events'
import express from 'express'
import session from 'express-session'
import { Redis } from 'ioredis'
import { redisStore } from '../../dist/store/redis-store.js'
import { checksBySdk, checksByUndici } from './checks-by-hand.js'
import { crowdedStore } from './crowd.js'
import { loginByHand } from './login-by-hand.js'
import { openTwoFactor } from './two-factor.js'

/** What all three have in common, with two routes that nothing of it guards. */
function host() {
  const app = express()
  const cookie = { sameSite: 'lax' }
  app.use(session({ secret: 'session secret', resave: false, saveUninitialized: false, cookie }))
  app.get('/open', (req, res) => res.json({ hello: req.session.userId }))
  app.post('/bare', express.json(), (_req, res) => res.status(429).json({ code: 'no' }))
  return app
}

async function serve(app) {
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server.address().port
}

export async function ours({ provider, ledgers = 0, redis }) {
  const store = redis === undefined ? await crowdedStore(ledgers) : await storeOnRedis(redis)
  const tf = openTwoFactor(provider, { store, limits: { failuresBeforeLock: 5 } })
  const app = host()
  const takePassword = (req, _res, next) => {
    req.session.pendingUserId = req.body.user
    next()
  }
  app.post('/login', express.json(), takePassword, tf.start({ purpose: 'login' }))
  app.use('/two-factor', tf.routes())
  app.get('/account', tf.requireTwoFactor(), (req, res) => res.json({ hello: req.session.userId }))
  return serve(app)
}

export function byHand({ provider, ledgers = 0 }) {
  return serve(loginByHand(host(), checksByUndici(provider), ledgers))
}

export function bySdk({ provider }) {
  return serve(loginByHand(host(), checksBySdk(provider), 0))
}

async function storeOnRedis(port) {
  const client = new Redis(port)
  await once(client, 'ready')
  await client.flushall()
  return redisStore({ client })
}
