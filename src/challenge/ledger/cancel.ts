import type { LedgerLimits } from '../limits.js'
import {
  type Challenge,
  challengeOf,
  type Decision,
  type Ledger,
  voided,
  type Who,
  withBudget,
} from './ledger.js'

/** Ends the challenge of this session and subject. Its attempts stay spent until it would have expired. */
export function cancel(
  ledger: Ledger,
  who: Who,
  now: number,
  limits: LedgerLimits,
): Decision<{ readonly challenge?: Challenge }> {
  const live = challengeOf(ledger, who, now, limits)
  if ('outcome' in live) return { outcome: {} }
  const budget = { ...ledger[who.budget], challenge: voided(live) }
  return { outcome: { challenge: live }, next: withBudget(ledger, who.budget, budget, now) }
}
