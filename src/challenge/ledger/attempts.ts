import { type Refusal, refused } from '../commands.js'
import {
  attemptsCountUntil,
  attemptsExhausted,
  attemptsLeft,
  countCheck,
  findDisplayedChallenge,
  findUndecidedCode,
  isOvertaken,
  markUndecided,
  rememberUndecidedCode,
} from './challenge.js'
import { checkUnderWay, pauseBeforeCheck, refuseLocked } from './guessing.js'
import {
  type Challenge,
  type Decision,
  type Handle,
  type Ledger,
  type LedgerSnapshot,
  type PendingCheck,
  type Rejected,
  type Send,
  type UndecidedCode,
  updateUsage,
} from './ledger.js'
import { isLost, rememberedMs, sendsFor } from './pacing.js'
import { type Attempt, rejected } from './settlement.js'

export type ReserveOutcome =
  /** `handle` is the provider's id of the verification. */
  | {
      readonly outcome: 'reserved'
      readonly challenge: Challenge
      readonly handle?: string | undefined
      /** Handles of earlier codes of this challenge. */
      readonly earlierHandles?: readonly string[] | undefined
    }
  | (Rejected & { readonly challenge: Challenge })
  /** This wrong code was submitted before, after the last send. No attempt is used. */
  | (Pick<Rejected, 'attemptsRemaining' | 'undecided' | 'replaced'> & {
      readonly outcome: 'repeated'
      readonly challenge: Challenge
    })
  | Refusal

const noHandle: Partial<Handle> = {}

/**
 * Counts one attempt before its check and reserves the only check of this browser kind, so that parallel attempts
 * cannot share one (ASVS 5.0, 15.4.2).
 */
export function reserve(view: LedgerSnapshot, attempt: Attempt): Decision<ReserveOutcome> {
  const live = findDisplayedChallenge(view, attempt)
  if ('outcome' in live) return { outcome: live }
  const { ledger, now, limits } = view
  const { browserKind, code, sealed } = attempt
  // The factor has changed since it was read.
  if (live.factor !== attempt.factor) return { outcome: refused('challenge_superseded') }
  const { handle, earlier: earlierHandles } =
    ledger.handles?.find(({ challenge }) => challenge === live.id) ?? noHandle
  // A store that executed the swap twice returns our own check, which is already counted.
  if (ledger[browserKind].check?.attempt === attempt.id) {
    return { outcome: { outcome: 'reserved', challenge: live, handle, earlierHandles } }
  }
  const barred = refuseLocked(view, browserKind) ?? refuseUnconfirmed(view, live, attempt)
  if (barred !== undefined) return { outcome: barred }
  const left = attemptsLeft(live, browserKind, limits)
  const repeated = { outcome: 'repeated', challenge: live, attemptsRemaining: left } as const
  if (live.replacedCodes?.includes(code)) return { outcome: { ...repeated, replaced: true } }
  if (live.wrongCodes?.includes(code)) {
    return { outcome: { ...repeated, ...markUndecided(live, code) } }
  }
  const current = rememberUndecidedCode(live, ledger[browserKind].check)
  // A code without a verdict has its attempt: checking it again is not a new guess.
  const undecided = findUndecidedCode(current, code)
  const exhaustedMs = left <= 0 ? attemptsCountUntil(live) - now : 0
  const waitMs = Math.max(exhaustedMs, pauseBeforeCheck(view, browserKind))
  if (undecided === undefined && waitMs > 0) return { outcome: attemptsExhausted(current, waitMs) }
  const underWay = checkUnderWay(view, browserKind)
  if (underWay !== undefined) {
    return { outcome: refused('verification_in_progress', underWay.expiresAt - now) }
  }

  if (undecided !== undefined) {
    const refusal = refuseRetry(undecided, now)
    if (refusal !== undefined) return { outcome: refusal }
  }

  const attempts = { ...live.attempts, [browserKind]: live.attempts[browserKind] + 1 }
  const challenge = undecided === undefined ? { ...current, attempts } : countCheck(current, undecided, now)
  const check: PendingCheck = {
    attempt: attempt.id,
    at: undecided?.at ?? now,
    isRetry: undecided && true,
    expiresAt: now + limits.checkMs,
    code,
    challenge: sealed ? undefined : live.id,
    send: ledger.sends.at(-1)?.id,
  }
  const earlier = ledger[browserKind].attempts.filter((at) => at > now - rememberedMs)
  const moments = undecided === undefined ? earlier.concat(now) : earlier
  const counted = {
    ...updateUsage(ledger, browserKind, { check, attempts: moments }),
    challenge: sealed ? ledger.challenge : challenge,
    at: now,
  }
  // The provider does not document whether a code verifies only once, so used codes are remembered here (replay).
  const isUsed = (one: Ledger['usedCodes'][number]) => one.code === code && one.at > now - rememberedMs
  if (live.fixed || !ledger.usedCodes.some(isUsed)) {
    return { outcome: { outcome: 'reserved', challenge, handle, earlierHandles }, next: counted }
  }
  const { outcome, next } = rejected({ ...view, ledger: counted }, browserKind, check, true)
  return { outcome: { ...outcome, challenge }, next }
}

/**
 * Refuses a code for bound fields while it is not known whether the provider received a send of this challenge, and
 * received it last. Until then, an unused code of another challenge may be the last one of the number, and the user saw
 * other fields with it (PSD2 RTS, article 5).
 */
export function refuseUnconfirmed(
  view: LedgerSnapshot,
  { id, bound, isByNumber, factor }: Challenge,
  { tellsCodesApart }: Pick<Attempt, 'tellsCodesApart'>,
): Refusal | undefined {
  if (bound === undefined || !isByNumber || !tellsCodesApart) return undefined
  const { now, limits } = view
  const { sends } = view.ledger
  const own = sendsFor({ id }, sends)
  const isOpen = ({ challenge, state }: Send) =>
    challenge !== undefined && challenge !== id && state !== 'refused'
  const isOverlapped = ({ overlaps = [] }: Send) =>
    sends.some((other) => overlaps.includes(other.id) && isOpen(other))
  if (own.some((send) => send.state === 'sent' && !isOverlapped(send))) return undefined
  // A code that was booked may be sent as late as its deadline.
  const codeMs = limits.codeLifetimeMs + limits.sendMs
  const mayBeOther = sends.some((send) => isOpen(send) && send.factor === factor && now < send.at + codeMs)
  if (!mayBeOther) return undefined
  const underWay = own.findLast((send) => send.state === 'booked' && !isLost(send, view))
  if (underWay === undefined) return refused('challenge_gone')
  return refused('verification_in_progress', Math.min(underWay.at + limits.sendMs - now, limits.sendMs))
}

/** Facts about the codes of a number that its ledger does not contain. */
export type CodeFacts = Pick<Attempt, 'tellsCodesApart' | 'lastSends'>

/**
 * Returns whether no code of this challenge is accepted until the next one is sent. While its own send is under way,
 * that is not known yet.
 */
export function needsNewCode(view: LedgerSnapshot, live: Challenge, known: CodeFacts): boolean {
  const last = sendsFor(live, view.ledger.sends).at(-1)
  if (last?.state === 'booked' && !isLost(last, view)) return false
  return isOvertaken(live, view, known) || refuseUnconfirmed(view, live, known)?.code === 'challenge_gone'
}

const pauseOfRetryMs = 5_000
/** A service that never decides must not be asked without end. */
const maxChecksPerCode = 10

/** Returns why a code without a verdict is not checked again now. */
function refuseRetry({ checkedAt, checks }: UndecidedCode, now: number): Refusal | undefined {
  if (checks >= maxChecksPerCode) return refused('verification_unavailable')
  // A clock that is set back must not lengthen the pause.
  const leftMs = Math.min(checkedAt + pauseOfRetryMs - now, pauseOfRetryMs)
  return leftMs > 0 ? refused('verification_in_progress', leftMs) : undefined
}
