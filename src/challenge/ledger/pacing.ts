import { dayMs, hourMs } from '../../lib/time.js'
import type { Channel } from '../code-provider.js'
import { type Refusal, refused } from '../commands.js'
import type { LedgerLimits } from '../limits.js'
import { liveIn, spentUntil } from './challenge.js'
import { type BudgetName, type Challenge, isApproved, isSent, type LedgerView, type Send } from './ledger.js'

/** How long sends, attempts and used codes are remembered: the longest window that counts them. */
export const rememberedMs = dayMs

/**
 * Why nothing may be sent in this budget now, and for how long. All of it follows from the lists of
 * sends, so that no restart, resend, cancel, channel or session can shorten it (SMS pumping).
 */
export function pauseBeforeSend(view: LedgerView, name: BudgetName, channel: Channel): Refusal | undefined {
  const { ledger, now, limits } = view
  // Denial of service: an attacker with the password must not displace the challenge of a known browser.
  const reserved = name === 'strangers' ? liveIn(view, 'known') : undefined
  const cooldown = Math.max(reserved?.expiresAt ?? 0, cooldownExpiresAt(ledger[name].sends, limits)) - now
  if (cooldown > 0) return refused('resend_too_soon', cooldown)
  const exhausted = roomAt(view, name, channel) - now
  return exhausted > 0 ? refused('send_limit', exhausted) : undefined
}

/** The moment from which a code may be sent again for this challenge, or a new one started. */
export function resendableAt(view: LedgerView, challenge: Challenge): number {
  const { ledger, now, limits } = view
  const { sends } = ledger[challenge.budget]
  const isSpent = challenge.attempts >= limits.attemptsPerChallenge
  return Math.max(
    now,
    isSpent ? spentUntil(challenge) : 0,
    cooldownExpiresAt(sends, limits),
    // Where a call finds no room, a text may still be sent.
    roomAt(view, challenge.budget, 'sms'),
  )
}

/** The sends of this challenge that the provider did not refuse. */
export function sendsFor({ id }: Pick<Challenge, 'id'>, sends: readonly Send[]): readonly Send[] {
  return sends.filter((send) => send.challenge === id && isSent(send))
}

/** The k-th send without a success in between asks for the k-th pause; the last one repeats. */
export function cooldownExpiresAt(sends: readonly Send[], limits: LedgerLimits): number {
  const last = sends.at(-1)
  if (last === undefined || isApproved(last)) return 0
  const running = sends.filter((send) => !isApproved(send) && send.at > last.at - hourMs).length
  const pause = limits.cooldownMs[Math.min(running, limits.cooldownMs.length) - 1] ?? 0
  return last.at + pause
}

/** A call costs several times what a message costs, and is a nuisance at night. */
const weightOf = (channel: Channel) => (channel === 'call' ? 2 : 1)

/** When every hourly and daily budget has room for a code by this channel. */
export function roomAt({ ledger, now, limits }: LedgerView, name: BudgetName, channel: Channel): number {
  const unapproved = ledger[name].sends.filter((send) => isSent(send) && !isApproved(send))
  // The caps on cost are shared. Strangers prove nothing, so they take a quarter of it at most by default.
  const all = [...ledger.strangers.sends, ...ledger.known.sends].filter(isSent)
  const endOf = (sends: readonly Send[], most: number, windowMs: number) => {
    const moments = sends.flatMap(({ at, channel: by }) => Array<number>(weightOf(by)).fill(at))
    // A limit of 1 admits one call.
    const needed = Math.max(1, Math.min(weightOf(channel), most))
    return windowEnd(moments, most - needed + 1, windowMs, now)
  }
  return Math.max(
    endOf(unapproved, limits.sendsPerHour, hourMs),
    endOf(unapproved, limits.sendsPerDay, dayMs),
    endOf(all, limits.allSendsPerHour, hourMs),
    endOf(all, limits.allSendsPerDay, dayMs),
  )
}

/** From when on fewer than `max` of these moments, in whatever order, are younger than the window. */
export function windowEnd(moments: readonly number[], max: number, windowMs: number, now: number): number {
  if (moments.length < max) return 0
  const inOrder = moments.toSorted((earlier, later) => earlier - later)
  // A limit of 0 never has room: wait a whole window.
  return (inOrder[moments.length - max] ?? now) + windowMs
}
