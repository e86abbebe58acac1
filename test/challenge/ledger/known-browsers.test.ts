import { describe, expect } from 'vitest'
import { browserLimits, day, hour, ledgerLimits, minute } from '../kit.js'
import { type Acting, type Driver, driveLedger, it, startedLedger } from './driver.js'

const known = { known: true, session: 's2' }
const notSent = { result: 'not-sent' } as const

describe('the challenge of a known browser', () => {
  it('takes the place of that of strangers, with their guesses, and is held to its own', () => {
    const number = startedLedger()
    for (let guesses = 0; guesses < 5; guesses += 1) number.verify('rejected')
    const started = number.start(known)
    expect(started).toMatchObject({
      challenge: { attempts: { stranger: 5, known: 0 } },
      superseded: { rank: 'stranger' },
    })
    expect(number.reserve().outcome).toMatchObject({ code: 'challenge_superseded' })
    for (let left = 4; left >= 1; left -= 1) {
      expect(number.verify('rejected', known)).toMatchObject({ attemptsRemaining: left })
    }
    expect(number.verify('approved', known)).toMatchObject({ outcome: 'approved' })
  })

  it('keeps spent what strangers have guessed until its end, exactly', ({ started: number }) => {
    for (let guesses = 0; guesses < 5; guesses += 1) number.verify('rejected')
    number.wait(9 * minute)
    number.start(known)
    number.wait(5 * minute)
    number.cancel(known)
    number.wait(5 * minute - 1)
    expect(number.start()).toMatchObject({ code: 'attempts_exhausted', retryAfterMs: 1 })
    number.wait(1)
    expect(number.start()).toMatchObject({ outcome: 'booked', challenge: { attempts: { stranger: 0 } } })
  })

  it('lets strangers start none of their own, which writes nothing, and itself another after the usual pause', () => {
    const number = driveLedger()
    number.start(known)
    number.wait(minute)
    const before = number.ledger
    expect(number.start()).toMatchObject({ code: 'resend_too_soon', retryAfterMs: 9 * minute })
    expect(number.ledger).toBe(before)
    expect(number.start({ ...known, purpose: 'transfer' })).toMatchObject({ outcome: 'booked' })
  })

  it.each([0, 2])('gives strangers theirs back, with %d guesses, when its code never left', (guesses) => {
    const number = driveLedger()
    number.start()
    for (let made = 0; made < guesses; made += 1) number.verify('rejected')
    const { challenge } = number
    number.wait(minute)
    expect(number.start(known, notSent)).toMatchObject({ outcome: 'booked' })
    expect(number.challenge).toEqual(challenge)
    expect(number.ledger.sends).toHaveLength(1)
    expect(number.verify('approved')).toMatchObject({ outcome: 'approved' })
  })
})

describe('strangers and known browsers at once', () => {
  const bothChecking = () => {
    const number = startedLedger()
    const stranger = number.reserve({}, 'theirs')
    number.wait(1_000)
    number.start(known)
    const owner = number.reserve(known)
    expect(owner.outcome).toMatchObject({ outcome: 'reserved' })
    return { number, stranger, owner }
  }

  it('each have a check under way, of which that of a stranger is over with the start of the other', () => {
    const { number, stranger, owner } = bothChecking()
    expect(number.settle(stranger.id, 'rejected')).toEqual({ outcome: 'gone' })
    expect(number.side).toMatchObject({ rejections: 1, check: undefined })
    expect(number.settle(owner.id, 'approved')).toMatchObject({ outcome: 'approved' })
    expect(number.ledger.known).toMatchObject({ rejections: 0, check: undefined })
  })

  it('a right code that a stranger typed before is used up', () => {
    const { number, stranger } = bothChecking()
    expect(number.settle(stranger.id, 'approved')).toEqual({ outcome: 'gone' })
    expect(number.ledger.usedCodes).toMatchObject([{ code: 'theirs' }])
  })

  it('have their own cooldowns and limits of sends', () => {
    const number = driveLedger({ ...ledgerLimits, sendsPerHour: 1 })
    number.start()
    expect(number.start(known)).toMatchObject({ outcome: 'booked' })
    number.wait(11 * minute)
    expect(number.start()).toMatchObject({ code: 'send_limit' })
  })

  it('are both forgiven by a right code, and what was sent and tried on the other side stays counted', () => {
    for (const own of [{}, known]) {
      const other = 'known' in own ? {} : known
      const number = driveLedger({ ...ledgerLimits, failuresBeforeLock: 2 })
      const sideOf = (who: object) => ('known' in who ? number.ledger.known : number.ledger.stranger)
      number.start(other)
      for (let guesses = 0; guesses < 2; guesses += 1) number.verify('rejected', other)
      number.cancel(other)
      number.start(own)
      expect(number.verify('approved', own)).toMatchObject({ outcome: 'approved' })
      expect(sideOf(other)).toMatchObject({ rejections: 0, attempts: [number.now, number.now] })
      expect(sideOf(own)).toMatchObject({ check: undefined, attempts: [] })
      expect(number.ledger).toMatchObject({ lockExpiresAt: 0, challenge: undefined })
      number.wait(minute)
      expect(number.start(other)).toMatchObject({ outcome: 'booked' })
    }
  })
})

describe('the lock', () => {
  it('counts wrong codes of strangers, and stops only them', () => {
    const number = driveLedger({ ...browserLimits, failuresBeforeLock: 2 })
    for (let wrong = 0; wrong < 3; wrong += 1) number.show(undefined, known)
    expect(number.ledger.lockExpiresAt).toBe(0)
    number.show(undefined)
    expect(number.show(undefined)).toMatchObject({ lockedForMs: 15 * minute })
    expect(number.start()).toMatchObject({ code: 'phone_locked' })
    expect(number.start(known)).toMatchObject({ outcome: 'booked' })
    expect(number.verify('approved', known)).toMatchObject({ outcome: 'approved' })
  })
})

describe('of the guesses of an account', () => {
  const patient = { ...browserLimits, failuresBeforeLock: 1_000, cooldownMs: [0] }

  /** Starts and guesses until no code is checked, then says how many were. */
  function guessed(number: Driver, who: Acting, verdict: 'rejected' | 'unavailable') {
    let checks = 0
    for (let starts = 0; starts < 12; starts += 1) {
      number.start(who, { result: 'sent', lifetimeMs: minute })
      while (['rejected', 'spent'].includes(number.verify(verdict, who).outcome)) checks += 1
      number.wait(minute)
    }
    return checks
  }

  it.each([
    ['an hour', 15, 10, 25, {}],
    ['a day', 30, 20, 50, { sendsPerHour: 1_000 }],
    ['an hour with one send', 5, 5, 5, { sendsPerHour: 1 }],
  ])('strangers have three fifths in %s, known browsers what is left', (_, strangers, left, all, more) => {
    const number = driveLedger({ ...patient, ...more })
    expect([guessed(number, {}, 'unavailable'), guessed(number, known, 'unavailable')]).toEqual([
      strangers,
      left,
    ])
    const alone = driveLedger({ ...patient, ...more })
    expect(guessed(alone, known, 'unavailable')).toBe(all)
    expect(guessed(alone, {}, 'unavailable')).toBe(0)
  })

  it('strangers disable the account for themselves with 60 wrong ones, known browsers with a hundred', () => {
    const wrong = (who: Acting) => {
      const number = driveLedger(patient)
      let judged = 0
      for (let days = 0; days < 9; days += 1) {
        judged += guessed(number, who, 'rejected')
        number.wait(day)
      }
      return { judged, number }
    }
    const strangers = wrong({})
    expect(strangers.judged).toBe(60)
    expect(strangers.number.start()).toMatchObject({ code: 'phone_disabled' })
    expect(strangers.number.start(known)).toMatchObject({ outcome: 'booked' })
    const thief = wrong(known)
    expect(thief.judged).toBe(100)
    expect(thief.number.start()).toMatchObject({ code: 'phone_disabled' })
  })

  it('the last wrong one is not checked twice at once', () => {
    const number = startedLedger({ ...patient, browsersAreKnown: false, failuresBeforeDisable: 7 })
    for (let wrong = 0; wrong < 4; wrong += 1) number.show(undefined)
    for (let wrong = 0; wrong < 2; wrong += 1) number.show(undefined, known)
    const stranger = number.reserve()
    const owner = () => number.reserve(known, 'x', undefined, number.unsent(known)).outcome
    expect(owner()).toMatchObject({ outcome: 'reserved' })
    const late = startedLedger({ ...patient, failuresBeforeDisable: 7 })
    for (let wrong = 0; wrong < 5; wrong += 1) late.show(undefined, known)
    late.show(undefined)
    const last = late.reserve()
    expect(late.reserve(known, 'x', undefined, late.unsent(known)).outcome).toMatchObject({
      code: 'verification_in_progress',
      retryAfterMs: 10_000,
    })
    late.settle(last.id, 'unavailable')
    expect(late.show(undefined, known)).toMatchObject({ disabled: true })
    number.settle(stranger.id, 'rejected')
  })

  it('strangers have all where no browser is known', () => {
    expect(guessed(driveLedger({ ...patient, browsersAreKnown: false }), {}, 'unavailable')).toBe(25)
    const number = driveLedger({
      ...patient,
      browsersAreKnown: false,
      sendsPerHour: 1_000,
      sendsPerDay: 1_000,
    })
    let judged = 0
    while (number.start().outcome === 'booked') {
      while (number.verify('rejected').outcome === 'rejected') judged += 1
      number.wait(hour)
    }
    expect(judged).toBe(100)
  })
})
