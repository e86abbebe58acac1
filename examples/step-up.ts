// A fresh code before one transfer, for exactly its amount and payee. In the source, after `npm run build`:
// node build/examples/step-up.js
import { fileURLToPath } from 'node:url'
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

const users = new Map([['ana', { phone: '+57 300 123 4567' }]])

// Replaces the provider. With a real account, use its baseUrl, client, key and approvedStatuses.
const sandbox = await startSandbox()

const tf = twoFactor({
  provider: providerCodes({
    client: createClient({ baseUrl: sandbox.baseUrl, ...sandbox.credentials }),
    approvedStatuses: sandbox.approvedStatuses,
  }),
  // With a name of its own, a payment accepts no code of a sign-in.
  appName: { login: 'Acme', transfer: 'Acme transfer' },
  secret: secret('TWO_FACTOR_SECRET'),
  countries: ['CO'],
  subject: (req) => req.session.userId,
  phone: (_req, subject) => users.get(subject)?.phone,
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

// The script of the page asks for the code if the guard requires it.
app.get('/', (req, res) => {
  req.session.userId = 'ana' // a real app would sign the user in
  res.send(`<!doctype html><html lang="en"><title>Acme</title>
    <button>Transfer 100 to Luis</button> <output></output>
    <script type="importmap">{ "imports": { "express-two-factor/browser": "/two-factor/dialog.js" } }</script>
    <script type="module" src="/fetch-with-code.js"></script>`)
})
app.get('/fetch-with-code.js', (_req, res) => {
  res.sendFile(fileURLToPath(new URL('fetch-with-code.js', import.meta.url)))
})

app.post(
  '/transfers',
  express.json(),
  tf.requireTwoFactor({
    purpose: 'transfer',
    once: true,
    bind: (req) => ({ amount: req.body.amount, payee: req.body.payee }),
  }),
  (req, res) => {
    res.json({ transferred: req.body.amount, to: req.body.payee })
  },
)

const port = process.env.PORT ?? 3000
app.listen(port).once('listening', () => {
  console.log(`http://localhost:${port} is the app, ${sandbox.inboxUrl} shows the codes`)
})
