import { dayMs, hourMs } from '../../lib/time.js'
import { type Refusal, refused } from '../commands.js'
import type { Channel } from '../exchange/code-provider.js'
import type { LedgerLimits } from '../limits.js'
import { attemptsCountUntil, isLive } from './challenge.js'
import type { BrowserKind, Challenge, LedgerSnapshot, RequesterTag, Send } from './ledger.js'

// How often a code may be sent. All of it follows from the list of sends, so that no restart, resend, cancel or session
// can shorten it (SMS pumping).

/** How long sends, attempts and used codes are remembered: the longest window that counts them. */
export const rememberedMs = dayMs

/**
 * Whether anything may go by it yet. One that was refused is for cooldowns alone: kept for a day, those of an account whose
 * number the provider refuses would be a thousand, to be gone through at each command (denial of service).
 */
export function isRemembered(
  { at, state }: Send,
  { now, limits }: Pick<LedgerSnapshot, 'now' | 'limits'>,
): boolean {
  const forMs = state === 'refused' ? hourMs + Math.max(0, ...limits.cooldownMs) : rememberedMs
  return at > now - forMs
}

/** Where a code may go, and how. */
export type SendTarget = Pick<Send, 'factor' | 'channel'>

/** A call costs several times what a message costs, and is a nuisance at night. */
export const weightOf = (channel: Channel): number => (channel === 'call' ? 2 : 1)

/** A send of an approved challenge, or one that an operator has forgiven, counts towards the absolute caps only. */
export const isForgiven = ({ challenge, forgiven }: Send): boolean =>
  challenge === undefined || forgiven === true

/** Nobody knows what became of it, and nobody will. */
export function isLost(
  { state, at }: Send,
  { now, limits }: Pick<LedgerSnapshot, 'now' | 'limits'>,
): boolean {
  return state === 'booked' && now >= at + limits.sendMs
}

/** Why this rank may send nothing by this way now, and for how long. */
export function pauseBeforeSend(
  view: LedgerSnapshot,
  { browserKind }: Pick<RequesterTag, 'browserKind'>,
  way: SendTarget,
): Refusal | undefined {
  const { now } = view
  const freeAt = Math.max(reservedUntil(view, browserKind), cooldownExpiresAt(view, browserKind, way))
  if (freeAt > now) return refused('resend_too_soon', freeAt - now)
  const exhaustedMs = roomAt(view, browserKind, way.channel) - now
  return exhaustedMs > 0 ? refused('send_limit', exhaustedMs) : undefined
}

/**
 * Until when strangers have to wait for the challenge of a known browser; 0 when they need not. Denial of service: an
 * attacker with the password must not displace it.
 */
export function reservedUntil(view: LedgerSnapshot, browserKind: BrowserKind): number {
  const { challenge } = view.ledger
  const isReserved =
    browserKind === 'unknown' && challenge?.browserKind === 'known' && isLive(challenge, view)
  return isReserved ? challenge.expiresAt : 0
}

/** The moment from which this rank may send a code again for this challenge, as a text where a call finds no room. */
export function resendableAt(view: LedgerSnapshot, challenge: Challenge, browserKind: BrowserKind): number {
  const { now, limits } = view
  const isSpent = challenge.attempts[browserKind] >= limits.attemptsPerChallenge
  return Math.max(
    now,
    isSpent ? attemptsCountUntil(challenge) : 0,
    cooldownExpiresAt(view, browserKind, challenge),
    roomAt(view, browserKind, 'sms'),
  )
}

/** The same by another channel: one by which no code could be sent is held up alone, and a call needs more room. */
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

/** The sends of this challenge that the provider did not refuse. */
export function sendsFor({ id }: Pick<Challenge, 'id'>, sends: readonly Send[]): readonly Send[] {
  return sends.filter((send) => send.challenge === id && send.state !== 'refused')
}

/**
 * The k-th send to a place without a success in between asks for the k-th pause; the last one repeats. One that was
 * refused holds up its own channel alone, and one that is lost nobody.
 */
export function cooldownExpiresAt(
  view: LedgerSnapshot,
  browserKind: BrowserKind,
  { factor, channel }: SendTarget,
): number {
  const { ledger, now, limits } = view
  // One from the future proves that the clock was set back: nobody waits for the time that is over.
  const own = ledger.sends.filter(
    (send) =>
      send.browserKind === browserKind && send.factor === factor && !isForgiven(send) && send.at <= now,
  )
  const endOf = (last: Send | undefined) => {
    if (last === undefined) return 0
    const running = own.filter(({ at }) => at > last.at - hourMs && at <= last.at).length
    return last.at + (limits.cooldownMs[Math.min(running, limits.cooldownMs.length) - 1] ?? 0)
  }
  return Math.max(
    endOf(own.findLast((send) => send.state !== 'refused' && !isLost(send, view))),
    endOf(own.findLast((send) => send.state === 'refused' && send.channel === channel)),
  )
}

/** When every hourly and daily budget has room for a code by this channel. */
export function roomAt(
  { ledger, now, limits }: LedgerSnapshot,
  browserKind: BrowserKind,
  channel: Channel,
): number {
  const counted = ledger.sends.filter((send) => send.browserKind === browserKind && isCounted(send, limits))
  const all = ledger.sends.filter(({ state }) => state !== 'refused')
  const endOf = (sends: readonly Send[], most: number, windowMs: number) => {
    const moments = sends.flatMap(({ at, channel: by }) => Array<number>(weightOf(by)).fill(at))
    // A limit of 1 admits one call.
    const needed = Math.max(1, Math.min(weightOf(channel), most))
    return windowEnd(moments, most - needed + 1, windowMs, now)
  }
  return Math.max(
    endOf(counted, limits.sendsPerHour, hourMs),
    endOf(counted, limits.sendsPerDay, dayMs),
    endOf(all, limits.allSendsPerHour, hourMs),
    endOf(all, limits.allSendsPerDay, dayMs),
  )
}

/** After an outage nobody pays for it: at sign-in, what met no answer or no verdict counts for the number alone. */
function isCounted(send: Send, { lane }: LedgerLimits): boolean {
  if (isForgiven(send) || send.state === 'refused') return false
  return lane === 'enrol' || (send.state !== 'unconfirmed' && send.unjudged === undefined)
}

/** From when on fewer than `max` of these moments, in whatever order, are younger than the window. */
export function windowEnd(moments: readonly number[], max: number, windowMs: number, now: number): number {
  if (moments.length < max) return 0
  const inOrder = moments.toSorted((earlier, later) => earlier - later)
  // A limit of 0 never has room: wait a whole window.
  return (inOrder[moments.length - max] ?? now) + windowMs
}
