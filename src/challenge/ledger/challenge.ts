import { clockLeewayMs } from '../../lib/time.js'
import { type ChallengeRef, type Refusal, refused } from '../commands.js'
import { firstPurpose } from '../purposes.js'
import type {
  Challenge,
  ChallengeScope,
  Check,
  Decision,
  LedgerSnapshot,
  NumberCount,
  Rejected,
  RequesterTag,
} from './ledger.js'

// Whose a challenge is, whether a code may be typed for it, and whether it is the one that the person was shown.

/** Who acts on which challenge. */
export interface Submission extends RequesterTag {
  /** What the person was shown. */
  readonly shown: ChallengeRef
  /** Of its numbers, by the keys of their places. */
  readonly counts?: Readonly<Record<string, NumberCount>> | undefined
  /** One that no ledger holds, since nothing was sent for it; absent: the one in the ledger. */
  readonly sealed?: Challenge | undefined
}

/** The challenge of this session while a code may be typed, or why there is none. */
export function findLiveChallenge(
  view: LedgerSnapshot,
  requester: RequesterTag,
  challenge = view.ledger.challenge,
): Challenge | Refusal {
  // Enumeration: foreign, voided, expired and unknown challenges look alike.
  if (challenge === undefined || !isLive(challenge, view)) return refused('challenge_gone')
  // ASVS 5.0, 7.4.1: what began before a logout or a password reset ends with it.
  if (isRevoked(challenge, requester)) return refused('challenge_gone')
  if (challenge.session === requester.session) return challenge
  // Session fixation: a code counts in the session that asked for it only. At a sign-up, nobody learns who else does.
  return refused(view.limits.lane === 'auth' ? 'challenge_superseded' : 'challenge_gone')
}

/** The same, when it is the one that the person was shown. */
export function findDisplayedChallenge(view: LedgerSnapshot, acting: Submission): Challenge | Refusal {
  const live = findLiveChallenge(view, acting, acting.sealed)
  if ('outcome' in live) return live
  const refusal = refuseOtherThanDisplayed(live, acting.shown)
  if (refusal !== undefined) return refusal
  return isOvertaken(live, acting.counts) ? refused('challenge_gone') : live
}

/**
 * Whether its number got a code for another account since. A code belongs to the account that it was sent for, but a
 * provider without handles knows the number alone: it would take that one for this challenge.
 */
function isOvertaken({ count, factor }: Challenge, counts: Submission['counts']): boolean {
  const today = counts?.[factor]
  // None sent: the day is over, and a new one has not begun.
  if (count === undefined || today === undefined || today.sent === 0) return false
  // What was given back may have got lost, but then nobody was asked for a code in between.
  return today.sent !== count.sent && today.asked !== count.asked
}

/**
 * The count of a code that stays the last one, since the next was not delivered. What is given back of that one may get
 * lost: this tells it from one of another account, where that has asked for none in between.
 */
export function keepLastCount(
  last: NumberCount | undefined,
  next: NumberCount | undefined,
): NumberCount | undefined {
  return last && next?.asked === last.asked + 1 ? { ...last, asked: next.asked } : last
}

/**
 * Why a code that was shown so must not approve this challenge. What is shown is what is signed: whoever else
 * acts in the session may have replaced a transfer that the person still sees (PSD2 RTS, article 5).
 */
export function refuseOtherThanDisplayed(live: Challenge, shown: ChallengeRef): Refusal | undefined {
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

const unnamed: Refusal = {
  ...refused('invalid_request'),
  detail: `This code is for more than "${firstPurpose}": send the id of its challenge as "challenge", or the "requirement" or "purpose" that it was started with.`,
}

export function hasSameScope(challenge: Challenge, binding: ChallengeScope): boolean {
  return (
    challenge.session === binding.session &&
    challenge.purpose === binding.purpose &&
    challenge.bound === binding.bound &&
    !isRevoked(challenge, binding)
  )
}

/** Whether a revocation came after it began. Revocations are remembered for as long as a code may live. */
function isRevoked(challenge: Challenge, { revocationId }: RequesterTag): boolean {
  return revocationId !== undefined && challenge.revocationId !== revocationId
}

/** Whether a code may be typed. Exactly at `expiresAt` it has expired. */
export function isLive(challenge: Challenge, { now, limits }: Omit<LedgerSnapshot, 'ledger'>): boolean {
  if (now >= challenge.expiresAt) return false
  // A clock that was set back must not lengthen a code's life.
  return challenge.maxExpiresAt - now <= limits.codeLifetimeMs + clockLeewayMs
}

/** The challenge whose attempts a new one inherits: voided or not, its code could still be typed upstream. */
export function findInheritedChallenge({
  ledger: { challenge },
  now,
}: LedgerSnapshot): Challenge | undefined {
  return challenge !== undefined && now < attemptsCountUntil(challenge) ? challenge : undefined
}

/** The code of a check whose verdict never came is remembered: typed again, it may have been right the first time. */
export function rememberOpenCode(challenge: Challenge, lapsed: Check | undefined): Challenge {
  if (lapsed === undefined || lapsed.challenge !== challenge.id) return challenge
  return { ...challenge, openCodes: (challenge.openCodes ?? []).concat(lapsed.code) }
}

/** Whether no verdict came when it was typed before. */
export const wasOpen = (challenge: Challenge | undefined, code: string): Pick<Rejected, 'open'> =>
  challenge?.openCodes?.includes(code) ? { open: true } : {}

/** Until when its attempts stay spent: one that expires early must not give back what it inherited (brute force). */
export function attemptsCountUntil(challenge: Challenge): number {
  return Math.max(challenge.expiresAt, challenge.attemptsCountUntil ?? 0)
}

/** Ends the challenge of this session. Its attempts stay spent for as long as they would have. */
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
 * The challenge once no code is accepted for it. Its attempts stay spent; without any there is nothing to
 * remember, so that refused starts do not fill the store.
 */
export function endChallenge(challenge: Challenge): Challenge | undefined {
  const { unknown, known } = challenge.attempts
  if (unknown + known === 0) return undefined
  return { ...challenge, expiresAt: 0, attemptsCountUntil: attemptsCountUntil(challenge) }
}

/** Whether it was ended before its time. */
export const isEnded = ({ expiresAt }: Challenge): boolean => expiresAt === 0
