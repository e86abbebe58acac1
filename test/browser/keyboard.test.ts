import { expect, it } from 'vitest'
import { codeFor, heading, openBank } from './bank.js'
import { describeInChromium, focusOn, pressKey, tabTo } from './chromium.js'

describeInChromium('by keyboard alone', (browser) => {
  // Before codes were sent at once and a signup ended signed in, a step-up took 4 submits and 5 pages, a signup 5 and 7.
  it('a sign-in takes 2 submits and 3 pages, a step-up of a form 3 and 4, a signup 3 and 4', async () => {
    const bank = await openBank()
    const page = await browser().newPage({ locale: 'en-US' })
    async function giveCode(phone?: string): Promise<void> {
      await focusOn(page, 'one-time-code')
      await page.keyboard.type(await codeFor(bank, phone))
      await page.keyboard.press('Enter')
    }
    let submits = 0
    let pages = 0
    page.on('response', (response) => {
      if (!response.request().isNavigationRequest()) return
      if (response.request().method() === 'POST') submits += 1
      if (response.status() !== 303) pages += 1
    })
    const counted: Record<string, { submits: number; pages: number }> = {}
    const count = (journey: string) => {
      counted[journey] = { submits, pages }
      submits = 0
      pages = 0
    }

    await page.goto(`${bank.origin}/login`)
    await pressKey(page, 'Sign in')
    await giveCode()
    await page.waitForURL('**/account')
    count('sign-in')

    await pressKey(page, 'Transfer')
    await page.waitForURL('**/transfer')
    await tabTo(page, 'Payee')
    await page.keyboard.press('Enter')
    await giveCode()
    await page.waitForURL('**form=*')
    await pressKey(page, 'Transfer')
    await page.waitForURL('**/account?news=transfer')
    count('step-up of a form')

    await page.context().clearCookies()
    await page.goto(`${bank.origin}/signup/phone`)
    await focusOn(page, 'tel')
    await page.keyboard.type('310 765 4321')
    await page.keyboard.press('Enter')
    await giveCode('+573107654321')
    await page.waitForURL('**/signup')
    await tabTo(page, 'Name')
    await page.keyboard.type('luis')
    await tabTo(page, 'Password')
    await page.keyboard.type('open')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/account')
    expect(await heading(page)).toBe('Account')
    count('signup')

    console.table(counted)
    expect(counted).toEqual({
      'sign-in': { submits: 2, pages: 3 },
      'step-up of a form': { submits: 3, pages: 4 },
      signup: { submits: 3, pages: 4 },
    })
    await page.close()
  })
})
