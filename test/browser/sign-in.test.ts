import { expect, it } from 'vitest'
import { codeFor, enter, givePassword, heading, openBank, problem, wrong } from './bank.js'
import { axeFindings, describeInChromium } from './chromium.js'

describeInChromium('in a browser', (browser) => {
  for (const javaScriptEnabled of [true, false]) {
    const how = javaScriptEnabled ? 'with scripts' : 'without scripts'

    it(`signs in, a wrong code on the way: ${how}`, async () => {
      const bank = await openBank()
      const page = await browser().newPage({ javaScriptEnabled, locale: 'en-US' })
      await givePassword(page, bank)
      expect(await heading(page)).toBe('Check your phone')
      expect(await page.locator('input[type=text]:visible').getAttribute('autocomplete')).toBe(
        'one-time-code',
      )
      if (javaScriptEnabled) expect(await axeFindings(page)).toEqual([])
      const code = await codeFor(bank)
      await enter(page, wrong(code))
      expect(await problem(page)).toBe('That code is not right. You have 4 tries left.')
      expect(await page.title()).toBe('Error: Check your phone – Demo bank')
      // With scripts the page has an address of its own; without, the browser posts the form again.
      await page.reload()
      expect(new URL(page.url()).pathname.endsWith('/verify')).toBe(!javaScriptEnabled)
      expect(await heading(page)).toBe('Check your phone')
      await enter(page, wrong(code))
      expect(await problem(page)).toBe('That code is not right. You have 4 tries left.')
      await enter(page, wrong(code, 2))
      expect(await problem(page)).toBe('That code is not right. You have 3 tries left.')
      await enter(page, `${code.slice(0, 3)} ${code.slice(3)}`)
      await page.goto(`${bank.origin}/account`)
      expect(await heading(page)).toBe('Account')
      await page.close()
    })
  }
})
