// An account for a number that its owner has proven. In the source, after `npm run build`: node build/examples/signup.js
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

// Stands in for the provider. A real account brings its own baseUrl, client, key and approvedStatuses.
const sandbox = await startSandbox()

const tf = twoFactor({
  provider: providerCodes({
    client: createClient({ baseUrl: sandbox.baseUrl, ...sandbox.credentials }),
    approvedStatuses: sandbox.approvedStatuses,
  }),
  appName: { login: 'Acme', signup: 'Acme signup' }, // two names, so that the provider keeps the codes apart
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
// Else whoever proves a number of his own takes over the account of that name.
const freeName: express.RequestHandler = (req, res, next) => {
  if (users.has(String(req.body?.name))) res.status(409).send('That name is taken. Choose another one.')
  else next()
}
// The proof is good once, in this session, for this purpose; a response of 4xx gives it back. Without one the
// middleware responds itself. Asked for the name again, because somebody may have been faster; a database refuses it by a unique index.
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
