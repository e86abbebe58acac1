// Users switch codes on and off. In the source, after `npm run build`: node build/examples/optional.js
import express from 'express'
import session from 'express-session'
import { createClient, providerCodes, twoFactor } from 'express-two-factor'
import { startSandbox } from 'express-two-factor/sandbox'
import { secret } from './secret.js'

declare module 'express-session' {
  interface SessionData {
    pendingUserId?: string
    userId?: string
  }
}

/** A user without a phone signs in with the password only. */
const users = new Map<string, { password: string; phone?: string }>([['ana', { password: 'sesame' }]])
const hasNoPhone = (subject: string) => users.get(subject)?.phone === undefined

// Replaces the provider. With a real account, use its baseUrl, client, key and approvedStatuses.
const sandbox = await startSandbox()

const tf = twoFactor({
  provider: providerCodes({
    client: createClient({ baseUrl: sandbox.baseUrl, ...sandbox.credentials }),
    approvedStatuses: sandbox.approvedStatuses,
  }),
  appName: { login: 'Acme', enable: 'Acme numbers' },
  secret: secret('TWO_FACTOR_SECRET'),
  countries: ['CO'],
  subject: (req) => req.session.pendingUserId ?? req.session.userId,
  phone: (_req, subject) => users.get(subject)?.phone,
  onVerified: (req, _res, grant) => {
    req.session.userId = grant.subject
    delete req.session.pendingUserId
  },
})
const enable = tf.phoneVerification({ purpose: 'enable' })
const guard = tf.requireTwoFactor({ exempt: (_req, subject) => hasNoPhone(subject) })

const app = express()
const parse = [express.json(), express.urlencoded({ extended: false })]
app.use(
  session({
    secret: secret('SESSION_SECRET'),
    resave: false,
    saveUninitialized: false,
    cookie: { sameSite: 'lax' },
  }),
)
app.use('/two-factor', tf.routes())

const checkPassword: express.RequestHandler = (req, res, next) => {
  const { name, password } = req.body ?? {}
  if (password === undefined || users.get(name)?.password !== password) return void res.sendStatus(401)
  // Ends the session of another account, and renews the id (session fixation).
  req.session.regenerate((error) => {
    if (error) return next(error)
    if (hasNoPhone(name)) req.session.userId = name
    else req.session.pendingUserId = name
    next()
  })
}
const done: express.RequestHandler = (req, res, next) =>
  req.session.userId === undefined ? next() : res.redirect('/account')
app.post('/login', parse, checkPassword, done, tf.start({ purpose: 'login' }))

app.get('/account', guard, (req, res) => {
  res.send(`Signed in as ${req.session.userId}.`)
})
// To switch codes on, a user who passes the guard verifies the number first.
app.use('/security/phone', guard, enable.routes())
app.post('/security/on', guard, enable.requireProof(), (req, res) => {
  const user = users.get(String(req.session.userId))
  if (user && req.provenPhone) user.phone = req.provenPhone.phone
  res.redirect('/account')
})
// To switch codes off, a fresh code is required: a session that was left open must not be enough.
app.post('/security/off', tf.requireTwoFactor({ purpose: 'off', once: true }), (req, res) => {
  delete users.get(String(req.session.userId))?.phone
  res.redirect('/account')
})

const port = process.env.PORT ?? 3000
app.listen(port).once('listening', () => {
  console.log(`http://localhost:${port} is the app, ${sandbox.inboxUrl} shows the codes`)
})
