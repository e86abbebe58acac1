import { randomBytes } from 'node:crypto'
import * as webauthn from '@simplewebauthn/server'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import type { WebAuthn } from '../../src/passkeys/index.js'
import { otherNumber, startAccounts } from '../account/kit.js'
import { describedTransfers } from '../express/described-transfers.js'
import { phones } from '../express/kit.js'
import { createPasskeys } from '../passkeys/kit.js'
import { addVirtualAuthenticator } from '../passkeys/virtual-authenticator.js'

/** A page of the app: a form that a guard refuses, and `fetchWithCode`. */
const home = `<!doctype html><html lang="en"><title>Acme</title>
<form method="post" action="/pay"><input name="amount" value="5"><input name="payee" value="Mum"><button>Pay</button></form>
<script type="module">
import { fetchWithCode } from '/two-factor/dialog.js'
window.fetchWithCode = fetchWithCode
</script>`

/** An authenticator of one tab. */
export async function addAuthenticator(page: Page) {
  const cdp = await page.context().newCDPSession(page)
  return { cdp, authenticatorId: await addVirtualAuthenticator(cdp) }
}

/** A browser with an authenticator, after a password: by default that of Ana, who has two numbers. */
export async function openWithAuthenticator(browser: Browser, user = 'ana') {
  // A passkey belongs to a domain, and an address is none. The port is known later.
  let origin = 'http://localhost'
  const onPort: WebAuthn = {
    verifyAuthenticationResponse: (expected) =>
      webauthn.verifyAuthenticationResponse({ ...Object(expected), expectedOrigin: origin }),
    verifyRegistrationResponse: (expected) =>
      webauthn.verifyRegistrationResponse({ ...Object(expected), expectedOrigin: origin }),
  }
  const of = createPasskeys({ webauthn: onPort, origin })
  const host = await startAccounts({
    numbers: [String(phones.ana), otherNumber],
    options: { passkeys: of.keys },
    pages: { passkeys: of.keys },
    mount(app, tf) {
      app.get('/', (_req, res) => void res.type('html').send(home))
      describedTransfers(app, tf)
    },
  })
  origin = host.url.replace('127.0.0.1', 'localhost')
  const served = origin
  /** Gives the password of a user in a browser of cookies of its own. */
  async function logIn(context: BrowserContext, of: string) {
    const { cookies } = await host.login(of)
    await context.addCookies([...cookies].map(([name, value]) => ({ name, value, url: served })))
  }
  /** Another browser, after the password of a user. */
  async function openBrowser(of: string) {
    const context = await browser.newContext({ locale: 'en-US' })
    onTestFinished(() => context.close())
    const page = await context.newPage()
    const { cdp, authenticatorId } = await addAuthenticator(page)
    await logIn(context, of)
    await page.goto(served)
    return { page, cdp, authenticatorId }
  }
  const opened = await openBrowser(user)
  /** Expects another origin than the one for which the browser signs. */
  const moveTo = (elsewhere = served) => {
    origin = elsewhere
  }
  return { host, ...opened, origin: served, moveTo, logIn, openBrowser, ...of }
}

/** Like `openWithAuthenticator`, with a passkey of Ana for this app. */
export async function openWithPasskey(browser: Browser) {
  const opened = await openWithAuthenticator(browser)
  await addPasskey(opened.page, opened)
  return opened
}

/** Creates a passkey in a tab, without the account pages. */
export async function addPasskey(
  page: Page,
  { keys }: Pick<ReturnType<typeof createPasskeys>, 'keys'>,
  user = 'ana',
): Promise<void> {
  const challenge = randomBytes(32).toString('base64url')
  const creation = await keys.creationOptions(user, { challenge, account: `${user}@example.com` })
  const response: unknown = await page.evaluate(async (given) => {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(JSON.parse(given))
    return JSON.parse(JSON.stringify(await navigator.credentials.create({ publicKey })))
  }, JSON.stringify(creation))
  expect(await keys.create(user, { challenge, response, label: 'Chromium' })).toBeDefined()
}

/** A client of JSON in a tab, whose passkeys the browser signs. */
export function clientIn(page: Page) {
  const request = (method: string, path: string, body?: object) =>
    page.evaluate(
      async ([by, url, json]) => {
        const headers = { 'content-type': 'application/json', accept: 'application/json' }
        const response = await fetch(url, { method: by, headers, ...(json && { body: json }) })
        return { status: response.status, json: await response.json() }
      },
      [method, path, body && JSON.stringify(body)] as const,
    )
  const post = (path: string, body: object) => request('POST', path, body)
  /** Lets the browser sign with any of its passkeys, or with those that `publicKey` lists. */
  const sign = (publicKey: object): Promise<unknown> =>
    page.evaluate(async (given) => {
      const options = PublicKeyCredential.parseRequestOptionsFromJSON(JSON.parse(given))
      return JSON.parse(JSON.stringify(await navigator.credentials.get({ publicKey: options })))
    }, JSON.stringify(publicKey))
  return {
    get: (path: string) => request('GET', path),
    post,
    sign,
    /** Starts a challenge and signs it. */
    async begin(body: object = {}) {
      const { challenge, publicKey } = (await post('/two-factor/start', body)).json
      return { challenge: challenge.id, publicKey, passkey: await sign(publicKey) }
    },
    verify: async (challenge: unknown, passkey: unknown) =>
      (await post('/two-factor/verify', { challenge, passkey })).status,
  }
}

export const usePasskey = (page: Page) => page.getByRole('button', { name: 'Use a passkey' })
