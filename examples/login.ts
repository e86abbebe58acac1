// Sign-in with a password and a code. In the source, after `npm run build`: node build/examples/login.js
import express from 'express'
import session from 'express-session'
import { createClient, providerCodes, twoFactor } from 'express-two-factor'
import { startSandbox } from 'express-two-factor/sandbox'
import { secret } from './secret.js'

declare module 'express-session' {
  interface SessionData {
    /** The password was verified, the code was not. */
    pendingUserId?: string
    /** Password and code were verified. */
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
  onVerified: (req, _res, grant) => {
    req.session.userId = grant.subject
    delete req.session.pendingUserId
  },
})

const app = express()
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
app.post(
  '/login',
  express.json(),
  express.urlencoded({ extended: false }),
  checkPassword,
  tf.start({ purpose: 'login' }),
)

app.get('/account', tf.requireTwoFactor(), (req, res) => {
  res.send(`Signed in as ${req.session.userId}.`)
})

const port = process.env.PORT ?? 3000
app.listen(port).once('listening', () => {
  console.log(`http://localhost:${port} is the app, ${sandbox.inboxUrl} shows the codes`)
})
