import type { Verdict } from '../exchange/code-provider.js'
import {
  attemptsLeft,
  endChallenge,
  isEnded,
  markUndecided,
  rememberUndecidedCode,
  type SubmittedCode,
} from './challenge.js'
import { addRejection, guessesLeft, isDisabled } from './guessing.js'
import {
  type BrowserKind,
  type Challenge,
  type Consequences,
  type Decision,
  forgiven,
  type Ledger,
  type LedgerSnapshot,
  type PendingCheck,
  type Rejected,
  type Send,
  type SettleOutcome,
  type UsedCode,
  updateUsage,
} from './ledger.js'
import { isUnderWay, rememberedMs, sendsFor } from './pacing.js'

/** Of each kind: codes, and challenges that were signed. */
export const maxUsedCodes = 20

export interface Attempt extends SubmittedCode {
  readonly id: string
  /** Tag of the submitted code. */
  readonly code: string
  /** Key of the factor of the code. */
  readonly factor: string
  /** True if the account has several factors. */
  readonly hasChoice?: boolean | undefined
  /** True if a provider that knows a code by its number ends the earlier codes with each new one. */
  readonly tellsCodesApart?: boolean | undefined
}

/**
 * Records the verdict of a reserved attempt. Repeated, it returns the same outcome and changes nothing. `step` is that
 * of an app's code.
 */
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
  // The check timed out, and another one has started.
  if (check?.attempt !== id) return { outcome: { outcome: 'gone' } }
  const { outcome, next } = decideOutcome(view, attempt, { verdict, step }, check)
  const settling = { check: undefined, settled: { attempt: id, outcome } }
  return { outcome, next: { ...updateUsage(next, browserKind, settling), at: now } }
}

/** Returns the outcome of a check and the ledger after it. */
function decideOutcome(
  view: LedgerSnapshot,
  attempt: Attempt,
  { verdict, step }: { readonly verdict: Verdict; readonly step: number | undefined },
  check: PendingCheck,
): Required<Decision<SettleOutcome>> {
  const { ledger } = view
  const { browserKind } = attempt
  if (verdict === 'not-sent')
    return { outcome: { outcome: 'refunded' }, next: refunded(ledger, browserKind, check) }
  const earlier = verdict === 'replaced' ? recogniseEarlier(view, check) : undefined
  if (earlier !== undefined) return replaced(view, browserKind, check, earlier)
  // Each code of an app is accepted once (RFC 6238, 5.2).
  const isOld = step !== undefined && step <= (ledger.lastStep ?? 0)
  if (verdict === 'rejected' || verdict === 'replaced' || isOld) {
    const { outcome, next } = rejected(view, browserKind, check, isOld)
    // A new start has replaced the challenge. The rejection still counts.
    const isGone = check.challenge !== undefined && ownChallenge(ledger, check) === undefined
    return { outcome: isGone ? { outcome: 'gone', ...consequences(next, browserKind, view) } : outcome, next }
  }
  // The verification has ended at the service, unless a later send began another one.
  if (verdict === 'over' && check.send === ledger.sends.at(-1)?.id) {
    const own = ownChallenge(ledger, check)
    return { outcome: { outcome: 'gone' }, next: own ? { ...ledger, challenge: endChallenge(own) } : ledger }
  }
  if (verdict !== 'approved') {
    return { outcome: { outcome: 'no-verdict' }, next: unjudged(ledger, check) }
  }
  const live = attempt.sealed ?? ownChallenge(ledger, check)
  const used = { ...ledger, ...usedUp(view, { code: check.code }), lastStep: step ?? ledger.lastStep }
  if (live === undefined || isEnded(live)) return { outcome: { outcome: 'gone' }, next: used }
  return {
    outcome: { outcome: 'approved', channel: live.channel },
    next: afterSuccess({ ...view, ledger: withoutAttempt(used, browserKind, check) }, attempt, live),
  }
}

/** Returns the challenge of a check, unless another one has replaced it. */
function ownChallenge({ challenge }: Ledger, check: PendingCheck): Challenge | undefined {
  return check.challenge !== undefined && challenge?.id === check.challenge ? challenge : undefined
}

/** Settles a check without a verdict: it is no failure, and the account's send does not count. */
function unjudged(ledger: Ledger, check: PendingCheck): Ledger {
  const own = ownChallenge(ledger, check)
  // After a later send, the same code would be another guess.
  const isLatest = check.send === ledger.sends.at(-1)?.id
  const sends = ledger.sends.map((send) =>
    send.id === check.send && send.challenge === check.challenge
      ? { ...send, unjudged: true as const }
      : send,
  )
  return {
    ...ledger,
    sends,
    challenge: own && isLatest ? rememberUndecidedCode(own, check) : ledger.challenge,
  }
}

/**
 * Returns the challenge of an earlier code with its refunded codes, if the attempt may come back. A provider that
 * recognises more codes than were sent must not lift the limit of attempts (brute force). With shared attempts, every
 * failure counts (PSD2 RTS, article 4).
 */
function recogniseEarlier({ ledger, limits }: LedgerSnapshot, check: PendingCheck): Challenge | undefined {
  const own = ownChallenge(ledger, check)
  const sent = ledger.handles?.find(({ challenge }) => challenge === check.challenge)?.earlier ?? []
  // After a later send, the same code might be the right one.
  const isLatest = check.send === ledger.sends.at(-1)?.id
  // The same code after another send is no further guess.
  const refundedCodes = [...new Set(own?.refundedCodes).add(check.code)]
  const isLeft = refundedCodes.length <= sent.length
  return own && isLatest && isLeft && !limits.attemptsAreShared ? { ...own, refundedCodes } : undefined
}

/** Refunds the attempt of an earlier code. It was sent for this challenge, so it is no guess. */
function replaced(
  view: LedgerSnapshot,
  browserKind: BrowserKind,
  check: PendingCheck,
  own: Challenge,
): Required<Decision<SettleOutcome>> {
  const { ledger, limits } = view
  const replacedCodes = (own.replacedCodes ?? []).concat(check.code)
  const challenge = { ...own, replacedCodes }
  const next = refunded({ ...ledger, challenge }, browserKind, check)
  const attemptsRemaining = attemptsLeft(next.challenge as Challenge, browserKind, limits)
  return { outcome: { outcome: 'rejected', attemptsRemaining, used: false, replaced: true }, next }
}

/** Counts a wrong code and remembers it, unless a later send may have made it correct. */
export function rejected(
  view: LedgerSnapshot,
  browserKind: BrowserKind,
  check: PendingCheck,
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
    ? attemptsLeft(own, browserKind, limits)
    : guessesLeft({ ...view, ledger: next }, browserKind)
  return {
    outcome: {
      outcome: 'rejected',
      attemptsRemaining,
      used,
      ...markUndecided(own, check.code),
      ...consequences(next, browserKind, view),
    },
    next,
  }
}

/**
 * Returns the effect of an attempt. A locked or disabled account reserves no attempt, so a lock after it came from it.
 */
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

/** Refunds a reservation, because no request was made. */
function refunded(ledger: Ledger, browserKind: BrowserKind, check: PendingCheck): Ledger {
  // Its attempt was used by the first check, which may have reached the provider.
  if (check.isRetry) return ledger
  const next = withoutAttempt(ledger, browserKind, check)
  const own = ownChallenge(ledger, check)
  if (own === undefined) return next
  // An operator may have reset the count meanwhile. A negative count would be an extra attempt.
  const attempts = { ...own.attempts, [browserKind]: Math.max(0, own.attempts[browserKind] - 1) }
  return { ...next, challenge: { ...own, attempts } }
}

function withoutAttempt(ledger: Ledger, browserKind: BrowserKind, { at }: PendingCheck): Ledger {
  const { attempts } = ledger[browserKind]
  // No other attempt of this browser kind came after it.
  const own = attempts.lastIndexOf(at)
  return own < 0 ? ledger : updateUsage(ledger, browserKind, { attempts: attempts.toSpliced(own, 1) })
}

/**
 * Remembers a code or a signed challenge, so that it is accepted once (replay). Neither kind displaces the other: no
 * window limits signatures.
 */
export function usedUp(
  { ledger, now }: LedgerSnapshot,
  { code, by }: Pick<UsedCode, 'code' | 'by'>,
): Pick<Ledger, 'usedCodes'> {
  const young = ledger.usedCodes.filter(({ at }) => at > now - rememberedMs)
  const isAlike = (one: UsedCode) => (one.by === undefined) === (by === undefined)
  const others = young.filter((one) => !isAlike(one))
  const alike = young.filter(isAlike).slice(1 - maxUsedCodes)
  return { usedCodes: [...others, ...alike, { code, at: now, ...(by && { by }) }] }
}

/**
 * Returns the ledger after a success. It clears the failures of both browser kinds. Of the hourly and daily windows a
 * success removes its own attempt only, because otherwise each success of the owner would give an attacker new attempts.
 */
export function afterSuccess(
  view: LedgerSnapshot,
  { session, hasChoice }: Pick<Attempt, 'session' | 'hasChoice'>,
  proven: Challenge,
): Ledger {
  const { id, factor, channel } = proven
  const { ledger } = view
  const { challenge } = ledger
  // A code of an app also fulfils a challenge that was sent to this session. A challenge of another session stays.
  const isOver = challenge?.id === id || (challenge?.session === session && !isEnded(challenge))
  return {
    ...forgiven(ledger),
    challenge: isOver ? undefined : challenge,
    sends: isOver ? sendsAfterSuccess(view, challenge, id) : ledger.sends,
    handles: ledger.handles?.filter((one) => one.challenge !== id),
    last: hasChoice ? { factor, channel } : undefined,
  }
}

/**
 * Returns the sends after the end of their challenge. A code that was not entered stays one of this challenge while the
 * provider may receive it last: it must not confirm other fields.
 */
function sendsAfterSuccess(view: LedgerSnapshot, { id }: Challenge, proven: string): readonly Send[] {
  const { sends } = view.ledger
  const isOnly = sendsFor({ id }, sends).length === 1
  const isUsed = (send: Send) => id === proven && (isOnly || !isUnderWay(send, view))
  return sends.map((send) => {
    if (send.challenge !== id) return send
    return isUsed(send) ? { ...send, challenge: undefined } : { ...send, forgiven: true as const }
  })
}
