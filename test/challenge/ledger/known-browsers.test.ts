import { describe, expect } from 'vitest'
import type { Refusal } from '../../../src/challenge/commands.js'
import { browserLimits, day, ledgerLimits, minute, refusal } from '../kit.js'
import { type Acting, type Driver, driveLedger, it, startedLedger } from './driver.js'

const known = { known: true, session: 's2' }

describe('the challenge of a known browser', () => {
  it('replaces a challenge of an unknown browser with its attempts, and has its own limit', () => {
    const account = startedLedger()
    for (let guesses = 0; guesses < 5; guesses += 1) account.verify('rejected')
    const started = account.start(known)
    expect(started).toMatchObject({
      challenge: { attempts: { unknown: 5, known: 0 } },
      superseded: { browserKind: 'unknown' },
    })
    expect(account.reserve().outcome).toMatchObject({ code: 'challenge_superseded' })
    for (let left = 4; left >= 1; left -= 1) {
      expect(account.verify('rejected', known)).toMatchObject({ attemptsRemaining: left })
    }
    expect(account.verify('approved', known)).toMatchObject({ outcome: 'approved' })
  })

  it('counts the attempts of unknown browsers exactly until its end', ({ started: account }) => {
    for (let guesses = 0; guesses < 5; guesses += 1) account.verify('rejected')
    account.wait(9 * minute)
    account.start(known)
    account.wait(5 * minute)
    account.cancel(known)
    account.wait(5 * minute - 1)
    expect(account.start()).toMatchObject({ code: 'attempts_exhausted', retryAfterMs: 1 })
    account.wait(1)
    expect(account.start()).toMatchObject({ outcome: 'booked', challenge: { attempts: { unknown: 0 } } })
  })

  it('counts the attempts of both kinds, however often they start', ({ started: account }) => {
    account.verify('rejected')
    account.wait(minute)
    account.start(known)
    account.verify('rejected', known)
    account.cancel(known)
    account.wait(2 * minute)
    expect(account.start(known)).toMatchObject({ challenge: { attempts: { unknown: 1, known: 1 } } })
  })

  it('lets strangers start none of their own, which writes nothing, and itself another after the usual pause', () => {
    const account = driveLedger()
    account.start(known)
    account.wait(minute)
    const before = account.ledger
    expect(account.start()).toMatchObject({ code: 'resend_too_soon', retryAfterMs: 9 * minute })
    expect(account.ledger).toBe(before)
    expect(account.start({ ...known, purpose: 'transfer' })).toMatchObject({ outcome: 'booked' })
  })

  it.each([
    ['unconfirmed', 'unconfirmed'],
    ['sent', undefined],
  ] as const)('lets strangers wait, and its send is %s', (result, delivery) => {
    const account = driveLedger()
    account.start(known, { result })
    const { outcome, ...refused } = account.start() as Refusal
    expect([outcome, refused]).toEqual([
      'refused',
      { code: 'resend_too_soon', retryAfterMs: expect.any(Number), ...(delivery && { delivery }) },
    ])
  })

  it('gives strangers theirs back, with their guesses, when its code never left', ({ started: account }) => {
    for (let guesses = 0; guesses < 2; guesses += 1) account.verify('rejected')
    const { challenge } = account
    account.wait(minute)
    expect(account.start(known, { result: 'not-sent' })).toMatchObject({ outcome: 'booked' })
    expect(account.challenge).toEqual(challenge)
    expect(account.ledger.sends).toHaveLength(1)
    expect(account.verify('approved')).toMatchObject({ outcome: 'approved' })
  })
})

describe('strangers and known browsers at once', () => {
  it.each([
    ['rejected', 1, []],
    ['approved', 0, [{ code: 'theirs' }]],
  ] as const)(
    'each have a check, and the check of an unknown browser ends with a start of the known one: %s',
    (verdict, rejections, usedCodes) => {
      const account = startedLedger()
      const unknown = account.reserve({}, 'theirs')
      account.start(known)
      const owner = account.reserve(known)
      expect(owner.outcome).toMatchObject({ outcome: 'reserved' })
      expect(account.settle(unknown.id, verdict)).toEqual({ outcome: 'gone' })
      expect(account.ledger).toMatchObject({ usedCodes, unknown: { rejections, check: undefined } })
      expect(account.settle(owner.id, 'approved')).toMatchObject({ outcome: 'approved' })
    },
  )

  it('have their own cooldowns and limits of sends', () => {
    const account = driveLedger({ ...ledgerLimits, sendsPerHour: 1 })
    account.start()
    expect(account.start(known)).toMatchObject({ outcome: 'booked' })
    account.wait(11 * minute)
    expect(account.start()).toMatchObject({ code: 'send_limit' })
  })

  it.each([
    ['unknown', 'known'],
    ['known', 'unknown'],
  ] as const)(
    'are both reset by a correct code: %s, the sends and attempts of a %s stay counted',
    (own, other) => {
      const by = { unknown: {}, known }
      const account = driveLedger({ ...ledgerLimits, failuresBeforeLock: 2 })
      account.start(by[other])
      for (let guesses = 0; guesses < 2; guesses += 1) account.verify('rejected', by[other])
      account.cancel(by[other])
      account.start(by[own])
      expect(account.verify('approved', by[own])).toMatchObject({ outcome: 'approved' })
      expect(account.ledger).toMatchObject({
        [other]: { rejections: 0, attempts: [account.now, account.now] },
        [own]: { attempts: [] },
        lockExpiresAt: 0,
        challenge: undefined,
      })
      expect(account.start({ ...by[other], purpose: 'transfer' })).toMatchObject({ code: 'resend_too_soon' })
    },
  )
})

describe('the lock', () => {
  it('counts wrong codes of strangers, and stops only them', () => {
    const account = driveLedger({ ...browserLimits, failuresBeforeLock: 2 })
    for (let wrong = 0; wrong < 3; wrong += 1) account.show(undefined, known)
    expect(account.ledger.lockExpiresAt).toBe(0)
    account.show(undefined)
    expect(account.show(undefined)).toMatchObject({ lockedForMs: 15 * minute })
    expect(account.start()).toMatchObject({ code: 'account_locked' })
    expect(account.show(undefined, known)).not.toHaveProperty('lockedForMs')
    expect(account.start(known)).toMatchObject({ outcome: 'booked' })
    expect(account.verify('approved', known)).toMatchObject({ outcome: 'approved' })
  })
})

describe('of the guesses of an account', () => {
  const patient = { ...browserLimits, failuresBeforeLock: 1_000, cooldownMs: [0] }
  const neverDisabled = { ...patient, failuresBeforeDisable: 1_000 }

  /** Starts and guesses until no code is checked, then says how many were. */
  function guessed(account: Driver, who: Acting) {
    let checks = 0
    for (let starts = 0; starts < 12; starts += 1) {
      account.start(who, { result: 'sent', lifetimeMs: minute })
      while (account.verify('rejected', who).outcome === 'rejected') checks += 1
      account.wait(minute)
    }
    return checks
  }

  it.each([
    ['an hour', 15, 10, 25, {}],
    ['a day', 30, 20, 50, { sendsPerHour: 1_000 }],
    ['an hour with one send', 5, 5, 5, { sendsPerHour: 1 }],
  ])('unknown browsers have three fifths in %s, known browsers the rest', (_, strangers, left, all, more) => {
    const account = driveLedger({ ...neverDisabled, ...more })
    expect([guessed(account, {}), guessed(account, known)]).toEqual([strangers, left])
    const alone = driveLedger({ ...neverDisabled, ...more })
    expect(guessed(alone, known)).toBe(all)
    expect(guessed(alone, {})).toBe(0)
  })

  it('strangers disable the account for themselves with 60 wrong ones, known browsers with a hundred', () => {
    const wrong = (who: Acting) => {
      const account = driveLedger(patient)
      let judged = 0
      for (let days = 0; days < 9; days += 1) {
        judged += guessed(account, who)
        account.wait(day)
      }
      return { judged, account }
    }
    const strangers = wrong({})
    expect(strangers.judged).toBe(60)
    expect(strangers.account.start()).toMatchObject({ code: 'account_disabled' })
    expect(strangers.account.start(known)).toMatchObject({ outcome: 'booked' })
    const thief = wrong(known)
    expect(thief.judged).toBe(100)
    expect(thief.account.start()).toMatchObject({ code: 'account_disabled' })
  })

  it('the last wrong code is not checked twice in parallel', () => {
    /** After so many wrong codes, a check of a stranger is under way. */
    const withWrong = (strangers: number, ofKnown: number) => {
      const account = startedLedger({ ...patient, failuresBeforeDisable: 7 })
      for (let wrong = 0; wrong < strangers; wrong += 1) account.show(undefined)
      for (let wrong = 0; wrong < ofKnown; wrong += 1) account.show(undefined, known)
      const unknown = account.reserve()
      const owner = account.reserve(known, 'x', undefined, account.sealedChallenges(known)).outcome
      return { account, unknown, owner }
    }
    expect(withWrong(0, 5).owner).toMatchObject({ outcome: 'reserved' })
    expect(withWrong(2, 4).owner).toMatchObject({ outcome: 'reserved' })
    const { account, unknown, owner } = withWrong(1, 5)
    expect(owner).toEqual(refusal('verification_in_progress', 10_000))
    account.settle(unknown.id, 'unavailable')
    expect(account.show(undefined, known)).toMatchObject({ disabled: true })
  })

  it('strangers have all where no browser is known', () => {
    expect(guessed(driveLedger({ ...neverDisabled, browsersAreKnown: false }), {})).toBe(25)
  })
})
