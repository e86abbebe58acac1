import { minuteMs } from '../../lib/time.js'
import { type Refusal, refused } from '../commands.js'
import type { Channel, SendResult } from '../exchange/code-provider.js'
import type { LedgerLimits } from '../limits.js'
import {
  attemptsCountUntil,
  endChallenge,
  findDisplayedChallenge,
  findInheritedChallenge,
  hasSameScope,
  isEnded,
  isLive,
  keepLastCount,
  type Submission,
} from './challenge.js'
import { pauseBeforeCheck, refuseLocked } from './guessing.js'
import type {
  Challenge,
  ChallengeScope,
  CountByBrowser,
  Decision,
  Handle,
  Ledger,
  LedgerSnapshot,
  RequesterTag,
  Send,
} from './ledger.js'
import { isLost, isRemembered, pauseBeforeSend, type SendTarget, sendsFor } from './pacing.js'

/** The lifetime of a code when the provider does not state one. */
const defaultLifetimeMs = 5 * minuteMs

export interface StartOnLedger extends ChallengeScope, SendTarget {
  readonly sendId: string
  readonly challengeId: string
  /** What the person is shown, sealed. */
  readonly details?: string | undefined
}

export interface ResendOnLedger extends Submission {
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
const noAttempts: CountByBrowser = { unknown: 0, known: 0 }
const noHandles: readonly Handle[] = []

/** Books a send and a new challenge for it, before anything is sent. */
export function start(view: LedgerSnapshot, command: StartOnLedger): Decision<SendOutcome> {
  const { now, limits } = view
  const { browserKind } = command
  const barred = refuseLocked(view, browserKind)
  if (barred !== undefined) return { outcome: barred }

  const replaced = findInheritedChallenge(view)
  const exhausted =
    replaced !== undefined &&
    replaced.attempts[browserKind] >= limits.attemptsPerChallenge &&
    refused('attempts_exhausted', attemptsCountUntil(replaced) - now)
  const live = replaced && isLive(replaced, view) ? replaced : undefined
  const isRepeated = live !== undefined && hasSameScope(live, command)
  if (isRepeated && exhausted) return { outcome: exhausted }

  const pause = pauseBeforeSend(view, command, command)
  const isUnderWay = isRepeated && live.factor === command.factor && pause?.code === 'resend_too_soon'
  if (isUnderWay) return { outcome: { outcome: 'live', challenge: live } }
  if (pause !== undefined) return { outcome: pause }
  // Only expiry or success gives fresh attempts, otherwise every restart would refill the guess budget (brute force).
  if (exhausted) return { outcome: exhausted }

  // With all members in one literal: one that is added to a copy gives each challenge a shape, and 300 bytes, of its own.
  const challenge: Challenge = {
    id: command.challengeId,
    browserKind,
    session: command.session,
    revocationId: command.revocationId,
    purpose: command.purpose,
    bound: command.bound,
    factor: command.factor,
    channel: command.channel,
    attempts: replaced?.attempts ?? noAttempts,
    expiresAt: now + Math.min(defaultLifetimeMs, limits.codeLifetimeMs),
    maxExpiresAt: now + limits.codeLifetimeMs,
    attemptsCountUntil: replaced && attemptsCountUntil(replaced),
    fixed: undefined,
    count: undefined,
    wrongCodes: undefined,
    openCodes: undefined,
    details: command.details,
  }
  const waitMs = pauseBeforeCheck(view, browserKind)
  // A code that expires before it may be typed would be paid for in vain.
  if (now + waitMs >= challenge.expiresAt) return { outcome: refused('attempts_exhausted', waitMs) }
  const outcome = { ...orderOf(view, command.sendId, challenge), superseded: live }
  return { outcome, next: booked(view, outcome, command) }
}

/**
 * What refuses a start at a place that judges its codes by itself: nothing is sent, and nothing written. `until`: the end
 * of the challenge.
 */
export function refusalOfUnsent(
  view: LedgerSnapshot,
  { browserKind }: RequesterTag,
  until: number,
): Refusal | undefined {
  const waitMs = pauseBeforeCheck(view, browserKind)
  return (
    refuseLocked(view, browserKind) ??
    (view.now + waitMs >= until ? refused('attempts_exhausted', waitMs) : undefined)
  )
}

/** Books another send of the same challenge: same id, attempts and last moment. */
export function resend(view: LedgerSnapshot, command: ResendOnLedger): Decision<SendOutcome> {
  const live = findDisplayedChallenge(view, command)
  if ('outcome' in live) return { outcome: live }
  const { browserKind, channel, sendId } = command
  const barred = refuseLocked(view, browserKind)
  if (barred !== undefined) return { outcome: barred }

  const pause = pauseBeforeSend(view, command, { factor: live.factor, channel })
  if (pause !== undefined) return { outcome: pause }
  if (live.attempts[browserKind] >= view.limits.attemptsPerChallenge) {
    return { outcome: refused('attempts_exhausted', attemptsCountUntil(live) - view.now) }
  }
  // Another code is on its way: one that was wrong may be right now.
  const challenge = { ...live, channel, count: undefined, wrongCodes: undefined, openCodes: undefined }
  const outcome = { ...orderOf(view, sendId, challenge), before: live }
  return { outcome, next: booked(view, outcome, command) }
}

function orderOf({ ledger, now }: LedgerSnapshot, sendId: string, challenge: Challenge): Booked {
  const { factor } = challenge
  const previous = ledger.handles?.find((one) => one.factor === factor && now < one.expiresAt)
  return { outcome: 'booked', sendId, challenge, previousHandle: previous?.handle }
}

function booked(view: LedgerSnapshot, order: Booked, { browserKind }: RequesterTag): Ledger {
  const { ledger, now } = view
  const { sendId: id, challenge } = order
  const { factor, channel } = challenge
  const send: Send = { id, at: now, browserKind, factor, channel, challenge: challenge.id, state: 'booked' }
  const sends = ledger.sends.filter((one) => isRemembered(one, view)).concat(send)
  return { ...ledger, challenge, sends, at: now }
}

/** What became of a send at the provider, and what its number has had that day. */
export interface SendReport {
  readonly result: SendResult
  /** With this send, before anything of it was given back. */
  readonly count?: Challenge['count']
}

/** Whether it is certain that nothing was delivered. */
export function isUndelivered({ result }: SendResult): boolean {
  return result === 'not-sent' || result === 'failed' || result === 'misconfigured'
}

/** Records what became of a booked send. Repeating it changes nothing. */
export function settleSend(view: LedgerSnapshot, order: Booked, sent: SendReport): Decision<undefined> {
  const { ledger, now } = view
  const send = ledger.sends.find(({ id }) => id === order.sendId)
  if (send?.state !== 'booked') return { outcome: undefined }
  const { result } = sent
  const others = ledger.sends.filter((one) => one !== send)
  const sends =
    result.result === 'not-sent'
      ? others
      : ledger.sends.map((one) => (one === send ? findLastSend(one, result) : one))
  const current = ledger.challenge
  const isCurrent = current !== undefined && current.id === send.challenge && !isEnded(current)
  const challenge = isCurrent ? challengeAfter(view, current, send, order, sent) : current
  const handles = handlesAfter(view, send, sent)
  return { outcome: undefined, next: { ...ledger, sends, challenge, handles, at: now } }
}

/** One that the provider refused costs its cooldown. It may have gone by another channel than asked for. */
function findLastSend(send: Send, result: SendResult): Send {
  if (isUndelivered(result)) return { ...send, state: 'refused' }
  const { channel = send.channel } = 'channel' in result ? result : send
  return { ...send, channel, state: result.result === 'unconfirmed' ? 'unconfirmed' : 'sent' }
}

function challengeAfter(
  { ledger, limits }: LedgerSnapshot,
  current: Challenge,
  send: Send,
  { superseded, before }: Booked,
  { result: sent, count }: SendReport,
): Challenge | undefined {
  const others = sendsFor(current, ledger.sends).filter((one) => one !== send)
  if (sent.result === 'sent' || sent.result === 'unconfirmed') {
    const { channel = send.channel, handle, byNumber, fixed } = sent
    return {
      ...current,
      channel,
      expiresAt: Math.min(send.at + lifetimeOf(sent, limits), current.maxExpiresAt),
      // The earlier code lives for as long as it did.
      attemptsCountUntil: others.length > 0 ? attemptsCountUntil(current) : current.attemptsCountUntil,
      fixed,
      // A handle tells whose code it is, too, unless it is that of the number.
      count: handle === undefined || byNumber ? count : undefined,
      // A code may arrive, and be typed, before the provider has answered: it was compared with the handle before.
      wrongCodes: undefined,
      openCodes: undefined,
    }
  }
  // The code also went to another number: typing it proves nothing. One that was ended must not come back either.
  if (sent.result === 'foreign-number' || sent.cancelled) return endChallenge(current)
  // An earlier code of this challenge may still be on its way; without one there is nothing to type.
  if (others.length > 0) {
    const { channel, count: last } = before ?? current
    return { ...current, channel, count: keepLastCount(last, count) }
  }
  if (sent.result === 'not-sent' && superseded !== undefined) {
    const restored = { ...superseded, attempts: current.attempts }
    return superseded.factor === send.factor
      ? { ...restored, count: keepLastCount(superseded.count, count) }
      : restored
  }
  return endChallenge(current)
}

/** Of each number, what the provider wants back for the last code that may still live. */
function handlesAfter(
  { ledger, now, limits }: LedgerSnapshot,
  send: Send,
  { result }: SendReport,
): Ledger['handles'] {
  const { factor, challenge } = send
  const live = ledger.handles?.filter((one) => now < one.expiresAt) ?? noHandles
  const others = live.filter((one) => one.factor !== factor)
  if (!('handle' in result) || result.handle === undefined || challenge === undefined) {
    return isUndelivered(result) && result.cancelled ? others : live
  }
  // A send that was overtaken must not take the place of the one that came after it.
  const cameAfter = live.some((one) => one.factor === factor && one.challenge === ledger.challenge?.id)
  if (cameAfter && challenge !== ledger.challenge?.id) return live
  const expiresAt = send.at + lifetimeOf(result, limits)
  return [...others, { factor, challenge, handle: result.handle, expiresAt }]
}

const lifetimeOf = (
  { lifetimeMs = defaultLifetimeMs }: { readonly lifetimeMs?: number | undefined },
  { codeLifetimeMs }: LedgerLimits,
): number => Math.min(lifetimeMs, codeLifetimeMs)

/** What became of the last code of this challenge. Of one that is lost nobody knows whether it was sent. */
export function deliveryOf(view: LedgerSnapshot, challenge: Challenge): 'booked' | 'sent' | 'unconfirmed' {
  const send = sendsFor(challenge, view.ledger.sends).at(-1)
  if (send === undefined || isLost(send, view)) return 'unconfirmed'
  return send.state === 'booked' || send.state === 'unconfirmed' ? send.state : 'sent'
}
