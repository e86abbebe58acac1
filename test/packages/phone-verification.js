// Copied into a project that has the package: proves one number at the sandbox, and ends by itself.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import express from 'express'
import session from 'express-session'
import { createClient, providerCodes, twoFactor } from 'express-two-factor'
import { startSandbox } from 'express-two-factor/sandbox'

const phone = '+573001234567'
const secret = 'a secret of thirty-two bytes or more'
const sandbox = await startSandbox()
const tf = twoFactor({
  provider: providerCodes({
    client: createClient({ baseUrl: sandbox.baseUrl, ...sandbox.credentials }),
    approvedStatuses: sandbox.approvedStatuses,
  }),
  appName: { login: 'Acme', signup: 'Acme signup' },
  secret,
  countries: ['CO'],
  subject: () => undefined,
  phone: () => undefined,
})
const signup = tf.phoneVerification()

const app = express()
app.use(session({ secret, resave: false, saveUninitialized: false }))
app.use('/signup/phone', signup.routes())
app.post('/signup', signup.requireProof(), (req, res) => res.json({ phone: req.provenPhone.phone }))
const server = app.listen(0, '127.0.0.1')
await once(server, 'listening')

let cookie = ''
async function post(path, body = {}) {
  const response = await fetch(`http://127.0.0.1:${server.address().port}${path}`, {
    method: 'POST',
    headers: { cookie, 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(body),
  })
  const [set] = response.headers.getSetCookie()
  cookie = set?.split(';', 1)[0] ?? cookie
  return { status: response.status, body: await response.json() }
}

assert.equal((await post('/signup')).status, 403)
assert.equal((await post('/signup/phone/start', { phone })).status, 201)
const { code } = await sandbox.inbox.waitFor(phone, { timeoutMs: 5_000 })
assert.equal(
  (await post('/signup/phone/verify', { code: code === '000000' ? '000001' : '000000' })).status,
  422,
)
assert.equal((await post('/signup/phone/verify', { code })).status, 200)
assert.deepEqual(await post('/signup'), { status: 200, body: { phone } })
assert.equal((await post('/signup')).status, 403)

server.close()
server.closeAllConnections()
await tf.close()
await sandbox.close()
