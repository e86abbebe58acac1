import type { Page } from 'playwright-core'
import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  type Bank,
  codeFor,
  enter,
  givePassword,
  heading,
  openBank,
  press,
  problem,
  signIn,
  wrong,
} from './bank.js'
import { axeFindings, describeInChromium } from './chromium.js'

const phone = '+573001234567'

describeInChromium('in a browser', (browser) => {
  let bank: Bank
  beforeEach(async () => {
    bank = await openBank()
  })
  afterEach(() => bank.close())

  /** Its script runs once the page is there, and these tests are about the script. */
  const codePageLoaded = (page: Page) => page.waitForURL(({ pathname }) => pathname.startsWith('/two-factor'))

  it('signs in on a double click while the check is slow', async () => {
    const page = await browser().newPage({ locale: 'en-US' })
    await givePassword(page, bank)
    await codePageLoaded(page)
    await page.getByLabel('Security code').fill(await codeFor(bank))
    bank.sandbox.faults.add({ operation: 'verifyCode', kind: 'slow', delayMs: 2_000 })
    const { x, y } = await page
      .getByRole('button', { name: 'Continue' })
      .evaluate((button) => button.getBoundingClientRect())
    await page.mouse.click(x + 10, y + 10)
    await page.waitForTimeout(60)
    await page.mouse.click(x + 10, y + 10)
    await page.waitForURL((url) => !url.pathname.startsWith('/two-factor'))
    await page.goto(`${bank.origin}/account`)
    expect(await heading(page)).toBe('Account')
    await page.close()
  })

  it('takes forms again on a page that the browser kept and shows again', async () => {
    const page = await browser().newPage({ locale: 'en-US' })
    await givePassword(page, bank)
    await codePageLoaded(page)
    // An event that no button made sends nothing, but tells whether a form would have been sent.
    const sent = await page.evaluate(`{
      const [verify, resend] = document.querySelectorAll('form')
      const submit = (form) => form.dispatchEvent(new Event('submit', { bubbles: true, cancelable: true }))
      const before = [submit(verify), submit(verify), submit(resend)]
      dispatchEvent(new Event('pageshow'))
      ;[...before, submit(resend)]
    }`)
    expect(sent).toEqual([true, false, false, true])
    await page.close()
  })

  for (const javaScriptEnabled of [true, false]) {
    const how = javaScriptEnabled ? 'with scripts' : 'without scripts'
    const open = async () => {
      const page = await browser().newPage({ javaScriptEnabled, locale: 'en-US' })
      return page
    }

    it(`sends a new code and calls instead, each after its wait: ${how}`, async () => {
      const page = await open()
      await givePassword(page, bank)
      const again = page.getByRole('button', { name: 'Send a new code' })
      if (javaScriptEnabled) {
        // By the script, which runs once the page is there.
        await expect.poll(() => again.isDisabled()).toBe(true)
      } else {
        await again.click()
        expect(await problem(page)).toBe('A code was sent a moment ago.')
      }
      expect(bank.sandbox.inbox.list(phone)).toHaveLength(1)

      bank.sandbox.clock.advance(60_000)
      await page.goto(`${bank.origin}/two-factor`)
      await again.click()
      await expect.poll(() => bank.sandbox.inbox.list(phone)).toHaveLength(2)
      bank.sandbox.clock.advance(120_000)
      await page.goto(`${bank.origin}/two-factor`)
      await press(page, 'Call me instead')
      expect(await page.locator('main').innerText()).toContain('We called ••••••67')
      const { code } = await bank.sandbox.inbox.waitFor(phone, { channel: 'call' })
      await enter(page, code)
      await page.goto(`${bank.origin}/account`)
      expect(await heading(page)).toBe('Account')
      await page.close()
    })

    it(`locks the number after ten wrong codes: ${how}`, async () => {
      const page = await open()
      const fiveWrongCodes = async () => {
        const code = await codeFor(bank)
        for (let tries = 1; tries <= 5; tries += 1) await enter(page, wrong(code, tries))
        expect(await heading(page)).toBe('You entered too many wrong codes')
        return problem(page)
      }
      await givePassword(page, bank)
      const when = /^You can ask for a new code at \d\d:\d\d( UTC)?\.$/
      expect(await fiveWrongCodes()).toMatch(when)
      bank.sandbox.clock.advance(5 * 60_000)
      // The link waits for the browser's own clock.
      expect(await page.getByRole('link', { name: 'Try again' }).isVisible()).toBe(false)
      await page.goto(`${bank.origin}/two-factor`)
      await press(page, 'Send a code')
      expect(await fiveWrongCodes()).toMatch(when)
      bank.sandbox.clock.advance(5 * 60_000)
      // The link waits for the browser's own clock.
      expect(await page.getByRole('link', { name: 'Try again' }).isVisible()).toBe(false)
      // A locked number is shown no button that would only be refused.
      await page.goto(`${bank.origin}/two-factor`)
      expect(await heading(page)).toBe('You entered too many wrong codes')
      expect(await problem(page)).toMatch(when)
      expect(await page.getByRole('button', { name: 'Send a code' }).count()).toBe(0)
      expect(bank.sandbox.inbox.list(phone)).toHaveLength(2)
      await page.close()
    })

    it(`asks for a code for one amount, and again for another: ${how}`, async () => {
      const page = await open()
      await signIn(page, bank)
      const transfer = async (amount: string) => {
        await page.goto(`${bank.origin}/transfer`)
        await page.getByLabel('Amount').fill(amount)
        await press(page, 'Transfer')
      }
      await transfer('100')
      expect(await heading(page)).toBe("Confirm that it's you")
      expect(await page.getByText("We've saved your form").isVisible()).toBe(true)
      await press(page, 'Send a code')
      await enter(page, await codeFor(bank))
      // The interrupted form is not sent by itself.
      expect(await heading(page)).toBe('Check and send')
      expect(await page.locator('dl').innerText()).toMatch(/Amount\s+100\s+To\s+Luis/)
      expect(bank.demo.accounts.find('ana')?.movements).toHaveLength(3)
      if (javaScriptEnabled) expect(await axeFindings(page)).toEqual([])
      const confirmation = page.url()
      await transfer('999')
      expect(await heading(page)).toBe("Confirm that it's you")
      await page.goto(confirmation)
      expect(await heading(page)).toBe('Fill in the form again')
      await page.getByRole('link', { name: 'Go back' }).click()
      await press(page, 'Transfer')
      expect(await page.getByRole('status').innerText()).toBe('100 went to Luis.')
      await page.close()
    })

    it(`returns to the guarded page that asked: ${how}`, async () => {
      const page = await open()
      await signIn(page, bank)
      await page.goto(`${bank.origin}/settings`)
      await press(page, 'Send a code')
      await enter(page, await codeFor(bank))
      expect(await heading(page)).toBe('Settings')
      await page.close()
    })

    it(`signs up, with another number than the first: ${how}`, async () => {
      const page = await open()
      await page.goto(`${bank.origin}/`)
      await page.getByRole('link', { name: 'Open an account' }).click()
      expect(await page.getByLabel('Country').getAttribute('autocomplete')).toBe('country')
      expect(await page.getByLabel('Mobile number').getAttribute('autocomplete')).toBe('tel')
      await page.getByLabel('Country').selectOption('CO')
      await page.getByLabel('Mobile number').fill('hello')
      await press(page, 'Send a code')
      expect(await problem(page)).toBe(
        'Enter a mobile number we can reach. Enter it the way you would dial it.',
      )
      await page.getByLabel('Mobile number').fill('310 111 2233')
      await press(page, 'Send a code')
      expect(await heading(page)).toBe('Check your phone')
      await press(page, 'Use another number')
      await page.getByLabel('Mobile number').fill('310 765 4321')
      await page.getByLabel('Country').selectOption('CO')
      await press(page, 'Send a code')
      await enter(page, await codeFor(bank, '+573107654321'))
      expect(await heading(page)).toBe('Open an account')
      await page.getByLabel('Name').fill('luis')
      await page.getByLabel('Password').fill('open')
      await press(page, 'Open')
      expect(await heading(page)).toBe('Welcome')
      await page.close()
    })
  }
})
