import { expect } from 'vitest'
import { en as account } from '../../src/account/texts/en.js'
import { type Bank, codeFor } from './bank.js'
import type { Visitor } from './engines/visitor.js'

// Steps of the journeys at the demo's bank.

export async function enter(visitor: Visitor, code: string): Promise<void> {
  await visitor.fill('Security code', code)
  await visitor.press('Continue')
}

/** By keyboard, into a field that has the focus when the page is there. */
export async function typeInto(visitor: Visitor, label: string, text: string): Promise<void> {
  // Browsers give it a moment after the page is loaded.
  await expect.poll(async () => (await visitor.focused()).name, { timeout: 20_000 }).toBe(label)
  await visitor.type(...text)
  await visitor.submit()
}

export async function givePassword(visitor: Visitor, { origin }: Bank): Promise<void> {
  await visitor.visit(`${origin}/login`)
  await visitor.press('Sign in')
  await visitor.see('Check your phone')
}

export async function signIn(visitor: Visitor, bank: Bank): Promise<void> {
  await givePassword(visitor, bank)
  await enter(visitor, await codeFor(bank))
  await visitor.see('Movements')
}

/** Opens a page of somebody who has signed in already, in place of the three pages of a sign-in. */
export async function openSignedIn(visitor: Visitor, bank: Bank, path: string): Promise<void> {
  await visitor.visit(await bank.signedInAt(path))
}

export async function openCodePage(visitor: Visitor, bank: Bank): Promise<void> {
  await visitor.visit(`${bank.origin}/transfer`)
  await visitor.press('Transfer')
  await visitor.see('Check your phone')
}

/** A transfer that a code on a page confirms. */
export async function transfer(visitor: Visitor, bank: Bank): Promise<void> {
  await openCodePage(visitor, bank)
  await enter(visitor, await codeFor(bank))
  expect(await visitor.heading()).toBe('Check and send')
  await visitor.press('Transfer')
  await visitor.see('$100.00 went to Luis.')
}

/** By keyboard. */
export async function openDialog(visitor: Visitor, bank: Bank): Promise<void> {
  await visitor.evaluate("document.cookie = 'steps=dialog; path=/'")
  await visitor.visit(`${bank.origin}/transfer`)
  await visitor.tabTo('Payee')
  await visitor.type('Enter')
  await visitor.see('Check your phone')
}

/** Signs in and makes recovery codes. Resolves with the codes, which the page shows. */
export async function makeRecoveryCodes(
  visitor: Visitor,
  bank: Bank,
  scripts = true,
): Promise<readonly string[]> {
  await signIn(visitor, bank)
  bank.sandbox.clock.advance(61_000)
  await visitor.visit(`${bank.origin}/security`)
  await visitor.press(account['recovery.make'])
  await enter(visitor, await codeFor(bank))
  if (!scripts) await visitor.press(account['codes.show'])
  await visitor.see(account['codes.kept'])
  const codes = await visitor.evaluate(
    "[...document.querySelectorAll('.codes li')].map(({ textContent }) => textContent.trim())",
  )
  expect(codes).toHaveLength(10)
  return codes as readonly string[]
}

/** From the page of the recovery codes. */
export async function signOut(visitor: Visitor): Promise<void> {
  await visitor.press(account['codes.kept'])
  await visitor.press('Account')
  await visitor.press('Sign out')
}

/** Goes back so many times. Resolves with all that could be read on the way. */
export async function goBack(visitor: Visitor, times: number): Promise<string> {
  const seen: string[] = []
  for (let steps = 0; steps < times; steps += 1) {
    await visitor.back()
    seen.push(await visitor.text())
  }
  return seen.join('\n')
}
