import type { Channel } from '../code-provider.js'
import type { LedgerLimits } from '../limits.js'
import { type Challenge, isSent, isUsedUp, type Ledger, type Send } from './ledger.js'

/**
 * The channels by which the code may have come that was typed for this challenge: of all that was sent under the name
 * that it is filed under, and may still be right. A provider may repeat a code, or leave an earlier one valid, also for
 * the next challenge or in another browser, and a code may be typed while a call is placed: one by text message must
 * not pass for one by call.
 */
export function channelsOf(
  ledger: Ledger,
  challenge: Challenge,
  now: number,
  { codeLifetimeMs }: Pick<LedgerLimits, 'codeLifetimeMs'>,
): readonly Channel[] {
  const open = codesFor(ledger, challenge).filter(
    (send) => send.challenge === challenge.id || send.at > now - codeLifetimeMs,
  )
  return [...new Set(open.map(({ channel }) => channel))]
}

/** From when on no code may be typed that came by another channel than these; 0 where none is on its way. */
export function certainAt(
  ledger: Ledger,
  filed: Pick<Challenge, 'appName'>,
  methods: readonly Channel[],
  { codeLifetimeMs }: Pick<LedgerLimits, 'codeLifetimeMs'>,
): number {
  const last = codesFor(ledger, filed).findLast(({ channel }) => !methods.includes(channel))
  return last === undefined ? 0 : last.at + codeLifetimeMs
}

/** Of all that was sent under the name that codes of this challenge are filed under, oldest first, what nobody has used up. */
function codesFor({ strangers, known }: Ledger, { appName }: Pick<Challenge, 'appName'>): readonly Send[] {
  return [...strangers.sends, ...known.sends]
    .filter((send) => send.appName === appName && isSent(send) && !isUsedUp(send))
    .toSorted((one, other) => one.at - other.at)
}
