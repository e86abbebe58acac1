import { clockLeewayMs } from '../lib/clock.js'
import type { Row } from './findings.js'

const name = 'Clock'

/** Compares the clocks by the `Date` of any answer from the provider's address. No account travels. */
export async function clockRow(baseUrl: string): Promise<Row> {
  const asked = Date.now()
  const answer = await fetch(baseUrl, {
    method: 'HEAD',
    redirect: 'manual',
    signal: AbortSignal.timeout(5_000),
  }).catch(() => undefined)
  const theirs = Date.parse(answer?.headers.get('date') ?? '')
  if (Number.isNaN(theirs)) {
    return {
      code: 'clock_unknown',
      name,
      found: 'skipped',
      text: 'the provider tells no time to compare with',
    }
  }
  // A date has whole seconds, cut off: on average it is half a second late.
  const leadMs = (asked + Date.now()) / 2 - (theirs + 500)
  const seconds = Math.round(Math.abs(leadMs) / 1_000)
  if (Math.abs(leadMs) <= clockLeewayMs) {
    return { code: 'clock_ok', name, found: 'ok', text: `as the provider's, within ${seconds + 1} s` }
  }
  const side = leadMs > 0 ? 'ahead of' : 'behind'
  return {
    code: 'clock_differs',
    name,
    found: 'wrong',
    text: `this machine is ${seconds} s ${side} the provider`,
    fix: 'let it take its time from NTP',
  }
}
