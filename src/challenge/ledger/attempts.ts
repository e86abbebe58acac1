import type { Verdict } from '../code-provider.js'
import { type Refusal, refused, type Shown } from '../commands.js'
import type { LedgerLimits } from '../limits.js'
import { challengeShown, isVoided, spentUntil } from './challenge.js'
import {
  afterSuccess,
  checkUnderWay,
  isDisabled,
  lockAt,
  pauseBeforeCheck,
  refusalOfBudget,
} from './guessing.js'
import {
  type Budget,
  type BudgetName,
  type Challenge,
  type Consequences,
  type Decision,
  type Lease,
  type Ledger,
  type LedgerView,
  type Rejected,
  type SettleOutcome,
  type Who,
  withBudget,
} from './ledger.js'
import { rememberedMs } from './pacing.js'

const maxUsedCodes = 20

export interface Attempt extends Who {
  readonly id: string
  /** Tag of the code that was typed. */
  readonly code: string
  readonly shown: Shown
}

export type ReserveOutcome =
  | { readonly outcome: 'reserved'; readonly challenge: Challenge }
  | (Rejected & { readonly challenge: Challenge })
  /** This wrong code was typed before, since the last send: nothing is spent. */
  | { readonly outcome: 'repeated'; readonly challenge: Challenge; readonly attemptsRemaining: number }
  | Refusal

/**
 * Counts one attempt before the provider is asked, and takes the only lease of its budget, so that
 * parallel guesses cannot share one attempt (ASVS 5.0, 15.4.2).
 */
export function reserve(view: LedgerView, attempt: Attempt): Decision<ReserveOutcome> {
  const live = challengeShown(view, attempt)
  if ('outcome' in live) return { outcome: live }
  const { ledger, now, limits } = view
  const budget = ledger[attempt.budget]
  const { lease } = budget
  // A store that executed the swap twice shows us our own lease: it is counted already.
  if (lease?.attempt === attempt.id) return { outcome: { outcome: 'reserved', challenge: live } }
  const barred = refusalOfBudget(view, attempt.budget)
  if (barred !== undefined) return { outcome: barred }
  const left = limits.attemptsPerChallenge - live.attempts
  if (live.wrongCodes?.includes(attempt.code)) {
    return { outcome: { outcome: 'repeated', challenge: live, attemptsRemaining: left } }
  }
  const exhaustedMs = left <= 0 ? spentUntil(live) - now : 0
  const waitMs = Math.max(exhaustedMs, pauseBeforeCheck(view, attempt.budget))
  if (waitMs > 0) return { outcome: refused('attempts_exhausted', waitMs) }
  const underWay = checkUnderWay(view, attempt.budget)
  if (underWay !== undefined) {
    return { outcome: refused('verification_in_progress', underWay.expiresAt - now) }
  }

  const challenge = { ...live, attempts: live.attempts + 1 }
  // Replay: whether a code verifies only once is not documented by the provider, so it is remembered here.
  const used =
    !live.fixed &&
    ledger.usedCodes.some((known) => known.code === attempt.code && known.at > now - rememberedMs)
  if (used) {
    const counted = countedIn(budget, challenge, undefined, view)
    const next = withBudget(ledger, attempt.budget, rejectedIn(counted, challenge, attempt.code), now)
    return { outcome: { challenge, ...rejected(next, challenge, limits, used) }, next }
  }
  const taken = {
    attempt: attempt.id,
    challenge: live.id,
    code: attempt.code,
    send: budget.sends.at(-1)?.id,
    expiresAt: now + limits.leaseMs,
  }
  return {
    outcome: { outcome: 'reserved', challenge },
    next: withBudget(ledger, attempt.budget, countedIn(budget, challenge, taken, view), now),
  }
}

/** The budget after one more attempt, which may lock it. */
function countedIn(
  budget: Budget,
  challenge: Challenge,
  lease: Lease | undefined,
  { now, limits }: LedgerView,
): Budget {
  const attemptsSinceSuccess = budget.attemptsSinceSuccess + 1
  const lockMs = lockAt(attemptsSinceSuccess, limits)
  return {
    ...budget,
    challenge,
    lease,
    attemptsSinceSuccess,
    lockExpiresAt: lockMs === undefined ? budget.lockExpiresAt : now + lockMs,
    attemptTimes: budget.attemptTimes.filter((at) => at > now - rememberedMs).concat(now),
  }
}

/**
 * Records the verdict of a reserved attempt. Tried again it changes nothing, and says what it said. `step`: whose code
 * it is, of an app.
 */
export function settle(
  view: LedgerView,
  attemptId: string,
  verdict: Verdict,
  step?: number,
): Decision<SettleOutcome> {
  const { strangers, known } = view.ledger
  const before = [strangers.settled, known.settled].find((settled) => settled?.attempt === attemptId)
  if (before !== undefined) return { outcome: before.outcome }
  const name = known.lease?.attempt === attemptId ? 'known' : 'strangers'
  const { lease } = view.ledger[name]
  // Without the lease its time is up, and another one has begun.
  if (lease?.attempt !== attemptId) return { outcome: { outcome: 'gone' } }
  const { outcome, next } = judged(view, name, lease, verdict, step)
  const settled = { attempt: attemptId, outcome }
  return { outcome, next: withBudget(next, name, { ...next[name], lease: undefined, settled }, view.now) }
}

/** What follows from the verdict on the attempt that holds the lease, which ends with it. */
function judged(
  view: LedgerView,
  name: BudgetName,
  lease: Lease,
  verdict: Verdict,
  step: number | undefined,
): Required<Decision<SettleOutcome>> {
  const { ledger, now, limits } = view
  const budget = ledger[name]
  const challenge = budget.challenge?.id === lease.challenge ? budget.challenge : undefined
  const after = (changed: Budget) => withBudget(ledger, name, changed, now)
  const without = (outcome: 'gone' | 'spent', next: Ledger) => ({
    outcome: { outcome, ...consequences(next, name, limits) },
    next,
  })

  if (verdict === 'not-sent') {
    return { outcome: { outcome: 'refunded' }, next: after(refunded(budget, challenge)) }
  }
  // RFC 6238, 5.2: each code of an app once, and none that it showed before.
  const used = step !== undefined && step <= (ledger.lastStep ?? 0)
  if (verdict === 'rejected' || used) {
    const isLatest = lease.send === budget.sends.at(-1)?.id
    const next = after(rejectedIn(budget, challenge, isLatest ? lease.code : undefined))
    // A new start may have replaced the challenge meanwhile: the rejection counts all the same.
    return challenge === undefined
      ? without('gone', next)
      : { outcome: rejected(next, challenge, limits, used), next }
  }
  if (verdict === 'unavailable' || verdict === 'misconfigured') return without('spent', ledger)
  const usedCodes = [
    ...ledger.usedCodes.filter((known) => known.at > now - rememberedMs),
    { code: lease.code, at: now },
  ].slice(-maxUsedCodes)
  const lastStep = step ?? ledger.lastStep
  if (challenge === undefined || isVoided(challenge)) {
    return without('gone', { ...ledger, usedCodes, lastStep })
  }
  const { number, channel } = challenge
  // Most ledgers are of people with one number, and take no room for it.
  const lastWay = number === undefined ? undefined : { lastWay: { number, channel } }
  return {
    outcome: { outcome: 'approved', channel },
    next: { ...afterSuccess(ledger, name, challenge, now), usedCodes, lastStep, ...lastWay },
  }
}

/** The budget after a wrong code, which is remembered unless a later send may have made it right. */
function rejectedIn(budget: Budget, challenge: Challenge | undefined, code: string | undefined): Budget {
  const rejections = budget.rejections + 1
  if (challenge === undefined || code === undefined) return { ...budget, rejections }
  const wrongCodes = (challenge.wrongCodes ?? []).concat(code)
  return { ...budget, rejections, challenge: { ...challenge, wrongCodes } }
}

function rejected(after: Ledger, challenge: Challenge, limits: LedgerLimits, used: boolean): Rejected {
  return {
    outcome: 'rejected',
    attemptsRemaining: limits.attemptsPerChallenge - challenge.attempts,
    used,
    ...consequences(after, challenge.budget, limits),
  }
}

/** A locked or disabled budget reserves nothing, so what is so after an attempt came with it. */
function consequences(after: Ledger, name: BudgetName, limits: LedgerLimits): Consequences {
  const lockedForMs = after[name].lockExpiresAt - after.at
  return {
    ...(lockedForMs > 0 ? { lockedForMs } : {}),
    ...(isDisabled(after, name, limits) ? { disabled: true } : {}),
  }
}

/** Undoes a reservation. Nothing was locked or reserved since, so a lock and the last attempt are its own. */
function refunded(budget: Budget, challenge: Challenge | undefined): Budget {
  // The operator may have enabled the number meanwhile: fewer than no failures would be an extra guess.
  const attemptsSinceSuccess = Math.max(0, budget.attemptsSinceSuccess - 1)
  const attemptTimes = budget.attemptTimes.slice(0, -1)
  const counted = { ...budget, attemptsSinceSuccess, lockExpiresAt: 0, attemptTimes }
  if (challenge === undefined) return counted
  return { ...counted, challenge: { ...challenge, attempts: challenge.attempts - 1 } }
}
