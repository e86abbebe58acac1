import type { Channel } from '../code-provider.js'
import type { LedgerLimits } from '../limits.js'
import type { Challenge, Ledger } from './ledger.js'
import { isSent, isUsedUp } from './pacing.js'

/**
 * The channels by which the code may have come that was typed for this challenge: of all that was sent under the name
 * that it is filed under, and may still be right. A provider may repeat a code, or leave an earlier one valid, also for
 * the next challenge or in another browser, and a code may be typed while a call is placed: one by text message must
 * not pass for one by call.
 */
export function channelsOf(
  { strangers, known }: Ledger,
  { id, appName }: Challenge,
  now: number,
  { codeLifetimeMs }: Pick<LedgerLimits, 'codeLifetimeMs'>,
): readonly Channel[] {
  const sends = [...strangers.sends, ...known.sends]
    .filter((send) => send.appName === appName)
    .toSorted((one, other) => one.at - other.at)
  const open = sends.filter(
    (send) => isSent(send) && !isUsedUp(send) && (send.challenge === id || send.at > now - codeLifetimeMs),
  )
  return [...new Set(open.map(({ channel }) => channel))]
}
