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
  const isSentOut = sendsFor(challenge, sends).length >= limits.sendsPerChallenge
  const isSpent = challenge.attempts >= limits.attemptsPerChallenge
  return Math.max(
    now,
    isSentOut ? challenge.expiresAt : 0,
    isSpent ? spentUntil(challenge) : 0,
    cooldownExpiresAt(sends, limits),
    roomAt(view, challenge.budget, challenge.channel),
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

/** When every hourly and daily budget has room again. */
function roomAt(view: LedgerView, name: BudgetName, channel: Channel): number {
  const { ledger, now, limits } = view
  const unapproved = ledger[name].sends.filter((send) => isSent(send) && !isApproved(send))
  const counted = momentsOf(unapproved)
  // The caps on cost are shared. Strangers prove nothing, so they take a quarter of it at most by default.
  const all = momentsOf([...ledger.strangers.sends, ...ledger.known.sends].filter(isSent))
  const ends = [
    windowEnd(counted, limits.sendsPerHour, hourMs, now),
    windowEnd(counted, limits.sendsPerDay, dayMs, now),
    windowEnd(all, limits.allSendsPerHour, hourMs, now),
    windowEnd(all, limits.allSendsPerDay, dayMs, now),
  ]
  if (channel === 'call') ends.push(callableAt(view, name))
  return Math.max(...ends)
}

/** From when on the number may be called, whatever was asked for: a provider may call where it cannot send a text. */
export function callableAt({ ledger, now, limits }: LedgerView, name: BudgetName): number {
  const counted = ledger[name].sends.filter(
    (send) => isSent(send) && !isApproved(send) && send.channel === 'call',
  )
  const calls = momentsOf(counted)
  return Math.max(
    windowEnd(calls, limits.callsPerHour, hourMs, now),
    windowEnd(calls, limits.callsPerDay, dayMs, now),
  )
}

const momentsOf = (sends: readonly Send[]): number[] => sends.map((send) => send.at)

/** From when on fewer than `max` of these moments, in whatever order, are younger than the window. */
export function windowEnd(moments: readonly number[], max: number, windowMs: number, now: number): number {
  if (moments.length < max) return 0
  const inOrder = moments.toSorted((earlier, later) => earlier - later)
  // A limit of 0 never has room: wait a whole window.
  return (inOrder[moments.length - max] ?? now) + windowMs
}
