// Codes for those who want them. In the source, after `npm run build`: node build/examples/optional.js
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

/** Without a phone the password is all; with one, a code is asked for. */
const users = new Map<string, { password: string; phone?: string }>([['ana', { password: 'sesame' }]])
const hasNoPhone = (subject: string) => users.get(subject)?.phone === undefined

// Stands in for the provider. A real account brings its own baseUrl, client, key and approvedStatuses.
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
  // Nobody stays signed in, or half signed in, as another account; and the id is new (session fixation).
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
// Switching on: the number is proven first, by somebody who passes the guard.
app.use('/security/phone', guard, enable.routes())
app.post('/security/on', guard, enable.requireProof(), (req, res) => {
  const user = users.get(String(req.session.userId))
  if (user && req.provenPhone) user.phone = req.provenPhone.phone
  res.redirect('/account')
})
// Switching off takes a fresh code: a session left open must not be enough.
app.post('/security/off', tf.requireTwoFactor({ purpose: 'off', once: true }), (req, res) => {
  delete users.get(String(req.session.userId))?.phone
  res.redirect('/account')
})

const port = process.env.PORT ?? 3000
app.listen(port).once('listening', () => {
  console.log(`http://localhost:${port} is the app, ${sandbox.inboxUrl} shows the codes`)
})
