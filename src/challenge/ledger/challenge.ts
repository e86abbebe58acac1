import { clockLeewayMs } from '../../lib/time.js'
import { type ChallengeRef, type Refusal, refused } from '../commands.js'
import type { LedgerLimits } from '../limits.js'
import { firstPurpose } from '../purposes.js'
import {
  type BrowserKind,
  type Challenge,
  type ChallengeScope,
  type Decision,
  type LedgerSnapshot,
  noAttempts,
  type PendingCheck,
  type Rejected,
  type RequesterTag,
  type UndecidedCode,
} from './ledger.js'

// Rules of a challenge: who owns it, whether a code can be submitted, and whether it is the displayed one.

/** A requester and the challenge that the client displayed. */
export interface SubmittedCode extends RequesterTag {
  /** The displayed challenge. */
  readonly displayed: ChallengeRef
  /** Sends of this account whose codes are the last ones of their number, by the keys of the factors. */
  readonly lastSends?: Readonly<Record<string, readonly string[]>> | undefined
  /** A sealed challenge, which is in no ledger because nothing was sent. Absent for the challenge in the ledger. */
  readonly sealed?: Challenge | undefined
}

/** Returns the challenge of this session while a code can be submitted, or the refusal. */
export function findLiveChallenge(
  view: LedgerSnapshot,
  requester: RequesterTag,
  challenge = view.ledger.challenge,
): Challenge | Refusal {
  // Foreign, ended, expired and unknown challenges look alike (enumeration).
  if (challenge === undefined || !isLive(challenge, view)) return refused('challenge_gone')
  // A logout or a password reset ends challenges that started before it (ASVS 5.0, 7.4.1).
  if (isRevoked(challenge, requester)) return refused('challenge_gone')
  if (challenge.session === requester.session) return challenge
  // A code counts only in the session that requested it (session fixation). At a sign-up, no session learns about
  // another one.
  return refused(view.limits.lane === 'auth' ? 'challenge_superseded' : 'challenge_gone')
}

/** Returns the live challenge if it is the displayed one. */
export function findDisplayedChallenge(view: LedgerSnapshot, submitted: SubmittedCode): Challenge | Refusal {
  const live = findLiveChallenge(view, submitted, submitted.sealed)
  if ('outcome' in live) return live
  const refusal = refuseOtherThanDisplayed(live, submitted.displayed)
  if (refusal !== undefined) return refusal
  return isOvertaken(live, view, submitted) ? refused('challenge_gone') : live
}

/**
 * Returns whether the code of another account may be the last one of the number. A code belongs to the account that it
 * was sent for, but this provider would accept that code for this challenge.
 */
export function isOvertaken(
  { id, isByNumber, factor }: Challenge,
  { ledger }: LedgerSnapshot,
  { lastSends }: Pick<SubmittedCode, 'lastSends'>,
): boolean {
  const last = lastSends?.[factor]
  if (!isByNumber || last === undefined) return false
  return !ledger.sends.some((send) => send.challenge === id && last.includes(send.id))
}

/**
 * Refuses a code that was displayed for another challenge. The user confirms what the page shows, and another tab or an
 * attacker in the session may have replaced that transfer (PSD2 RTS, article 5).
 */
export function refuseOtherThanDisplayed(live: Challenge, displayed: ChallengeRef): Refusal | undefined {
  const { challenge, purpose, bound } = displayed
  if (challenge === undefined && purpose === undefined) {
    return live.purpose === firstPurpose && live.bound === undefined ? undefined : unnamed
  }
  const isOther =
    (challenge !== undefined && challenge !== live.id) ||
    (purpose !== undefined && purpose !== live.purpose) ||
    // The id also stands for the fields.
    (bound !== live.bound && (challenge === undefined || bound !== undefined))
  return isOther ? refused('challenge_superseded') : undefined
}

const unnamed: Refusal = {
  ...refused('invalid_request'),
  detail: `This code is not for a plain "${firstPurpose}": send the id of its challenge as "challenge", or the "requirement" or "purpose" of its start.`,
}

export function hasSameScope(challenge: Challenge, binding: ChallengeScope): boolean {
  return (
    challenge.session === binding.session &&
    challenge.purpose === binding.purpose &&
    challenge.bound === binding.bound &&
    !isRevoked(challenge, binding)
  )
}

/** Returns whether a revocation came after the start. Revocations are stored as long as a code may live. */
function isRevoked(challenge: Challenge, { revocationId }: RequesterTag): boolean {
  return revocationId !== undefined && challenge.revocationId !== revocationId
}

/** Returns whether a code can be submitted. At `expiresAt` exactly, the challenge has expired. */
export function isLive(challenge: Challenge, { now, limits }: Omit<LedgerSnapshot, 'ledger'>): boolean {
  if (now >= challenge.expiresAt) return false
  const { maxExpiresAt, lifetimeMs = limits.codeLifetimeMs } = challenge
  // A clock that is set back must not extend the life of a code.
  return maxExpiresAt - now <= lifetimeMs + clockLeewayMs
}

/**
 * Returns the challenge whose attempts a new one inherits. It may have ended, but its code may still be valid at the
 * provider.
 */
export function findInheritedChallenge({
  ledger: { challenge },
  now,
}: LedgerSnapshot): Challenge | undefined {
  return challenge !== undefined && now < attemptsCountUntil(challenge) ? challenge : undefined
}

/**
 * Returns the codes that this browser kind can still submit for a challenge. Where both kinds share them, inherited
 * attempts stay separate: otherwise the wrong codes of an attacker would lock the owner out (denial of service).
 */
export function attemptsLeft(
  { attempts, inherited = noAttempts }: Challenge,
  browserKind: BrowserKind,
  { attemptsPerChallenge, attemptsAreShared }: LedgerLimits,
): number {
  const left = attemptsPerChallenge - attempts[browserKind]
  const { unknown, known } = attempts
  const own = unknown - inherited.unknown + known - inherited.known
  return Math.max(0, attemptsAreShared ? Math.min(left, attemptsPerChallenge - own) : left)
}

/** Remembers the code of a check without a verdict, because it may have been correct. */
export function rememberUndecidedCode(challenge: Challenge, lapsed: PendingCheck | undefined): Challenge {
  if (lapsed === undefined || lapsed.challenge !== challenge.id) return challenge
  const { code, at } = lapsed
  if (findUndecidedCode(challenge, code) !== undefined) return challenge
  return {
    ...challenge,
    undecidedCodes: [...(challenge.undecidedCodes ?? []), { code, at, checkedAt: at, checks: 1 }],
  }
}

/** Returns the entry of a code that was submitted before without a verdict. */
export function findUndecidedCode(challenge: Challenge | undefined, code: string): UndecidedCode | undefined {
  return challenge?.undecidedCodes?.find((one) => one.code === code)
}

/** Counts another check of a code without a verdict. */
export function countCheck(challenge: Challenge, undecided: UndecidedCode, now: number): Challenge {
  const counted = { ...undecided, checkedAt: now, checks: undecided.checks + 1 }
  return {
    ...challenge,
    undecidedCodes: challenge.undecidedCodes?.map((one) => (one === undecided ? counted : one)),
  }
}

/** Refuses further attempts of a challenge. `undecided`: some of its codes had no verdict, so they were not wrong. */
export function attemptsExhausted(challenge: Challenge, waitMs: number): Refusal {
  const refusal = refused('attempts_exhausted', waitMs)
  return (challenge.undecidedCodes ?? []).length > 0 ? { ...refusal, undecided: true } : refusal
}

/** Returns the mark of a code that was submitted before without a verdict, or nothing. */
export const markUndecided = (challenge: Challenge | undefined, code: string): Pick<Rejected, 'undecided'> =>
  findUndecidedCode(challenge, code) === undefined ? {} : { undecided: true }

/**
 * Returns the time until which the attempts count. A challenge that expires early must not refund the attempts it
 * inherited (brute force).
 */
export function attemptsCountUntil(challenge: Challenge): number {
  return Math.max(challenge.expiresAt, challenge.attemptsCountUntil ?? 0)
}

/** Cancels the challenge of this session. Its attempts count for as long as before. */
export function cancel(
  view: LedgerSnapshot,
  requester: RequesterTag,
): Decision<{ readonly challenge?: Challenge }> {
  const live = findLiveChallenge(view, requester)
  if ('outcome' in live) return { outcome: {} }
  return {
    outcome: { challenge: live },
    next: { ...view.ledger, challenge: endChallenge(live), at: view.now },
  }
}

/**
 * Returns a challenge that accepts no more codes. Its attempts stay counted. Without attempts it is removed, so that
 * refused starts do not fill the store.
 */
export function endChallenge(challenge: Challenge): Challenge | undefined {
  const { unknown, known } = challenge.attempts
  if (unknown + known === 0) return undefined
  return { ...challenge, expiresAt: 0, attemptsCountUntil: attemptsCountUntil(challenge) }
}

/** Returns whether a challenge was ended before its expiry. */
export const isEnded = ({ expiresAt }: Challenge): boolean => expiresAt === 0
