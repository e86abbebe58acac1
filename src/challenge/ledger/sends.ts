import { minuteMs } from '../../lib/time.js'
import { type Refusal, refused } from '../commands.js'
import type { Channel, SendResult } from '../exchange/code-provider.js'
import type { LedgerLimits } from '../limits.js'
import { type CodeFacts, needsNewCode } from './attempts.js'
import {
  attemptsCountUntil,
  attemptsExhausted,
  attemptsLeft,
  endChallenge,
  findDisplayedChallenge,
  findInheritedChallenge,
  hasSameScope,
  isEnded,
  isLive,
  type SubmittedCode,
} from './challenge.js'
import { pauseBeforeCheck, refuseLocked } from './guessing.js'
import {
  type Challenge,
  type ChallengeScope,
  type Decision,
  type Handle,
  type Ledger,
  type LedgerSnapshot,
  noAttempts,
  type RequesterTag,
  type Send,
} from './ledger.js'
import {
  isRemembered,
  isUnderWay,
  pauseAfterLater,
  pauseBeforeSend,
  type SendTarget,
  sendsFor,
} from './pacing.js'

/** Lifetime of a code if the provider does not state one. */
const defaultLifetimeMs = 5 * minuteMs

export interface StartOnLedger extends ChallengeScope, SendTarget, CodeFacts {
  readonly sendId: string
  readonly challengeId: string
  /** The details that the user sees, sealed. */
  readonly details?: string | undefined
}

export interface ResendOnLedger extends SubmittedCode {
  readonly sendId: string
  readonly channel: Channel
}

export interface Booked {
  readonly outcome: 'booked'
  readonly sendId: string
  readonly challenge: Challenge
  /** The live challenge that was replaced. */
  readonly superseded?: Challenge | undefined
  /** At a resend: the challenge before the change. */
  readonly before?: Challenge | undefined
  /** Handle of a code that may still be valid for this number. */
  readonly previousHandle?: string | undefined
  /** True if the send of that handle got no response, or a check of its code no verdict. */
  readonly previousUnanswered?: boolean | undefined
}

export type SendOutcome = Booked | { readonly outcome: 'live'; readonly challenge: Challenge } | Refusal

const noHandles: readonly Handle[] = []

/** A code that arrives late is one of the last. */
const maxEarlierHandles = 3

/** Books a send with a new challenge, before anything is sent. */
export function start(view: LedgerSnapshot, command: StartOnLedger): Decision<SendOutcome> {
  const { now, limits } = view
  const { browserKind } = command
  const barred = refuseLocked(view, browserKind)
  if (barred !== undefined) return { outcome: barred }

  const replaced = findInheritedChallenge(view)
  const exhausted =
    replaced !== undefined &&
    replaced.attempts[browserKind] >= limits.attemptsPerChallenge &&
    attemptsExhausted(replaced, attemptsCountUntil(replaced) - now)
  const live = replaced && isLive(replaced, view) ? replaced : undefined
  const isRepeated = live !== undefined && hasSameScope(live, command)
  if (isRepeated && attemptsLeft(live, browserKind, limits) === 0) {
    return { outcome: attemptsExhausted(live, attemptsCountUntil(live) - now) }
  }

  const pause = pauseBeforeSend(view, command, command)
  const isSent = isRepeated && live.factor === command.factor && pause?.code === 'resend_too_soon'
  // Without a code that can be correct, the client has to wait for the next one.
  if (isSent && !needsNewCode(view, live, command)) return { outcome: { outcome: 'live', challenge: live } }
  if (pause !== undefined) return { outcome: pause }
  // Only expiry or success gives fresh attempts. Otherwise every restart would (brute force).
  if (exhausted) return { outcome: exhausted }

  // All members in one literal: a member that is added to a copy gives each challenge a shape of its own, and 300
  // bytes.
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
    inherited: limits.attemptsAreShared && replaced?.attempts,
    expiresAt: now + Math.min(defaultLifetimeMs, limits.codeLifetimeMs),
    maxExpiresAt: now + limits.codeLifetimeMs,
    lifetimeMs: limits.codeLifetimeMs,
    attemptsCountUntil: replaced && attemptsCountUntil(replaced),
    fixed: undefined,
    // Until the provider responds, its code may arrive, and it is not known whether a handle identifies it.
    isByNumber: true,
    wrongCodes: undefined,
    replacedCodes: undefined,
    refundedCodes: undefined,
    undecidedCodes: undefined,
    details: command.details,
  }
  const waitMs = pauseBeforeCheck(view, browserKind)
  // A code that expires before it can be submitted would be paid for in vain.
  if (now + waitMs >= challenge.expiresAt) return { outcome: refused('attempts_exhausted', waitMs) }
  const outcome = { ...orderOf(view, command.sendId, challenge), superseded: live }
  return { outcome, next: booked(view, outcome, command) }
}

/**
 * Returns the refusal of a start for a factor that is checked here. Nothing is sent or written. `until` is the end of
 * the challenge.
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

/** Books another send for the same challenge, with its id, attempts and latest expiry. */
export function resend(view: LedgerSnapshot, command: ResendOnLedger): Decision<SendOutcome> {
  const live = findDisplayedChallenge(view, command)
  if ('outcome' in live) return { outcome: live }
  const { browserKind, channel, sendId } = command
  const barred = refuseLocked(view, browserKind)
  if (barred !== undefined) return { outcome: barred }

  const pause = pauseBeforeSend(view, command, { factor: live.factor, channel })
  if (pause !== undefined) return { outcome: pause }
  if (attemptsLeft(live, browserKind, view.limits) === 0) {
    return { outcome: attemptsExhausted(live, attemptsCountUntil(live) - view.now) }
  }
  // Another code is on its way, and a code that was wrong may be correct now.
  const challenge = {
    ...live,
    channel,
    isByNumber: true as const,
    wrongCodes: undefined,
    replacedCodes: undefined,
    undecidedCodes: undefined,
  }
  const outcome = { ...orderOf(view, sendId, challenge), before: live }
  return { outcome, next: booked(view, outcome, command) }
}

function orderOf({ ledger, now }: LedgerSnapshot, sendId: string, challenge: Challenge): Booked {
  const { factor } = challenge
  const previous = ledger.handles?.find((one) => one.factor === factor && now < one.expiresAt)
  if (previous === undefined) return { outcome: 'booked', sendId, challenge }
  const last = sendsFor({ id: previous.challenge }, ledger.sends).at(-1)
  const previousUnanswered = last?.state === 'unconfirmed' || last?.unjudged === true
  return { outcome: 'booked', sendId, challenge, previousHandle: previous.handle, previousUnanswered }
}

function booked(view: LedgerSnapshot, order: Booked, { browserKind }: RequesterTag): Ledger {
  const { ledger, now } = view
  const { sendId: id, challenge } = order
  const { factor, channel } = challenge
  const underWay = ledger.sends.filter(
    (one) => one.factor === factor && one.challenge !== challenge.id && isUnderWay(one, view),
  )
  const overlaps = underWay.length > 0 && { overlaps: underWay.map((one) => one.id) }
  const ofChallenge = { browserKind, factor, channel, challenge: challenge.id }
  const send: Send = { id, at: now, ...ofChallenge, state: 'booked', ...overlaps }
  const sends = ledger.sends.filter((one) => isRemembered(one, view)).concat(send)
  return { ...ledger, challenge, sends, at: now }
}

/** Returns whether it is certain that nothing was delivered. */
export function isUndelivered({ result }: SendResult): boolean {
  return result === 'not-sent' || result === 'failed' || result === 'misconfigured' || result === 'later'
}

/** Records the outcome of a booked send. Repeating it changes nothing. */
export function settleSend(view: LedgerSnapshot, order: Booked, result: SendResult): Decision<undefined> {
  const { ledger, now } = view
  const send = ledger.sends.find(({ id }) => id === order.sendId)
  if (send?.state !== 'booked') return { outcome: undefined }
  const others = ledger.sends.filter((one) => one !== send)
  const sends =
    result.result === 'not-sent'
      ? others
      : ledger.sends.map((one) => (one === send ? findLastSend(one, result, now) : one))
  const current = ledger.challenge
  const isCurrent = current !== undefined && current.id === send.challenge && !isEnded(current)
  const challenge = isCurrent ? challengeAfter(view, current, order, { send, sent: result }) : current
  const handles = handlesAfter(view, send, result)
  return { outcome: undefined, next: { ...ledger, sends, challenge, handles, at: now } }
}

/**
 * Returns the send with its outcome. A refused one costs its cooldown. It may have used another channel than requested.
 */
function findLastSend(send: Send, result: SendResult, now: number): Send {
  if (result.result === 'later')
    return { ...send, state: 'refused', isOfService: true, retryAt: now + pauseAfterLater(result) }
  if (result.result === 'misconfigured') return { ...send, state: 'refused', isOfService: true }
  if (isUndelivered(result)) return { ...send, state: 'refused' }
  if (result.result === 'foreign-number') return { ...send, state: 'sent', isVoid: true }
  const { channel = send.channel } = 'channel' in result ? result : send
  return { ...send, channel, state: result.result === 'unconfirmed' ? 'unconfirmed' : 'sent' }
}

/** Returns the challenge after the result of its send. */
function challengeAfter(
  { ledger, limits }: LedgerSnapshot,
  current: Challenge,
  { superseded, before }: Booked,
  { send, sent }: { readonly send: Send; readonly sent: SendResult },
): Challenge | undefined {
  const others = sendsFor(current, ledger.sends).filter((one) => one !== send)
  if (sent.result === 'sent' || sent.result === 'unconfirmed') {
    const { channel = send.channel, handle, byNumber, fixed } = sent
    return {
      ...current,
      channel,
      expiresAt: Math.min(send.at + lifetimeOf(sent, limits), current.maxExpiresAt),
      // The earlier code keeps its lifetime.
      attemptsCountUntil: others.length > 0 ? attemptsCountUntil(current) : current.attemptsCountUntil,
      fixed,
      // A handle identifies the code, unless the provider has one handle per number.
      isByNumber: handle === undefined || byNumber ? true : undefined,
      // The code may be submitted before the provider responds. It was then compared with the handle before.
      wrongCodes: undefined,
      replacedCodes: undefined,
      undecidedCodes: undefined,
    }
  }
  // The code was also sent to another number, so it proves nothing. A cancelled code must not become valid again
  // either.
  if (sent.result === 'foreign-number' || sent.cancelled) return endChallenge(current)
  // An earlier code of this challenge may still arrive. Without one, no code can be submitted.
  if (others.length > 0) {
    const { channel, isByNumber } = before ?? current
    return { ...current, channel, isByNumber }
  }
  if ((sent.result === 'not-sent' || sent.result === 'later') && superseded !== undefined) {
    return { ...superseded, attempts: current.attempts }
  }
  return endChallenge(current)
}

/** Returns the handle of the last code per number that may still be valid. */
function handlesAfter(
  { ledger, now, limits }: LedgerSnapshot,
  send: Send,
  result: SendResult,
): Ledger['handles'] {
  const { factor, challenge } = send
  const live = ledger.handles?.filter((one) => now < one.expiresAt) ?? noHandles
  const others = live.filter((one) => one.factor !== factor)
  if (!('handle' in result) || result.handle === undefined || challenge === undefined) {
    return isUndelivered(result) && result.cancelled ? others : live
  }
  // An overtaken send must not replace the one that came after it.
  const cameAfter = live.some((one) => one.factor === factor && one.challenge === ledger.challenge?.id)
  if (cameAfter && challenge !== ledger.challenge?.id) return live
  // A user who waits longer for a code that never comes must still get the next one by another provider.
  const isLost = result.result === 'unconfirmed'
  const expiresAt = send.at + (isLost ? limits.codeLifetimeMs : lifetimeOf(result, limits))
  const before = ledger.handles?.find((one) => one.factor === factor && one.challenge === challenge)
  const earlier = before && [before.handle, ...(before.earlier ?? [])].slice(0, maxEarlierHandles)
  return [...others, { factor, challenge, handle: result.handle, expiresAt, earlier }]
}

const lifetimeOf = (
  { lifetimeMs = defaultLifetimeMs }: { readonly lifetimeMs?: number | undefined },
  { codeLifetimeMs }: LedgerLimits,
): number => Math.min(lifetimeMs, codeLifetimeMs)
