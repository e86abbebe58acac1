import type { Page } from 'playwright-core'
import { expect, it, onTestFinished } from 'vitest'
import { axeFindings, describeInChromium } from '../browser/chromium.js'
import { type Running, run } from './running.js'

// Each page is opened by somebody who knows nothing but what `npm start` printed.
describeInChromium('the addresses that npm start prints', (browser) => {
  const ana = '+573001234567'
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
  const heading = (page: Page) => page.locator('h1').innerText()

  function printedBy({ said }: Running) {
    const address = (line: string) =>
      said.match(new RegExp(`^ *${line} +(http://\\S+)`, 'm'))?.[1] ?? `nothing printed for ${line}`
    const [, name = '', password = ''] = said.match(/name (\S+), password (\S+)/) ?? []
    return { address, name, password }
  }

  async function enter(page: Page, demo: Running, phone: string): Promise<void> {
    await page.getByLabel('Security code').fill(await demo.codeFor(phone))
    await press(page, 'Continue')
  }

  async function signIn(page: Page, demo: Running): Promise<void> {
    const { name, password } = printedBy(demo)
    await page.getByLabel('Name').fill(name)
    await page.getByLabel('Password').fill(password)
    await press(page, 'Sign in')
    await enter(page, demo, ana)
  }

  it('each end where they should', async () => {
    const began = performance.now()
    const demo = await run('start')
    const { address } = printedBy(demo)
    const open = async (url: string) => {
      const page = await browser().newPage({ locale: 'en-US' })
      onTestFinished(() => page.close())
      await page.goto(url)
      return page
    }

    const login = await open(address('Sign in'))
    await signIn(login, demo)
    expect(await heading(login)).toBe('Account')
    const firstCodeMs = Math.round(performance.now() - began)
    console.info(`first verified code ${firstCodeMs} ms after the start of the built demo`)
    expect(firstCodeMs).toBeLessThan(60_000)
    expect(await login.getByRole('row').last().innerText()).toMatch(/Balance\s+1000/)

    const settings = await open(address('Step up'))
    expect(await heading(settings)).toBe('Sign in to continue')
    await settings.getByRole('link', { name: 'Sign in' }).click()
    await signIn(settings, demo)
    expect(await heading(settings)).toBe("Confirm that it's you")
    await press(settings, 'Send a code')
    await enter(settings, demo, ana)
    expect(await heading(settings)).toBe('Settings')
    await settings.getByLabel('E-mail').fill('ana@example.net')
    await press(settings, 'Save')
    expect(await settings.getByText('ana@example.net').isVisible()).toBe(true)

    const transfer = await open(address('Transfer'))
    await transfer.getByRole('link', { name: 'Sign in' }).click()
    await signIn(transfer, demo)
    expect(await heading(transfer)).toBe('Transfer')
    await press(transfer, 'Transfer')
    await press(transfer, 'Send a code')
    await enter(transfer, demo, ana)
    await press(transfer, 'Send')
    expect(await transfer.getByRole('status').innerText()).toBe('100 went to Luis.')
    expect(await transfer.getByRole('row').last().innerText()).toMatch(/Balance\s+900/)

    const signup = await open(address('Sign up'))
    await signup.getByLabel('Country').selectOption('CO')
    await signup.getByLabel('Mobile number').fill('310 765 4321')
    await press(signup, 'Send a code')
    await enter(signup, demo, '+573107654321')
    expect(await heading(signup)).toBe('Open an account')
    await signup.getByLabel('Name').fill('luis')
    await signup.getByLabel('Password').fill('open')
    await press(signup, 'Open')
    expect(await heading(signup)).toBe('Welcome')

    const inbox = await open(address('Inbox'))
    expect(await inbox.title()).toContain('inbox')
  })

  it.each([
    { args: [], checker: 'the provider', step: 'provider: verifyCode 520 rejected' },
    { args: ['--own-codes'], checker: 'the check of the bank', step: 'bank: own code rejected' },
  ])('shows five of a thousand guesses reach $checker, and what is behind each click', async (own) => {
    const demo = await run('start', { args: own.args })
    expect(demo.said).toContain(`1,000 guesses, five reach ${own.checker}\n`)
    const page = await browser().newPage({ locale: 'en-US' })
    onTestFinished(() => page.close())
    await page.goto(printedBy(demo).address('Break in'))
    const behind = page.getByRole('complementary', { name: 'Behind each click' })
    await page.getByRole('button', { name: 'Send 1,000 guesses' }).click({ noWaitAfter: true })
    // A thousand requests: most of what a test may take on a busy machine.
    await page.getByText(/of 1,000 guesses reached/).waitFor({ timeout: 200_000 })
    expect(await page.getByRole('status').first().innerText()).toContain(
      `5 of 1,000 guesses reached ${own.checker}`,
    )
    // Alike ones that come together are one entry.
    const entries = await behind.locator('#activity > li').filter({ hasText: own.step }).allInnerTexts()
    const times = entries.map((entry) => Number(/× (\d+)/.exec(entry)?.[1] ?? 1))
    expect(times.reduce((sum, count) => sum + count, 0)).toBe(5)
    expect(await behind.innerText()).toMatch(/POST \/two-factor\/verify 429 × \d{3}/)
    expect(await axeFindings(page)).toEqual([])
    // The panel keeps up with what happens elsewhere.
    await fetch(`${demo.origin}/login`)
    await behind.getByText('GET /login').waitFor()
  })

  it('trusts a browser that asks for it, lists it, and takes the trust back', async () => {
    const demo = await run('start')
    const context = await browser().newContext({ locale: 'en-US' })
    const page = await context.newPage()
    const givePassword = async () => {
      await page.goto(printedBy(demo).address('Sign in'))
      await press(page, 'Sign in')
    }
    await givePassword()
    await page.getByLabel("Don't ask for a code").check()
    expect(await axeFindings(page)).toEqual([])
    await page.getByRole('link', { name: 'inbox' }).waitFor()
    await enter(page, demo, ana)
    await press(page, 'Sign out')
    await givePassword()
    expect(await heading(page)).toBe('Account')
    await page.getByRole('link', { name: 'Devices' }).click()
    expect(await axeFindings(page)).toEqual([])
    await press(page, 'Revoke')
    await page.getByText('None yet').waitFor()
    await page.getByRole('link', { name: 'Account' }).click()
    await press(page, 'Sign out')
    await givePassword()
    expect(await heading(page)).toBe('Check your phone')
  })
})
