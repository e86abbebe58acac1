import { randomBytes } from 'node:crypto'
import * as webauthn from '@simplewebauthn/server'
import type { CDPSession, Page } from 'playwright-core'
import { expect, it, onTestFinished } from 'vitest'
import type { fetchWithCode, OnChallenge } from '../../src/browser/index.js'
import type { WebAuthn } from '../../src/passkeys/index.js'
import { otherNumber, path, startAccounts } from '../account/kit.js'
import { describedTransfers } from '../express/described-transfers.js'
import { phones } from '../express/kit.js'
import { createPasskeys } from '../passkeys/kit.js'
import { addVirtualAuthenticator } from '../passkeys/virtual-authenticator.js'
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

describeInChromium('a passkey in a browser', (browser) => {
  /** An authenticator of one tab. */
  async function addAuthenticator(page: Page) {
    const cdp = await page.context().newCDPSession(page)
    return { cdp, authenticatorId: await addVirtualAuthenticator(cdp) }
  }

  /** A browser with an authenticator, after the password of Ana, who has two numbers. */
  async function openWithAuthenticator() {
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
    const context = await browser().newContext({ locale: 'en-US' })
    onTestFinished(() => context.close())
    const page = await context.newPage()
    const { cdp, authenticatorId } = await addAuthenticator(page)
    const visitor = await host.login()
    await context.addCookies([...visitor.cookies].map(([name, value]) => ({ name, value, url: origin })))
    await page.goto(origin)
    const served = origin
    /** Expects another origin than the one for which the browser signs. */
    const moveTo = (elsewhere = served) => {
      origin = elsewhere
    }
    return { host, page, origin: served, cdp, authenticatorId, moveTo, ...of }
  }

  /** Like `openWithAuthenticator`, with a passkey of Ana for this app. */
  async function openWithPasskey() {
    const opened = await openWithAuthenticator()
    await addPasskey(opened.page, opened)
    return opened
  }

  async function addPasskey(
    page: Page,
    { keys }: Pick<ReturnType<typeof createPasskeys>, 'keys'>,
  ): Promise<void> {
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
  function hearWarnings(page: Page): string[] {
    const heard: string[] = []
    page.on('console', (message) => void (message.type() === 'warning' && heard.push(message.text())))
    return heard
  }
  /** Returns the warning about the passkeys of another domain. The page works again afterwards. */
  async function warningOfDomain(page: Page, form: string, click: () => Promise<void>) {
    const replace = (from: string, to: string) =>
      page.locator(form).evaluate(
        ({ dataset }, [one, other]) => {
          for (const [name, value = ''] of Object.entries(dataset)) {
            Reflect.set(dataset, name, value.replace(one, other))
          }
        },
        [from, to] as const,
      )
    await replace('"localhost"', '"acme.example"')
    const [message] = await Promise.all([page.waitForEvent('console', { timeout: 10_000 }), click()])
    await replace('"acme.example"', '"localhost"')
    return message.text()
  }
  const statusOf = async (page: Page, url: string) =>
    (await page.request.get(url, { headers: { accept: 'application/json' } })).status()

  it('signs in first, after a cancelled prompt, with the text one press away', async () => {
    const { host, page, origin, cdp, authenticatorId, table } = await openWithPasskey()
    await page.goto(`${origin}/two-factor`)
    expect(await page.locator('button:visible').first().innerText()).toBe('Use a passkey')
    expect(await page.locator('button.main:visible').count()).toBe(1)
    expect(await page.getByRole('button', { name: /^Text/ }).first().isVisible()).toBe(true)
    expect(await axeFindings(page)).toEqual([])
    expect(await warningOfDomain(page, '[data-passkey]', () => use(page).click())).toContain('acme.example')
    const warnings = hearWarnings(page)
    await setVerified(cdp, authenticatorId, false)
    await use(page).click()
    await page.getByText('Nothing was confirmed.').waitFor()
    expect(warnings).toEqual([])
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
    expect(await dialog.getByRole('button', { name: /^Text/ }).first().isVisible()).toBe(true)
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

  it('is refused for another challenge, amount or origin, as a copy, after its removal and a second time', async () => {
    const { host, page, table, moveTo } = await openWithPasskey()
    const [stored] = [...table.values()]
    if (stored === undefined) throw new Error('there is no passkey')
    const post = (path: string, body: object) =>
      page.evaluate(
        async ([url, json]) => {
          const headers = { 'content-type': 'application/json', accept: 'application/json' }
          const response = await fetch(url, { method: 'POST', headers, body: json })
          return { status: response.status, json: await response.json() }
        },
        [path, JSON.stringify(body)] as const,
      )
    const begin = async (body: object = {}) => {
      const { challenge, publicKey } = (await post('/two-factor/start', body)).json
      const passkey: unknown = await page.evaluate(async (given) => {
        const request = PublicKeyCredential.parseRequestOptionsFromJSON(JSON.parse(given))
        return JSON.parse(JSON.stringify(await navigator.credentials.get({ publicKey: request })))
      }, JSON.stringify(publicKey))
      return { challenge: challenge.id, passkey }
    }
    const verify = async (challenge: unknown, passkey: unknown) =>
      (await post('/two-factor/verify', { challenge, passkey })).status

    const [one, other] = [await begin(), await begin()]
    expect(await verify(one.challenge, other.passkey)).toBe(422)
    moveTo('http://acme.localhost')
    expect(await verify(one.challenge, one.passkey)).toBe(422)
    moveTo()
    table.set(stored.id, { ...stored, counter: 1_000 })
    expect(await verify(one.challenge, one.passkey)).toBe(422)
    expect(host.events).toContainEqual(expect.objectContaining({ type: 'passkey.copied', subject: 'ana' }))
    table.set('another', { ...stored, id: 'another' })
    table.delete(stored.id)
    expect(await verify(one.challenge, one.passkey)).toBe(422)
    table.set(stored.id, stored)
    expect(await verify(one.challenge, one.passkey)).toBe(200)
    expect(await verify(one.challenge, one.passkey)).not.toBe(200)

    const pay = (amount: string) => post('/pay', { amount, payee: 'Mum' })
    const five = await begin({ requirement: (await pay('5')).json.requirement })
    const nine = await begin({ requirement: (await pay('9')).json.requirement })
    expect(await verify(nine.challenge, five.passkey)).toBe(422)
    expect(await verify(five.challenge, five.passkey)).toBe(200)
    expect([(await pay('9')).status, (await pay('5')).status]).toEqual([403, 200])
  })

  it('is added on the account pages and confirms the next change there, in two tabs one after the other', async () => {
    const { host, page, origin, table } = await openWithAuthenticator()
    const enterCode = async () => {
      await page.getByLabel('Security code').fill(host.stub.rightCode)
      await page.getByRole('button', { name: 'Continue' }).click()
    }
    await page.goto(`${origin}/two-factor`)
    await page.getByRole('button', { name: /^Text/ }).first().click()
    await enterCode()
    await page.getByRole('link', { name: 'Not now' }).click()
    await page.waitForURL(`${origin}/`)
    host.clock.now += 5 * 60_000
    await page.goto(origin + path)
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByText('The new passkey lets you in').waitFor()
    await page.getByRole('button', { name: /^Text/ }).first().click()
    await enterCode()
    const create = page.getByRole('button', { name: 'Create a passkey' })
    await create.waitFor()
    expect(await page.getByText("This browser can't create passkeys").isVisible()).toBe(false)
    expect(await axeFindings(page)).toEqual([])
    const second = await page.context().newPage()
    await second.goto(page.url())
    await addAuthenticator(second)
    await create.click()
    await page.getByText('The passkey was added.').waitFor()
    expect([...table.values()]).toEqual([
      expect.objectContaining({ subject: 'ana', label: expect.stringMatching(/, Linux$/) }),
    ])
    // The page of the other tab was for the first one.
    await second.getByRole('button', { name: 'Create a passkey' }).click()
    await second.waitForURL(origin + path)
    expect(table.size).toBe(1)

    await page.getByRole('button', { name: 'Remove the number' }).last().click()
    await page.getByText('No more codes to this number').waitFor()
    await use(page).click()
    await page.getByText('was removed.').waitFor()
    expect(host.filed.ana?.numbers).toEqual([phones.ana])
  })

  it('is offered once after a sign-in by text, created after one more code, and leads on', async () => {
    const { host, page, origin, cdp, authenticatorId, table } = await openWithAuthenticator()
    const signIn = async (on: Page) => {
      await on.goto(`${origin}/two-factor?returnTo=%2F%3Ffrom%3Dhere`)
      await on.getByRole('button', { name: /^Text/ }).first().click()
      await enterCode(on)
    }
    const enterCode = async (on: Page) => {
      await on.getByLabel('Security code').fill(host.stub.rightCode)
      await on.getByRole('button', { name: 'Continue' }).click()
    }
    // The device of another browser has no passkeys.
    const elsewhere = await browser().newContext({ locale: 'en-US' })
    onTestFinished(() => elsewhere.close())
    await elsewhere.addCookies(await page.context().cookies())
    const plain = await elsewhere.newPage()
    await signIn(plain)
    await plain.waitForURL(`${origin}/?from=here`)

    const visitor = await host.login()
    await page
      .context()
      .addCookies([...visitor.cookies].map(([name, value]) => ({ name, value, url: origin })))
    host.clock.now += 5 * 60_000
    await signIn(page)
    const setUp = page.getByRole('button', { name: 'Set up a passkey' })
    await setUp.waitFor()
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Sign in faster next time')
    expect(await axeFindings(page)).toEqual([])
    host.clock.now += 5 * 60_000
    await setUp.click()
    await page.getByText('Adding a passkey').waitFor()
    await page.getByRole('button', { name: /^Text/ }).first().click()
    await enterCode(page)
    const create = page.getByRole('button', { name: 'Create a passkey' })
    expect(await warningOfDomain(page, '[data-new-passkey]', () => create.click())).toBe(
      `passkeys: the browser refused the domain "acme.example" on this page (${origin}). Set the options origin and rpId of passkeys() to the origin of your pages and a domain of it.`,
    )
    await setVerified(cdp, authenticatorId, false)
    await create.click()
    await page.getByText('No passkey was created.').waitFor()
    await setVerified(cdp, authenticatorId, true)
    await create.click()
    await page.getByText('The passkey was added.').waitFor()
    expect(await axeFindings(page)).toEqual([])
    await page.getByRole('link', { name: 'Continue' }).click()
    await page.waitForURL(`${origin}/?from=here`)
    expect(table.size).toBe(1)
  })

  it('is not offered by a browser that has none, which texts instead', async () => {
    const { host, page, origin } = await openWithPasskey()
    await page.addInitScript(() => Reflect.deleteProperty(window, 'PublicKeyCredential'))
    await page.goto(`${origin}/two-factor`)
    expect(await use(page).isVisible()).toBe(false)
    await page.getByRole('button', { name: /^Text/ }).first().click()
    await page.getByLabel('Security code').fill(host.stub.rightCode)
    await Promise.all([page.waitForURL(`${origin}/`), page.getByRole('button', { name: 'Continue' }).click()])
    expect(await statusOf(page, `${origin}/account`)).toBe(200)
  })
})
