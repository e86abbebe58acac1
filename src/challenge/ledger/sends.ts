import { minuteMs } from '../../lib/time.js'
import { type Refusal, refused } from '../commands.js'
import type { Channel, SendResult } from '../exchange/code-provider.js'
import type { LedgerLimits } from '../limits.js'
import {
  type Acting,
  challengeShown,
  countAfter,
  isLive,
  isSameBinding,
  isVoided,
  spentUntil,
  unexpired,
  voided,
} from './challenge.js'
import { pauseBeforeCheck, refusalOf } from './guessing.js'
import type { Binding, Challenge, Decision, Handle, Ledger, LedgerView, Send, Tally, Who } from './ledger.js'
import { isLost, isRemembered, pauseBeforeSend, sendsFor, type Way } from './pacing.js'

/** The lifetime of a code when the provider does not state one. */
const defaultLifetimeMs = 5 * minuteMs

export interface StartOnLedger extends Binding, Way {
  readonly sendId: string
  readonly challengeId: string
  /** What the person is shown, sealed. */
  readonly details?: string | undefined
}

export interface ResendOnLedger extends Acting {
  readonly sendId: string
  readonly channel: Channel
}

export interface Booked {
  readonly outcome: 'booked'
  readonly sendId: string
  readonly challenge: Challenge
  /** The live challenge that it replaced. */
  readonly superseded?: Challenge | undefined
  /** At a resend: the challenge before it. */
  readonly before?: Challenge | undefined
  /** Of the code that the provider may still hold for this number. */
  readonly previousHandle?: string | undefined
}

export type SendOutcome = Booked | { readonly outcome: 'live'; readonly challenge: Challenge } | Refusal

// One for all: a million challenges have had no attempt.
const noAttempts: Tally = { stranger: 0, known: 0 }
const noHandles: readonly Handle[] = []

/** Books a send and a new challenge for it, before anything is sent. */
export function start(view: LedgerView, command: StartOnLedger): Decision<SendOutcome> {
  const { now, limits } = view
  const { rank } = command
  const barred = refusalOf(view, rank)
  if (barred !== undefined) return { outcome: barred }

  const replaced = unexpired(view)
  const exhausted =
    replaced !== undefined &&
    replaced.attempts[rank] >= limits.attemptsPerChallenge &&
    refused('attempts_exhausted', spentUntil(replaced) - now)
  const live = replaced && isLive(replaced, view) ? replaced : undefined
  const isRepeated = live !== undefined && isSameBinding(live, command)
  if (isRepeated && exhausted) return { outcome: exhausted }

  const pause = pauseBeforeSend(view, command, command)
  const isUnderWay = isRepeated && live.place === command.place && pause?.code === 'resend_too_soon'
  if (isUnderWay) return { outcome: { outcome: 'live', challenge: live } }
  if (pause !== undefined) return { outcome: pause }
  // Only expiry or success gives fresh attempts, otherwise every restart would refill the guess budget (brute force).
  if (exhausted) return { outcome: exhausted }

  // With all members in one literal: one that is added to a copy gives each challenge a shape, and 300 bytes, of its own.
  const challenge: Challenge = {
    id: command.challengeId,
    rank,
    session: command.session,
    epoch: command.epoch,
    purpose: command.purpose,
    bound: command.bound,
    place: command.place,
    channel: command.channel,
    attempts: replaced?.attempts ?? noAttempts,
    expiresAt: now + Math.min(defaultLifetimeMs, limits.codeLifetimeMs),
    maxExpiresAt: now + limits.codeLifetimeMs,
    spentUntil: replaced && spentUntil(replaced),
    fixed: undefined,
    count: undefined,
    wrongCodes: undefined,
    openCodes: undefined,
    details: command.details,
  }
  const waitMs = pauseBeforeCheck(view, rank)
  // A code that expires before it may be typed would be paid for in vain.
  if (now + waitMs >= challenge.expiresAt) return { outcome: refused('attempts_exhausted', waitMs) }
  const outcome = { ...orderOf(view, command.sendId, challenge), superseded: live }
  return { outcome, next: booked(view, outcome, command) }
}

/**
 * What refuses a start at a place that judges its codes by itself: nothing is sent, and nothing written. `until`: the end
 * of the challenge.
 */
export function refusalOfUnsent(view: LedgerView, { rank }: Who, until: number): Refusal | undefined {
  const waitMs = pauseBeforeCheck(view, rank)
  return (
    refusalOf(view, rank) ?? (view.now + waitMs >= until ? refused('attempts_exhausted', waitMs) : undefined)
  )
}

/** Books another send of the same challenge: same id, attempts and last moment. */
export function resend(view: LedgerView, command: ResendOnLedger): Decision<SendOutcome> {
  const live = challengeShown(view, command)
  if ('outcome' in live) return { outcome: live }
  const { rank, channel, sendId } = command
  const barred = refusalOf(view, rank)
  if (barred !== undefined) return { outcome: barred }

  const pause = pauseBeforeSend(view, command, { place: live.place, channel })
  if (pause !== undefined) return { outcome: pause }
  if (live.attempts[rank] >= view.limits.attemptsPerChallenge) {
    return { outcome: refused('attempts_exhausted', spentUntil(live) - view.now) }
  }
  // Another code is on its way: one that was wrong may be right now.
  const challenge = { ...live, channel, count: undefined, wrongCodes: undefined, openCodes: undefined }
  const outcome = { ...orderOf(view, sendId, challenge), before: live }
  return { outcome, next: booked(view, outcome, command) }
}

function orderOf({ ledger, now }: LedgerView, sendId: string, challenge: Challenge): Booked {
  const { place } = challenge
  const previous = ledger.handles?.find((one) => one.place === place && now < one.expiresAt)
  return { outcome: 'booked', sendId, challenge, previousHandle: previous?.handle }
}

function booked(view: LedgerView, order: Booked, { rank }: Who): Ledger {
  const { ledger, now } = view
  const { sendId: id, challenge } = order
  const { place, channel } = challenge
  const send: Send = { id, at: now, rank, place, channel, challenge: challenge.id, state: 'booked' }
  const sends = ledger.sends.filter((one) => isRemembered(one, view)).concat(send)
  return { ...ledger, challenge, sends, at: now }
}

/** What became of a send at the provider, and what its number has had that day. */
export interface Sent {
  readonly result: SendResult
  /** With this send, before anything of it was given back. */
  readonly count?: Challenge['count']
}

/** Whether it is certain that nothing was delivered. */
export function isUndelivered({ result }: SendResult): boolean {
  return result === 'not-sent' || result === 'failed' || result === 'misconfigured'
}

/** Records what became of a booked send. Repeating it changes nothing. */
export function settleSend(view: LedgerView, order: Booked, sent: Sent): Decision<undefined> {
  const { ledger, now } = view
  const send = ledger.sends.find(({ id }) => id === order.sendId)
  if (send?.state !== 'booked') return { outcome: undefined }
  const { result } = sent
  const others = ledger.sends.filter((one) => one !== send)
  const sends =
    result.result === 'not-sent'
      ? others
      : ledger.sends.map((one) => (one === send ? told(one, result) : one))
  const current = ledger.challenge
  const isCurrent = current !== undefined && current.id === send.challenge && !isVoided(current)
  const challenge = isCurrent ? challengeAfter(view, current, send, order, sent) : current
  const handles = handlesAfter(view, send, sent)
  return { outcome: undefined, next: { ...ledger, sends, challenge, handles, at: now } }
}

/** One that the provider refused costs its cooldown. It may have gone by another channel than asked for. */
function told(send: Send, result: SendResult): Send {
  if (isUndelivered(result)) return { ...send, state: 'refused' }
  const { channel = send.channel } = 'channel' in result ? result : send
  return { ...send, channel, state: result.result === 'unconfirmed' ? 'unconfirmed' : 'sent' }
}

function challengeAfter(
  { ledger, limits }: LedgerView,
  current: Challenge,
  send: Send,
  { superseded, before }: Booked,
  { result: sent, count }: Sent,
): Challenge | undefined {
  const others = sendsFor(current, ledger.sends).filter((one) => one !== send)
  if (sent.result === 'sent' || sent.result === 'unconfirmed') {
    const { channel = send.channel, handle, byNumber, fixed } = sent
    return {
      ...current,
      channel,
      expiresAt: Math.min(send.at + lifetimeOf(sent, limits), current.maxExpiresAt),
      // The earlier code lives for as long as it did.
      spentUntil: others.length > 0 ? spentUntil(current) : current.spentUntil,
      fixed,
      // A handle tells whose code it is, too, unless it is that of the number.
      count: handle === undefined || byNumber ? count : undefined,
      // A code may arrive, and be typed, before the provider has answered: it was compared with the handle before.
      wrongCodes: undefined,
      openCodes: undefined,
    }
  }
  // The code also went to another number: typing it proves nothing. One that was ended must not come back either.
  if (sent.result === 'foreign-number' || sent.cancelled) return voided(current)
  // An earlier code of this challenge may still be on its way; without one there is nothing to type.
  if (others.length > 0) {
    const { channel, count: last } = before ?? current
    return { ...current, channel, count: countAfter(last, count) }
  }
  if (sent.result === 'not-sent' && superseded !== undefined) {
    const restored = { ...superseded, attempts: current.attempts }
    return superseded.place === send.place
      ? { ...restored, count: countAfter(superseded.count, count) }
      : restored
  }
  return voided(current)
}

/** Of each number, what the provider wants back for the last code that may still live. */
function handlesAfter({ ledger, now, limits }: LedgerView, send: Send, { result }: Sent): Ledger['handles'] {
  const { place, challenge } = send
  const live = ledger.handles?.filter((one) => now < one.expiresAt) ?? noHandles
  const others = live.filter((one) => one.place !== place)
  if (!('handle' in result) || result.handle === undefined || challenge === undefined) {
    return isUndelivered(result) && result.cancelled ? others : live
  }
  // A send that was overtaken must not take the place of the one that came after it.
  const cameAfter = live.some((one) => one.place === place && one.challenge === ledger.challenge?.id)
  if (cameAfter && challenge !== ledger.challenge?.id) return live
  const expiresAt = send.at + lifetimeOf(result, limits)
  return [...others, { place, challenge, handle: result.handle, expiresAt }]
}

const lifetimeOf = (
  { lifetimeMs = defaultLifetimeMs }: { readonly lifetimeMs?: number | undefined },
  { codeLifetimeMs }: LedgerLimits,
): number => Math.min(lifetimeMs, codeLifetimeMs)

/** What became of the last code of this challenge. Of one that is lost nobody knows whether it was sent. */
export function deliveryOf(view: LedgerView, challenge: Challenge): 'booked' | 'sent' | 'unconfirmed' {
  const send = sendsFor(challenge, view.ledger.sends).at(-1)
  if (send === undefined || isLost(send, view)) return 'unconfirmed'
  return send.state === 'booked' || send.state === 'unconfirmed' ? send.state : 'sent'
}
