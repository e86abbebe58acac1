import { generateKeyPairSync } from 'node:crypto'
import { startSandbox } from 'express-two-factor/sandbox'
import type { CDPSession } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createApp, type Verify } from '../../examples/passkey.js'
import { describeInChromium } from '../browser/chromium.js'
import { Browser } from '../express/browser.js'
import { listening } from '../listening.js'
import { addVirtualAuthenticator } from '../passkeys/virtual-authenticator.js'

/** What a browser gives: of it, the part that says which challenge was answered on which page. */
const assertion = (answered: { readonly challenge: string; readonly origin: string }) => ({
  response: { clientDataJSON: Buffer.from(JSON.stringify(answered)).toString('base64url') },
})

/** Stands in for the library, which checks signatures as well. A passkey is here the page it may be used on. */
const verify: Verify<string> = async ({ response, challenge, passkey }) => {
  const { clientDataJSON } = (response as ReturnType<typeof assertion>).response
  const answered = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString())
  return answered.challenge === challenge && answered.origin === passkey
}

/** The example on a free port, with the passkey of its user. */
async function startExample() {
  const sandbox = await startSandbox()
  const passkeys = new Map<string, string>()
  const { app, close } = createApp(sandbox, passkeys, verify)
  const { origin, close: hangUp } = await listening(app, 'localhost')
  passkeys.set('ana', origin)
  onTestFinished(async () => {
    await hangUp()
    await close()
    await sandbox.close()
  })
  return { sandbox, origin }
}

describe('examples/passkey', () => {
  it('opens the route by a passkey, and by no code', async () => {
    const { sandbox, origin } = await startExample()
    const visit = new Browser(origin)
    await visit.get('/passkey')
    const refused = await visit.post('/api-keys')
    expect(refused.status).toBe(403)
    expect(refused.json).toMatchObject({ code: 'second_factor_required', methods: ['passkey'] })
    const { requirement } = refused.json
    for (const channel of ['sms', 'call']) {
      expect((await visit.post('/two-factor/start', { requirement, channel })).status).toBe(400)
    }
    expect(sandbox.requests.list()).toEqual([])

    // A code for the same purpose, asked for without the requirement, is a proof by text message.
    expect((await visit.post('/two-factor/start', { purpose: 'api-keys' })).status).toBe(201)
    const { code } = await sandbox.inbox.waitFor('+573001234567')
    expect((await visit.post('/two-factor/verify', { code })).status).toBe(200)
    expect((await visit.post('/api-keys')).status).toBe(403)

    const { challenge } = (await visit.post('/passkey/challenge')).json
    const proof = assertion({ challenge, origin })
    expect((await visit.post('/passkey', proof)).json).toEqual({ verified: true })
    expect((await visit.post('/api-keys')).json).toEqual({ by: 'passkey' })
    // The same assertion again, by whoever has seen it (replay).
    expect((await visit.post('/passkey', proof)).status).toBe(403)
  })

  it('refuses an assertion of another challenge, and the right one after it', async () => {
    const { origin } = await startExample()
    const visit = new Browser(origin)
    await visit.get('/passkey')
    const { challenge } = (await visit.post('/passkey/challenge')).json
    // One challenge, one answer.
    for (const answered of ['AAAA', challenge]) {
      const proof = assertion({ challenge: answered, origin })
      expect((await visit.post('/passkey', proof)).status).toBe(403)
      expect((await visit.post('/api-keys')).status).toBe(403)
    }
  })
})

describeInChromium('examples/passkey in a browser', (browser) => {
  it('leads from the refused page to the passkey, which opens the route', async () => {
    const { origin } = await startExample()
    const page = await (await browser().newContext()).newPage()
    onTestFinished(() => page.context().close())
    await addPasskey(await page.context().newCDPSession(page))
    await page.goto(`${origin}/passkey`)
    await page.goto(`${origin}/api-keys`)
    await page.locator('a[href="/passkey"]').click()
    await page.getByRole('button', { name: 'Use your passkey' }).click()
    await page.getByText('{"verified":true}').waitFor()
    await page.goto(`${origin}/api-keys`)
    expect(await page.locator('body').innerText()).toContain('{"by":"passkey"}')
  })
})

/** A virtual authenticator that holds the passkey and takes everybody for its owner. */
async function addPasskey(session: CDPSession): Promise<void> {
  const { privateKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'der' },
  })
  const authenticatorId = await addVirtualAuthenticator(session)
  await session.send('WebAuthn.addCredential', {
    authenticatorId,
    credential: {
      credentialId: Buffer.from('passkey of ana').toString('base64'),
      isResidentCredential: true,
      rpId: 'localhost',
      privateKey: privateKey.toString('base64'),
      userHandle: Buffer.from('ana').toString('base64'),
      signCount: 0,
    },
  })
}
