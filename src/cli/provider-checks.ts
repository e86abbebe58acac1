import { clockLeewayMs } from '../lib/clock.js'
import { type ProviderClient, ProviderError } from '../provider/index.js'
import type { Row } from './findings.js'
import { describeRefusal } from './refusal.js'

/** Asks for the credits: the question that proves address, account and allow-list, and costs nothing. */
export async function balanceRow(provider: ProviderClient, key: string): Promise<Row> {
  const name = 'Provider'
  try {
    const { credits } = await provider.balance()
    if (credits === undefined) return { name, found: 'ok', text: 'answers, without a number of credits' }
    if (credits > 0) return { name, found: 'ok', text: `${credits} credits` }
    return {
      name,
      found: 'wrong',
      text: 'no credits are left: no code will be sent',
      fix: 'recharge the account',
    }
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    return { name, found: 'wrong', text: describeRefusal(error, { key }) }
  }
}

/** Compares the clocks by the `Date` of any answer from the provider's address. No account travels. */
export async function clockRow(baseUrl: string): Promise<Row> {
  const name = 'Clock'
  const asked = Date.now()
  const answer = await fetch(baseUrl, {
    method: 'HEAD',
    redirect: 'manual',
    signal: AbortSignal.timeout(5_000),
  }).catch(() => undefined)
  const theirs = Date.parse(answer?.headers.get('date') ?? '')
  if (Number.isNaN(theirs))
    return { name, found: 'skipped', text: 'the provider tells no time to compare with' }
  // A date has whole seconds, cut off: on average it is half a second late.
  const leadMs = (asked + Date.now()) / 2 - (theirs + 500)
  const seconds = Math.round(Math.abs(leadMs) / 1_000)
  if (Math.abs(leadMs) <= clockLeewayMs)
    return { name, found: 'ok', text: `as the provider's, within ${seconds + 1} s` }
  const side = leadMs > 0 ? 'ahead of' : 'behind'
  return {
    name,
    found: 'wrong',
    text: `this machine is ${seconds} s ${side} the provider`,
    fix: 'let it take its time from NTP',
  }
}
