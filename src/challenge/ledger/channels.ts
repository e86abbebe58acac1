import type { Channel } from '../code-provider.js'
import type { LedgerLimits } from '../limits.js'
import type { Budget, Challenge } from './ledger.js'
import { isApproved, isSent } from './pacing.js'

/**
 * The channels by which the code may have come that was typed for this challenge: of all that was sent since the last
 * success and may still be right. A provider may repeat a code, also for the next challenge, and a code may be typed
 * while a call is placed: one by text message must not pass for one by call.
 */
export function channelsOf(
  { sends }: Budget,
  { id }: Challenge,
  now: number,
  { codeLifetimeMs }: Pick<LedgerLimits, 'codeLifetimeMs'>,
): readonly Channel[] {
  const open = sends
    .slice(sends.findLastIndex(isApproved) + 1)
    .filter((send) => isSent(send) && (send.challenge === id || send.at > now - codeLifetimeMs))
  return [...new Set(open.map(({ channel }) => channel))]
}
