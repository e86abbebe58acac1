import { present } from '../../lib/json.js'
import { dayMs, hourMs, minuteMs, secondMs } from '../../lib/time.js'
import { type Refusal, refused, type UnsentResult } from '../commands.js'
import type { Channel } from '../exchange/code-provider.js'
import { type LedgerLimits, shareOfUnknownBrowsers } from '../limits.js'
import { attemptsCountUntil, attemptsLeft, isLive } from './challenge.js'
import type { BrowserKind, Challenge, LedgerSnapshot, RequesterTag, Send } from './ledger.js'

// Limits on sends. They follow from the list of sends only, so that no restart, resend, cancel or session can shorten
// them (SMS pumping).

/** How long sends, attempts and used codes are stored: the longest window that counts them. */
export const rememberedMs = dayMs

/**
 * Returns whether a send still has an effect. A refused one only causes a cooldown: kept for a day, an account whose
 * number the provider refuses would have a thousand of them, and every command would read them (denial of service).
 */
export function isRemembered(send: Send, { now, limits }: Pick<LedgerSnapshot, 'now' | 'limits'>): boolean {
  const { at } = send
  const forMs = isUncounted(send, limits) ? hourMs + Math.max(0, ...limits.cooldownMs) : rememberedMs
  return at > now - forMs
}

/**
 * Returns whether no window counts a send. At a sign-up, the windows of the number count a send that the provider
 * postponed, because each one is a request to the provider (denial of service).
 */
export function isUncounted({ state, retryAt }: Send, { lane }: LedgerLimits): boolean {
  return state === 'refused' && (retryAt === undefined || lane === 'auth')
}

const usualPauseMs = 30 * secondMs
const shortestPauseMs = 5 * secondMs
const longestPauseMs = 5 * minuteMs

/** Returns how long an account waits after the provider postponed its send. */
export function pauseAfterLater({ retryAfterMs = usualPauseMs }: { readonly retryAfterMs?: number }): number {
  return Math.min(Math.max(retryAfterMs, shortestPauseMs), longestPauseMs)
}

/** Returns the time before which the provider sends nothing to this factor. 0 if there is none. */
function postponedUntil(
  { ledger, now }: LedgerSnapshot,
  browserKind: BrowserKind,
  { factor }: Pick<SendTarget, 'factor'>,
): number {
  const own = ledger.sends.filter(
    (send) =>
      send.browserKind === browserKind && send.factor === factor && !isForgiven(send) && send.at <= now,
  )
  return Math.max(0, ...own.map(({ retryAt = 0 }) => retryAt))
}

/** Factor and channel of a send. */
export type SendTarget = Pick<Send, 'factor' | 'channel'>

/** Returns the weight of a code. A call costs several times as much as a text, and disturbs at night. */
export const weightOf = (channel: Channel): number => (channel === 'call' ? 2 : 1)

/**
 * Returns whether a send counts towards the absolute limits only: its challenge was approved, or an operator has reset
 * it.
 */
export const isForgiven = ({ challenge, forgiven }: Send): boolean =>
  challenge === undefined || forgiven === true

/** Returns whether the result was lost and cannot be recovered. */
export function isLost(
  { state, at }: Send,
  { now, limits }: Pick<LedgerSnapshot, 'now' | 'limits'>,
): boolean {
  return state === 'booked' && now >= at + limits.sendMs
}

/** Returns whether the provider may still receive a send. Without a response, it may do so until the deadline. */
export function isUnderWay(
  { state, at }: Send,
  { now, limits }: Pick<LedgerSnapshot, 'now' | 'limits'>,
): boolean {
  return (state === 'booked' || state === 'unconfirmed') && now < at + limits.sendMs
}

/** Returns why this browser kind can send nothing to this destination now, and for how long. */
export function pauseBeforeSend(
  view: LedgerSnapshot,
  { browserKind }: Pick<RequesterTag, 'browserKind'>,
  target: SendTarget,
): Refusal | undefined {
  const { now } = view
  const freeAt = Math.max(reservedUntil(view, browserKind), cooldownExpiresAt(view, browserKind, target))
  if (freeAt > now) {
    const delivery = unsentResult(lastSendBefore(view, browserKind, target))
    return { ...refused('resend_too_soon', freeAt - now), ...present({ delivery }) }
  }
  const postponedMs = postponedUntil(view, browserKind, target) - now
  if (postponedMs > 0) return refused('provider_unavailable', postponedMs)
  const exhaustedMs = roomAt(view, browserKind, target.channel) - now
  return exhaustedMs > 0 ? refused('send_limit', exhaustedMs) : undefined
}

/**
 * Returns the time until which unknown browsers wait for the challenge of a known one. 0 if they need not. An attacker
 * with the password must not replace that challenge (denial of service).
 */
export function reservedUntil(view: LedgerSnapshot, browserKind: BrowserKind): number {
  const { challenge } = view.ledger
  const isReserved =
    browserKind === 'unknown' && challenge?.browserKind === 'known' && isLive(challenge, view)
  return isReserved ? challenge.expiresAt : 0
}

/**
 * Returns the time from which this browser kind can send a code again for this challenge. If a call has no room, as a
 * text.
 */
export function resendableAt(view: LedgerSnapshot, challenge: Challenge, browserKind: BrowserKind): number {
  const { now, limits } = view
  const isSpent = attemptsLeft(challenge, browserKind, limits) === 0
  return Math.max(
    now,
    isSpent ? attemptsCountUntil(challenge) : 0,
    cooldownExpiresAt(view, browserKind, challenge),
    postponedUntil(view, browserKind, challenge),
    roomAt(view, browserKind, 'sms'),
  )
}

/** Like `resendableAt`, for another channel. A channel that failed waits alone, and a call needs more room. */
export function resendableBy(
  view: LedgerSnapshot,
  challenge: Challenge,
  browserKind: BrowserKind,
  channel: Channel,
): number {
  return Math.max(
    resendableAt(view, { ...challenge, channel }, browserKind),
    roomAt(view, browserKind, channel),
  )
}

/** Returns the sends of this challenge that the provider did not refuse. */
export function sendsFor({ id }: Pick<Challenge, 'id'>, sends: readonly Send[]): readonly Send[] {
  return sends.filter((send) => send.challenge === id && send.state !== 'refused')
}

/** Returns the last send that keeps this browser kind waiting for this destination. */
function lastSendBefore(
  view: LedgerSnapshot,
  browserKind: BrowserKind,
  target: SendTarget,
): Send | undefined {
  const { ledger, now } = view
  const { challenge } = ledger
  if (challenge !== undefined && reservedUntil(view, browserKind) > now)
    return sendsFor(challenge, ledger.sends).at(-1)
  return cooldownsOf(view, browserKind, target)
    .filter(({ endsAt }) => endsAt > now)
    .map(({ send }) => send)
    .toSorted((one, other) => one.at - other.at)
    .at(-1)
}

/** Returns the result of a send, unless a code was sent. */
function unsentResult(send: Send | undefined): UnsentResult | undefined {
  if (send?.state === 'booked' || send?.state === 'unconfirmed') return 'unconfirmed'
  return sendFailureOf(send)
}

/** Returns the problem of a send that failed. */
export function sendFailureOf(send: Send | undefined): Exclude<UnsentResult, 'unconfirmed'> | undefined {
  if (send?.isOfService) return 'provider_unavailable'
  return send?.state === 'refused' || send?.isVoid ? 'delivery_failed' : undefined
}

/**
 * Returns the end of the cooldown. The k-th send to a factor without a success in between causes the k-th pause; the
 * last pause repeats. A refused send blocks its own channel only, and a lost one blocks nothing. Codes without a verdict
 * cause longer pauses.
 */
export function cooldownExpiresAt(
  view: LedgerSnapshot,
  browserKind: BrowserKind,
  target: SendTarget,
): number {
  const ends = cooldownsOf(view, browserKind, target).map(({ endsAt }) => endsAt)
  return Math.max(0, ...ends, unjudgedPauseExpiresAt(view, browserKind))
}

/** Returns the sends that cause a cooldown, with its end. */
function cooldownsOf(
  view: LedgerSnapshot,
  browserKind: BrowserKind,
  { factor, channel }: SendTarget,
): readonly { readonly send: Send; readonly endsAt: number }[] {
  const { ledger, now, limits } = view
  // A send in the future shows that the clock was set back, so that time is not waited for.
  const own = ledger.sends.filter(
    (send) =>
      send.browserKind === browserKind &&
      send.factor === factor &&
      send.retryAt === undefined &&
      !isForgiven(send) &&
      send.at <= now,
  )
  const last = [
    own.findLast((send) => send.state !== 'refused' && !isLost(send, view)),
    own.findLast((send) => send.state === 'refused' && send.channel === channel),
  ]
  return last.flatMap((send) => {
    if (send === undefined) return []
    const running = own.filter(({ at }) => at > send.at - hourMs && at <= send.at).length
    const pauseMs = limits.cooldownMs[Math.min(running, limits.cooldownMs.length) - 1] ?? 0
    return [{ send, endsAt: send.at + pauseMs }]
  })
}

/** Number of codes without a verdict after which each further code waits longer. */
const usualCodesWithoutVerdict = 3
const pauseWithoutVerdictMs = 10 * minuteMs

/**
 * Returns the end of the pause after codes without a verdict. Each such code uses an attempt of the day. The pause keeps
 * a fifth of the attempts and spreads them over a day, so that an outage of any length leaves some for its end. It spans
 * all factors, because the attempts do.
 */
export function unjudgedPauseExpiresAt(
  { ledger, now, limits }: LedgerSnapshot,
  browserKind: BrowserKind,
): number {
  const own = ledger.sends.filter(
    (send) =>
      send.browserKind === browserKind && send.state !== 'refused' && !isForgiven(send) && send.at <= now,
  )
  const last = own.at(-1)
  const unjudged = own.filter((send) => send.unjudged && send.at > now - dayMs)
  if (!last?.unjudged || unjudged.length < usualCodesWithoutVerdict) return 0
  const all = limits.codesWithoutVerdictPerDay
  const share = browserKind === 'unknown' && limits.browsersAreKnown ? shareOfUnknownBrowsers(all) : all
  const kept = Math.max(1, Math.floor(share / 5))
  const used = unjudged.reduce((sum, send) => sum + weightOf(send.channel), 0)
  const pauseMs = used < share - kept ? pauseWithoutVerdictMs : dayMs / kept
  return last.at + pauseMs * weightOf(last.channel)
}

/**
 * Returns the time at which every hourly and daily limit has room for a code by this channel. Sends without a response,
 * and at a sign-in codes without a verdict, do not count in the day: an outage must not use it up.
 */
export function roomAt(
  { ledger, now, limits }: LedgerSnapshot,
  browserKind: BrowserKind,
  channel: Channel,
): number {
  const all = ledger.sends.filter((send) => !isUncounted(send, limits))
  const own = all.filter((send) => send.browserKind === browserKind && !isForgiven(send))
  // At a sign-up, anyone can choose the number, and submit a code that gets no verdict (SMS pumping).
  const isSignup = limits.lane === 'enrol'
  const counted = own.filter(({ state, unjudged }) => state !== 'unconfirmed' && (isSignup || !unjudged))
  const endOf = (sends: readonly Send[], most: number, windowMs: number) => {
    const moments = sends.flatMap(({ at, channel: by }) => Array<number>(weightOf(by)).fill(at))
    // A limit of 1 admits one call.
    const needed = Math.max(1, Math.min(weightOf(channel), most))
    return windowEnd(moments, most - needed + 1, windowMs, now)
  }
  return Math.max(
    endOf(isSignup ? own : counted, limits.sendsPerHour, hourMs),
    endOf(counted, limits.sendsPerDay, dayMs),
    endOf(all, limits.allSendsPerHour, hourMs),
    endOf(all, limits.allSendsPerDay, dayMs),
  )
}

/** Returns the time from which fewer than `max` of these moments, in any order, are younger than the window. */
export function windowEnd(moments: readonly number[], max: number, windowMs: number, now: number): number {
  if (moments.length < max) return 0
  const inOrder = moments.toSorted((earlier, later) => earlier - later)
  // A limit of 0 never has room: wait for a whole window.
  return (inOrder[moments.length - max] ?? now) + windowMs
}
