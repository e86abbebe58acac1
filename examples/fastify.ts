// Fastify through @fastify/express: routes and guards run before its own. In the source, after `npm run build`:
// node build/examples/fastify.js
import fastifyExpress from '@fastify/express'
import express from 'express'
import session from 'express-session'
import { createClient, providerCodes, twoFactor } from 'express-two-factor'
import { startSandbox } from 'express-two-factor/sandbox'
import Fastify from 'fastify'
import { secret } from './secret.js'

declare module 'express-session' {
  interface SessionData {
    pendingUserId?: string
    userId?: string
  }
}

const users = new Map([['ana', { password: 'sesame', phone: '+57 300 123 4567' }]])

// Replaces the provider. With a real account, use its baseUrl, client, key and approvedStatuses.
const sandbox = await startSandbox()

const tf = twoFactor({
  provider: providerCodes({
    client: createClient({ baseUrl: sandbox.baseUrl, ...sandbox.credentials }),
    approvedStatuses: sandbox.approvedStatuses,
  }),
  appName: 'Acme',
  secret: secret('TWO_FACTOR_SECRET'),
  countries: ['CO'],
  subject: (req) => req.session.pendingUserId ?? req.session.userId,
  phone: (_req, subject) => users.get(subject)?.phone,
  onVerified: (req, _res, { subject }) => {
    req.session.userId = subject
    delete req.session.pendingUserId
  },
})

const checkPassword: express.RequestHandler = (req, res, next) => {
  const { name, password } = req.body ?? {}
  if (users.get(name)?.password !== password || password === undefined) {
    res.status(401).send('That name and password do not belong together.')
    return
  }
  req.session.pendingUserId = name
  next()
}

const app = Fastify()
await app.register(fastifyExpress)
app.use(
  session({
    secret: secret('SESSION_SECRET'),
    resave: false,
    saveUninitialized: false,
    cookie: { sameSite: 'lax' },
  }),
)
app.use('/two-factor', tf.routes())

const login = express.Router()
login.post(
  '/',
  express.json(),
  express.urlencoded({ extended: false }),
  checkPassword,
  tf.start({ purpose: 'login' }),
)
app.use('/login', login)

// In a scope of its own, because the guard then protects every route in it, in each spelling of the path.
await app.register(async (account) => {
  const guard = tf.requireTwoFactor()
  account.addHook('onRequest', (request, reply, done) => {
    // The request of Express, with its session.
    const { raw } = request
    guard(raw as never, reply.raw as never, (error?: unknown) => done(error as Error))
  })
  account.get('/account', async (request) => {
    const { session: current } = request.raw as unknown as express.Request
    return `Signed in as ${current.userId}.`
  })
})

const port = Number(process.env.PORT ?? 3000)
await app.listen({ port })
console.log(`http://localhost:${port} is the app, ${sandbox.inboxUrl} shows the codes`)
