// A sign-up with a verified number. In the source, after `npm run build`: node build/examples/signup.js
import express from 'express'
import session from 'express-session'
import { createClient, providerCodes, twoFactor } from 'express-two-factor'
import { startSandbox } from 'express-two-factor/sandbox'
import { secret } from './secret.js'

declare module 'express-session' {
  interface SessionData {
    userId?: string
  }
}

const users = new Map<string, { phone: string }>()

// Replaces the provider. With a real account, use its baseUrl, client, key and approvedStatuses.
const sandbox = await startSandbox()

const tf = twoFactor({
  provider: providerCodes({
    client: createClient({ baseUrl: sandbox.baseUrl, ...sandbox.credentials }),
    approvedStatuses: sandbox.approvedStatuses,
  }),
  appName: { login: 'Acme', signup: 'Acme signup' }, // a phone verification needs its own name
  secret: secret('TWO_FACTOR_SECRET'),
  countries: ['CO', 'MX'],
  subject: (req) => req.session.userId,
  phone: (_req, subject) => users.get(subject)?.phone,
})
const signup = tf.phoneVerification({ purpose: 'signup', path: '/signup/phone' })

const app = express()
app.use(
  session({
    secret: secret('SESSION_SECRET'),
    resave: false,
    saveUninitialized: false,
    cookie: { sameSite: 'lax' },
  }),
)
app.use('/signup/phone', signup.routes())

app.get('/', (_req, res) => {
  res.redirect('/signup/phone?returnTo=/signup')
})
app.get('/signup', (_req, res) => {
  res.send('<form method="post"><input name="name" value="ana"> <button>Open the account</button></form>')
})
const form = express.urlencoded({ extended: false })
// Otherwise an attacker could take over an account by a sign-up with its name.
const freeName: express.RequestHandler = (req, res, next) => {
  if (users.has(String(req.body?.name))) res.status(409).send('That name is taken. Choose another one.')
  else next()
}
// `requireProof` accepts a verification once, in its session and for its purpose. After a 4xx it can be used again. The
// name is checked twice, because another sign-up may have taken it meanwhile. In a database, use a unique index.
app.post('/signup', form, freeName, signup.requireProof(), freeName, (req, res) => {
  const name = String(req.body.name)
  const phone = String(req.provenPhone?.phone)
  users.set(name, { phone })
  req.session.userId = name
  res.status(201).send(`The account of ${req.session.userId} has the number ${phone}.`)
})

const port = process.env.PORT ?? 3000
app.listen(port).once('listening', () => {
  console.log(`http://localhost:${port} is the app, ${sandbox.inboxUrl} shows the codes`)
})
