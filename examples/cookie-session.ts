// A session that is a signed cookie. In the source, after `npm run build`: node build/examples/cookie-session.js
import { randomUUID } from 'node:crypto'
import cookieSession from 'cookie-session'
import express from 'express'
import { createClient, providerCodes, type SessionAdapter, twoFactor } from 'express-two-factor'
import { startSandbox } from 'express-two-factor/sandbox'
import { secret } from './secret.js'

interface Data {
  /** Session id to which the grants on the server belong, because the cookie has no id. */
  sid?: string
  pendingUserId?: string
  userId?: string
}

const sessionOf = (req: express.Request) => req.session as unknown as Data

const session: SessionAdapter = {
  id: (req) => sessionOf(req).sid,
  regenerate(req) {
    sessionOf(req).sid = randomUUID()
  },
  save(req) {
    sessionOf(req).sid ??= randomUUID()
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
  onVerified(req, _res, grant) {
    sessionOf(req).userId = grant.subject
    delete sessionOf(req).pendingUserId
  },
})

const app = express()
app.use(cookieSession({ name: 'acme', keys: [secret('SESSION_SECRET')], sameSite: 'lax' }))
app.use('/two-factor', tf.routes())

const checkPassword: express.RequestHandler = (req, res, next) => {
  const { name, password } = req.body ?? {}
  if (password === undefined || users.get(name)?.password !== password) return void res.sendStatus(401)
  sessionOf(req).pendingUserId = name
  next()
}
const parse = [express.json(), express.urlencoded({ extended: false })]
app.post('/login', parse, checkPassword, tf.start({ purpose: 'login' }))

app.get('/account', tf.requireTwoFactor(), (req, res) => {
  res.send(`Signed in as ${sessionOf(req).userId}.`)
})
app.post('/logout', (req, res, next) => {
  // A copied cookie stays readable, but passes no guard, because its grants on the server are revoked.
  const forget = () => {
    req.session = null as never
    res.redirect('/')
  }
  tf.grants.revoke(req).then(forget, next)
})

const port = process.env.PORT ?? 3000
app.listen(port).once('listening', () => {
  console.log(`http://localhost:${port} is the app, ${sandbox.inboxUrl} shows the codes`)
})
