import { randomBytes } from 'node:crypto'
import type { CDPSession, Page } from 'playwright-core'
import { expect, it, onTestFinished } from 'vitest'
import type { fetchWithCode, OnChallenge } from '../../src/browser/index.js'
import { describedTransfers } from '../express/described-transfers.js'
import { startHost } from '../express/kit.js'
import { createPasskeys } from '../passkeys/kit.js'
import { axeFindings, describeInChromium } from './chromium.js'

declare global {
  interface Window {
    fetchWithCode: typeof fetchWithCode
  }
}

/** A page of the app: a form that a guard refuses, and `fetchWithCode`. */
const home = `<!doctype html><html lang="en"><title>Acme</title>
<form method="post" action="/pay"><input name="amount" value="5"><input name="payee" value="Mum"><button>Pay</button></form>
<script type="module">
import { fetchWithCode } from '/two-factor/dialog.js'
window.fetchWithCode = fetchWithCode
</script>`

const options = {
  protocol: 'ctap2',
  transport: 'internal',
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true,
} as const

describeInChromium('a passkey in a browser', (browser) => {
  /** A browser with an authenticator in which Ana has a passkey of this app, after her password. */
  async function openWithPasskey() {
    let passkeys: ReturnType<typeof createPasskeys> | undefined
    const host = await startHost({
      options: { passkeys: { signerOf: async (subject) => passkeys?.keys.signerOf(subject) } },
      mount(app, tf) {
        app.get('/', (_req, res) => void res.type('html').send(home))
        describedTransfers(app, tf)
      },
    })
    // A passkey belongs to a domain, and an address is none.
    const origin = host.url.replace('127.0.0.1', 'localhost')
    const of = createPasskeys({ origin })
    passkeys = of
    const context = await browser().newContext({ locale: 'en-US' })
    onTestFinished(() => context.close())
    const page = await context.newPage()
    const cdp = await context.newCDPSession(page)
    await cdp.send('WebAuthn.enable')
    const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', { options })
    const visitor = await host.login()
    await context.addCookies([...visitor.cookies].map(([name, value]) => ({ name, value, url: origin })))
    await page.goto(origin)
    await addPasskey(page, of)
    return { host, page, origin, cdp, authenticatorId, ...of }
  }

  async function addPasskey(page: Page, { keys }: ReturnType<typeof createPasskeys>): Promise<void> {
    const challenge = randomBytes(32).toString('base64url')
    const creation = await keys.creationOptions('ana', { challenge, account: 'ana@example.com' })
    const response: unknown = await page.evaluate(async (given) => {
      const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(JSON.parse(given))
      return JSON.parse(JSON.stringify(await navigator.credentials.create({ publicKey })))
    }, JSON.stringify(creation))
    expect(await keys.create('ana', { challenge, response, label: 'Chromium' })).toBeDefined()
  }

  const use = (page: Page) => page.getByRole('button', { name: 'Use a passkey' })
  const setVerified = (cdp: CDPSession, authenticatorId: string, isUserVerified: boolean) =>
    cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified })
  const statusOf = async (page: Page, url: string) =>
    (await page.request.get(url, { headers: { accept: 'application/json' } })).status()

  it('signs in first, after a cancelled prompt, with the text one press away', async () => {
    const { host, page, origin, cdp, authenticatorId, table } = await openWithPasskey()
    await page.goto(`${origin}/two-factor`)
    expect(await page.locator('button:visible').first().innerText()).toBe('Use a passkey')
    expect(await page.locator('button.main:visible').count()).toBe(1)
    expect(await page.getByRole('button', { name: /^Text/ }).isVisible()).toBe(true)
    expect(await axeFindings(page)).toEqual([])
    await setVerified(cdp, authenticatorId, false)
    await use(page).click()
    await page.getByText('Nothing was confirmed.').waitFor()
    expect(await statusOf(page, `${origin}/account`)).toBe(403)
    await setVerified(cdp, authenticatorId, true)
    await Promise.all([page.waitForURL(`${origin}/`), use(page).click()])
    expect(await statusOf(page, `${origin}/account`)).toBe(200)
    expect([...table.values()][0]?.counter).toBeGreaterThan(0)
    expect(host.stub.sends).toEqual([])
  })

  it('confirms a transfer on the page and in the dialog, each for its own details', async () => {
    const { host, page, origin } = await openWithPasskey()
    await page.goto(`${origin}/two-factor`)
    await Promise.all([page.waitForURL(`${origin}/`), use(page).click()])
    await page.getByRole('button', { name: 'Pay' }).click()
    await page.getByText('Mum').waitFor()
    await Promise.all([page.waitForURL(`${origin}/`), use(page).click()])
    await page.getByRole('button', { name: 'Pay' }).click()
    await page.getByText('"paid"').waitFor()

    await page.goto(origin)
    const paid = page.evaluate(async () => {
      const body = new URLSearchParams({ amount: '7', payee: 'Dad' })
      const response = await window.fetchWithCode('/pay', { method: 'POST', body })
      return [response.status, (await response.json()).paid]
    })
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Dad').waitFor()
    expect(await dialog.getByRole('button', { name: /^Text/ }).isVisible()).toBe(true)
    await dialog.getByRole('button', { name: 'Use a passkey' }).click()
    expect(await paid).toEqual([200, { amount: '7', payee: 'Dad' }])

    const ownLook = page.evaluate(async () => {
      const body = new URLSearchParams({ amount: '8', payee: 'Sis' })
      const onChallenge: OnChallenge = async (request) => {
        if (request.publicKey === undefined) return request.cancel()
        const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(request.publicKey)
        const passkey = await navigator.credentials.get({ publicKey })
        if (passkey instanceof PublicKeyCredential) await request.verify(passkey)
      }
      return (await window.fetchWithCode('/pay', { method: 'POST', body }, { onChallenge })).status
    })
    expect(await ownLook).toBe(200)
    expect(host.stub.sends).toEqual([])
  })

  it('is not offered by a browser that has none, which texts instead', async () => {
    const { host, page, origin } = await openWithPasskey()
    await page.addInitScript(() => Reflect.deleteProperty(window, 'PublicKeyCredential'))
    await page.goto(`${origin}/two-factor`)
    expect(await use(page).isVisible()).toBe(false)
    await page.getByRole('button', { name: /^Text/ }).click()
    await page.getByLabel('Security code').fill(host.stub.rightCode)
    await Promise.all([page.waitForURL(`${origin}/`), page.getByRole('button', { name: 'Continue' }).click()])
    expect(await statusOf(page, `${origin}/account`)).toBe(200)
  })
})
