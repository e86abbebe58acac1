import { minuteMs } from '../../lib/time.js'
import type { Channel, SendResult } from '../code-provider.js'
import { refused, type Shown } from '../commands.js'
import type { LedgerLimits } from '../limits.js'
import {
  type Binding,
  type Budget,
  type Challenge,
  type Decision,
  isSameBinding,
  type Ledger,
  type LedgerRefusal,
  liveIn,
  newestHandle,
  refusalOfBudget,
  type Send,
  unexpired,
  voided,
  type Who,
  withBudget,
} from './ledger.js'
import {
  pauseBeforeCheck,
  pauseBeforeSend,
  rememberedMs,
  sendsFor,
  settledSends,
  wasRefused,
} from './pacing.js'
import { challengeShown } from './shown.js'

/** The lifetime of a code when the provider does not state one. */
const defaultLifetimeMs = 5 * minuteMs

export interface StartOnLedger {
  readonly sendId: string
  readonly challengeId: string
  readonly binding: Binding
  readonly channel: Channel
  /** What the person is shown, sealed. */
  readonly details?: string | undefined
}

export interface ResendOnLedger extends Who {
  readonly sendId: string
  readonly shown: Shown
  /** Default: the one that the challenge used last. */
  readonly channel?: Channel | undefined
}

export interface Booked {
  readonly outcome: 'booked'
  readonly challenge: Challenge
  /** The live challenge that it replaced. */
  readonly superseded?: Challenge
  /** Of the code that the provider may still hold for this number. */
  readonly previousHandle?: string | undefined
}

export type SendOutcome = Booked | { readonly outcome: 'live'; readonly challenge: Challenge } | LedgerRefusal

/** Books a send and a new challenge for it, before anything is sent. */
export function start(
  ledger: Ledger,
  command: StartOnLedger,
  now: number,
  limits: LedgerLimits,
): Decision<SendOutcome> {
  const { binding, channel } = command
  const budget = ledger[binding.budget]
  const barred = refusalOfBudget(ledger, binding.budget, now, limits)
  if (barred !== undefined) return { outcome: barred }

  const replaced = unexpired(budget, now)
  const exhausted = replaced !== undefined && replaced.attempts >= limits.attemptsPerChallenge
  const live = liveIn(budget, now, limits)
  const repeated = live !== undefined && isSameBinding(live, binding)
  if (repeated && exhausted) return { outcome: refused('attempts_exhausted', live.expiresAt - now) }

  const pause = pauseBeforeSend(ledger, binding.budget, channel, now, limits)
  if (repeated && pause?.code === 'resend_too_soon') return { outcome: { outcome: 'live', challenge: live } }
  if (pause !== undefined) return { outcome: refused(pause.code, pause.waitMs) }
  // Only expiry or success gives fresh attempts, otherwise every restart would refill the guess budget (brute force).
  if (exhausted) return { outcome: refused('attempts_exhausted', replaced.expiresAt - now) }

  // With all members in one literal: one that is added to a copy gives each challenge a shape, and 300 bytes, of its own.
  const challenge: Challenge = {
    id: command.challengeId,
    budget: binding.budget,
    session: binding.session,
    subject: binding.subject,
    purpose: binding.purpose,
    bound: binding.bound,
    epoch: binding.epoch,
    channel,
    attempts: replaced?.attempts ?? 0,
    expiresAt: now + Math.min(defaultLifetimeMs, limits.codeLifetimeMs),
    maxExpiresAt: now + limits.codeLifetimeMs,
    voided: undefined,
    fixed: undefined,
    handle: undefined,
    wrongCodes: undefined,
    details: command.details,
  }
  const waitMs = pauseBeforeCheck(ledger, binding.budget, now, limits)
  // A code that expires before it may be typed would be paid for in vain.
  if (now + waitMs >= challenge.expiresAt) return { outcome: refused('attempts_exhausted', waitMs) }
  const superseded = live ?? liveIn(ledger.strangers, now, limits)
  const others = binding.budget === 'known' ? withoutStrangers(ledger, challenge, now) : ledger
  return {
    outcome: {
      outcome: 'booked',
      challenge,
      ...(superseded === undefined ? {} : { superseded }),
      previousHandle: newestHandle(ledger, now),
    },
    next: booked(others, command.sendId, challenge, channel, now),
  }
}

/** Books another send of the same challenge: same id, attempts and last moment. */
export function resend(
  ledger: Ledger,
  command: ResendOnLedger,
  now: number,
  limits: LedgerLimits,
): Decision<SendOutcome> {
  const live = challengeShown(ledger, command, now, limits)
  if ('outcome' in live) return { outcome: live }
  const budget = ledger[command.budget]
  const barred = refusalOfBudget(ledger, command.budget, now, limits)
  if (barred !== undefined) return { outcome: barred }

  const channel = command.channel ?? live.channel
  const pause = pauseBeforeSend(ledger, command.budget, channel, now, limits)
  if (pause !== undefined) return { outcome: refused(pause.code, pause.waitMs) }
  if (sendsFor(live, budget.sends).length >= limits.sendsPerChallenge) {
    return { outcome: refused('send_limit', live.expiresAt - now) }
  }
  if (live.attempts >= limits.attemptsPerChallenge) {
    return { outcome: refused('attempts_exhausted', live.expiresAt - now) }
  }
  // Another code is on its way: one that was wrong may be right now.
  const challenge = { ...live, wrongCodes: undefined }
  return {
    outcome: { outcome: 'booked', challenge: { ...challenge, channel }, previousHandle: live.handle },
    next: booked(ledger, command.sendId, challenge, channel, now),
  }
}

export interface SettledSend {
  /** Undefined when no code is accepted for it. */
  readonly challenge?: Challenge
  /** Nothing was sent: other counters may refund it. */
  readonly uncounted?: true
}

/** Records what became of a booked send. Repeating it changes nothing. */
export function settleSend(
  ledger: Ledger,
  sendId: string,
  sent: SendResult,
  now: number,
  limits: LedgerLimits,
  order?: Pick<Booked, 'challenge' | 'superseded'> & { readonly cancelled?: boolean },
): Decision<SettledSend> {
  const name = ledger.known.sends.some((known) => known.id === sendId) ? 'known' : 'strangers'
  const budget = ledger[name]
  const send = budget.sends.find((known) => known.id === sendId)
  if (send === undefined || send.refused) return { outcome: {} }
  const isUncounted = wasRefused(sent) && !guessedMeanwhile(budget, order)
  const sends = settledSends(budget.sends, send, sent, isUncounted)
  const uncounted = isUncounted ? ({ uncounted: true } as const) : {}

  const current = budget.challenge
  if (current === undefined || current.id !== send.challenge || current.voided) {
    return { outcome: uncounted, next: withBudget(ledger, name, { ...budget, sends }, now) }
  }
  const others = sendsFor(current, budget.sends).filter(({ id }) => id !== sendId)
  // A code that was ended at the provider must not come back as one to be typed.
  const isDead = order?.cancelled === true && wasRefused(sent)
  const unsent = sent.result === 'not-sent' && others.length === 0 && !isDead
  const challenge = isDead
    ? voided(current)
    : unsent
      ? ownAgain(current, order?.superseded)
      : withSend(current, others, send, sent, limits)
  const next = withBudget(ledger, name, { ...budget, challenge, sends }, now)
  const live = challenge === undefined || challenge.voided ? {} : { challenge }
  return {
    outcome: { ...live, ...uncounted },
    next: unsent && name === 'known' ? strangersAgain(next, order?.superseded, now) : next,
  }
}

/** Otherwise each refused start would refund the send but keep its guesses. */
function guessedMeanwhile({ challenge }: Budget, order: Pick<Booked, 'challenge'> | undefined): boolean {
  if (order === undefined || challenge?.id !== order.challenge.id) return false
  return challenge.attempts > order.challenge.attempts
}

/** The superseded challenge is live again, with its code; guesses stay spent. */
function ownAgain(challenge: Challenge, superseded: Challenge | undefined): Challenge | undefined {
  if (superseded?.budget !== challenge.budget) return voided(challenge)
  return { ...superseded, attempts: challenge.attempts }
}

/** While the challenge of the known browser was live, strangers could start none of their own. */
function strangersAgain(ledger: Ledger, superseded: Challenge | undefined, now: number): Ledger {
  if (superseded?.budget !== 'strangers') return ledger
  const ended = ledger.strangers.challenge
  const { expiresAt } = superseded
  const challenge = ended === undefined ? superseded : { ...ended, voided: undefined, expiresAt }
  return withBudget(ledger, 'strangers', { ...ledger.strangers, challenge }, now)
}

function withSend(
  challenge: Challenge,
  others: readonly Send[],
  send: Send,
  sent: SendResult,
  limits: LedgerLimits,
): Challenge | undefined {
  // The code also went to another number: typing it proves nothing.
  if (sent.result === 'foreign-number') return voided(challenge)
  if (sent.result === 'sent' || sent.result === 'unconfirmed') {
    const { channel = send.channel, handle, fixed, lifetimeMs = defaultLifetimeMs } = sent
    const expiresAt = Math.min(send.at + Math.min(lifetimeMs, limits.codeLifetimeMs), challenge.maxExpiresAt)
    // A code may arrive, and be typed, before the provider has answered: it was compared with the handle before.
    return { ...challenge, channel, expiresAt, handle, fixed, wrongCodes: undefined }
  }
  // An earlier code of this challenge may still be on its way; without one there is nothing to type.
  return others.length === 0 ? voided(challenge) : challenge
}

/** A challenge takes another channel once its code has gone out: what is typed before came by the earlier one. */
function booked(ledger: Ledger, sendId: string, challenge: Challenge, channel: Channel, now: number): Ledger {
  const budget = ledger[challenge.budget]
  const send = { id: sendId, at: now, channel, challenge: challenge.id, refused: undefined }
  const sends = budget.sends.filter(({ at }) => at > now - rememberedMs).concat(send)
  return withBudget(ledger, challenge.budget, { ...budget, challenge, sends }, now)
}

/**
 * Ends the challenge of strangers. The provider may send the same code again, so what they have guessed
 * stays spent for as long as the challenge that takes its place may live.
 */
function withoutStrangers(ledger: Ledger, { maxExpiresAt }: Challenge, now: number): Ledger {
  const challenge = unexpired(ledger.strangers, now)
  if (challenge === undefined) return ledger
  const strangers = { ...ledger.strangers, challenge: voided(challenge, maxExpiresAt) }
  return withBudget(ledger, 'strangers', strangers, now)
}
