import { expect, it } from 'vitest'
import { codeFor, enter, givePassword, heading, openBank, press, signIn } from './bank.js'
import { axeFindings, describeInChromium } from './chromium.js'

describeInChromium('in a browser', (browser) => {
  it('signs in on a double click while the check is slow', async () => {
    const bank = await openBank()
    const page = await browser().newPage({ locale: 'en-US' })
    // Stands still: on a busy machine the second click could come too late to be one of a double click.
    await page.clock.install()
    await page.clock.pauseAt(Date.now() + 60_000)
    await givePassword(page, bank)
    // Its script runs once the page is there.
    await page.waitForURL(({ pathname }) => pathname.startsWith('/two-factor'))
    await page.getByLabel('Security code').fill(await codeFor(bank))
    bank.sandbox.faults.add({ operation: 'verifyCode', kind: 'slow', delayMs: 2_000 })
    const { x, y } = await page
      .getByRole('button', { name: 'Continue' })
      .evaluate((button) => button.getBoundingClientRect())
    const sent = page.waitForRequest(/\/verify$/)
    await page.mouse.click(x + 10, y + 10)
    await sent
    await page.mouse.click(x + 10, y + 10)
    await page.waitForURL((url) => !url.pathname.startsWith('/two-factor'))
    await page.goto(`${bank.origin}/account`)
    expect(await heading(page)).toBe('Account')
    await page.close()
  })

  it('asks for a code for one amount, and again for another', async () => {
    const bank = await openBank()
    const page = await browser().newPage({ locale: 'en-US' })
    await signIn(page, bank)
    const transfer = async (amount: string) => {
      await page.goto(`${bank.origin}/transfer`)
      await page.getByLabel('Amount').fill(amount)
      await press(page, 'Transfer')
    }
    await transfer('100')
    expect(await heading(page)).toBe('Check your phone')
    expect(await page.getByText("We've saved your form").isVisible()).toBe(true)
    await enter(page, await codeFor(bank))
    // The interrupted form is not sent by itself.
    expect(await heading(page)).toBe('Check and send')
    expect(await page.locator('dl').innerText()).toMatch(/Amount\s+\$100.00\s+To\s+Luis/)
    expect(bank.demo.accounts.find('ana')?.movements).toHaveLength(3)
    expect(await axeFindings(page)).toEqual([])
    const confirmation = page.url()
    await transfer('999')
    expect(await heading(page)).toBe('Check your phone')
    await page.goto(confirmation)
    // What was confirmed still waits, and is what is sent.
    expect(await page.locator('dl').innerText()).toMatch(/Amount\s+\$100.00\s+To\s+Luis/)
    await press(page, 'Transfer')
    expect(await page.getByRole('status').innerText()).toBe('$100.00 went to Luis.')
    await page.close()
  })
})
