import type { CDPSession, Page } from 'playwright-core'
import { expect, it, onTestFinished } from 'vitest'
import type { fetchWithCode, OnChallenge } from '../../src/browser/index.js'
import { path } from '../account/kit.js'
import { phones } from '../express/kit.js'
import { axeFindings, describeInChromium } from './chromium.js'
import { addAuthenticator, openWithAuthenticator, openWithPasskey, usePasskey } from './passkey-steps.js'

declare global {
  interface Window {
    fetchWithCode: typeof fetchWithCode
  }
}

describeInChromium('a passkey in a browser', (browser) => {
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
    const { host, page, origin, cdp, authenticatorId, table } = await openWithPasskey(browser())
    await page.goto(`${origin}/two-factor`)
    expect(await page.locator('button:visible').first().innerText()).toBe('Use a passkey')
    expect(await page.locator('button.main:visible').count()).toBe(1)
    expect(await page.getByRole('button', { name: /^Text/ }).first().isVisible()).toBe(true)
    expect(await axeFindings(page)).toEqual([])
    expect(await warningOfDomain(page, '[data-passkey]', () => usePasskey(page).click())).toContain(
      'acme.example',
    )
    const warnings = hearWarnings(page)
    await setVerified(cdp, authenticatorId, false)
    await usePasskey(page).click()
    await page.getByText('Nothing was confirmed.').waitFor()
    expect(warnings).toEqual([])
    expect(await statusOf(page, `${origin}/account`)).toBe(403)
    await setVerified(cdp, authenticatorId, true)
    await Promise.all([page.waitForURL(`${origin}/`), usePasskey(page).click()])
    expect(await statusOf(page, `${origin}/account`)).toBe(200)
    expect([...table.values()][0]?.counter).toBeGreaterThan(0)
    expect(host.stub.sends).toEqual([])
  })

  it('confirms a transfer on the page and in the dialog, each for its own details', async () => {
    const { host, page, origin } = await openWithPasskey(browser())
    await page.goto(`${origin}/two-factor`)
    await Promise.all([page.waitForURL(`${origin}/`), usePasskey(page).click()])
    await page.getByRole('button', { name: 'Pay' }).click()
    await page.getByText('Mum').waitFor()
    await Promise.all([page.waitForURL(`${origin}/`), usePasskey(page).click()])
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

  it('is added on the account pages and confirms the next change there, in two tabs one after the other', async () => {
    const { host, page, origin, table } = await openWithAuthenticator(browser())
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
    await usePasskey(page).click()
    await page.getByText('was removed.').waitFor()
    expect(host.filed.ana?.numbers).toEqual([phones.ana])
  })

  it('is offered once after a sign-in by text, created after one more code, and leads on', async () => {
    const { host, page, origin, cdp, authenticatorId, table, logIn } = await openWithAuthenticator(browser())
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

    await logIn(page.context(), 'ana')
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
    const { host, page, origin } = await openWithPasskey(browser())
    await page.addInitScript(() => Reflect.deleteProperty(window, 'PublicKeyCredential'))
    await page.goto(`${origin}/two-factor`)
    expect(await usePasskey(page).isVisible()).toBe(false)
    await page.getByRole('button', { name: /^Text/ }).first().click()
    await page.getByLabel('Security code').fill(host.stub.rightCode)
    await Promise.all([page.waitForURL(`${origin}/`), page.getByRole('button', { name: 'Continue' }).click()])
    expect(await statusOf(page, `${origin}/account`)).toBe(200)
  })
})
