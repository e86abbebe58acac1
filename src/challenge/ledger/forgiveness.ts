import {
  type Budget,
  type BudgetName,
  type Challenge,
  type Decision,
  emptyBudget,
  type Ledger,
  withBudget,
} from './ledger.js'

/** The operator's command: resets the failures that locked or disabled a number. */
export function enable(ledger: Ledger, now: number): Decision<undefined> {
  return { outcome: undefined, next: { ...forgiven(ledger), at: now } }
}

/**
 * The ledger after the right code for this challenge. It forgives the failures of both budgets, but of the
 * hour and the day it takes its own attempt alone: each success of the owner would give a thief new guesses.
 */
export function afterSuccess(ledger: Ledger, name: BudgetName, { id }: Challenge, now: number): Ledger {
  const both = forgiven(ledger)
  const { sends, attemptTimes } = both[name]
  const own: Budget = {
    ...both[name],
    challenge: undefined,
    lease: undefined,
    // It held the lease, so no attempt came after its own.
    attemptTimes: attemptTimes.slice(0, -1),
    sends: sends.map((send) => (send.challenge === id ? { ...send, challenge: undefined } : send)),
  }
  const other = name === 'known' ? 'strangers' : 'known'
  const ended = { ...both[other], challenge: undefined }
  const others = both[other].challenge === undefined ? both : withBudget(both, other, ended, now)
  return withBudget(others, name, own, now)
}

function forgiven(ledger: Ledger): Ledger {
  const none = { attemptsSinceSuccess: 0, rejections: 0, lockExpiresAt: 0 }
  return {
    ...ledger,
    strangers: { ...ledger.strangers, ...none },
    // The budget that most ledgers do not use stays the same object, and takes no room in the store.
    known: ledger.known === emptyBudget ? emptyBudget : { ...ledger.known, ...none },
  }
}
