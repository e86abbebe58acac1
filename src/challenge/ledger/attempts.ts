import { type Refusal, refused } from '../commands.js'
import type { Verdict } from '../exchange/code-provider.js'
import {
  attemptsCountUntil,
  findDisplayedChallenge,
  isEnded,
  rememberOpenCode,
  type Submission,
  wasOpen,
} from './challenge.js'
import {
  addRejection,
  checkUnderWay,
  guessesLeft,
  isDisabled,
  pauseBeforeCheck,
  refuseLocked,
} from './guessing.js'
import {
  type BrowserKind,
  type Challenge,
  type Check,
  type Consequences,
  type Decision,
  forgiven,
  type Ledger,
  type LedgerSnapshot,
  type Rejected,
  type SettleOutcome,
  updateUsage,
} from './ledger.js'
import { rememberedMs } from './pacing.js'

const maxUsedCodes = 20

export interface Attempt extends Submission {
  readonly id: string
  /** Tag of the code that was typed. */
  readonly code: string
  /** Key of the place that it is to have come from. */
  readonly factor: string
  /** The account has several places to choose among. */
  readonly hasChoice?: boolean | undefined
}

export type ReserveOutcome =
  /** `handle`: what the provider wants back. */
  | { readonly outcome: 'reserved'; readonly challenge: Challenge; readonly handle?: string | undefined }
  | (Rejected & { readonly challenge: Challenge })
  /** This wrong code was typed before, since the last send: nothing is spent. */
  | (Pick<Rejected, 'attemptsRemaining' | 'open'> & {
      readonly outcome: 'repeated'
      readonly challenge: Challenge
    })
  | Refusal

/**
 * Counts one attempt before anybody judges it, and takes the only check of its rank, so that parallel guesses cannot
 * share one attempt (ASVS 5.0, 15.4.2).
 */
export function reserve(view: LedgerSnapshot, attempt: Attempt): Decision<ReserveOutcome> {
  const live = findDisplayedChallenge(view, attempt)
  if ('outcome' in live) return { outcome: live }
  const { ledger, now, limits } = view
  const { browserKind, code, sealed } = attempt
  // Its place has changed since it was read.
  if (live.factor !== attempt.factor) return { outcome: refused('challenge_superseded') }
  const handle = ledger.handles?.find(({ challenge }) => challenge === live.id)?.handle
  // A store that executed the swap twice shows us our own check: it is counted already.
  if (ledger[browserKind].check?.attempt === attempt.id) {
    return { outcome: { outcome: 'reserved', challenge: live, handle } }
  }
  const barred = refuseLocked(view, browserKind)
  if (barred !== undefined) return { outcome: barred }
  const left = limits.attemptsPerChallenge - live.attempts[browserKind]
  if (live.wrongCodes?.includes(code)) {
    const repeated = { outcome: 'repeated', challenge: live, attemptsRemaining: left } as const
    return { outcome: { ...repeated, ...wasOpen(live, code) } }
  }
  const exhaustedMs = left <= 0 ? attemptsCountUntil(live) - now : 0
  const waitMs = Math.max(exhaustedMs, pauseBeforeCheck(view, browserKind))
  if (waitMs > 0) return { outcome: refused('attempts_exhausted', waitMs) }
  const underWay = checkUnderWay(view, browserKind)
  if (underWay !== undefined) {
    return { outcome: refused('verification_in_progress', underWay.expiresAt - now) }
  }

  const attempts = { ...live.attempts, [browserKind]: live.attempts[browserKind] + 1 }
  const challenge = { ...rememberOpenCode(live, ledger[browserKind].check), attempts }
  const check: Check = {
    attempt: attempt.id,
    at: now,
    expiresAt: now + limits.checkMs,
    code,
    challenge: sealed ? undefined : live.id,
    send: ledger.sends.at(-1)?.id,
  }
  const moments = ledger[browserKind].attempts.filter((at) => at > now - rememberedMs).concat(now)
  const counted = {
    ...updateUsage(ledger, browserKind, { check, attempts: moments }),
    challenge: sealed ? ledger.challenge : challenge,
    at: now,
  }
  // Replay: whether a code verifies only once is not documented by the provider, so it is remembered here.
  const isUsed = (one: Ledger['usedCodes'][number]) => one.code === code && one.at > now - rememberedMs
  if (live.fixed || !ledger.usedCodes.some(isUsed)) {
    return { outcome: { outcome: 'reserved', challenge, handle }, next: counted }
  }
  const { outcome, next } = rejected({ ...view, ledger: counted }, browserKind, check, true)
  return { outcome: { ...outcome, challenge }, next }
}

/** Records the verdict of a reserved attempt. Repeated, it says the same and changes nothing. `step`: of an app. */
export function settle(
  view: LedgerSnapshot,
  attempt: Attempt,
  verdict: Verdict,
  step?: number,
): Decision<SettleOutcome> {
  const { ledger, now } = view
  const { browserKind, id } = attempt
  const { check, settled } = ledger[browserKind]
  if (settled?.attempt === id) return { outcome: settled.outcome }
  // Its time was up, and another one has begun.
  if (check?.attempt !== id) return { outcome: { outcome: 'gone' } }
  const { outcome, next } = decided(view, attempt, check, verdict, step)
  const settling = { check: undefined, settled: { attempt: id, outcome } }
  return { outcome, next: { ...updateUsage(next, browserKind, settling), at: now } }
}

function decided(
  view: LedgerSnapshot,
  attempt: Attempt,
  check: Check,
  verdict: Verdict,
  step: number | undefined,
): Required<Decision<SettleOutcome>> {
  const { ledger } = view
  const { browserKind } = attempt
  if (verdict === 'not-sent')
    return { outcome: { outcome: 'refunded' }, next: refunded(ledger, browserKind, check) }
  // RFC 6238, 5.2: each code once.
  const isOld = step !== undefined && step <= (ledger.lastStep ?? 0)
  if (verdict === 'rejected' || isOld) {
    const { outcome, next } = rejected(view, browserKind, check, isOld)
    // A new start has replaced its challenge meanwhile: the rejection counts all the same.
    const isGone = check.challenge !== undefined && ownChallenge(ledger, check) === undefined
    return { outcome: isGone ? { outcome: 'gone', ...consequences(next, browserKind, view) } : outcome, next }
  }
  if (verdict === 'unavailable' || verdict === 'misconfigured') {
    return { outcome: { outcome: 'spent' }, next: unjudged(ledger, check) }
  }
  const live = attempt.sealed ?? ownChallenge(ledger, check)
  const used = { ...ledger, ...usedUp(view, check), lastStep: step ?? ledger.lastStep }
  if (live === undefined || isEnded(live)) return { outcome: { outcome: 'gone' }, next: used }
  return {
    outcome: { outcome: 'approved', channel: live.channel },
    next: afterSuccess(used, attempt, check, live),
  }
}

/** The challenge that is checked, unless another one has taken its place. */
function ownChallenge({ challenge }: Ledger, check: Check): Challenge | undefined {
  return check.challenge !== undefined && challenge?.id === check.challenge ? challenge : undefined
}

/** An outage: neither a failure, nor does the account pay for the code that it concerns. */
function unjudged(ledger: Ledger, check: Check): Ledger {
  const own = ownChallenge(ledger, check)
  const sends = ledger.sends.map((send) =>
    send.id === check.send && send.challenge === check.challenge
      ? { ...send, unjudged: true as const }
      : send,
  )
  return { ...ledger, sends, challenge: own ? rememberOpenCode(own, check) : ledger.challenge }
}

/** Counts a wrong code, which is remembered unless a later send may have made it right. */
function rejected(
  view: LedgerSnapshot,
  browserKind: BrowserKind,
  check: Check,
  used: boolean,
): { readonly outcome: Rejected; readonly next: Ledger } {
  const { limits } = view
  const counted = updateUsage(addRejection(view, browserKind), browserKind, { check: undefined })
  const own = ownChallenge(counted, check)
  const isLatest = check.send === counted.sends.at(-1)?.id
  const challenge =
    own && isLatest ? { ...own, wrongCodes: (own.wrongCodes ?? []).concat(check.code) } : counted.challenge
  const next = { ...counted, challenge }
  const attemptsRemaining = own
    ? limits.attemptsPerChallenge - own.attempts[browserKind]
    : guessesLeft({ ...view, ledger: next }, browserKind)
  return {
    outcome: {
      outcome: 'rejected',
      attemptsRemaining,
      used,
      ...wasOpen(own, check.code),
      ...consequences(next, browserKind, view),
    },
    next,
  }
}

/** A locked or disabled account reserves nothing, so what is so after an attempt came with it. */
function consequences(
  after: Ledger,
  browserKind: BrowserKind,
  { now, limits }: LedgerSnapshot,
): Consequences {
  const lockedForMs = browserKind === 'unknown' ? after.lockExpiresAt - now : 0
  return {
    ...(lockedForMs > 0 && { lockedForMs }),
    ...(isDisabled(after, browserKind, limits) && { disabled: true as const }),
  }
}

/** Undoes a reservation: nobody was asked. */
function refunded(ledger: Ledger, browserKind: BrowserKind, check: Check): Ledger {
  const next = withoutAttempt(ledger, browserKind, check)
  const own = ownChallenge(ledger, check)
  if (own === undefined) return next
  // An operator may have forgiven it meanwhile: fewer than none would be an extra guess.
  const attempts = { ...own.attempts, [browserKind]: Math.max(0, own.attempts[browserKind] - 1) }
  return { ...next, challenge: { ...own, attempts } }
}

function withoutAttempt(ledger: Ledger, browserKind: BrowserKind, { at }: Check): Ledger {
  const { attempts } = ledger[browserKind]
  // No other attempt of its rank came after it.
  const own = attempts.lastIndexOf(at)
  return own < 0 ? ledger : updateUsage(ledger, browserKind, { attempts: attempts.toSpliced(own, 1) })
}

function usedUp({ ledger, now }: LedgerSnapshot, { code }: Check): Pick<Ledger, 'usedCodes'> {
  const young = ledger.usedCodes.filter(({ at }) => at > now - rememberedMs)
  return { usedCodes: [...young, { code, at: now }].slice(-maxUsedCodes) }
}

/**
 * The ledger after the right code for this challenge. It forgives the failures of both ranks, but of the hour and the
 * day it takes its own attempt alone: each success of the owner would give a thief new guesses.
 */
function afterSuccess(
  ledger: Ledger,
  { browserKind, session, hasChoice }: Attempt,
  check: Check,
  proven: Challenge,
): Ledger {
  const { id, factor, channel } = proven
  const { challenge } = ledger
  // A code of an app serves the purpose of one that was sent to this session; that of another session stands.
  const isOver = challenge?.id === id || (challenge?.session === session && !isEnded(challenge))
  return {
    ...withoutAttempt(forgiven(ledger), browserKind, check),
    challenge: isOver ? undefined : challenge,
    sends: ledger.sends.map((send) =>
      isOver && send.challenge === challenge.id ? { ...send, challenge: undefined } : send,
    ),
    handles: ledger.handles?.filter((one) => one.challenge !== id),
    last: hasChoice ? { factor, channel } : undefined,
  }
}
