// A route that no code opens, only a passkey. WebAuthn is left to a library of your choice; `verify` of
// createApp is where it goes. With @simplewebauthn/server:
//   ({ response, challenge, passkey }) => verifyAuthenticationResponse({
//     response, expectedChallenge: challenge, credential: passkey,
//     expectedOrigin: 'https://example.com', expectedRPID: 'example.com' }).then(({ verified }) => verified)
import { randomBytes } from 'node:crypto'
import express from 'express'
import session from 'express-session'
import { createClient, expressSession, providerCodes, twoFactor } from 'express-two-factor'
import type { Sandbox } from 'express-two-factor/sandbox'
import { secret } from './secret.js'

declare module 'express-session' {
  interface SessionData {
    userId?: string
    passkeyChallenge?: string
  }
}

/** Whether `response`, as the browser gave it, answers the challenge by this passkey, the person verified. */
export type Verify<Passkey> = (given: {
  readonly response: unknown
  readonly challenge: string
  readonly passkey: Passkey
}) => Promise<boolean>

export function createApp<Passkey>(
  { baseUrl, credentials, approvedStatuses }: Sandbox,
  passkeys: ReadonlyMap<string, Passkey>,
  verify: Verify<Passkey>,
) {
  const sessions = expressSession()
  const tf = twoFactor({
    provider: providerCodes({ client: createClient({ baseUrl, ...credentials }), approvedStatuses }),
    ...{ appName: 'Acme', secret: secret('TWO_FACTOR_SECRET'), countries: ['CO'] },
    session: sessions,
    subject: (req) => req.session.userId,
    phone: () => '+57 300 123 4567',
    pages: { links: { otherMethod: '/passkey' } }, // the way out of the page that says no code will do
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

  app.get('/passkey', (req, res) => {
    req.session.userId = 'ana' // what a sign-in would have done
    res.send(`<button>Use your passkey</button> <output></output><script type="module">
      const post = { method: 'POST', headers: { 'content-type': 'application/json' } }
      document.querySelector('button').onclick = async () => {
        const options = await (await fetch('/passkey/challenge', post)).json()
        const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
        const body = JSON.stringify(await navigator.credentials.get({ publicKey }))
        document.querySelector('output').value = await (await fetch('/passkey', { ...post, body })).text()
      }</script>`)
  })
  app.post('/passkey/challenge', (req, res) => {
    req.session.passkeyChallenge = randomBytes(32).toString('base64url')
    res.json({ challenge: req.session.passkeyChallenge, userVerification: 'required' })
  })
  app.post('/passkey', express.json(), async (req, res) => {
    const { userId: subject = '', passkeyChallenge: challenge } = req.session
    delete req.session.passkeyChallenge // answered once (replay)
    const passkey = passkeys.get(subject)
    const known = challenge !== undefined && passkey !== undefined
    const verified = known && (await verify({ response: req.body, challenge, passkey }))
    if (verified !== true) return void res.status(403).json({ verified: false })
    await sessions.regenerate(req, res) // session fixation
    await tf.grants.write({ subject, session: req.sessionID, purpose: 'api-keys', method: 'passkey' })
    res.json({ verified: true })
  })

  const byPasskey = tf.requireTwoFactor({ purpose: 'api-keys', methods: ['passkey'] })
  app.all('/api-keys', byPasskey, (req, res) => void res.json({ by: req.twoFactor?.grant.method }))
  return { app, close: () => tf.close() }
}
