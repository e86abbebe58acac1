import type { Channel, SendResult } from '../code-provider.js'
import {
  type Binding,
  type Challenge,
  challengeOf,
  type Decision,
  type Holder,
  isLive,
  isRevoked,
  type Ledger,
  type LedgerLimits,
  type LedgerRefusal,
  refusalOfNumber,
  refuse,
  rememberedMs,
  type Send,
} from './ledger.js'
import { pauseBeforeCheck, pauseBeforeSend } from './pacing.js'

/** A code lives this long when the provider does not say. */
const assumedLifetimeMs = 5 * 60_000

export interface StartOnLedger {
  readonly sendId: string
  readonly challengeId: string
  readonly binding: Binding
  readonly channel: Channel
}

export interface ResendOnLedger extends Holder {
  readonly sendId: string
  /** Default: the one that the challenge used last. */
  readonly channel?: Channel | undefined
}

export interface Booked {
  readonly outcome: 'booked'
  readonly challenge: Challenge
  /** The live challenge that it took the place of. */
  readonly superseded?: Challenge
}

export type SendOutcome = Booked | { readonly outcome: 'live'; readonly challenge: Challenge } | LedgerRefusal

/** Books a send and a new challenge for it, before anything is sent. */
export function start(
  ledger: Ledger,
  command: StartOnLedger,
  now: number,
  limits: LedgerLimits,
): Decision<SendOutcome> {
  const barred = refusalOfNumber(ledger, now, limits)
  if (barred !== undefined) return { outcome: barred }

  const replaced = unexpired(ledger, now)
  const exhausted = replaced !== undefined && replaced.attempts >= limits.attemptsPerChallenge
  const repeated =
    replaced !== undefined && isLive(replaced, now, limits) && isSameBinding(replaced, command.binding)
  if (repeated && exhausted) return { outcome: refuse('attempts_exhausted', replaced.expiresAt - now) }

  const pause = pauseBeforeSend(ledger, command.channel, now, limits)
  if (repeated && pause?.code === 'resend_too_soon')
    return { outcome: { outcome: 'live', challenge: replaced } }
  if (pause !== undefined) return { outcome: refuse(pause.code, pause.waitMs) }
  // Only expiry or success gives fresh attempts: else every restart would refill the guess budget.
  if (exhausted) return { outcome: refuse('attempts_exhausted', replaced.expiresAt - now) }

  const challenge: Challenge = {
    id: command.challengeId,
    channel: command.channel,
    attempts: replaced?.attempts ?? 0,
    expiresAt: now + Math.min(assumedLifetimeMs, limits.codeLifetimeMs),
    deadline: now + limits.codeLifetimeMs,
    ...command.binding,
  }
  const waitMs = pauseBeforeCheck(ledger, now, limits)
  // Nobody pays for a code that nobody may type before it expires.
  if (now + waitMs >= challenge.expiresAt) return { outcome: refuse('attempts_exhausted', waitMs) }
  const superseded = replaced !== undefined && replaced.void === undefined ? { superseded: replaced } : {}
  return {
    outcome: { outcome: 'booked', challenge, ...superseded },
    next: { ...ledger, challenge, sends: bookSend(ledger, command.sendId, challenge, now), at: now },
  }
}

/** Books another send of the same challenge: same id, attempts and deadline. */
export function resend(
  ledger: Ledger,
  command: ResendOnLedger,
  now: number,
  limits: LedgerLimits,
): Decision<SendOutcome> {
  const live = challengeOf(ledger, command, now, limits)
  if ('outcome' in live) return { outcome: live }
  const barred = refusalOfNumber(ledger, now, limits)
  if (barred !== undefined) return { outcome: barred }

  const channel = command.channel ?? live.channel
  const pause = pauseBeforeSend(ledger, channel, now, limits)
  if (pause !== undefined) return { outcome: refuse(pause.code, pause.waitMs) }
  if (sendsOf(ledger, live.id).length >= limits.sendsPerChallenge) {
    return { outcome: refuse('send_limit', live.expiresAt - now) }
  }
  if (live.attempts >= limits.attemptsPerChallenge) {
    return { outcome: refuse('attempts_exhausted', live.expiresAt - now) }
  }
  const challenge = { ...live, channel }
  return {
    outcome: { outcome: 'booked', challenge },
    next: { ...ledger, challenge, sends: bookSend(ledger, command.sendId, challenge, now), at: now },
  }
}

/** Records what became of a booked send. Repeating it changes nothing. */
export function settleSend(
  ledger: Ledger,
  sendId: string,
  sent: SendResult,
  now: number,
  limits: LedgerLimits,
  booked?: Pick<Booked, 'challenge' | 'superseded'>,
): Decision<{ readonly challenge?: Challenge }> {
  const send = ledger.sends.find((known) => known.id === sendId)
  if (send === undefined) return { outcome: {} }
  const undone = sent.result === 'not-sent'
  // Nothing left this machine, so the send and its cooldown come back.
  const sends =
    undone && !guessedMeanwhile(ledger, booked)
      ? ledger.sends.filter((known) => known !== send)
      : ledger.sends

  const standing = ledger.challenge
  if (standing === undefined || standing.id !== send.challenge || standing.void) {
    return { outcome: {}, next: { ...ledger, sends, at: now } }
  }
  const isOnly = sendsOf(ledger, standing.id).length === 1
  const challenge = undone
    ? withoutSend(standing, isOnly, booked?.superseded)
    : withSend(standing, isOnly, send, sent, limits)
  return { outcome: { challenge }, next: { ...ledger, challenge, sends, at: now } }
}

/** Else every start that is refused would buy five guesses that no budget of sends holds back. */
function guessedMeanwhile(ledger: Ledger, booked: Pick<Booked, 'challenge'> | undefined): boolean {
  if (booked === undefined || ledger.challenge?.id !== booked.challenge.id) return false
  return ledger.challenge.attempts > booked.challenge.attempts
}

/** The code that was on its way before is still the one to type; guesses stay spent. */
function withoutSend(challenge: Challenge, isOnly: boolean, superseded: Challenge | undefined): Challenge {
  if (!isOnly) return challenge
  return superseded === undefined
    ? { ...challenge, void: true }
    : { ...superseded, attempts: challenge.attempts }
}

function withSend(
  challenge: Challenge,
  isOnly: boolean,
  send: Send,
  sent: SendResult,
  limits: LedgerLimits,
): Challenge {
  // The code went to somebody else as well: whoever types it proves nothing.
  if (sent.result === 'foreign-number') return { ...challenge, void: true }
  if (sent.result === 'sent' || sent.result === 'unconfirmed') {
    const told = sent.result === 'sent' ? sent.lifetimeMs : undefined
    const lifetime = Math.min(told ?? assumedLifetimeMs, limits.codeLifetimeMs)
    return { ...challenge, expiresAt: Math.min(send.at + lifetime, challenge.deadline) }
  }
  // An earlier code of this challenge may still be on its way; without one there is nothing to type.
  return isOnly ? { ...challenge, void: true } : challenge
}

function bookSend(ledger: Ledger, id: string, challenge: Challenge, now: number): readonly Send[] {
  const remembered = ledger.sends.filter((send) => send.at > now - rememberedMs)
  return [...remembered, { id, at: now, channel: challenge.channel, challenge: challenge.id }]
}

function sendsOf(ledger: Ledger, challengeId: string): readonly Send[] {
  return ledger.sends.filter((send) => send.challenge === challengeId)
}

/** The challenge whose attempts a new one inherits: void or not, its code could still be typed upstream. */
function unexpired(ledger: Ledger, now: number): Challenge | undefined {
  const challenge = ledger.challenge
  return challenge !== undefined && now < challenge.expiresAt ? challenge : undefined
}

function isSameBinding(challenge: Challenge, binding: Binding): boolean {
  return (
    challenge.session === binding.session &&
    challenge.subject === binding.subject &&
    challenge.purpose === binding.purpose &&
    challenge.bound === binding.bound &&
    !isRevoked(challenge, binding)
  )
}
