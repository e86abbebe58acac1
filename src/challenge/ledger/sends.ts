import { minuteMs } from '../../lib/time.js'
import { appMethod, type Channel } from '../code-provider.js'
import { type Refusal, refused, type Shown } from '../commands.js'
import {
  challengeShown,
  isSameBinding,
  liveIn,
  newestHandle,
  spentUntil,
  unexpired,
  voided,
} from './challenge.js'
import { pauseBeforeCheck, refusalOfBudget } from './guessing.js'
import {
  type Binding,
  type Challenge,
  type Decision,
  type Ledger,
  type LedgerView,
  type Who,
  withBudget,
} from './ledger.js'
import { pauseBeforeSend, rememberedMs } from './pacing.js'

/** The lifetime of a code when the provider does not state one. */
export const defaultLifetimeMs = 5 * minuteMs

export interface StartOnLedger extends Binding {
  readonly sendId: string
  readonly challengeId: string
  readonly channel: Channel
  /** What the person is shown, sealed. */
  readonly details?: string | undefined
  /** Key of the destination, where the subject may have several. */
  readonly number?: string | undefined
}

export interface ResendOnLedger extends Who {
  readonly sendId: string
  readonly shown: Shown
  /** Default: the one that the challenge used last. */
  readonly channel?: Channel | undefined
}

export interface Booked {
  readonly outcome: 'booked'
  readonly sendId: string
  readonly challenge: Challenge
  /** The live challenge that it replaced. */
  readonly superseded?: Challenge | undefined
  /** Of the code that the provider may still hold for this number. */
  readonly previousHandle?: string | undefined
}

export type SendOutcome = Booked | { readonly outcome: 'live'; readonly challenge: Challenge } | Refusal

/** Books a send and a new challenge for it, before anything is sent; to an authenticator app nothing is. */
export function start(view: LedgerView, command: StartOnLedger): Decision<SendOutcome> {
  const { ledger, now, limits } = view
  const { budget: name, channel } = command
  const barred = refusalOfBudget(view, name)
  if (barred !== undefined) return { outcome: barred }

  const replaced = unexpired(ledger[name], now)
  const exhausted =
    replaced !== undefined &&
    replaced.attempts >= limits.attemptsPerChallenge &&
    refused('attempts_exhausted', spentUntil(replaced) - now)
  const live = liveIn(view, name)
  const repeated = live !== undefined && isSameBinding(live, command)
  if (repeated && exhausted) return { outcome: exhausted }

  const goesOut = channel !== appMethod
  const pause = goesOut ? pauseBeforeSend(view, name, channel) : undefined
  if (repeated && isUnderWay(live, channel, pause)) return { outcome: { outcome: 'live', challenge: live } }
  if (pause !== undefined) return { outcome: pause }
  // Only expiry or success gives fresh attempts, otherwise every restart would refill the guess budget (brute force).
  if (exhausted) return { outcome: exhausted }

  // With all members in one literal: one that is added to a copy gives each challenge a shape, and 300 bytes, of its own.
  const challenge: Challenge = {
    id: command.challengeId,
    budget: name,
    session: command.session,
    subject: command.subject,
    purpose: command.purpose,
    bound: command.bound,
    epoch: command.epoch,
    channel,
    attempts: replaced?.attempts ?? 0,
    expiresAt: now + (goesOut ? Math.min(defaultLifetimeMs, limits.codeLifetimeMs) : limits.codeLifetimeMs),
    maxExpiresAt: now + limits.codeLifetimeMs,
    spentUntil: replaced && spentUntil(replaced),
    fixed: goesOut ? undefined : true,
    handle: undefined,
    wrongCodes: undefined,
    details: command.details,
    number: command.number,
  }
  const waitMs = pauseBeforeCheck(view, name)
  // A code that expires before it may be typed would be paid for in vain.
  if (now + waitMs >= challenge.expiresAt) return { outcome: refused('attempts_exhausted', waitMs) }
  const { sendId } = command
  const superseded = live ?? liveIn(view, 'strangers')
  const others = name === 'known' ? withoutStrangers(ledger, challenge, now) : ledger
  return {
    outcome: { outcome: 'booked', sendId, challenge, superseded, previousHandle: newestHandle(ledger, now) },
    next: goesOut
      ? booked(others, sendId, challenge, channel, now)
      : withBudget(others, name, { ...others[name], challenge }, now),
  }
}

/** Whether the code that is asked for is on its way: one that the app shows is none that was sent. */
function isUnderWay({ channel: used }: Challenge, channel: Channel, pause: Refusal | undefined): boolean {
  if (channel === appMethod || used === appMethod) return used === channel
  return pause?.code === 'resend_too_soon'
}

/** Books another send of the same challenge: same id, attempts and last moment. */
export function resend(view: LedgerView, command: ResendOnLedger): Decision<SendOutcome> {
  const live = challengeShown(view, command)
  if ('outcome' in live) return { outcome: live }
  const { ledger, now, limits } = view
  const barred = refusalOfBudget(view, command.budget)
  if (barred !== undefined) return { outcome: barred }

  const channel = command.channel ?? live.channel
  const pause = pauseBeforeSend(view, command.budget, channel)
  if (pause !== undefined) return { outcome: pause }
  if (live.attempts >= limits.attemptsPerChallenge) {
    return { outcome: refused('attempts_exhausted', spentUntil(live) - now) }
  }
  // Another code is on its way: one that was wrong may be right now.
  const challenge = { ...live, wrongCodes: undefined }
  const { sendId } = command
  return {
    outcome: { outcome: 'booked', sendId, challenge: { ...challenge, channel }, previousHandle: live.handle },
    next: booked(ledger, sendId, challenge, channel, now),
  }
}

/**
 * The live challenge of a destination takes the place of a later one elsewhere, in the ledger of the subject: its code is
 * on the way already. What was tried meanwhile stays counted, for as long as it would have been (brute force).
 */
export function goBack(view: LedgerView, challenge: Challenge): Decision<'live' | 'gone'> {
  const { ledger, now, limits } = view
  const later = liveIn(view, challenge.budget)
  if (later === undefined || later.attempts >= limits.attemptsPerChallenge) return { outcome: 'gone' }
  const back = {
    ...challenge,
    attempts: later.attempts,
    expiresAt: Math.max(challenge.expiresAt, later.expiresAt),
    maxExpiresAt: Math.max(challenge.maxExpiresAt, later.maxExpiresAt),
    spentUntil: later.spentUntil,
  }
  const budget = { ...ledger[challenge.budget], challenge: back }
  return { outcome: 'live', next: withBudget(ledger, challenge.budget, budget, now) }
}

/** A challenge takes another channel once its code has gone out. */
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
