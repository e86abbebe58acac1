import { clockLeewayMs } from '../../lib/clock.js'
import type { Channel } from '../code-provider.js'
import type { Limits } from '../limits.js'

const day = 24 * 60 * 60_000

/** How long sends, checks and used codes are remembered: the longest window that counts them. */
export const rememberedMs = day
const failuresRememberedMs = 30 * day
const disabledRememberedMs = 365 * day

/** `auth`: numbers on file. `enrol`: numbers that nobody has proven yet. */
export type Lane = 'auth' | 'enrol'

/** The limits of one number in one lane. `failuresBeforeDisable` is Infinity where numbers are never disabled. */
export interface LedgerLimits
  extends Pick<
    Limits,
    | 'attemptsPerChallenge'
    | 'failuresBeforeLock'
    | 'lockMs'
    | 'failuresBeforeDisable'
    | 'codeLifetimeMs'
    | 'cooldownMs'
    | 'sendsPerChallenge'
    | 'sendsPerHour'
    | 'sendsPerDay'
    | 'callsPerHour'
    | 'callsPerDay'
    | 'allSendsPerHour'
    | 'allSendsPerDay'
  > {
  /** How long one check holds the number: its timeout and a margin. */
  readonly leaseMs: number
}

/** What a lease outlives the timeout of its check by: the way back to the store. */
const leaseMarginMs = 2_000

/** Enrolment locks a number but never disables it: nobody is kept out of an account by that. */
export function ledgerLimitsOf(limits: Limits, lane: Lane): LedgerLimits {
  const leaseMs = limits.verifyTimeoutMs + leaseMarginMs
  if (lane === 'auth') return { ...limits, leaseMs }
  return {
    ...limits,
    failuresBeforeDisable: Number.POSITIVE_INFINITY,
    sendsPerDay: Math.min(limits.sendsPerDay, limits.enrolSendsPerDay),
    leaseMs,
  }
}

/** Whose challenge it is and for what. Tags, never the ids themselves. */
export type Binding = {
  readonly session: string
  readonly subject: string
  readonly purpose: string
  /** Hash of the bound fields. */
  readonly bound?: string | undefined
  /** The last revocation before it began; undefined when there was none lately. */
  readonly epoch?: string | undefined
}

/** Who acts on a challenge. */
export type Holder = Pick<Binding, 'session' | 'subject' | 'epoch'>

export type Challenge = Binding & {
  readonly id: string
  readonly channel: Channel
  readonly attempts: number
  readonly expiresAt: number
  /** No resend carries it past this moment. */
  readonly deadline: number
  /** Dead, but its attempts are inherited until `expiresAt`. */
  readonly void?: true | undefined
}

export type Send = {
  readonly id: string
  readonly at: number
  readonly channel: Channel
  /** The challenge it was for; undefined once that was approved. */
  readonly challenge?: string | undefined
}

/** The one check that may be under way on a number. */
export type Lease = {
  readonly attempt: string
  readonly challenge: string
  readonly code: string
  readonly until: number
}

export type UsedCode = { readonly code: string; readonly at: number }

/**
 * Everything remembered about one number in one lane. What is not there is named all the same: objects of
 * one shape are copied ten times as fast, and every command makes a copy.
 */
export type Ledger = {
  readonly challenge?: Challenge | undefined
  readonly inFlight?: Lease | undefined
  /** Attempts since the last success, judged or not. */
  readonly failures: number
  /** Those among them that the provider, or the memory of used codes, called wrong. */
  readonly judged: number
  /** 0: never locked since the last success. */
  readonly lockedUntil: number
  readonly sends: readonly Send[]
  /** The moments of the attempts of the last day, as far as they came after the last success. */
  readonly checks: readonly number[]
  readonly usedCodes: readonly UsedCode[]
  /** When it last changed. */
  readonly at: number
}

/** What a command answers and, only if something changed, the ledger after it. */
export interface Decision<Outcome> {
  readonly outcome: Outcome
  readonly next?: Ledger
}

export interface LedgerRefusal {
  readonly outcome: 'refused'
  readonly code:
    | 'attempts_exhausted'
    | 'challenge_gone'
    | 'challenge_superseded'
    | 'phone_disabled'
    | 'phone_locked'
    | 'resend_too_soon'
    | 'send_limit'
    | 'verification_in_progress'
  readonly retryAfterMs?: number
}

export const emptyLedger: Ledger = {
  challenge: undefined,
  inFlight: undefined,
  failures: 0,
  judged: 0,
  lockedUntil: 0,
  sends: [],
  checks: [],
  usedCodes: [],
  at: 0,
}

// ── what every command asks ──────────────────────────────────────────────────────────────────────

/** The time a command works with: a ledger of another machine may lead this clock a little. */
export function timeOf(ledger: Ledger, clock: number): { readonly now: number; readonly leadsByMs?: number } {
  const lead = ledger.at - clock
  if (lead <= 0) return { now: clock }
  return lead <= clockLeewayMs ? { now: ledger.at } : { now: clock, leadsByMs: lead }
}

/** The challenge of this session and subject while a code may be typed, or why there is none. */
export function challengeOf(
  ledger: Ledger,
  who: Holder,
  now: number,
  limits: LedgerLimits,
): Challenge | LedgerRefusal {
  const challenge = ledger.challenge
  // Somebody else's, void, expired and unknown look alike: an answer that tells them apart helps guessing.
  if (challenge === undefined || challenge.subject !== who.subject) return refuse('challenge_gone')
  if (!isLive(challenge, now, limits)) return refuse('challenge_gone')
  // ASVS 5.0, 7.4.1: what began before a logout or a password reset ends with it.
  if (isRevoked(challenge, who)) return refuse('challenge_gone')
  if (challenge.session !== who.session) return refuse('challenge_superseded')
  return challenge
}

/** Whether a revocation came after it began. Revocations are remembered for as long as a code may live. */
export function isRevoked(challenge: Challenge, { epoch }: Pick<Binding, 'epoch'>): boolean {
  return epoch !== undefined && challenge.epoch !== epoch
}

/** Whether a code may be typed. Exactly at `expiresAt` it has expired. */
export function isLive(challenge: Challenge, now: number, limits: LedgerLimits): boolean {
  if (challenge.void || now >= challenge.expiresAt) return false
  // A clock that was set back must not lengthen a code's life.
  return challenge.deadline - now <= limits.codeLifetimeMs + clockLeewayMs
}

/** Why nothing at all may happen on this number now. */
export function refusalOfNumber(
  ledger: Ledger,
  now: number,
  limits: LedgerLimits,
): LedgerRefusal | undefined {
  if (isDisabled(ledger, limits)) return refuse('phone_disabled')
  if (now < ledger.lockedUntil) return refuse('phone_locked', ledger.lockedUntil - now)
  return undefined
}

/** NIST SP 800-63B-4, 3.2.2: no more than 100 consecutive failures on one authenticator. */
export function isDisabled(ledger: Ledger, limits: LedgerLimits): boolean {
  return ledger.judged >= limits.failuresBeforeDisable
}

export function refuse(code: LedgerRefusal['code'], retryAfterMs?: number): LedgerRefusal {
  return { outcome: 'refused', code, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
}

/** How long the ledger must be kept. Forgetting it earlier would give guesses or sends back. */
export function keptForMs(ledger: Ledger, now: number, limits: LedgerLimits): number {
  const ends = [
    ledger.at + 1,
    ledger.challenge?.expiresAt ?? 0,
    (ledger.sends.at(-1)?.at ?? -rememberedMs) + rememberedMs,
    (ledger.checks.at(-1) ?? -rememberedMs) + rememberedMs,
    (ledger.usedCodes.at(-1)?.at ?? -rememberedMs) + rememberedMs,
    ledger.failures > 0 ? ledger.at + failuresRememberedMs : 0,
    isDisabled(ledger, limits) ? ledger.at + disabledRememberedMs : 0,
  ]
  return Math.max(...ends) - now
}

// ── cancel, enable ───────────────────────────────────────────────────────────────────────────────

/** Ends the challenge of this session and subject. Its attempts stay spent until it would have expired. */
export function cancel(
  ledger: Ledger,
  who: Holder,
  now: number,
  limits: LedgerLimits,
): Decision<{ readonly challenge?: Challenge }> {
  const live = challengeOf(ledger, who, now, limits)
  if ('outcome' in live) return { outcome: {} }
  const challenge: Challenge = { ...live, void: true }
  return { outcome: { challenge }, next: { ...ledger, challenge, at: now } }
}

/** The operator's act: forgets the failures that locked or disabled a number. */
export function enable(ledger: Ledger, now: number): Decision<undefined> {
  return { outcome: undefined, next: { ...ledger, failures: 0, judged: 0, lockedUntil: 0, at: now } }
}
