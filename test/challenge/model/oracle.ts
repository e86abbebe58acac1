import type { Channel, SendResult, Verdict } from '../../../src/challenge/exchange/code-provider.js'
import type { BrowserKind, ChallengeScope, RequesterTag } from '../../../src/challenge/ledger/ledger.js'

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

/** The bounds that an account is held to, and what strangers may use of its guesses. */
export const figures = {
  attempts: 5,
  failuresBeforeLock: 10,
  failuresBeforeDisable: 100,
  checksPerHour: 25,
  checksPerDay: 50,
  ofUnknown: { failuresBeforeDisable: 60, checksPerHour: 15, checksPerDay: 30 },
  cooldownMs: [minute, 2 * minute, 5 * minute] as const,
  /** After codes without a verdict. From `most` of them in a day on, the longer pause applies. A call counts twice. */
  withoutVerdict: {
    from: 3,
    pauseMs: 10 * minute,
    unknown: { most: 24, pauseMs: 4 * hour },
    known: { most: 40, pauseMs: 2.4 * hour },
  },
  sendsPerHour: 5,
  sendsPerDay: 10,
  checkMs: 10 * second,
  retryPauseMs: 5 * second,
  checksPerCode: 10,
  sendMs: 12 * second,
}

/** Attempts in common: a challenge that replaces a live one goes on with its predecessor's. */
interface Purse {
  unknown: number
  known: number
  /** The last moment of any code before the latest. */
  until: number
}

interface Challenge extends ChallengeScope {
  readonly factor: string
  readonly purse: Purse
  readonly born: number
  ends: number
  dead: boolean
  /** Codes that were wrong since its last send. */
  wrong: Set<string>
  /** Codes without a verdict. */
  undecided: Map<string, UndecidedCode>
}

interface UndecidedCode {
  /** Time of its attempt. Checked again, it uses no other. */
  readonly at: number
  readonly checkedAt: number
  readonly checks: number
}

export interface ExpectedSend {
  readonly at: number
  readonly browserKind: BrowserKind
  readonly factor: string
  channel: Channel
  readonly challenge: Challenge
  /** The live challenge that it was to replace, and when that was to end. */
  readonly replaced:
    | { readonly challenge: Challenge; readonly ends: number; readonly until: number }
    | undefined
  state: 'booked' | 'sent' | 'unconfirmed' | 'refused' | 'given back'
  unjudged: boolean
  forgiven: boolean
  /** Its code was right, or another one of its challenge that cannot have come to the provider before it. */
  used: boolean
  /** Its number got a code for another account since. */
  overtaken: boolean
  /** Of other challenges: they may have come to the provider after it. */
  readonly besides: readonly ExpectedSend[]
}

export interface ExpectedAttempt {
  readonly at: number
  readonly who: RequesterTag
  /** Undefined where the code is that of an app. */
  readonly challenge: Challenge | undefined
  readonly code: string
  /** The last send before it. */
  readonly send: ExpectedSend | undefined
  /** The code was checked before, without a verdict. */
  readonly isRetry: boolean
}

export type Oracle = ReturnType<typeof createOracle>

/** What one kind of browser has used up. */
const emptySide = () => ({
  lease: undefined as { attempt: ExpectedAttempt; until: number } | undefined,
  attempts: [] as ExpectedAttempt[],
  judged: 0,
  settled: undefined as { attempt: ExpectedAttempt; answer: string } | undefined,
})

export function createOracle() {
  const sides = { unknown: emptySide(), known: emptySide() }
  const usedCodes: { code: string; at: number }[] = []
  const overtakenNumbers = new Set<string>()
  let sends: ExpectedSend[] = []
  let current: Challenge | undefined
  let lockedUntil = 0
  let lastStep = 0

  const young = (at: number, now: number, windowMs: number) => at > now - windowMs

  function barred(browserKind: BrowserKind, now: number): string | undefined {
    const { unknown, known } = sides
    const isDisabled =
      unknown.judged + known.judged >= figures.failuresBeforeDisable ||
      (browserKind === 'unknown' && unknown.judged >= figures.ofUnknown.failuresBeforeDisable)
    if (isDisabled) return 'account_disabled'
    return browserKind === 'unknown' && now < lockedUntil ? 'account_locked' : undefined
  }

  /** Whether the guesses of the hour or of the day are used up, and still will be at `later`. */
  function guessedOut(browserKind: BrowserKind, now: number, later = now): boolean {
    const areOut = (attempts: readonly ExpectedAttempt[], { checksPerHour, checksPerDay }: Guesses) => {
      const within = (windowMs: number) =>
        attempts.filter(({ at }) => young(at, now, windowMs) && young(at, later, windowMs)).length
      return within(hour) >= checksPerHour || within(day) >= checksPerDay
    }
    const { unknown, known } = sides
    const all = [...unknown.attempts, ...known.attempts]
    return areOut(all, figures) || (browserKind === 'unknown' && areOut(unknown.attempts, figures.ofUnknown))
  }

  const lastSend = () => sends.filter(({ state }) => state !== 'given back').at(-1)
  const arrived = ({ state }: ExpectedSend) => state !== 'refused' && state !== 'given back'

  /** Why a code for bound fields is not taken yet: it may be that of another challenge, for all that is known. */
  function doubted(live: Challenge, now: number): string | undefined {
    const own = sends.filter((send) => send.challenge === live && arrived(send))
    const mayBeLast = (send: ExpectedSend) => arrived(send) && !send.used
    const isCertain = ({ state, besides }: ExpectedSend) => state === 'sent' && !besides.some(mayBeLast)
    if (live.bound === undefined || own.some(isCertain)) return undefined
    const others = sends.filter((send) => send.challenge !== live && send.factor === live.factor)
    const isOpen = others.some((send) => mayBeLast(send) && now < send.at + 10 * minute + figures.sendMs)
    if (!isOpen) return undefined
    const isUnderWay = own.some(({ state, at }) => state === 'booked' && now < at + figures.sendMs)
    return isUnderWay ? 'verification_in_progress' : 'challenge_gone'
  }

  /** Whether the last code of its number is one for another account, for all that is known. */
  const isOvertaken = (live: Challenge) =>
    overtakenNumbers.has(live.factor) &&
    !sends.some((send) => send.challenge === live && arrived(send) && !send.overtaken)

  /** Whether a start sends nothing because the code of this challenge is on its way, and will be taken. */
  function isAwaited(live: Challenge, now: number): boolean {
    const last = sends.filter((send) => send.challenge === live && arrived(send)).at(-1)
    if (last?.state === 'booked' && now < last.at + figures.sendMs) return true
    return !isOvertaken(live) && doubted(live, now) !== 'challenge_gone'
  }

  const isLive = (challenge: Challenge | undefined, now: number) =>
    challenge !== undefined && !challenge.dead && now < challenge.ends

  /** Until when what was guessed stays spent: an earlier code may live longer than the one that took its place. */
  const keptUntil = ({ ends, purse }: Challenge) => Math.max(ends, purse.until)

  const costOf = (by: Channel) => (by === 'call' ? 2 : 1)

  /** Whether codes without a verdict, to any factor, make the next one wait. */
  function isHeldUpWithoutVerdict(browserKind: BrowserKind, now: number): boolean {
    const own = sends.filter(
      (send) =>
        send.browserKind === browserKind &&
        !send.forgiven &&
        send.state !== 'refused' &&
        send.state !== 'given back',
    )
    const last = own.at(-1)
    const ofDay = own.filter(({ unjudged, at }) => unjudged && young(at, now, day))
    if (!last?.unjudged || ofDay.length < figures.withoutVerdict.from) return false
    const { most, pauseMs } = figures.withoutVerdict[browserKind]
    const used = ofDay.reduce((sum, { channel }) => sum + costOf(channel), 0)
    const waitMs = used < most ? figures.withoutVerdict.pauseMs : pauseMs
    return now < last.at + waitMs * costOf(last.channel)
  }

  function pause(
    browserKind: BrowserKind,
    factor: string,
    channel: Channel,
    now: number,
  ): string | undefined {
    if (browserKind === 'unknown' && current?.browserKind === 'known' && isLive(current, now))
      return 'resend_too_soon'
    const running = sends.filter(
      (send) =>
        send.browserKind === browserKind &&
        send.factor === factor &&
        !send.forgiven &&
        send.state !== 'given back',
    )
    const isHeldUp = (last: ExpectedSend | undefined) => {
      if (last === undefined) return false
      const nth = running.filter(({ at }) => at <= last.at && young(at, last.at, hour)).length
      const [first, next, further] = figures.cooldownMs
      return now < last.at + (nth === 1 ? first : nth === 2 ? next : further)
    }
    const isLost = ({ state, at }: ExpectedSend) => state === 'booked' && now >= at + figures.sendMs
    const held =
      isHeldUp(running.filter((send) => send.state !== 'refused' && !isLost(send)).at(-1)) ||
      isHeldUp(running.filter((send) => send.state === 'refused' && send.channel === channel).at(-1))
    if (held || isHeldUpWithoutVerdict(browserKind, now)) return 'resend_too_soon'
    const spent = (windowMs: number) =>
      sends
        .filter(
          (send) =>
            send.browserKind === browserKind &&
            (send.state === 'booked' || send.state === 'sent') &&
            !send.unjudged &&
            !send.forgiven &&
            young(send.at, now, windowMs),
        )
        .reduce((sum, send) => sum + costOf(send.channel), 0)
    const over =
      spent(hour) + costOf(channel) > figures.sendsPerHour ||
      spent(day) + costOf(channel) > figures.sendsPerDay
    return over ? 'send_limit' : undefined
  }

  function liveFor(who: RequesterTag, now: number): Challenge | string {
    if (current === undefined || !isLive(current, now)) return 'challenge_gone'
    return current.session === who.session ? current : 'challenge_superseded'
  }

  function fail(browserKind: BrowserKind, now: number): void {
    const side = sides[browserKind]
    side.judged += 1
    const further = side.judged - figures.failuresBeforeLock
    if (browserKind === 'known' || further < 0 || further % 5 !== 0) return
    lockedUntil = now + (further === 0 ? 15 : further === 5 ? 30 : 60) * minute
  }

  function book(
    challenge: Challenge,
    browserKind: BrowserKind,
    channel: Channel,
    now: number,
    replaced?: ExpectedSend['replaced'],
  ) {
    const send: ExpectedSend = {
      at: now,
      browserKind,
      factor: challenge.factor,
      channel,
      challenge,
      replaced,
      state: 'booked',
      unjudged: false,
      forgiven: false,
      used: false,
      overtaken: false,
      besides: sends.filter(
        (one) =>
          one.factor === challenge.factor &&
          one.challenge !== challenge &&
          (one.state === 'booked' || one.state === 'unconfirmed') &&
          now < one.at + figures.sendMs,
      ),
    }
    sends.push(send)
    current = challenge
    return send
  }

  /** One that was given up without a guess leaves nothing to remember. */
  function end(challenge: Challenge): void {
    challenge.dead = true
    if (challenge.purse.unknown + challenge.purse.known === 0) current = undefined
  }

  function pardon(): void {
    sides.unknown.judged = 0
    sides.known.judged = 0
    lockedUntil = 0
  }

  /** The check has to wait for the other rank's only where both may be the last wrong code. */
  function mustWait(browserKind: BrowserKind, now: number): boolean {
    const runs = (of: BrowserKind) => {
      const { lease } = sides[of]
      return lease !== undefined && now < lease.until
    }
    if (runs(browserKind)) return true
    const other = browserKind === 'known' ? 'unknown' : 'known'
    return runs(other) && sides.unknown.judged + sides.known.judged + 1 >= figures.failuresBeforeDisable
  }

  /** Of a check whose time is up, no verdict is known. */
  function undecidedCodesOf(browserKind: BrowserKind, challenge: Challenge): Challenge['undecided'] {
    const { lease } = sides[browserKind]
    if (lease?.attempt.challenge !== challenge) return challenge.undecided
    const { code, at } = lease.attempt
    return new Map([[code, { at, checkedAt: at, checks: 1 }], ...challenge.undecided])
  }

  function count(
    who: RequesterTag,
    challenge: Challenge | undefined,
    code: string,
    now: number,
  ): ExpectedAttempt {
    const side = sides[who.browserKind]
    if (challenge !== undefined) challenge.undecided = undecidedCodesOf(who.browserKind, challenge)
    const undecided = challenge?.undecided.get(code)
    const attempt = {
      at: undecided?.at ?? now,
      who,
      challenge,
      code,
      send: lastSend(),
      isRetry: undecided !== undefined,
    }
    if (undecided !== undefined)
      challenge?.undecided.set(code, { ...undecided, checkedAt: now, checks: undecided.checks + 1 })
    else {
      if (challenge !== undefined) challenge.purse[who.browserKind] += 1
      side.attempts.push(attempt)
    }
    side.lease = { attempt, until: now + figures.checkMs }
    return attempt
  }

  /** Takes an attempt back. The one of a code that is checked again is told by its time. */
  function takeBack({ at, who }: ExpectedAttempt): void {
    const { attempts } = sides[who.browserKind]
    const own = attempts.findLastIndex((other) => other.at === at)
    if (own >= 0) attempts.splice(own, 1)
  }

  /** What became of an attempt whose check is under way. */
  function answered(
    attempt: ExpectedAttempt,
    verdict: Verdict,
    step: number | undefined,
    now: number,
  ): string {
    const { challenge, who } = attempt
    const own = challenge === undefined || challenge === current
    if (verdict === 'not-sent') {
      if (attempt.isRetry) return 'refunded'
      takeBack(attempt)
      if (own && challenge)
        challenge.purse[who.browserKind] = Math.max(0, challenge.purse[who.browserKind] - 1)
      return 'refunded'
    }
    if (verdict === 'rejected' || (step !== undefined && step <= lastStep)) {
      fail(who.browserKind, now)
      const wasUndecided = challenge?.undecided.has(attempt.code)
      if (own && attempt.send === lastSend()) challenge?.wrong.add(attempt.code)
      return !own ? 'gone' : wasUndecided ? 'rejected, but was undecided' : 'rejected'
    }
    if (verdict !== 'approved') {
      const { code, at } = attempt
      if (own && attempt.send === lastSend() && challenge && !challenge.undecided.has(code)) {
        challenge.undecided.set(code, { at, checkedAt: at, checks: 1 })
      }
      if (challenge && attempt.send?.challenge === challenge) attempt.send.unjudged = true
      return 'no-verdict'
    }
    usedCodes.push({ code: attempt.code, at: now })
    lastStep = step ?? lastStep
    if (!own || challenge?.dead) return 'gone'
    pardon()
    takeBack(attempt)
    if (challenge === undefined && (current?.session !== who.session || current.dead)) return 'approved'
    const ofCurrent = sends.filter((send) => send.challenge === current)
    const isOnly = ofCurrent.filter(arrived).length === 1
    for (const send of ofCurrent) {
      const mayFollow =
        (send.state === 'booked' || send.state === 'unconfirmed') && now < send.at + figures.sendMs
      // The code of an app uses none of these.
      Object.assign(send, { forgiven: true, used: challenge !== undefined && (isOnly || !mayFollow) })
    }
    current = undefined
    return 'approved'
  }

  return {
    attemptsRemaining: (browserKind: BrowserKind) => figures.attempts - (current?.purse[browserKind] ?? 0),
    lockEnds: () => lockedUntil,

    start(binding: ChallengeScope, factor: string, channel: Channel, now: number): ExpectedSend | string {
      const { browserKind } = binding
      const bar = barred(browserKind, now)
      if (bar !== undefined) return bar
      const before = current !== undefined && now < keptUntil(current) ? current : undefined
      const live = isLive(before, now) ? before : undefined
      const same =
        live !== undefined &&
        (['session', 'purpose', 'bound'] as const).every((name) => live[name] === binding[name])
      const exhausted = before !== undefined && before.purse[browserKind] >= figures.attempts
      if (same && exhausted) return 'attempts_exhausted'
      const wait = pause(browserKind, factor, channel, now)
      if (wait !== undefined) {
        const isTheirs = same && live.factor === factor && wait === 'resend_too_soon'
        return isTheirs && isAwaited(live, now) ? 'live' : wait
      }
      if (exhausted || guessedOut(browserKind, now, now + 5 * minute - 1)) return 'attempts_exhausted'
      const purse = before?.purse ?? { unknown: 0, known: 0, until: 0 }
      const replaced = live && { challenge: live, ends: live.ends, until: live.purse.until }
      if (before !== undefined) purse.until = keptUntil(before)
      const challenge = {
        ...binding,
        factor,
        purse,
        born: now,
        ends: now + 5 * minute,
        dead: false,
        wrong: new Set<string>(),
        undecided: new Map(),
      }
      return book(challenge, browserKind, channel, now, replaced)
    },

    resend(who: RequesterTag, channel: Channel, now: number): ExpectedSend | string {
      const live = liveFor(who, now)
      if (typeof live === 'string') return live
      if (isOvertaken(live)) return 'challenge_gone'
      const refusal = barred(who.browserKind, now) ?? pause(who.browserKind, live.factor, channel, now)
      if (refusal !== undefined) return refusal
      if (live.purse[who.browserKind] >= figures.attempts) return 'attempts_exhausted'
      live.wrong = new Set()
      live.undecided = new Map()
      return book(live, who.browserKind, channel, now)
    },

    sent(
      send: ExpectedSend,
      { result, lifetimeMs }: { result: SendResult['result']; lifetimeMs?: number },
    ): void {
      const { challenge } = send
      const isFirst = !sends.some(
        (other) => other !== send && other.challenge === challenge && arrived(other),
      )
      if (result === 'not-sent') send.state = 'given back'
      else if (result === 'failed' || result === 'misconfigured') send.state = 'refused'
      else send.state = result === 'unconfirmed' ? 'unconfirmed' : 'sent'
      if (challenge !== current || challenge.dead) return
      if (result === 'sent' || result === 'unconfirmed') {
        const life = Math.min(lifetimeMs ?? 5 * minute, 10 * minute)
        if (!isFirst) challenge.purse.until = keptUntil(challenge)
        challenge.ends = Math.min(send.at + life, challenge.born + 10 * minute)
        challenge.wrong = new Set()
        challenge.undecided = new Map()
      } else if (result === 'not-sent' && isFirst && send.replaced !== undefined) {
        challenge.dead = true
        current = send.replaced.challenge
        current.ends = send.replaced.ends
        current.purse.until = send.replaced.until
      } else if (result === 'foreign-number' || isFirst) end(challenge)
    },

    overtake(factor: string): void {
      overtakenNumbers.add(factor)
      for (const send of sends) if (send.factor === factor) send.overtaken = true
    },

    guess(who: RequesterTag, code: string, now: number): ExpectedAttempt | string {
      const live = liveFor(who, now)
      if (typeof live === 'string') return live
      if (isOvertaken(live)) return 'challenge_gone'
      const bar = barred(who.browserKind, now) ?? doubted(live, now)
      if (bar !== undefined) return bar
      if (live.wrong.has(code)) return live.undecided.has(code) ? 'repeated, but was undecided' : 'repeated'
      const undecided = undecidedCodesOf(who.browserKind, live).get(code)
      const isOut = live.purse[who.browserKind] >= figures.attempts || guessedOut(who.browserKind, now)
      if (undecided === undefined && isOut) return 'attempts_exhausted'
      if (mustWait(who.browserKind, now)) return 'verification_in_progress'
      if (undecided !== undefined && undecided.checks >= figures.checksPerCode)
        return 'verification_unavailable'
      if (undecided !== undefined && now < undecided.checkedAt + figures.retryPauseMs)
        return 'verification_in_progress'
      const attempt = count(who, live, code, now)
      if (!usedCodes.some((used) => used.code === code && young(used.at, now, day))) return attempt
      sides[who.browserKind].lease = undefined
      fail(who.browserKind, now)
      live.wrong.add(code)
      return live.undecided.has(code) ? 'rejected, but was undecided' : 'rejected'
    },

    /** A code of the app. */
    show(who: RequesterTag, code: string, now: number, startedBy: RequesterTag): ExpectedAttempt | string {
      if (startedBy.session !== who.session) return 'challenge_superseded'
      const bar = barred(who.browserKind, now)
      if (bar !== undefined) return bar
      if (guessedOut(who.browserKind, now)) return 'attempts_exhausted'
      return mustWait(who.browserKind, now) ? 'verification_in_progress' : count(who, undefined, code, now)
    },

    answer(attempt: ExpectedAttempt, verdict: Verdict, step: number | undefined, now: number): string {
      const side = sides[attempt.who.browserKind]
      if (side.settled?.attempt === attempt) return side.settled.answer
      if (side.lease?.attempt !== attempt) return 'gone'
      side.lease = undefined
      const answer = answered(attempt, verdict, step, now)
      side.settled = { attempt, answer }
      return answer
    },

    cancel(who: RequesterTag, now: number): void {
      const live = liveFor(who, now)
      if (typeof live !== 'string') end(live)
    },

    enable(): void {
      pardon()
      sides.unknown.attempts = []
      sides.known.attempts = []
      if (current?.dead) current = undefined
      if (current !== undefined) Object.assign(current.purse, { unknown: 0, known: 0 })
      for (const send of sends) send.forgiven = true
      sends = sends.filter(({ state }) => state !== 'given back')
    },
  }
}
