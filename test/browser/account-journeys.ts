import { expect, it } from 'vitest'
import { en as account } from '../../src/account/texts/en.js'
import { en } from '../../src/express/pages/messages/en.js'
import { codeOf, fromBase32 } from '../../src/lib/totp.js'
import { type Bank, codeFor, openBank } from './bank.js'
import { enter, openSignedIn } from './bank-steps.js'
import type { Visitor } from './engines/visitor.js'

const newPhone = '+573107654321'

/** Ana at her account settings, with a keyboard only. Counts the buttons and links that she presses there. */
async function openSettings(visitor: Visitor) {
  const bank = await openBank()
  await openSignedIn(visitor, bank, '/account')
  let presses = 0
  const ana: Visitor = {
    ...visitor,
    async press(name) {
      presses += 1
      await visitor.tabTo(name)
      await visitor.submit()
    },
    async fill(label, text) {
      // Most fields have the focus from the start.
      if ((await visitor.focused()).name !== label) await visitor.tabTo(label)
      await visitor.type(...text)
    },
  }
  /** Opens the page once the number takes another code. */
  const settle = async () => {
    bank.sandbox.clock.advance(301_000)
    await visitor.visit(`${bank.origin}/security`)
    presses = 0
  }
  await settle()
  return { bank, ana, settle, pressed: () => presses }
}

/** The code that an app with the key of the page shows. */
async function appCode({ sandbox }: Bank, visitor: Visitor): Promise<string> {
  const key = String(await visitor.evaluate("document.querySelector('.key').textContent"))
  const now = Date.now() + sandbox.clock.aheadMs()
  return codeOf(Math.floor(now / 30_000), fromBase32(key.replaceAll(' ', '')) ?? Buffer.of())
}

/** The words of the page that do not stand on one line. */
const brokenWords = `(() => {
  const found = []
  const texts = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT)
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    for (const { index, 0: word } of text.data.matchAll(/[^\\s-]+/g)) {
      const range = document.createRange()
      range.setStart(text, index)
      range.setEnd(text, index + word.length)
      if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) found.push(word)
    }
  }
  return found
})()`

/** The recovery codes on more than one line, and the links that look like buttons with a text that is not in the middle. */
const outOfLine = `[...document.querySelectorAll('.codes li, main .button')].filter((element) => {
  const range = document.createRange()
  range.selectNodeContents(element)
  const [text, box] = [range.getBoundingClientRect(), element.getBoundingClientRect()]
  const offset = Math.abs(text.top + text.bottom - box.top - box.bottom) / 2
  return text.height > 30 || offset >= 2
}).map(({ textContent }) => textContent)`

async function expectNotice(visitor: Visitor, notice: string): Promise<void> {
  await visitor.see(notice)
  expect(await visitor.evaluate('document.title')).toMatch(new RegExp(`^${notice}`))
  expect(await visitor.evaluate('document.activeElement.innerText.trim()')).toBe(notice)
}

/** By axe, in Firefox. `account/walk` asks Chromium about more of these pages. */
async function expectNothingFound(visitor: Visitor): Promise<void> {
  if (visitor.engine !== 'Firefox') return
  expect([await visitor.heading(), await visitor.axeFindings()]).toEqual([await visitor.heading(), []])
}

/** The journeys of a person through the account settings, in the browser that `visitor` drives. */
export function itKeepsAnAccount(visitor: () => Visitor): void {
  it('adds a number in three screens and four presses, and removes it in three presses', async () => {
    const { bank, ana, settle, pressed } = await openSettings(visitor())
    await ana.press(account['numbers.add'])
    await expectNothingFound(ana)
    await ana.fill(en['phone.label'], newPhone)
    await ana.press(en['start.sms'])
    await ana.see('We sent a code to +57 310 7654321.')
    await enter(ana, await codeFor(bank, newPhone))
    expect(await ana.heading()).toBe('Now confirm with the phone ending in 6 7')
    await ana.see('Adding +57 310 7654321')
    await expectNothingFound(ana)
    await enter(ana, await codeFor(bank))
    await expectNotice(ana, 'The number ending in 2 1 was added.')
    await expectNothingFound(ana)
    expect(pressed()).toBe(4)

    await settle()
    await ana.press('Remove the number ending in 2 1')
    await expectNothingFound(ana)
    await ana.press('Text the number ending in 6 7')
    await enter(ana, await codeFor(bank))
    await expectNotice(ana, 'The number ending in 2 1 was removed.')
    expect(pressed()).toBe(3)
  })

  it('sets up an app in three presses, and makes recovery codes in as many', async () => {
    const { bank, ana, settle, pressed } = await openSettings(visitor())
    await ana.press(account['app.add'])
    await enter(ana, await codeFor(bank))
    await expectNothingFound(ana)
    await ana.fill(en['pair.label'], await appCode(bank, ana))
    await ana.press(en['pair.submit'])
    await expectNotice(ana, account['done.app-added'])
    expect(pressed()).toBe(3)

    await settle()
    await ana.press(account['recovery.make'])
    await ana.press(en['choose.app'])
    const secret = String(bank.demo.accounts.find('ana')?.app)
    const now = Date.now() + bank.sandbox.clock.aheadMs()
    await enter(ana, codeOf(Math.floor(now / 30_000), fromBase32(secret) ?? Buffer.of()))
    await ana.see(account['codes.kept'])
    await expectNothingFound(ana)
    // One more than with a number alone, whose code is sent at once.
    expect(pressed()).toBe(3)
    await ana.resize({ width: 320, height: 640 })
    expect(await ana.evaluate(outOfLine)).toEqual([])
    await ana.press(account['codes.kept'])
    await ana.see('10 left')
  })

  it('fits 320 px, breaks no word, and has targets of 44 px', async () => {
    const { ana } = await openSettings(visitor())
    await ana.resize({ width: 320, height: 640 })
    expect(await ana.overflow()).toBe(0)
    const small = await ana.evaluate(
      "[...document.querySelectorAll('main a, main button')].filter((one) => one.getBoundingClientRect().height < 44).map(({ textContent }) => textContent)",
    )
    expect(small).toEqual([])
    expect(await ana.evaluate(brokenWords)).toEqual([])
  })
}
