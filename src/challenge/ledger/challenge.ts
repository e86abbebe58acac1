import { clockLeewayMs } from '../../lib/time.js'
import { type Refusal, refused, type Shown } from '../commands.js'
import { firstPurpose } from '../purposes.js'
import {
  type Binding,
  type Budget,
  type BudgetName,
  type Challenge,
  type Decision,
  type Ledger,
  type LedgerView,
  type Who,
  withBudget,
} from './ledger.js'

// Whose a challenge is, whether a code may be typed for it, and whether it is the one that the person was shown.

/** The challenge of this session and subject while a code may be typed, or why there is none. */
export function challengeOf(view: LedgerView, who: Who): Challenge | Refusal {
  const { challenge } = view.ledger[who.budget]
  // Enumeration: foreign, voided, expired and unknown challenges look alike.
  if (challenge === undefined || challenge.subject !== who.subject) return refused('challenge_gone')
  if (!isLive(challenge, view)) return refused('challenge_gone')
  // ASVS 5.0, 7.4.1: what began before a logout or a password reset ends with it.
  if (isRevoked(challenge, who)) return refused('challenge_gone')
  // Session fixation: a code counts in the session that asked for it only.
  if (challenge.session !== who.session) return refused('challenge_superseded')
  return challenge
}

/** The live challenge of this session and subject, when it is the one that the person was shown. */
export function challengeShown(
  view: LedgerView,
  command: Who & { readonly shown: Shown },
): Challenge | Refusal {
  const live = challengeOf(view, command)
  return 'outcome' in live ? live : (refusalAsShown(live, command.shown) ?? live)
}

/**
 * Why a code that was shown so must not approve this challenge. What is shown is what is signed: whoever else
 * acts in the session may have replaced a transfer that the person still sees (PSD2 RTS, article 5).
 */
export function refusalAsShown(live: Challenge, shown: Shown): Refusal | undefined {
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

export function isSameBinding(challenge: Challenge, binding: Binding): boolean {
  return (
    challenge.session === binding.session &&
    challenge.subject === binding.subject &&
    challenge.purpose === binding.purpose &&
    challenge.bound === binding.bound &&
    !isRevoked(challenge, binding)
  )
}

/** Whether a revocation came after it began. Revocations are remembered for as long as a code may live. */
function isRevoked(challenge: Challenge, { epoch }: Who): boolean {
  return epoch !== undefined && challenge.epoch !== epoch
}

/** Whether a code may be typed. Exactly at `expiresAt` it has expired. */
export function isLive(challenge: Challenge, { now, limits }: Omit<LedgerView, 'ledger'>): boolean {
  if (now >= challenge.expiresAt) return false
  // A clock that was set back must not lengthen a code's life.
  return challenge.maxExpiresAt - now <= limits.codeLifetimeMs + clockLeewayMs
}

/** The challenge of this budget while a code may be typed. */
export function liveIn(view: LedgerView, name: BudgetName): Challenge | undefined {
  const { challenge } = view.ledger[name]
  return challenge !== undefined && isLive(challenge, view) ? challenge : undefined
}

/** The challenge whose attempts a new one inherits: voided or not, its code could still be typed upstream. */
export function unexpired({ challenge }: Budget, now: number): Challenge | undefined {
  return challenge !== undefined && now < spentUntil(challenge) ? challenge : undefined
}

/** Until when its attempts stay spent: one that expires early must not give back what it inherited (brute force). */
export function spentUntil(challenge: Challenge): number {
  return Math.max(challenge.expiresAt, challenge.spentUntil ?? 0)
}

/** Of the code that was asked for last and could still be typed upstream, whether we accept it or not. */
export function newestHandle({ strangers, known }: Ledger, now: number): string | undefined {
  const all = [strangers, known].flatMap(({ challenge }) => challenge ?? [])
  const open = all.filter((one) => now < (isVoided(one) ? spentUntil(one) : one.expiresAt))
  open.sort((one, other) => other.maxExpiresAt - one.maxExpiresAt)
  return open.find(({ handle }) => handle !== undefined)?.handle
}

/** Ends the challenge of this session and subject. Its attempts stay spent for as long as they would have. */
export function cancel(view: LedgerView, who: Who): Decision<{ readonly challenge?: Challenge }> {
  const live = challengeOf(view, who)
  if ('outcome' in live) return { outcome: {} }
  const { ledger, now } = view
  const budget = { ...ledger[who.budget], challenge: voided(live) }
  return { outcome: { challenge: live }, next: withBudget(ledger, who.budget, budget, now) }
}

/**
 * The challenge once no code is accepted for it. Its attempts stay spent, and its code may stand in the way of the next;
 * without either there is nothing to remember, so that refused starts do not fill the store.
 */
export function voided(challenge: Challenge, until = spentUntil(challenge)): Challenge | undefined {
  if (challenge.attempts === 0 && challenge.handle === undefined) return undefined
  return { ...challenge, expiresAt: 0, spentUntil: until }
}

/** Whether it was ended before its time. */
export const isVoided = ({ expiresAt }: Challenge): boolean => expiresAt === 0
