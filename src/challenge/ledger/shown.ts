import { refused, type Shown } from '../commands.js'
import type { LedgerLimits } from '../limits.js'
import { firstPurpose } from '../purposes.js'
import { type Challenge, challengeOf, type Ledger, type LedgerRefusal, type Who } from './ledger.js'

/** The live challenge of this session and subject, when it is the one that the person was shown. */
export function challengeShown(
  ledger: Ledger,
  command: Who & { readonly shown: Shown },
  now: number,
  limits: LedgerLimits,
): Challenge | LedgerRefusal {
  const live = challengeOf(ledger, command, now, limits)
  return 'outcome' in live ? live : (refusalOf(live, command.shown) ?? live)
}

/**
 * Why a code that was shown so must not approve this challenge. What is shown is what is signed: whoever else
 * acts in the session may have replaced a transfer that the person still sees (PSD2 RTS, article 5).
 */
export function refusalOf(live: Challenge, shown: Shown): LedgerRefusal | undefined {
  const { challenge, purpose, bound } = shown
  if (challenge === undefined && purpose === undefined) {
    return live.purpose === firstPurpose && live.bound === undefined ? undefined : unnamed
  }
  const isOther =
    (challenge !== undefined && challenge !== live.id) ||
    (purpose !== undefined && purpose !== live.purpose) ||
    // The id stands for the fields as well.
    (bound !== live.bound && (challenge === undefined || bound !== undefined))
  return isOther ? refused('challenge_superseded') : undefined
}

const unnamed: LedgerRefusal = {
  ...refused('invalid_request'),
  detail: `This code is for more than "${firstPurpose}": send the id of its challenge as "challenge", or the "requirement" or "purpose" that it was started with.`,
}
