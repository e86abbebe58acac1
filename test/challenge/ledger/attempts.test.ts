import { describe, expect } from 'vitest'
import type { Verdict } from '../../../src/challenge/code-provider.js'
import { enable } from '../../../src/challenge/ledger/guessing.js'
import type { SettleOutcome } from '../../../src/challenge/ledger/ledger.js'
import { ledgerLimitsOf } from '../../../src/challenge/limits.js'
import { day, hour, ledgerLimits, limits, minute, refusal } from '../kit.js'
import { type Driver, driveLedger, it, startedLedger } from './driver.js'

/** No pause and no send budget, so that a test meets the limits of guessing alone. */
const guessing = {
  ...ledgerLimits,
  cooldownMs: [],
  sendsPerHour: 1_000,
  sendsPerDay: 10_000,
  allSendsPerHour: 1_000,
  allSendsPerDay: 10_000,
}

/** Fails so often, with fresh challenges as needed; waits for expiry, for a lock only where it is told to. */
function fail(number: Driver, times: number, waitMs = 10 * minute) {
  for (let failed = 0; failed < times; failed += 1) {
    if (failed % 5 === 0) {
      number.wait(waitMs)
      number.start()
    }
    number.verify('rejected')
  }
}

describe('reserving an attempt', () => {
  it('counts the attempt before the provider is asked', ({ started: number }) => {
    const attempts = { stranger: 1, known: 0 }
    expect(number.reserve().outcome).toMatchObject({ outcome: 'reserved', challenge: { attempts } })
    expect(number.side).toMatchObject({ attempts: [number.now], rejections: 0 })
    expect(number.challenge).toMatchObject({ attempts })
  })

  it('lets one check be under way on a number until it is overdue, exactly then', ({ started: number }) => {
    number.reserve()
    expect(number.reserve().outcome).toEqual(refusal('verification_in_progress', 10_000))
    expect(number.side.attempts).toHaveLength(1)
    number.wait(9_999)
    expect(number.reserve().outcome).toMatchObject({ code: 'verification_in_progress', retryAfterMs: 1 })
    number.wait(1)
    expect(number.reserve().outcome).toMatchObject({
      outcome: 'reserved',
      challenge: { attempts: { stranger: 2 } },
    })
  })

  it('counts the same attempt once, however often a store executes it', ({ started: number }) => {
    number.reserve({}, 'code', 'attempt')
    expect(number.reserve({}, 'code', 'attempt').outcome).toMatchObject({ outcome: 'reserved' })
    expect(number.side.attempts).toHaveLength(1)
    expect(number.challenge?.attempts.stranger).toBe(1)
  })

  it('takes a code until just before expiry and none from then on', ({ fresh: number }) => {
    number.start({}, { result: 'sent', lifetimeMs: 120_000 })
    number.wait(119_999)
    expect(number.verify('unavailable')).toEqual({ outcome: 'spent' })
    number.wait(1)
    expect(number.reserve().outcome).toEqual(refusal('challenge_gone'))
  })

  it.each([
    ['no challenge was started', () => driveLedger(), {}],
    [
      'it was cancelled',
      () => {
        const number = startedLedger()
        number.cancel()
        return number
      },
      {},
    ],
  ])('gives the same answer when %s', (_, number, who) => {
    expect(number().reserve(who).outcome).toEqual(refusal('challenge_gone'))
  })

  it('tells a person that their other session superseded this one, and nobody who else proves a number', () => {
    expect(startedLedger().reserve({ session: 's2' }).outcome).toEqual(refusal('challenge_superseded'))
    const signup = startedLedger(ledgerLimitsOf(limits, 'enrol'))
    expect(signup.reserve({ session: 's2' }).outcome).toEqual(refusal('challenge_gone'))
  })

  it('takes no code that is to have come from another place', ({ started: number }) => {
    expect(number.reserve({ place: 'office' }).outcome).toEqual(refusal('challenge_superseded'))
    expect(number.side.attempts).toEqual([])
  })

  it('hands over what the provider wants back for this challenge, and for no other', () => {
    const number = driveLedger(guessing)
    number.start({}, { result: 'sent', handle: 'first' })
    expect(number.reserve().outcome).toMatchObject({ handle: 'first' })
    number.wait(minute)
    number.start({ session: 's2' })
    expect(number.reserve({ session: 's2' }).outcome).toMatchObject({ handle: undefined })
  })
})

describe('settling an attempt', () => {
  it('approves the attempt that holds the lease of the live challenge and forgets the failures', () => {
    const number = startedLedger()
    number.verify('rejected')
    expect(number.verify('approved')).toMatchObject({ outcome: 'approved', channel: 'sms' })
    expect(number.side).toMatchObject({ rejections: 0, check: undefined })
    expect(number.ledger).toMatchObject({ lockExpiresAt: 0, challenge: undefined })
    expect(number.start({ purpose: 'transfer' })).toMatchObject({
      outcome: 'booked',
      challenge: { attempts: { stranger: 0 } },
    })
  })

  it('takes the sends of the approved challenge out of the hourly count, at a sign-up not out of the absolute one', () => {
    const booked = (number: Driver) => {
      const outcomes = Array.from({ length: 21 }, () => {
        const { outcome } = number.start()
        number.verify('approved')
        return outcome
      })
      return outcomes.filter((outcome) => outcome === 'booked').length
    }
    expect(booked(driveLedger())).toBe(21)
    expect(booked(driveLedger({ ...ledgerLimitsOf(limits, 'enrol'), sendsPerDay: 30 }))).toBe(20)
  })

  it('remembers where the last code came from, where there is a choice', ({ fresh: number }) => {
    number.start({ place: 'office', channel: 'call' })
    number.verify('approved', { hasChoice: true })
    expect(number.ledger.last).toEqual({ place: 'office', channel: 'call' })
    number.start()
    number.verify('approved')
    expect(number.ledger.last).toBeUndefined()
  })

  it('leaves the sends of earlier challenges in the hourly count', ({ fresh: number }) => {
    for (let sends = 0; sends < 4; sends += 1) {
      number.start()
      number.wait(5 * minute)
    }
    number.start()
    number.verify('approved')
    expect(number.start()).toMatchObject({ outcome: 'booked' })
    number.wait(5 * minute)
    expect(number.start()).toMatchObject({ code: 'send_limit' })
  })

  it('keeps the attempt spent and unjudged when the answer was no verdict', ({ started: number }) => {
    expect(number.verify('unavailable')).toEqual({ outcome: 'spent' })
    expect(number.verify('misconfigured')).toEqual({ outcome: 'spent' })
    expect(number.side).toMatchObject({ attempts: [number.now, number.now], rejections: 0 })
    expect(number.challenge?.attempts.stranger).toBe(2)
  })

  it('gives the attempt back once when nothing was sent', ({ started: number }) => {
    number.verify('rejected')
    const { id } = number.reserve()
    expect(number.settle(id, 'not-sent')).toEqual({ outcome: 'refunded' })
    expect(number.settle(id, 'not-sent')).toEqual({ outcome: 'refunded' })
    expect(number.side).toMatchObject({ attempts: [number.now], rejections: 1 })
    expect(number.challenge?.attempts.stranger).toBe(1)
  })

  it.each<[Verdict, SettleOutcome]>([
    ['approved', { outcome: 'approved', channel: 'sms' }],
    ['rejected', { outcome: 'rejected', attemptsRemaining: 4, used: false }],
    ['unavailable', { outcome: 'spent' }],
    ['not-sent', { outcome: 'refunded' }],
  ])('says of one that was %s the same again, whoever wrote between', (verdict, outcome) => {
    const number = startedLedger(guessing)
    const { id } = number.reserve()
    expect(number.settle(id, verdict)).toEqual(outcome)
    number.start({ session: 's2' })
    number.reserve({ session: 's2' })
    const { ledger } = number
    expect(number.settle(id, verdict)).toEqual(outcome)
    expect(number.ledger).toBe(ledger)
  })

  it('gives nothing back that the operator had forgiven meanwhile', ({ started: number }) => {
    const { id } = number.reserve()
    number.run(enable)
    number.settle(id, 'not-sent')
    expect(number.side.attempts).toEqual([])
    expect(number.challenge?.attempts.stranger).toBe(0)
  })

  it('gives nothing back to a challenge that replaced the attempt’s own', () => {
    const number = startedLedger(guessing)
    const { id } = number.reserve()
    number.start({ session: 's2' })
    number.settle(id, 'not-sent')
    expect(number.side.attempts).toEqual([])
    expect(number.challenge).toMatchObject({ session: 's2', attempts: { stranger: 1 } })
  })

  it('approves nothing for an attempt whose lease another one took', ({ started: number }) => {
    const late = number.reserve()
    number.wait(10_000)
    const current = number.reserve()
    expect(number.settle(late.id, 'approved')).toEqual({ outcome: 'gone' })
    expect(number.settle(current.id, 'approved')).toMatchObject({ outcome: 'approved' })
  })

  it('approves an answer that is late but still holds the lease', ({ fresh: number }) => {
    number.start({}, { result: 'sent', lifetimeMs: 60_000 })
    number.wait(59_999)
    const { id } = number.reserve()
    number.wait(20_000)
    expect(number.settle(id, 'approved')).toMatchObject({ outcome: 'approved' })
  })

  it.each([
    ['cancelled', (number: Driver) => number.cancel()],
    ['replaced', (number: Driver) => number.start({ session: 's2' })],
  ])('lets nobody in when the challenge was %s meanwhile, and remembers the code as used', (_, end) => {
    const number = startedLedger(guessing)
    const { id } = number.reserve({}, 'right')
    end(number)
    expect(number.settle(id, 'approved')).toEqual({ outcome: 'gone' })
    expect(number.ledger.usedCodes).toMatchObject([{ code: 'right' }])
    expect(number.side.attempts).toHaveLength(1)
  })

  it('counts a wrong answer for the number even when a restart took the challenge away', () => {
    const number = startedLedger(guessing)
    const { id } = number.reserve()
    number.start({ session: 's2' })
    expect(number.settle(id, 'rejected')).toEqual({ outcome: 'gone' })
    expect(number.side.rejections).toBe(1)
  })
})

describe('a wrong code that is typed again', () => {
  it('is asked about again once another code was sent, also when that came while it was judged', () => {
    const number = startedLedger()
    number.verify('rejected', {}, 'first')
    number.wait(minute)
    const { id } = number.reserve({}, 'second')
    number.resend()
    expect(number.settle(id, 'rejected')).toMatchObject({ outcome: 'rejected', attemptsRemaining: 3 })
    expect(number.side.rejections).toBe(2)
    expect(number.challenge?.wrongCodes).toBeUndefined()
    expect(number.verify('rejected', {}, 'first')).toMatchObject({ attemptsRemaining: 2 })
    expect(number.verify('approved', {}, 'second')).toMatchObject({ outcome: 'approved' })
  })
})

describe('a code about which no verdict came', () => {
  it.each<[string, (number: Driver) => void]>([
    ['since the provider had none', (number) => number.verify('unavailable', {}, 'right')],
    [
      'since the store lost it',
      (number) => {
        number.reserve({}, 'right')
        number.wait(10_000)
      },
    ],
  ])('%s, is asked about again, and may have been right if that calls it wrong', (_why, lose) => {
    const number = startedLedger()
    lose(number)
    expect(number.verify('rejected', {}, 'right')).toMatchObject({
      outcome: 'rejected',
      open: true,
      attemptsRemaining: 3,
    })
    expect(number.verify('rejected', {}, 'right')).toMatchObject({ outcome: 'repeated', open: true })
    for (const time of ['first', 'second']) {
      expect([time, number.verify('rejected', {}, 'other')]).not.toHaveProperty('1.open')
    }
  })

  it('is any other once another one was sent', ({ started: number }) => {
    number.verify('unavailable', {}, 'right')
    number.wait(minute)
    number.resend()
    expect(number.verify('rejected', {}, 'right')).not.toHaveProperty('open')
  })

  it('says nothing of the challenge that has replaced its own', () => {
    const number = startedLedger(guessing)
    const { id } = number.reserve({}, 'right')
    number.start({ session: 's2' })
    expect(number.settle(id, 'unavailable')).toEqual({ outcome: 'spent' })
    expect(number.verify('rejected', { session: 's2' }, 'right')).not.toHaveProperty('open')
  })

  it('is not counted among the failures, nor is its send in the five of an hour', ({ fresh: number }) => {
    for (let sends = 0; sends < 6; sends += 1) {
      expect(number.start()).toMatchObject({ outcome: 'booked' })
      number.verify('unavailable')
      number.wait(10 * minute)
    }
    expect(number.side.rejections).toBe(0)
  })
})

describe('a code that was used before', () => {
  const used = () => {
    const number = startedLedger(guessing)
    number.verify('approved', {}, 'right')
    number.start()
    return number
  }

  it('is refused like a wrong one without asking the provider, and counts', () => {
    const number = used()
    expect(number.reserve({}, 'right').outcome).toMatchObject({
      outcome: 'rejected',
      attemptsRemaining: 4,
      used: true,
    })
    expect(number.side).toMatchObject({ attempts: [number.now], rejections: 1, check: undefined })
  })

  it('is remembered for a day, exactly', () => {
    const number = used()
    number.wait(day - 1)
    number.start()
    expect(number.reserve({}, 'right').outcome).toMatchObject({ outcome: 'rejected' })
    number.wait(1)
    number.start()
    expect(number.reserve({}, 'right').outcome).toMatchObject({ outcome: 'reserved' })
  })

  it('takes no room once it is forgotten, exactly then', () => {
    const number = startedLedger(guessing)
    number.verify('approved', {}, 'yesterday')
    number.wait(day)
    number.start()
    number.verify('approved', {}, 'today')
    expect(number.ledger.usedCodes).toEqual([{ code: 'today', at: number.now }])
  })

  it('is remembered among the newest twenty', () => {
    const number = driveLedger(guessing)
    for (let code = 0; code < 22; code += 1) {
      number.start()
      number.verify('approved', {}, `code-${code}`)
    }
    const codes = number.ledger.usedCodes.map(({ code }) => code)
    expect(codes).toHaveLength(20)
    expect(codes.at(0)).toBe('code-2')
    expect(codes.at(-1)).toBe('code-21')
  })
})

describe('a code of an app', () => {
  /** What an app shows now. */
  const stepOf = (number: Driver) => Math.floor(number.now / 30_000)

  it('is good once, and so is none before it', ({ fresh: number }) => {
    const step = stepOf(number)
    expect(number.show(step)).toEqual({ outcome: 'approved', channel: 'app' })
    expect(number.ledger.lastStep).toBe(step)
    // RFC 6238, 5.2.
    for (const old of [step, step - 1]) {
      expect(number.show(old)).toMatchObject({ outcome: 'rejected', used: true })
    }
    expect(number.ledger).toMatchObject({ lastStep: step, stranger: { rejections: 2 } })
    expect(number.show(step + 1)).toMatchObject({ outcome: 'approved' })
  })

  it('counts until the lock, for which no challenge gives any more', ({ fresh: number }) => {
    const left = Array.from({ length: 10 }, () => number.show(undefined))
    expect(left.map((outcome) => 'attemptsRemaining' in outcome && outcome.attemptsRemaining)).toEqual([
      5, 5, 5, 5, 5, 4, 3, 2, 1, 0,
    ])
    expect(number.show(stepOf(number))).toMatchObject({ code: 'phone_locked' })
    expect(number.show(stepOf(number), { known: true })).toMatchObject({ outcome: 'approved' })
  })

  it('leaves a code that was sent to another session as it is, and serves for one of its own', () => {
    for (const [session, lives] of [
      ['s2', true],
      ['s1', false],
    ] as const) {
      const number = startedLedger()
      number.show(stepOf(number), { session })
      expect(number.challenge !== undefined).toBe(lives)
      expect(number.start({ session: 's3' }).outcome).toBe(lives ? 'refused' : 'booked')
    }
  })

  it('is taken for a challenge of this session until its end, exactly', ({ fresh: number }) => {
    const unsent = number.unsent()
    const shown = { challenge: unsent.id }
    expect(number.reserve({ session: 's2', shown }, 'c', 'a', unsent).outcome).toEqual(
      refusal('challenge_superseded'),
    )
    expect(number.reserve({ epoch: 'logout', shown }, 'c', 'a', unsent).outcome).toEqual(
      refusal('challenge_gone'),
    )
    number.wait(10 * minute - 1)
    expect(number.reserve({ shown }, 'c', 'a', unsent).outcome).toMatchObject({ outcome: 'reserved' })
    number.wait(1)
    expect(number.reserve({ shown }, 'c', 'b', unsent).outcome).toEqual(refusal('challenge_gone'))
  })
})

describe('the lock of a number', () => {
  it('begins with the tenth failure, lasts 15 minutes and lets even the right code wait', () => {
    const number = driveLedger(guessing)
    fail(number, 9)
    const tenth = number.verify('rejected')
    expect(tenth).toMatchObject({ outcome: 'rejected', attemptsRemaining: 0, lockedForMs: 15 * minute })
    expect(number.start()).toMatchObject({ code: 'phone_locked', retryAfterMs: 15 * minute })
    expect(number.resend()).toMatchObject({ code: 'phone_locked' })
    expect(number.reserve({}, 'right').outcome).toMatchObject({ code: 'phone_locked' })
    number.wait(15 * minute - 1)
    expect(number.start()).toMatchObject({ code: 'phone_locked', retryAfterMs: 1 })
    number.wait(1)
    expect(number.start()).toMatchObject({ outcome: 'booked' })
  })

  it('doubles with every five further failures, up to an hour', () => {
    const number = driveLedger(guessing)
    fail(number, 10)
    const locks = Array.from({ length: 4 }, () => {
      number.wait(hour)
      fail(number, 5)
      return number.ledger.lockExpiresAt - number.now
    })
    expect(locks).toEqual([30 * minute, hour, hour, hour])
  })

  it('is as long as the operator says when that is more than an hour', () => {
    const number = driveLedger({ ...guessing, lockMs: 2 * hour })
    fail(number, 10)
    number.wait(2 * hour)
    fail(number, 5)
    expect(number.ledger.lockExpiresAt - number.now).toBe(2 * hour)
  })

  it('counts what was judged alone: an outage locks nobody', () => {
    const number = driveLedger(guessing)
    fail(number, 9)
    number.verify('not-sent')
    number.verify('unavailable')
    expect(number.ledger.lockExpiresAt).toBe(0)
    number.wait(10 * minute)
    number.start()
    number.verify('rejected')
    expect(number.start()).toMatchObject({ code: 'phone_locked' })
  })
})

describe('an hour and a day', () => {
  /** As many sends and locks as one likes, two codes an hour, four a day. */
  const few = {
    ...guessing,
    failuresBeforeLock: 1_000,
    attemptsPerChallenge: 2,
    sendsPerHour: 1,
    sendsPerDay: 2,
  }
  const lateAttempts = (number: Driver) => {
    number.start()
    number.wait(9 * minute)
    return [number.verify('unavailable'), number.verify('unavailable')]
  }

  it.each([
    ['hour', hour, few],
    ['day', day, { ...few, sendsPerHour: 2, sendsPerDay: 1 }],
  ])('take the guesses of their own codes alone: not of one from before the %s', (_, window, limits) => {
    const number = driveLedger(limits)
    lateAttempts(number)
    number.wait(window - 9 * minute)
    // A code that nobody may type in its first five minutes is not sent.
    const exhausted = { outcome: 'refused', code: 'attempts_exhausted' }
    expect(number.start()).toEqual({ ...exhausted, retryAfterMs: 9 * minute })
    number.wait(4 * minute)
    expect(number.start()).toEqual({ ...exhausted, retryAfterMs: 5 * minute })
    number.wait(1)
    expect(number.start()).toMatchObject({ outcome: 'booked', challenge: { attempts: { stranger: 0 } } })
    expect(number.reserve().outcome).toEqual({ ...exhausted, retryAfterMs: 5 * minute - 1 })
    number.wait(5 * minute - 2)
    expect(number.reserve().outcome).toEqual({ ...exhausted, retryAfterMs: 1 })
    number.wait(1)
    expect(number.verify('unavailable')).toEqual({ outcome: 'spent' })
  })

  it('give back the check that never left, and with a success that one alone', () => {
    const number = startedLedger(few)
    number.verify('not-sent')
    number.verify('not-sent')
    expect(number.side.attempts).toEqual([])
    number.verify('unavailable')
    number.wait(minute)
    number.verify('not-sent')
    expect(number.side.attempts).toEqual([number.now - minute])
    number.verify('approved')
    // Brute force: each success of the owner would give somebody else a new hour.
    expect(number.side.attempts).toEqual([number.now - minute])
  })

  it('count a used code like any other, and are begun anew by an operator', () => {
    const number = startedLedger(few)
    number.verify('approved', {}, 'right')
    number.start()
    number.verify('approved', {}, 'right')
    expect(number.side.attempts).toEqual([number.now])
    number.run(enable)
    expect(number.side.attempts).toEqual([])
  })

  it('remember no check of the day before', () => {
    const number = startedLedger(few)
    number.verify('unavailable')
    number.wait(day - 1)
    number.start()
    number.verify('unavailable')
    expect(number.side.attempts).toHaveLength(2)
    number.wait(1)
    number.verify('unavailable')
    expect(number.side.attempts).toEqual([number.now - 1, number.now])
  })
})

describe('a number with a hundred wrong answers', () => {
  it('is disabled with the hundredth, which says so, and checks no code any more', () => {
    const number = driveLedger(guessing)
    fail(number, 99, hour)
    expect(number.verify('rejected')).toMatchObject({ disabled: true })
    expect(number.reserve().outcome).toEqual(refusal('phone_disabled'))
    number.wait(hour)
    expect(number.start()).toEqual(refusal('phone_disabled'))
  })

  it('counts what was judged alone: an outage disables nobody', () => {
    const number = startedLedger({ ...guessing, failuresBeforeDisable: 3, failuresBeforeLock: 50 })
    for (let lost = 0; lost < 4; lost += 1) number.verify('unavailable')
    expect(number.verify('rejected')).not.toHaveProperty('disabled')
  })

  it('stays enabled in the enrol lane', () => {
    const number = driveLedger({
      ...guessing,
      failuresBeforeDisable: ledgerLimitsOf(limits, 'enrol').failuresBeforeDisable,
    })
    fail(number, 120, hour)
    number.wait(hour)
    expect(number.start()).toMatchObject({ outcome: 'booked' })
  })
})

it('a check holds for longer than its deadline by the way back to the store, also to a slow one', () => {
  const holdOf = (storeTimeoutMs: number) =>
    ledgerLimitsOf({ ...limits, verifyTimeoutMs: 8_000, storeTimeoutMs }, 'auth').checkMs
  expect([250, 500, 5_000].map(holdOf)).toEqual([10_000, 10_000, 28_000])
})
