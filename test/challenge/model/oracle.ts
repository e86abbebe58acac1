import type { Channel, SendResult, Verdict } from '../../../src/challenge/code-provider.js'
import type { Binding, BudgetName } from '../../../src/challenge/ledger/ledger.js'

/**
 * What every command must answer, told from the documented bounds and not from the code: its figures are
 * written out here, and it remembers what happened as lists of objects, not as counters in a record.
 */

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/** How often one may guess. */
export interface Guesses {
  readonly failuresBeforeDisable: number
  readonly checksPerHour: number
  readonly checksPerDay: number
}

/** The bounds that a ledger is held to; of the guesses of a number, what either kind of browser may make. */
export const figures = {
  attempts: 5,
  failuresBeforeLock: 10,
  failuresBeforeDisable: 100,
  checksPerHour: 25,
  checksPerDay: 50,
  shares: {
    strangers: { failuresBeforeDisable: 60, checksPerHour: 15, checksPerDay: 30 },
    known: { failuresBeforeDisable: 40, checksPerHour: 10, checksPerDay: 20 },
  },
  cooldownMs: [minute, 2 * minute, 5 * minute] as const,
  sendsPerHour: 5,
  sendsPerDay: 10,
  allSendsPerHour: 20,
  allSendsPerDay: 50,
}

/** Attempts in common: a challenge that replaces a live one goes on with its predecessor's. */
interface Purse {
  spent: number
  /** The last moment of any code before the latest. */
  until: number
}

interface Challenge extends Binding {
  readonly purse: Purse
  readonly born: number
  ends: number
  dead: boolean
  /** Codes that were wrong since its last send. */
  wrong: Set<string>
}

export interface ExpectedSend {
  readonly at: number
  readonly channel: Channel
  readonly challenge: Challenge
  /** The live challenge that it was to replace, and when that was to end. */
  readonly replaced: { readonly challenge: Challenge; readonly ends: number } | undefined
  readonly spentBefore: number
  state: 'counted' | 'refused' | 'approved' | 'given back'
}

export interface ExpectedAttempt {
  readonly at: number
  readonly challenge: Challenge
  readonly code: string
  /** The last send before it. */
  readonly send: ExpectedSend | undefined
  /** Whether it is the failure with which a lock began. */
  readonly locked: boolean
}

export type Who = Pick<Binding, 'budget' | 'session' | 'subject'>

export type Oracle = ReturnType<typeof createOracle>

/** What one kind of browser has used up. */
const emptySide = () => ({
  current: undefined as Challenge | undefined,
  sends: [] as ExpectedSend[],
  lease: undefined as { attempt: ExpectedAttempt; until: number } | undefined,
  /** What the last answer came to. */
  answered: undefined as { attempt: ExpectedAttempt; as: string } | undefined,
  attempts: [] as ExpectedAttempt[],
  failures: 0,
  judged: 0,
  lockedUntil: 0,
})
type Side = ReturnType<typeof emptySide>

export function createOracle() {
  const sides = { strangers: emptySide(), known: emptySide() }
  const usedCodes: { code: string; at: number }[] = []

  const young = (at: number, now: number, windowMs: number) => at > now - windowMs
  const sendsWithin = (
    sends: readonly ExpectedSend[],
    now: number,
    windowMs: number,
    states: readonly ExpectedSend['state'][],
  ) => sends.filter((send) => young(send.at, now, windowMs) && states.includes(send.state))
  /** A call counts as two. */
  const weightOf = ({ channel }: Pick<ExpectedSend, 'channel'>) => (channel === 'call' ? 2 : 1)
  const weightIn = (...given: Parameters<typeof sendsWithin>) =>
    sendsWithin(...given).reduce((sum, send) => sum + weightOf(send), 0)

  function barred(name: BudgetName, now: number): string | undefined {
    const { strangers, known, [name]: side } = sides
    const isDisabled =
      strangers.judged + known.judged >= figures.failuresBeforeDisable ||
      side.judged >= figures.shares[name].failuresBeforeDisable
    if (isDisabled) return 'phone_disabled'
    return now < side.lockedUntil ? 'phone_locked' : undefined
  }

  /** Whether the guesses of the hour or of the day are used up, and still will be at `later`. */
  function guessedOut(name: BudgetName, now: number, later = now): boolean {
    const areOut = (attempts: readonly ExpectedAttempt[], { checksPerHour, checksPerDay }: Guesses) => {
      const within = (windowMs: number) =>
        attempts.filter(({ at }) => young(at, now, windowMs) && young(at, later, windowMs)).length
      return within(hour) >= checksPerHour || within(day) >= checksPerDay
    }
    const { strangers, known, [name]: side } = sides
    return (
      areOut(side.attempts, figures.shares[name]) ||
      areOut([...strangers.attempts, ...known.attempts], figures)
    )
  }

  const lastSend = ({ sends }: Side) => sends.filter(({ state }) => state !== 'given back').at(-1)
  const isLive = (challenge: Challenge | undefined, now: number) =>
    challenge !== undefined && !challenge.dead && now < challenge.ends

  /** Until when what was guessed stays spent: an earlier code may live longer than the one that took its place. */
  const keptUntil = ({ ends, purse }: Challenge) => Math.max(ends, purse.until)

  function pause(side: Side, now: number, channel: Channel): string | undefined {
    if (side === sides.strangers && isLive(sides.known.current, now)) return 'resend_too_soon'
    const last = lastSend(side)
    if (last?.state === 'counted' || last?.state === 'refused') {
      const nth = sendsWithin(side.sends, last.at, hour, ['counted', 'refused']).length
      const [first, second, further] = figures.cooldownMs
      const cooldown = nth === 1 ? first : nth === 2 ? second : further
      if (now < last.at + cooldown) return 'resend_too_soon'
    }
    const one = weightOf({ channel })
    const own = (windowMs: number) => one + weightIn(side.sends, now, windowMs, ['counted'])
    const all = (windowMs: number) =>
      one + weightIn([...sides.strangers.sends, ...sides.known.sends], now, windowMs, ['counted', 'approved'])
    const over =
      own(hour) > figures.sendsPerHour ||
      own(day) > figures.sendsPerDay ||
      all(hour) > figures.allSendsPerHour ||
      all(day) > figures.allSendsPerDay
    return over ? 'send_limit' : undefined
  }

  function liveFor(who: Who, now: number): Challenge | string {
    const { current } = sides[who.budget]
    if (current === undefined || current.subject !== who.subject) return 'challenge_gone'
    if (current.dead || now >= current.ends) return 'challenge_gone'
    return current.session === who.session ? current : 'challenge_superseded'
  }

  function fail(side: Side, now: number): boolean {
    side.failures += 1
    const further = side.failures - figures.failuresBeforeLock
    if (further < 0 || further % 5 !== 0) return false
    side.lockedUntil = now + (further === 0 ? 15 : further === 5 ? 30 : 60) * minute
    return true
  }

  function book(challenge: Challenge, channel: Channel, now: number, replaced?: Challenge): ExpectedSend {
    const side = sides[challenge.budget]
    const send: ExpectedSend = {
      at: now,
      channel,
      challenge,
      replaced: replaced && { challenge: replaced, ends: replaced.ends },
      spentBefore: challenge.purse.spent,
      state: 'counted',
    }
    side.sends.push(send)
    side.current = challenge
    return send
  }

  function pardon(): void {
    for (const side of [sides.strangers, sides.known]) {
      side.failures = 0
      side.judged = 0
      side.lockedUntil = 0
    }
  }

  /** What follows from the answer about the attempt that is under way. */
  function judge(attempt: ExpectedAttempt, verdict: Verdict, now: number): string {
    const { challenge } = attempt
    const side = sides[challenge.budget]
    const own = challenge === side.current
    if (verdict === 'not-sent') {
      side.failures = Math.max(0, side.failures - 1)
      side.attempts = side.attempts.filter((other) => other !== attempt)
      if (attempt.locked) side.lockedUntil = 0
      if (own) challenge.purse.spent -= 1
      return 'refunded'
    }
    if (verdict === 'rejected') {
      side.judged += 1
      if (own && attempt.send === lastSend(side)) challenge.wrong.add(attempt.code)
      return own ? 'rejected' : 'gone'
    }
    if (verdict !== 'approved') return 'spent'
    usedCodes.push({ code: attempt.code, at: now })
    if (!own || challenge.dead) return 'gone'
    pardon()
    side.attempts = side.attempts.filter((other) => other !== attempt)
    for (const send of side.sends) {
      if (send.challenge !== challenge) continue
      if (send.state === 'counted') send.state = 'approved'
      if (send.state === 'refused') send.state = 'given back'
    }
    sides.strangers.current = undefined
    sides.known.current = undefined
    return 'approved'
  }

  return {
    attemptsRemaining: (budget: BudgetName) => figures.attempts - (sides[budget].current?.purse.spent ?? 0),
    lockEnds: (budget: BudgetName) => sides[budget].lockedUntil,

    start(binding: Binding, channel: Channel, now: number): ExpectedSend | string {
      const side = sides[binding.budget]
      const bar = barred(binding.budget, now)
      if (bar !== undefined) return bar
      const before = side.current !== undefined && now < keptUntil(side.current) ? side.current : undefined
      const live = isLive(before, now) ? before : undefined
      const same =
        live !== undefined &&
        (['session', 'subject', 'purpose', 'bound'] as const).every((name) => live[name] === binding[name])
      const exhausted = before !== undefined && before.purse.spent >= figures.attempts
      if (same && exhausted) return 'attempts_exhausted'
      const wait = pause(side, now, channel)
      if (wait !== undefined) return same && wait === 'resend_too_soon' ? 'live' : wait
      if (exhausted || guessedOut(binding.budget, now, now + 5 * minute - 1)) return 'attempts_exhausted'
      // One that was given up without a guess leaves nothing to remember.
      const inherited = before?.dead && before.purse.spent === 0 ? undefined : before
      const purse = inherited?.purse ?? { spent: 0, until: 0 }
      if (inherited !== undefined) purse.until = keptUntil(inherited)
      const challenge = {
        ...binding,
        purse,
        born: now,
        ends: now + 5 * minute,
        dead: false,
        wrong: new Set<string>(),
      }
      const other = sides.strangers.current
      const ousted = binding.budget === 'known' && isLive(other, now) ? other : undefined
      const send = book(challenge, channel, now, live ?? ousted)
      if (binding.budget === 'known' && other !== undefined && now < keptUntil(other)) {
        other.dead = true
        other.ends = now + 10 * minute
      }
      return send
    },

    resend(who: Who, channel: Channel, now: number): ExpectedSend | string {
      const live = liveFor(who, now)
      if (typeof live === 'string') return live
      const refusal = barred(who.budget, now) ?? pause(sides[who.budget], now, channel)
      if (refusal !== undefined) return refusal
      if (live.purse.spent >= figures.attempts) return 'attempts_exhausted'
      live.wrong = new Set()
      return book(live, channel, now)
    },

    sent(
      send: ExpectedSend,
      { result, lifetimeMs }: { result: SendResult['result']; lifetimeMs?: number },
    ): void {
      const { challenge } = send
      const side = sides[challenge.budget]
      const others = side.sends.filter((other) => other !== send && other.challenge === challenge)
      const first = !others.some(({ state }) => state === 'counted')
      const guessed = challenge === side.current && challenge.purse.spent > send.spentBefore
      const mine = challenge === side.current && !challenge.dead
      if (result === 'not-sent' && !guessed) send.state = 'given back'
      const refused = (result === 'failed' || result === 'misconfigured') && !guessed
      if (refused && send.state === 'counted') send.state = 'refused'
      if (!mine) return
      if (result === 'sent' || result === 'unconfirmed') {
        const life = Math.min(lifetimeMs ?? 5 * minute, 10 * minute)
        if (!first) challenge.purse.until = keptUntil(challenge)
        challenge.ends = Math.min(send.at + life, challenge.born + 10 * minute)
        challenge.wrong = new Set()
      } else if (result === 'not-sent' && first && send.replaced !== undefined) {
        challenge.dead = true
        const back = send.replaced.challenge
        sides[back.budget].current = back
        back.dead = false
        back.ends = send.replaced.ends
      } else if (result === 'foreign-number' || first) challenge.dead = true
    },

    guess(who: Who, code: string, now: number): ExpectedAttempt | string {
      const live = liveFor(who, now)
      if (typeof live === 'string') return live
      const side = sides[who.budget]
      const bar = barred(who.budget, now)
      if (bar !== undefined) return bar
      if (live.wrong.has(code)) return 'repeated'
      if (live.purse.spent >= figures.attempts) return 'attempts_exhausted'
      if (guessedOut(who.budget, now)) return 'attempts_exhausted'
      const { strangers, known } = sides
      // The last wrong code of the number is judged alone.
      const isLast = strangers.judged + known.judged + 1 >= figures.failuresBeforeDisable
      const checks = isLast ? [strangers.lease, known.lease] : [side.lease]
      if (checks.some((lease) => lease !== undefined && now < lease.until)) return 'verification_in_progress'
      live.purse.spent += 1
      const attempt = { at: now, challenge: live, code, locked: fail(side, now), send: lastSend(side) }
      side.attempts.push(attempt)
      if (usedCodes.some((used) => used.code === code && young(used.at, now, day))) {
        side.judged += 1
        side.lease = undefined
        live.wrong.add(code)
        return 'rejected'
      }
      side.lease = { attempt, until: now + 10.5 * second }
      return attempt
    },

    answer(attempt: ExpectedAttempt, verdict: Verdict, now: number): string {
      const side = sides[attempt.challenge.budget]
      if (side.answered?.attempt === attempt) return side.answered.as
      if (side.lease?.attempt !== attempt) return 'gone'
      side.lease = undefined
      const as = judge(attempt, verdict, now)
      side.answered = { attempt, as }
      return as
    },

    cancel(who: Who, now: number): void {
      const live = liveFor(who, now)
      if (typeof live !== 'string') live.dead = true
    },

    enable: pardon,
  }
}
