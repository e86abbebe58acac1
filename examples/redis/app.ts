// A process that examples/redis.ts starts. The processes share only Redis.
import type { AddressInfo } from 'node:net'
import { RedisStore } from 'connect-redis'
import express from 'express'
import session from 'express-session'
import { createClient, providerCodes, twoFactor } from 'express-two-factor'
import { redisStore } from 'express-two-factor/redis'
import { createClient as createRedisClient } from 'redis'
import { endOnSigterm } from '../end-on-sigterm.js'

declare module 'express-session' {
  interface SessionData {
    /** The password was verified, the code was not. */
    pendingUserId?: string
    /** Password and code were verified. */
    userId?: string
  }
}

const users = new Map([['ana', { password: 'sesame', phone: '+57 300 123 4567' }]])

// Without its queue, a request gets 503 immediately while Redis is away. Two-factor store and sessions share the client,
// because `redisStore` replaces a connection that hangs.
const redis = createRedisClient({ url: process.env.REDIS_URL ?? '', disableOfflineQueue: true })
redis.on('error', (error) => console.error(error.message))
await redis.connect()

const { baseUrl, credentials, approvedStatuses } = JSON.parse(process.env.PROVIDER ?? '')
const tf = twoFactor({
  provider: providerCodes({ client: createClient({ baseUrl, ...credentials }), approvedStatuses }),
  appName: 'Acme',
  secret: process.env.TWO_FACTOR_SECRET,
  countries: ['CO'],
  store: redisStore({ client: redis }),
  subject: (req) => req.session.pendingUserId ?? req.session.userId,
  phone: (_req, subject) => users.get(subject)?.phone,
  onVerified: (req, _res, grant) => {
    req.session.userId = grant.subject
    delete req.session.pendingUserId
  },
})

const app = express()
app.set('trust proxy', 'loopback')
app.use(
  session({
    store: new RedisStore({ client: redis }),
    secret: process.env.SESSION_SECRET ?? '',
    resave: false,
    saveUninitialized: false,
    cookie: { sameSite: 'lax', secure: process.env.NODE_ENV === 'production' },
  }),
)
app.use('/two-factor', tf.routes())

const checkPassword: express.RequestHandler = (req, res, next) => {
  const { name, password } = req.body ?? {}
  if (users.get(name)?.password !== password || password === undefined) {
    res.status(401).send('That name and password do not belong together.')
    return
  }
  req.session.pendingUserId = name
  next()
}

app.get('/', (_req, res) => {
  res.send(`<form method="post" action="/login">
    <input type="hidden" name="returnTo" value="/account">
    <input name="name" value="ana"> <input name="password" value="sesame"> <button>Sign in</button></form>`)
})
const body = [express.json(), express.urlencoded({ extended: false })]
app.post('/login', body, checkPassword, tf.start({ purpose: 'login' }))
app.get('/account', tf.requireTwoFactor(), (req, res) => {
  res.send(`Signed in as ${req.session.userId}, says process ${process.pid}.`)
})

await tf.ready()
const server = app.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
endOnSigterm(server, async () => {
  await tf.close()
  redis.destroy()
  if (process.connected) process.disconnect()
})
// Ends with the process that started it.
process.on('disconnect', () => process.exit())
