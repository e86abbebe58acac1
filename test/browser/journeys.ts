import { expect, it } from 'vitest'
import { en as account } from '../../src/account/texts/en.js'
import { en } from '../../src/express/pages/messages/en.js'
import { codeFor, openBank, wrong } from './bank.js'
import {
  enter,
  givePassword,
  goBack,
  makeRecoveryCodes,
  openCodePage,
  openDialog,
  openSignedIn,
  signIn,
  signOut,
  transfer,
  typeInto,
} from './bank-steps.js'
import type { Visitor } from './engines/visitor.js'

const newPhone = '+573107654321'
const rejected = (left: number) => `That code is not right. You have ${left} tries left.`
const narrow = { width: 320, height: 480 }

/** The journeys of a person, from page to page, in the browser that `visitor` drives. */
export function itLeads(visitor: () => Visitor): void {
  it.each([
    ['with scripts', true],
    ['without scripts', false],
  ])('signs in after a wrong code, %s', async (_, scripts) => {
    const bank = await openBank({ scripts })
    const ana = visitor()
    await givePassword(ana, bank)
    // A page without scripts is in a sandbox here, where browsers ignore `autofocus`.
    if (scripts) expect(await ana.focused()).toMatchObject({ name: 'Security code', isSeen: true })
    const code = await codeFor(bank)
    await enter(ana, wrong(code))
    expect(await ana.text()).toContain(rejected(4))
    await enter(ana, wrong(code, 2))
    expect(await ana.text()).toContain(rejected(3))
    await enter(ana, `${code.slice(0, 3)} ${code.slice(3)}`)
    expect(await ana.heading()).toBe('Account')
  })

  it('shows the page with the error again when a wrong code is followed by a reload', async () => {
    const bank = await openBank()
    const ana = visitor()
    await givePassword(ana, bank)
    await enter(ana, wrong(await codeFor(bank)))
    await ana.reload()
    expect(await ana.heading()).toBe('Check your phone')
    expect(await ana.text()).toContain(rejected(4))
    expect(await ana.address()).not.toContain('/verify')
    await enter(ana, await codeFor(bank))
    expect(await ana.heading()).toBe('Account')
  })

  it('sends nothing by a reload after a wrong code of a new app', async () => {
    const bank = await openBank()
    const ana = visitor()
    await openSignedIn(ana, bank, '/account')
    bank.sandbox.clock.advance(61_000)
    await ana.visit(`${bank.origin}/security`)
    await ana.press(account['app.add'])
    if ((await ana.text()).includes('Send a code')) await ana.press('Send a code')
    await enter(ana, await codeFor(bank))
    const key = "document.querySelector('.key').textContent"
    const secret = await ana.evaluate(key)
    const requests = bank.sandbox.requests.list().length
    await ana.evaluate("document.querySelector('#pair').focus()")
    await ana.type(...'000000')
    await ana.submit()
    expect(await ana.text()).toContain(en['code.wrong.app.title'])
    await ana.reload()
    expect(await ana.text()).toContain(en['code.wrong.app.title'])
    expect(await ana.evaluate(key)).toBe(secret)
    expect(bank.sandbox.requests.list()).toHaveLength(requests)
  })

  it('sends a new code after the wait', async () => {
    const bank = await openBank()
    const ana = visitor()
    await givePassword(ana, bank)
    const code = await codeFor(bank)
    bank.sandbox.clock.advance(61_000)
    await ana.reload()
    await ana.press('Send a new code')
    expect(await ana.heading()).toBe('Check your phone')
    expect(bank.sandbox.inbox.list()).toHaveLength(2)
    const newest = await codeFor(bank)
    expect(newest).not.toBe(code)
    await enter(ana, newest)
    expect(await ana.heading()).toBe('Account')
  })

  it('signs up by keyboard only', async () => {
    const bank = await openBank()
    const luis = visitor()
    await luis.visit(`${bank.origin}/signup/phone`)
    await typeInto(luis, en['phone.label'], '310 765 4321')
    await typeInto(luis, en['code.label'], await codeFor(bank, newPhone))
    await luis.tabTo('Name')
    await luis.type(...'luis')
    await luis.tabTo('Password')
    await luis.type(...'open')
    await luis.submit()
    await luis.see('luis, luis@example.com')
  })

  for (const scheme of ['http', 'https'] as const) {
    it(`shows a transfer as done, without a button, when a person goes back: ${scheme}`, async () => {
      const bank = await openBank({ scheme })
      const ana = visitor()
      await signIn(ana, bank)
      await transfer(ana, bank)
      await ana.back()
      expect(await ana.heading()).toBe(en['resume.sent.title'])
      expect(await ana.evaluate("document.querySelectorAll('main form').length")).toBe(0)
    })

    it(`shows neither recovery codes nor the account again after a sign-out: ${scheme}`, async () => {
      const bank = await openBank({ scheme })
      const ana = visitor()
      const codes = await makeRecoveryCodes(ana, bank)
      await signOut(ana)
      const seen = await goBack(ana, 4)
      for (const secret of [...codes, 'Movements']) expect(seen).not.toContain(secret)
      expect(await ana.heading()).toMatch(/^Sign in/)
    })
  }

  it('empties a page before the browser keeps it', async () => {
    const bank = await openBank()
    const ana = visitor()
    const codes = await makeRecoveryCodes(ana, bank)
    // Firefox keeps nothing that is `no-store`, and then nothing is shown again. The first show may still be ahead.
    await ana.evaluate(
      "addEventListener('pageshow', ({ persisted }) => persisted && sessionStorage.setItem('shown', document.body.innerText))",
    )
    await ana.press(account['codes.kept'])
    await ana.back()
    const shown = String(await ana.evaluate("sessionStorage.getItem('shown')"))
    for (const code of codes) expect(shown).not.toContain(code)
  })

  // Without scripts WebKit keeps what came over http. Chromium keeps all of it until the cookie of the session changes.
  it('shows no recovery codes again after a sign-out: https, without scripts', async () => {
    const bank = await openBank({ scheme: 'https', scripts: false })
    const ana = visitor()
    const codes = await makeRecoveryCodes(ana, bank, false)
    await signOut(ana)
    const seen = await goBack(ana, 5)
    for (const secret of [...codes, 'Movements']) expect(seen).not.toContain(secret)
  })

  it('sends a transfer once after going back, for any keys, without scripts', async () => {
    const bank = await openBank({ scripts: false })
    const ana = visitor()
    await openSignedIn(ana, bank, '/account')
    await transfer(ana, bank)
    await ana.back()
    // Some engines keep the page, button and all.
    if ((await ana.heading()) === en['resume.title']) await ana.press('Transfer')
    expect(await ana.heading()).toBe(en['resume.sent.title'])
    await ana.visit(`${bank.origin}/account`)
    expect((await ana.text()).match(/Luis/g)).toHaveLength(1)
  })

  it('confirms a transfer in a dialog by keyboard only', async () => {
    const bank = await openBank()
    const ana = visitor()
    await openSignedIn(ana, bank, '/account')
    await openDialog(ana, bank)
    await ana.type(...(await codeFor(bank)), 'Enter')
    await ana.see('$100.00 went to Luis.')
    expect(await ana.text()).not.toContain('Check your phone')
  })

  it.each(['page', 'dialog'])('stops at visible controls only, by Tab through the %s', async (kind) => {
    const bank = await openBank()
    const ana = visitor()
    await openSignedIn(ana, bank, '/account')
    bank.sandbox.clock.advance(301_000)
    if (kind === 'dialog') await openDialog(ana, bank)
    else await openCodePage(ana, bank)
    const stops = await ana.tabThrough(12)
    expect(stops.filter(({ isSeen }) => !isSeen)).toEqual([])
    expect(stops.map(({ name }) => name)).toEqual(expect.arrayContaining(['Continue', 'Cancel']))
  })

  it('covers no focused control of the dialog at 320 x 480', async () => {
    const bank = await openBank()
    const ana = visitor()
    await openSignedIn(ana, bank, '/account')
    bank.sandbox.clock.advance(301_000)
    await ana.resize(narrow)
    await openDialog(ana, bank)
    // A minute later the other buttons can be pressed, too.
    await ana.evaluate(
      '(Date.now = () => performance.timeOrigin + 120_000, document.dispatchEvent(new Event("visibilitychange")))',
    )
    expect(await ana.overflow()).toBe(0)
    const stops = [
      await ana.focused(),
      ...(await ana.tabThrough(10)),
      ...(await ana.tabThrough(10, 'Shift+Tab')),
    ]
    expect(stops.map(({ name }) => name)).toContain('Call me instead')
    expect(stops.filter(({ isSeen }) => !isSeen)).toEqual([])
  })

  it('signs in and confirms a transfer by keyboard only', async () => {
    const bank = await openBank()
    const ana = visitor()
    await ana.visit(`${bank.origin}/login`)
    await ana.tabTo('Password')
    await ana.submit()
    await typeInto(ana, en['code.label'], await codeFor(bank))
    bank.sandbox.clock.advance(61_000)
    await ana.tabTo('Transfer')
    await ana.submit()
    await ana.tabTo('Payee')
    await ana.submit()
    await typeInto(ana, en['code.label'], await codeFor(bank))
    expect(await ana.heading()).toBe(en['resume.title'])
    await ana.tabTo('Transfer')
    expect(await ana.focused()).toMatchObject({ kind: 'button submit', isSeen: true })
    await ana.submit()
    await ana.see('$100.00 went to Luis.')
  })

  it('gives axe nothing to find: page, error, dialog, settings', async () => {
    const bank = await openBank()
    const ana = visitor()
    await givePassword(ana, bank)
    const code = await codeFor(bank)
    expect(await ana.axeFindings()).toEqual([])
    await enter(ana, wrong(code))
    expect(await ana.axeFindings()).toEqual([])
    await enter(ana, code)
    bank.sandbox.clock.advance(61_000)
    await ana.visit(`${bank.origin}/security`)
    expect(await ana.axeFindings()).toEqual([])
    await openDialog(ana, bank)
    expect(await ana.axeFindings()).toEqual([])
  })

  it('fits 320 px', async () => {
    const bank = await openBank()
    const ana = visitor()
    await ana.resize(narrow)
    await givePassword(ana, bank)
    expect(await ana.overflow()).toBe(0)
    await enter(ana, await codeFor(bank))
    await ana.visit(`${bank.origin}/security`)
    expect(await ana.overflow()).toBe(0)
  })
}
