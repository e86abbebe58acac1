// Bearer tokens instead of cookies: the grant belongs to the login that issued the token.
// In the source, after `npm run build`: node build/examples/tokens.js
import { randomUUID } from 'node:crypto'
import express from 'express'
import { createClient, providerCodes, tokenSession, twoFactor } from 'express-two-factor'
import { startSandbox } from 'express-two-factor/sandbox'
import { secret } from './secret.js'

const users = new Map([['ana', { password: 'sesame', phone: '+57 300 123 4567' }]])
/** User and login of each token. A JWT would contain both as the claims `sub` and `sid`. */
const logins = new Map<string, { subject: string; sid: string }>()

const loginOf = (req: express.Request) => logins.get(req.get('authorization')?.replace(/^Bearer /i, '') ?? '')

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
  session: tokenSession((req) => loginOf(req)?.sid),
  subject: (req) => loginOf(req)?.subject,
  phone: (_req, subject) => users.get(subject)?.phone,
})

const app = express()
app.use('/two-factor', tf.routes())

app.post('/token', express.json(), (req, res) => {
  const { name, password } = req.body ?? {}
  if (users.get(name)?.password !== password || password === undefined) {
    res.status(401).json({ error: 'invalid_grant' })
    return
  }
  const token = randomUUID()
  logins.set(token, { subject: name, sid: randomUUID() })
  res.json({ access_token: token, token_type: 'Bearer' })
})

app.get('/account', tf.requireTwoFactor(), (req, res) => {
  res.json({ name: loginOf(req)?.subject, provenAt: req.twoFactor?.grant.verifiedAt })
})

const port = process.env.PORT ?? 3000
app.listen(port).once('listening', () => {
  console.log(`http://localhost:${port} is the app, ${sandbox.inboxUrl} shows the codes`)
})
