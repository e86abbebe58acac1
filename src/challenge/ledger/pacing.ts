import { dayMs, hourMs } from '../../lib/time.js'
import type { Channel, SendResult } from '../code-provider.js'
import type { LedgerLimits } from '../limits.js'
import {
  type Budget,
  type BudgetName,
  type Challenge,
  type Lease,
  type Ledger,
  liveIn,
  type Send,
  shareOf,
} from './ledger.js'

/** How long sends, attempts and used codes are remembered: the longest window that counts them. */
export const rememberedMs = dayMs

/** After the first lock, so many further failures lock again. */
const failuresPerFurtherLock = 5
const maxLockMs = hourMs

/** Why nothing may be sent now, and for how long. */
export interface SendPause {
  readonly code: 'resend_too_soon' | 'send_limit'
  readonly waitMs: number
}

/**
 * The pause before another send in this budget, if there is one. All of it follows from the lists of
 * sends, so that no restart, resend, cancel, channel or session can shorten it (SMS pumping).
 */
export function pauseBeforeSend(
  ledger: Ledger,
  name: BudgetName,
  channel: Channel,
  now: number,
  limits: LedgerLimits,
): SendPause | undefined {
  // Denial of service: an attacker with the password must not displace the challenge of a known browser.
  const reserved = name === 'strangers' ? liveIn(ledger.known, now, limits) : undefined
  const cooldown = Math.max(reserved?.expiresAt ?? 0, cooldownExpiresAt(ledger[name].sends, limits)) - now
  if (cooldown > 0) return { code: 'resend_too_soon', waitMs: cooldown }
  const exhausted = roomAt(ledger, name, channel, now, limits) - now
  if (exhausted > 0) return { code: 'send_limit', waitMs: exhausted }
  return undefined
}

/**
 * How long no code may be tried, whatever the challenge has left; 0 when one may. A window allows the
 * guesses of its own sends only, not those of a code sent just before it (brute force).
 */
export function pauseBeforeCheck(
  ledger: Ledger,
  name: BudgetName,
  now: number,
  limits: LedgerLimits,
): number {
  const { attemptsPerChallenge, sendsPerHour, sendsPerDay } = limits
  const own = ledger[name].attemptTimes
  const all = inOrder([...ledger.strangers.attemptTimes, ...ledger.known.attemptTimes])
  const windows = [
    [attemptsPerChallenge * sendsPerHour, hourMs],
    [attemptsPerChallenge * sendsPerDay, dayMs],
  ] as const
  const ends = windows.flatMap(([most, windowMs]) => [
    windowEnd(own, shareOf(most, name, limits), windowMs, now),
    windowEnd(all, most, windowMs, now),
  ])
  return Math.max(0, Math.max(...ends) - now)
}

/**
 * The check that has to end before another one. One per budget: what strangers have under way does not make a known
 * browser wait, unless it may be the last wrong code that the number allows.
 */
export function checkUnderWay(
  ledger: Ledger,
  name: BudgetName,
  now: number,
  { failuresBeforeDisable }: LedgerLimits,
): Lease | undefined {
  const { strangers, known } = ledger
  const isLast = strangers.rejections + known.rejections + 1 >= failuresBeforeDisable
  const leases = isLast ? [strangers.lease, known.lease] : [ledger[name].lease]
  return leases.find((lease) => lease !== undefined && now < lease.expiresAt)
}

/** The moment from which a code may be sent again for this challenge, or a new one started. */
export function resendableAt(
  ledger: Ledger,
  challenge: Challenge,
  now: number,
  limits: LedgerLimits,
): number {
  const { sends } = ledger[challenge.budget]
  const isSpent =
    sendsFor(challenge, sends).length >= limits.sendsPerChallenge ||
    challenge.attempts >= limits.attemptsPerChallenge
  return Math.max(
    now,
    isSpent ? challenge.expiresAt : 0,
    cooldownExpiresAt(sends, limits),
    roomAt(ledger, challenge.budget, challenge.channel, now, limits),
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
function roomAt(
  ledger: Ledger,
  name: BudgetName,
  channel: Channel,
  now: number,
  limits: LedgerLimits,
): number {
  const unapproved = ledger[name].sends.filter((send) => isSent(send) && !isApproved(send))
  const counted = momentsOf(unapproved)
  // The caps on cost are shared. Strangers prove nothing, so they take a quarter of it at most by default.
  const all = inOrder(momentsOf([...ledger.strangers.sends, ...ledger.known.sends].filter(isSent)))
  const ends = [
    windowEnd(counted, limits.sendsPerHour, hourMs, now),
    windowEnd(counted, limits.sendsPerDay, dayMs, now),
    windowEnd(all, limits.allSendsPerHour, hourMs, now),
    windowEnd(all, limits.allSendsPerDay, dayMs, now),
  ]
  if (channel === 'call') ends.push(callableAt(ledger[name], now, limits))
  return Math.max(...ends)
}

/** From when on the number may be called, whatever was asked for: a provider may call where it cannot send a text. */
export function callableAt({ sends }: Budget, now: number, limits: LedgerLimits): number {
  const counted = sends.filter((send) => isSent(send) && !isApproved(send) && send.channel === 'call')
  const calls = momentsOf(counted)
  return Math.max(
    windowEnd(calls, limits.callsPerHour, hourMs, now),
    windowEnd(calls, limits.callsPerDay, dayMs, now),
  )
}

const momentsOf = (sends: readonly Send[]): number[] => sends.map((send) => send.at)

const inOrder = (moments: readonly number[]): number[] =>
  moments.toSorted((earlier, later) => earlier - later)

/** From when on fewer than `max` of these moments are younger than the window. */
function windowEnd(moments: readonly number[], max: number, windowMs: number, now: number): number {
  if (moments.length < max) return 0
  // A limit of 0 never has room: wait a whole window.
  return (moments[moments.length - max] ?? now) + windowMs
}

/** A send of an approved challenge counts towards the absolute caps only. */
export function isApproved(send: Send): boolean {
  return send.challenge === undefined
}

/** A send that the provider refused costs its cooldown only: nothing was delivered. */
export function isSent(send: Send): boolean {
  return send.refused === undefined
}

/** Whether it is certain that nothing was delivered. */
export function wasRefused({ result }: SendResult): boolean {
  return result === 'not-sent' || result === 'failed' || result === 'misconfigured'
}

/**
 * The sends once it is known what became of one. One that never left costs nothing, one that the provider refused its
 * cooldown. A provider may have sent by another channel than asked for: what a guard learns must be true.
 */
export function settledSends(
  sends: readonly Send[],
  send: Send,
  sent: SendResult,
  isUncounted: boolean,
): readonly Send[] {
  if (isUncounted && sent.result === 'not-sent') return sends.filter((known) => known !== send)
  const after = isUncounted
    ? ({ ...send, refused: true } as const)
    : 'channel' in sent && sent.channel !== undefined
      ? { ...send, channel: sent.channel }
      : send
  return sends.map((known) => (known === send ? after : known))
}

/** How long the failure with this number locks: the tenth, then every fifth, each twice as long. */
export function lockAt(failures: number, limits: LedgerLimits): number | undefined {
  const beyond = failures - limits.failuresBeforeLock
  if (beyond < 0 || beyond % failuresPerFurtherLock !== 0) return undefined
  const doubled = limits.lockMs * 2 ** (beyond / failuresPerFurtherLock)
  return Math.min(doubled, Math.max(limits.lockMs, maxLockMs))
}
