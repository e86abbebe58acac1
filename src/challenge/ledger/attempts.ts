import type { Verdict } from '../code-provider.js'
import {
  type Challenge,
  challengeOf,
  type Decision,
  emptyLedger,
  type Holder,
  isDisabled,
  type Ledger,
  type LedgerLimits,
  type LedgerRefusal,
  refusalOfNumber,
  refuse,
  rememberedMs,
} from './ledger.js'
import { pauseBeforeCheck } from './pacing.js'

/** After the first lock, so many further failures lock again. */
const failuresPerFurtherLock = 5
const maxLockMs = 60 * 60_000
const maxUsedCodes = 20

export interface Attempt extends Holder {
  readonly id: string
  /** Tag of the code that was typed. */
  readonly code: string
}

/** What an attempt brought upon its number. */
export interface Consequences {
  /** This failure locked it. */
  readonly lockedForMs?: number
  /** This answer disabled it. */
  readonly disabled?: true
}

export interface Rejected extends Consequences {
  readonly outcome: 'rejected'
  readonly challenge: Challenge
  readonly attemptsRemaining: number
  /** Whether the code had been used before. */
  readonly used: boolean
}

export type ReserveOutcome =
  | { readonly outcome: 'reserved'; readonly challenge: Challenge }
  | Rejected
  | LedgerRefusal

/**
 * Counts one attempt before the provider is asked, and takes the number's only lease, so that
 * parallel guesses cannot share one attempt (ASVS 5.0, 15.4.2).
 */
export function reserve(
  ledger: Ledger,
  attempt: Attempt,
  now: number,
  limits: LedgerLimits,
): Decision<ReserveOutcome> {
  const live = challengeOf(ledger, attempt, now, limits)
  if ('outcome' in live) return { outcome: live }
  // A store that executed the swap twice shows us our own lease: it is counted already.
  if (ledger.inFlight?.attempt === attempt.id) return { outcome: { outcome: 'reserved', challenge: live } }
  const barred = refusalOfNumber(ledger, now, limits)
  if (barred !== undefined) return { outcome: barred }
  const exhaustedMs = live.attempts >= limits.attemptsPerChallenge ? live.expiresAt - now : 0
  const waitMs = Math.max(exhaustedMs, pauseBeforeCheck(ledger, now, limits))
  if (waitMs > 0) return { outcome: refuse('attempts_exhausted', waitMs) }
  if (ledger.inFlight !== undefined && now < ledger.inFlight.until) {
    return { outcome: refuse('verification_in_progress', ledger.inFlight.until - now) }
  }

  const failures = ledger.failures + 1
  const lockMs = lockAt(failures, limits)
  const challenge = { ...live, attempts: live.attempts + 1 }
  const counted: Ledger = {
    ...ledger,
    challenge,
    failures,
    lockedUntil: lockMs === undefined ? ledger.lockedUntil : now + lockMs,
    checks: [...ledger.checks.filter((at) => at > now - rememberedMs), now],
    at: now,
  }
  // The provider may forget that a code verifies once (its documentation does not say): we do not.
  const used = ledger.usedCodes.some((known) => known.code === attempt.code && known.at > now - rememberedMs)
  if (used) {
    const next = { ...counted, inFlight: undefined, judged: ledger.judged + 1 }
    return { outcome: rejected(next, challenge, now, limits, true), next }
  }
  return {
    outcome: { outcome: 'reserved', challenge },
    next: {
      ...counted,
      inFlight: { attempt: attempt.id, challenge: live.id, code: attempt.code, until: now + limits.leaseMs },
    },
  }
}

export type SettleOutcome =
  | { readonly outcome: 'approved'; readonly challenge: Challenge }
  | Rejected
  /** `spent`: the answer was no verdict. `gone`: the attempt or its challenge is nobody's any more. */
  | ({ readonly outcome: 'spent' | 'gone' } & Consequences)
  | { readonly outcome: 'refunded' }

/** Records the verdict of a reserved attempt. Repeating it changes nothing. */
export function settle(
  ledger: Ledger,
  attemptId: string,
  verdict: Verdict,
  now: number,
  limits: LedgerLimits,
): Decision<SettleOutcome> {
  const lease = ledger.inFlight
  // Without the lease the attempt was settled before, or its time is up and another one has begun.
  if (lease?.attempt !== attemptId) return { outcome: { outcome: 'gone' } }
  const released = { ...ledger, inFlight: undefined, at: now }
  const challenge = ledger.challenge?.id === lease.challenge ? ledger.challenge : undefined
  const gone = (next: Ledger) =>
    ({ outcome: { outcome: 'gone', ...consequences(next, now, limits) }, next }) as const

  if (verdict === 'not-sent') {
    return { outcome: { outcome: 'refunded' }, next: refunded(released, challenge) }
  }
  if (verdict === 'unavailable' || verdict === 'misconfigured') {
    return { outcome: { outcome: 'spent', ...consequences(released, now, limits) }, next: released }
  }
  if (verdict === 'rejected') {
    const next = { ...released, judged: ledger.judged + 1 }
    // A restart took the challenge away meanwhile: the answer counts all the same.
    if (challenge === undefined) return gone(next)
    return { outcome: rejected(next, challenge, now, limits, false), next }
  }
  const usedCodes = [
    ...ledger.usedCodes.filter((known) => known.at > now - rememberedMs),
    { code: lease.code, at: now },
  ].slice(-maxUsedCodes)
  if (challenge === undefined || challenge.void) return gone({ ...released, usedCodes })
  return {
    outcome: { outcome: 'approved', challenge },
    next: {
      ...emptyLedger,
      sends: ledger.sends.map((send) =>
        send.challenge === challenge.id ? { ...send, challenge: undefined } : send,
      ),
      usedCodes,
      at: now,
    },
  }
}

function rejected(
  after: Ledger,
  challenge: Challenge,
  now: number,
  limits: LedgerLimits,
  used: boolean,
): Rejected {
  return {
    outcome: 'rejected',
    challenge,
    attemptsRemaining: limits.attemptsPerChallenge - challenge.attempts,
    ...consequences(after, now, limits),
    used,
  }
}

/** A locked or disabled number reserves nothing, so what is so after an attempt came with it. */
function consequences(after: Ledger, now: number, limits: LedgerLimits): Consequences {
  return {
    ...(after.lockedUntil > now ? { lockedForMs: after.lockedUntil - now } : {}),
    ...(isDisabled(after, limits) ? { disabled: true } : {}),
  }
}

/** Undoes a reservation. Nothing was locked or reserved since, so a lock and the last check are its own. */
function refunded(ledger: Ledger, challenge: Challenge | undefined): Ledger {
  // The operator may have enabled the number meanwhile: fewer than no failures would be an extra guess.
  const failures = Math.max(0, ledger.failures - 1)
  const counted = { ...ledger, failures, lockedUntil: 0, checks: ledger.checks.slice(0, -1) }
  if (challenge === undefined) return counted
  return { ...counted, challenge: { ...challenge, attempts: challenge.attempts - 1 } }
}

/** How long the failure with this number locks: the tenth, then every fifth, each twice as long. */
function lockAt(failures: number, limits: LedgerLimits): number | undefined {
  const beyond = failures - limits.failuresBeforeLock
  if (beyond < 0 || beyond % failuresPerFurtherLock !== 0) return undefined
  const doubled = limits.lockMs * 2 ** (beyond / failuresPerFurtherLock)
  return Math.min(doubled, Math.max(limits.lockMs, maxLockMs))
}
