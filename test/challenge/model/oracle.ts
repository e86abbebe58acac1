import type { Channel, SendResult, Verdict } from '../../../src/challenge/code-provider.js'
import type { Binding } from '../../../src/challenge/ledger/ledger.js'

/**
 * What every command must answer, told from the documented bounds and not from the code: its figures are
 * written out here, and it remembers what happened as lists of objects, not as counters in a record.
 */

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/** Attempts in common: a challenge that replaces a live one goes on with its predecessor's. */
interface Purse {
  spent: number
}

interface Challenge extends Binding {
  readonly purse: Purse
  readonly born: number
  ends: number
  dead: boolean
}

export interface ExpectedSend {
  readonly at: number
  readonly channel: Channel
  readonly challenge: Challenge
  /** The live challenge that it was to replace. */
  readonly replaced: Challenge | undefined
  readonly spentBefore: number
  state: 'counted' | 'approved' | 'given back'
}

export interface ExpectedAttempt {
  readonly at: number
  readonly challenge: Challenge
  readonly code: string
  /** Whether it is the failure with which a lock began. */
  readonly locked: boolean
}

export type Who = Pick<Binding, 'session' | 'subject'>

export type Oracle = ReturnType<typeof createOracle>

export function createOracle() {
  let current: Challenge | undefined
  const sends: ExpectedSend[] = []
  let lease: { attempt: ExpectedAttempt; until: number } | undefined
  const usedCodes: { code: string; at: number }[] = []
  let attempts: ExpectedAttempt[] = []
  let failures = 0
  let judged = 0
  let lockedUntil = 0

  const young = (at: number, now: number, windowMs: number) => at > now - windowMs
  const sendsWithin = (
    now: number,
    windowMs: number,
    states: readonly ExpectedSend['state'][],
    channel?: Channel,
  ) =>
    sends.filter(
      (send) =>
        young(send.at, now, windowMs) &&
        states.includes(send.state) &&
        (channel === undefined || send.channel === channel),
    ).length

  function barred(now: number): string | undefined {
    if (judged >= 100) return 'phone_disabled'
    return now < lockedUntil ? 'phone_locked' : undefined
  }

  /** Whether the guesses of the hour or of the day are used up, and still will be at `later`. */
  function guessedOut(now: number, later = now): boolean {
    const within = (windowMs: number) =>
      attempts.filter(({ at }) => young(at, now, windowMs) && young(at, later, windowMs)).length
    return within(hour) >= 25 || within(day) >= 50
  }

  function pause(now: number, channel: Channel): string | undefined {
    const last = sends.filter(({ state }) => state !== 'given back').at(-1)
    if (last?.state === 'counted') {
      const nth = sendsWithin(last.at, hour, ['counted'])
      const cooldown = nth === 1 ? minute : nth === 2 ? 2 * minute : 5 * minute
      if (now < last.at + cooldown) return 'resend_too_soon'
    }
    const all = ['counted', 'approved'] as const
    const over =
      sendsWithin(now, hour, ['counted']) >= 5 ||
      sendsWithin(now, day, ['counted']) >= 10 ||
      sendsWithin(now, hour, all) >= 20 ||
      sendsWithin(now, day, all) >= 50 ||
      (channel === 'call' &&
        (sendsWithin(now, hour, ['counted'], 'call') >= 2 || sendsWithin(now, day, ['counted'], 'call') >= 4))
    return over ? 'send_limit' : undefined
  }

  function liveFor(who: Who, now: number): Challenge | string {
    if (current === undefined || current.subject !== who.subject) return 'challenge_gone'
    if (current.dead || now >= current.ends) return 'challenge_gone'
    return current.session === who.session ? current : 'challenge_superseded'
  }

  function fail(now: number): boolean {
    failures += 1
    const further = failures - 10
    if (further < 0 || further % 5 !== 0) return false
    lockedUntil = now + (further === 0 ? 15 : further === 5 ? 30 : 60) * minute
    return true
  }

  function book(challenge: Challenge, channel: Channel, now: number, replaced?: Challenge): ExpectedSend {
    const send: ExpectedSend = {
      at: now,
      channel,
      challenge,
      replaced,
      spentBefore: challenge.purse.spent,
      state: 'counted',
    }
    sends.push(send)
    current = challenge
    return send
  }

  return {
    get attemptsRemaining() {
      return 5 - (current?.purse.spent ?? 0)
    },
    get lockEnds() {
      return lockedUntil
    },

    start(binding: Binding, channel: Channel, now: number): ExpectedSend | string {
      const bar = barred(now)
      if (bar !== undefined) return bar
      const before = current !== undefined && now < current.ends ? current : undefined
      const live = before?.dead === false ? before : undefined
      const same =
        live !== undefined &&
        (['session', 'subject', 'purpose', 'bound'] as const).every((name) => live[name] === binding[name])
      const exhausted = before !== undefined && before.purse.spent >= 5
      if (same && exhausted) return 'attempts_exhausted'
      const wait = pause(now, channel)
      if (wait !== undefined) return same && wait === 'resend_too_soon' ? 'live' : wait
      if (exhausted || guessedOut(now, now + 5 * minute - 1)) return 'attempts_exhausted'
      const purse = before?.purse ?? { spent: 0 }
      return book({ ...binding, purse, born: now, ends: now + 5 * minute, dead: false }, channel, now, live)
    },

    resend(who: Who, channel: Channel, now: number): ExpectedSend | string {
      const live = liveFor(who, now)
      if (typeof live === 'string') return live
      const refusal = barred(now) ?? pause(now, channel)
      if (refusal !== undefined) return refusal
      if (sends.filter((send) => send.challenge === live && send.state === 'counted').length >= 3) {
        return 'send_limit'
      }
      return live.purse.spent >= 5 ? 'attempts_exhausted' : book(live, channel, now)
    },

    sent(
      send: ExpectedSend,
      { result, lifetimeMs }: { result: SendResult['result']; lifetimeMs?: number },
    ): void {
      const { challenge } = send
      const others = sends.filter((other) => other !== send && other.challenge === challenge)
      const first = !others.some(({ state }) => state === 'counted')
      const guessed = challenge === current && challenge.purse.spent > send.spentBefore
      if (result === 'not-sent' && !guessed) send.state = 'given back'
      if (challenge !== current || challenge.dead) return
      if (result === 'sent' || result === 'unconfirmed') {
        const life = Math.min(lifetimeMs ?? 5 * minute, 10 * minute)
        challenge.ends = Math.min(send.at + life, challenge.born + 10 * minute)
      } else if (result === 'not-sent' && first && send.replaced !== undefined) current = send.replaced
      else if (result === 'foreign-number' || first) challenge.dead = true
    },

    guess(who: Who, code: string, now: number): ExpectedAttempt | string {
      const live = liveFor(who, now)
      if (typeof live === 'string') return live
      const bar = barred(now)
      if (bar !== undefined) return bar
      if (live.purse.spent >= 5) return 'attempts_exhausted'
      if (guessedOut(now)) return 'attempts_exhausted'
      if (lease !== undefined && now < lease.until) return 'verification_in_progress'
      live.purse.spent += 1
      const attempt = { at: now, challenge: live, code, locked: fail(now) }
      attempts.push(attempt)
      if (usedCodes.some((used) => used.code === code && young(used.at, now, day))) {
        judged += 1
        lease = undefined
        return 'rejected'
      }
      lease = { attempt, until: now + 10 * second }
      return attempt
    },

    answer(attempt: ExpectedAttempt, verdict: Verdict, now: number): string {
      if (lease?.attempt !== attempt) return 'gone'
      lease = undefined
      const own = attempt.challenge === current
      if (verdict === 'not-sent') {
        failures = Math.max(0, failures - 1)
        attempts = attempts.filter((other) => other !== attempt)
        if (attempt.locked) lockedUntil = 0
        if (own) attempt.challenge.purse.spent -= 1
        return 'refunded'
      }
      if (verdict === 'rejected') {
        judged += 1
        return own ? 'rejected' : 'gone'
      }
      if (verdict !== 'approved') return 'spent'
      usedCodes.push({ code: attempt.code, at: now })
      if (!own || attempt.challenge.dead) return 'gone'
      attempts = []
      failures = 0
      judged = 0
      lockedUntil = 0
      for (const send of sends)
        if (send.challenge === attempt.challenge && send.state === 'counted') send.state = 'approved'
      current = undefined
      return 'approved'
    },

    cancel(who: Who, now: number): void {
      const live = liveFor(who, now)
      if (typeof live !== 'string') live.dead = true
    },

    enable(): void {
      failures = 0
      judged = 0
      lockedUntil = 0
    },
  }
}
