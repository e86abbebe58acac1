// A session that is an encrypted cookie. In the source, after `npm run build`: node build/examples/iron-session.js
import { randomUUID } from 'node:crypto'
import express from 'express'
import { createClient, providerCodes, type SessionAdapter, twoFactor } from 'express-two-factor'
import { startSandbox } from 'express-two-factor/sandbox'
import { getIronSession, type IronSession } from 'iron-session'
import { secret } from './secret.js'

interface Data {
  /** Session id to which the grants on the server belong, because the cookie has no id. */
  sid?: string
  pendingUserId?: string
  userId?: string
}

const loaded = new WeakMap<express.Request, IronSession<Data>>()

/** The session of a request. The first middleware loads it, so `id` and `subject` need no promise. */
const sessionOf = (req: express.Request) => loaded.get(req) as IronSession<Data>

const session: SessionAdapter = {
  id: (req) => sessionOf(req).sid,
  async regenerate(req) {
    sessionOf(req).sid = randomUUID()
    await sessionOf(req).save()
  },
  async save(req) {
    sessionOf(req).sid ??= randomUUID()
    await sessionOf(req).save()
  },
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
  session,
  subject: (req) => sessionOf(req).pendingUserId ?? sessionOf(req).userId,
  phone: (_req, subject) => users.get(subject)?.phone,
  async onVerified(req, _res, grant) {
    sessionOf(req).userId = grant.subject
    delete sessionOf(req).pendingUserId
    await sessionOf(req).save()
  },
})

const app = express()
const cookieOptions = { secure: process.env.NODE_ENV === 'production', sameSite: 'lax' } as const
const options = { cookieName: 'acme', password: secret('SESSION_SECRET'), cookieOptions }
app.use((req, res, next) => {
  const load = getIronSession<Data>(req, res, options)
  load.then((found) => loaded.set(req, found)).then(() => next(), next)
})
app.use('/two-factor', tf.routes())

const checkPassword: express.RequestHandler = (req, res, next) => {
  const { name, password } = req.body ?? {}
  if (password === undefined || users.get(name)?.password !== password) return void res.sendStatus(401)
  sessionOf(req).pendingUserId = name // a start saves it, by `save` of the adapter
  next()
}
app.post(
  '/login',
  express.json(),
  express.urlencoded({ extended: false }),
  checkPassword,
  tf.start({ purpose: 'login' }),
)
app.get('/account', tf.requireTwoFactor(), (req, res) => {
  res.send(`Signed in as ${sessionOf(req).userId}.`)
})

const port = process.env.PORT ?? 3000
app.listen(port).once('listening', () => {
  console.log(`http://localhost:${port} is the app, ${sandbox.inboxUrl} shows the codes`)
})
