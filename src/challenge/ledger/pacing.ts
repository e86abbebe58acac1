import type { Channel } from '../code-provider.js'
import type { Challenge, Ledger, LedgerLimits, Send } from './ledger.js'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** Why nothing may be sent now, and for how long. */
export interface SendPause {
  readonly code: 'resend_too_soon' | 'send_limit'
  readonly waitMs: number
}

/**
 * The pause before another send to this number, if there is one. All of it follows from the list of
 * sends, so that no restart, resend, cancel, channel or session can shorten it.
 */
export function pauseBeforeSend(
  ledger: Ledger,
  channel: Channel,
  now: number,
  limits: LedgerLimits,
): SendPause | undefined {
  const cooldown = cooldownEnd(ledger, limits) - now
  if (cooldown > 0) return { code: 'resend_too_soon', waitMs: cooldown }
  const exhausted = budgetEnd(ledger, channel, now, limits) - now
  if (exhausted > 0) return { code: 'send_limit', waitMs: exhausted }
  return undefined
}

/**
 * How long no code may be tried, whatever the challenge has left; 0 when one may. A window takes the
 * guesses of its own sends and no more: else those of a code that was sent just before it, too.
 */
export function pauseBeforeCheck(ledger: Ledger, now: number, limits: LedgerLimits): number {
  const { attemptsPerChallenge, sendsPerHour, sendsPerDay } = limits
  const end = Math.max(
    windowEnd(ledger.checks, attemptsPerChallenge * sendsPerHour, hour, now),
    windowEnd(ledger.checks, attemptsPerChallenge * sendsPerDay, day, now),
  )
  return Math.max(0, end - now)
}

/** The moment from which a code may be sent again for this challenge, or a new one started. */
export function resendableAt(
  ledger: Ledger,
  challenge: Challenge,
  now: number,
  limits: LedgerLimits,
): number {
  const sends = ledger.sends.filter((send) => send.challenge === challenge.id).length
  const challengeEnd = sends >= limits.sendsPerChallenge ? challenge.expiresAt : 0
  return Math.max(
    now,
    challengeEnd,
    cooldownEnd(ledger, limits),
    budgetEnd(ledger, challenge.channel, now, limits),
  )
}

/** The k-th send without a success in between asks for the k-th pause; the last one repeats. */
function cooldownEnd(ledger: Ledger, limits: LedgerLimits): number {
  const last = ledger.sends.at(-1)
  if (last === undefined || isApproved(last)) return 0
  const running = ledger.sends.filter((send) => !isApproved(send) && send.at > last.at - hour).length
  const pause = limits.cooldownMs[Math.min(running, limits.cooldownMs.length) - 1] ?? 0
  return last.at + pause
}

/** When every hourly and daily budget has room again. */
function budgetEnd(ledger: Ledger, channel: Channel, now: number, limits: LedgerLimits): number {
  const unapproved = ledger.sends.filter((send) => !isApproved(send))
  const all = momentsOf(ledger.sends)
  const counted = momentsOf(unapproved)
  const ends = [
    windowEnd(counted, limits.sendsPerHour, hour, now),
    windowEnd(counted, limits.sendsPerDay, day, now),
    windowEnd(all, limits.allSendsPerHour, hour, now),
    windowEnd(all, limits.allSendsPerDay, day, now),
  ]
  if (channel === 'call') {
    const calls = momentsOf(unapproved.filter((send) => send.channel === 'call'))
    ends.push(
      windowEnd(calls, limits.callsPerHour, hour, now),
      windowEnd(calls, limits.callsPerDay, day, now),
    )
  }
  return Math.max(...ends)
}

const momentsOf = (sends: readonly Send[]): readonly number[] => sends.map((send) => send.at)

/** From when on fewer than `most` of these moments are younger than the window. */
function windowEnd(moments: readonly number[], most: number, windowMs: number, now: number): number {
  if (moments.length < most) return 0
  // A budget of nothing never has room: look again after a whole window.
  return (moments[moments.length - most] ?? now) + windowMs
}

/** A send of an approved challenge counts for the absolute caps alone. */
function isApproved(send: Send): boolean {
  return send.challenge === undefined
}
