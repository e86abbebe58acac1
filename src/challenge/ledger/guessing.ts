import { dayMs, hourMs } from '../../lib/time.js'
import { type Refusal, refused } from '../commands.js'
import type { LedgerLimits } from '../limits.js'
import {
  type Budget,
  type BudgetName,
  type Challenge,
  type Decision,
  emptyBudget,
  type Lease,
  type Ledger,
  type LedgerView,
  withBudget,
} from './ledger.js'
import { windowEnd } from './pacing.js'

// How often a code may be tried on a number: locks, shares and windows, and what forgives.

/** After the first lock, so many further failures lock again. */
const failuresPerFurtherLock = 5
const maxLockMs = hourMs

/** Why the budget refuses every command now. */
export function refusalOfBudget({ ledger, now, limits }: LedgerView, name: BudgetName): Refusal | undefined {
  if (isDisabled(ledger, name, limits)) return refused('phone_disabled')
  const { lockExpiresAt } = ledger[name]
  return now < lockExpiresAt ? refused('phone_locked', lockExpiresAt - now) : undefined
}

/** NIST SP 800-63B-4, 3.2.2: no more than 100 consecutive failures on one authenticator. */
export function isDisabled(ledger: Ledger, name: BudgetName, limits: LedgerLimits): boolean {
  const { failuresBeforeDisable: most } = limits
  const { strangers, known } = ledger
  if (strangers.rejections + known.rejections >= most) return true
  return ledger[name].rejections >= shareOf(most, name, limits)
}

/**
 * How many of these guesses one kind of browser may make. With a budget of its own beside that of strangers,
 * a stolen cookie would give further ones (brute force): the number has as many as it has in all.
 */
function shareOf(most: number, name: BudgetName, { knownShare, attemptsPerChallenge }: LedgerLimits): number {
  if (knownShare === 0) return most
  const known = Math.max(attemptsPerChallenge, Math.floor(knownShare * most))
  return name === 'known' ? known : Math.max(attemptsPerChallenge, most - known)
}

/**
 * How long no code may be tried, whatever the challenge has left; 0 when one may. A window allows the
 * guesses of its own sends only, not those of a code sent just before it (brute force).
 */
export function pauseBeforeCheck({ ledger, now, limits }: LedgerView, name: BudgetName): number {
  const { attemptsPerChallenge, sendsPerHour, sendsPerDay } = limits
  const own = ledger[name].attemptTimes
  const all = [...ledger.strangers.attemptTimes, ...ledger.known.attemptTimes]
  const endOf = (most: number, windowMs: number) =>
    Math.max(windowEnd(own, shareOf(most, name, limits), windowMs, now), windowEnd(all, most, windowMs, now))
  const hourEndsAt = endOf(attemptsPerChallenge * sendsPerHour, hourMs)
  const dayEndsAt = endOf(attemptsPerChallenge * sendsPerDay, dayMs)
  return Math.max(0, hourEndsAt - now, dayEndsAt - now)
}

/**
 * The check that has to end before another one. One per budget: what strangers have under way does not make a known
 * browser wait, unless it may be the last wrong code that the number allows.
 */
export function checkUnderWay({ ledger, now, limits }: LedgerView, name: BudgetName): Lease | undefined {
  const { strangers, known } = ledger
  const isLast = strangers.rejections + known.rejections + 1 >= limits.failuresBeforeDisable
  const leases = isLast ? [strangers.lease, known.lease] : [ledger[name].lease]
  return leases.find((lease) => lease !== undefined && now < lease.expiresAt)
}

/** How long the failure with this number locks: the first at `failuresBeforeLock`, then every fifth, each twice as long, up to an hour. */
export function lockAt(failures: number, limits: LedgerLimits): number | undefined {
  const beyond = failures - limits.failuresBeforeLock
  if (beyond < 0 || beyond % failuresPerFurtherLock !== 0) return undefined
  const doubled = limits.lockMs * 2 ** (beyond / failuresPerFurtherLock)
  return Math.min(doubled, Math.max(limits.lockMs, maxLockMs))
}

/** The operator's command: resets the failures that locked or disabled a number. */
export function enable({ ledger, now }: LedgerView): Decision<undefined> {
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
