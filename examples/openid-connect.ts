// An identity provider signs users in, and a code is required in addition. In the source, after `npm run build`, with the
// account of your identity provider in ISSUER_BASE_URL, CLIENT_ID and CLIENT_SECRET:
// node build/examples/openid-connect.js
import { randomUUID } from 'node:crypto'
import express from 'express'
import { auth } from 'express-openid-connect'
import { createClient, providerCodes, type SessionAdapter, twoFactor } from 'express-two-factor'
import { startSandbox } from 'express-two-factor/sandbox'
import { secret } from './secret.js'

const port = process.env.PORT ?? 3000

/** Numbers by the `sub` of the identity provider, whose own number is unknown or not verified. */
const users = new Map([['ana', { phone: '+57 300 123 4567' }]])

/** The library stores the session as an encrypted cookie, which has no id. */
const sessionOf = (req: express.Request) => (req as unknown as { appSession: { sid?: string } }).appSession

const session: SessionAdapter = {
  id: (req) => sessionOf(req).sid,
  regenerate(req) {
    sessionOf(req).sid = randomUUID()
  },
  save(req) {
    sessionOf(req).sid ??= randomUUID()
  },
}

// Replaces the provider of codes. With a real account, use its baseUrl, client, key and approvedStatuses.
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
  subject: (req) => req.oidc.user?.sub,
  phone: (_req, subject) => users.get(subject)?.phone,
  pages: { links: { signIn: '/login' } },
})

const app = express()
app.use(
  auth({
    issuerBaseURL: String(process.env.ISSUER_BASE_URL),
    baseURL: process.env.APP_URL ?? `http://localhost:${port}`,
    clientID: String(process.env.CLIENT_ID),
    clientSecret: String(process.env.CLIENT_SECRET),
    secret: secret('SESSION_SECRET'),
    session: { name: 'appSession' },
    authorizationParams: { response_type: 'code', scope: 'openid' },
    authRequired: false,
  }),
)
app.use('/two-factor', tf.routes())

// Requires a sign-in at the identity provider, and a code in this session.
app.get('/account', tf.requireTwoFactor(), (req, res) => {
  res.send(`Signed in as ${req.oidc.user?.sub}.`)
})
app.post('/keys', tf.requireTwoFactor({ purpose: 'keys', once: true }), (_req, res) => {
  res.json({ key: randomUUID() })
})

app.listen(port).once('listening', () => {
  console.log(`http://localhost:${port} is the app, ${sandbox.inboxUrl} shows the codes`)
})
