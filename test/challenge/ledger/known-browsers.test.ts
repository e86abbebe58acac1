import { describe, expect } from 'vitest'
import { enable } from '../../../src/challenge/ledger/guessing.js'
import { emptyBudget } from '../../../src/challenge/ledger/ledger.js'
import { browserLimits, hour, ledgerLimits, minute } from '../kit.js'
import { driveLedger, it, startedLedger } from './driver.js'

const known = { known: true, session: 's2' }
const notSent = { result: 'not-sent' } as const

describe('the challenge of a known browser', () => {
  it('ends that of strangers, who may type nothing more, and counts none of their guesses', () => {
    const number = startedLedger()
    number.verify('rejected')
    number.wait(minute)
    const started = number.start(known)
    expect(started).toMatchObject({ challenge: { attempts: 0 }, superseded: { budget: 'strangers' } })
    expect(number.reserve().outcome).toMatchObject({ code: 'challenge_gone' })
    expect(number.verify('approved', known)).toMatchObject({ outcome: 'approved' })
  })

  it('keeps spent what strangers have guessed, for as long as it may live itself', ({ started: number }) => {
    for (let guesses = 0; guesses < 5; guesses += 1) number.verify('rejected')
    number.wait(9 * minute)
    number.start(known)
    number.cancel(known)
    number.wait(10 * minute - 1)
    expect(number.start()).toMatchObject({ code: 'attempts_exhausted', retryAfterMs: 1 })
    number.wait(1)
    expect(number.start()).toMatchObject({ outcome: 'booked', challenge: { attempts: 0 } })
  })

  it('lets strangers start none of their own, and itself another after the usual pause', () => {
    const number = driveLedger()
    number.start(known)
    number.wait(minute)
    expect(number.start()).toMatchObject({ code: 'resend_too_soon', retryAfterMs: 9 * minute })
    expect(number.start({ ...known, purpose: 'transfer' })).toMatchObject({ outcome: 'booked' })
  })

  it.each([0, 2])('gives strangers theirs back, with %d guesses, when its code never left', (guesses) => {
    const number = driveLedger()
    number.start()
    for (let made = 0; made < guesses; made += 1) number.verify('rejected')
    const challenge = number.budget.challenge
    number.wait(minute)
    expect(number.start(known, notSent)).toMatchObject({ outcome: 'booked' })
    expect(number.ledger.known).toMatchObject({ challenge: undefined, sends: [] })
    expect(number.budget.challenge).toEqual(challenge)
    expect(number.budget.sends).toHaveLength(1)
    expect(number.verify('approved')).toMatchObject({ outcome: 'approved' })
  })

  it('gets its own back, and strangers nothing, when the code that was to replace it never left', () => {
    const number = driveLedger()
    const first = number.start(known)
    number.wait(minute)
    number.start({ ...known, purpose: 'transfer' }, notSent)
    expect(number.ledger.known.challenge?.id).toBe(first.outcome === 'booked' && first.challenge.id)
    expect(number.budget).toEqual(emptyBudget)
  })
})

describe('strangers and known browsers at once', () => {
  const bothChecking = () => {
    const number = startedLedger()
    const stranger = number.reserve()
    number.wait(minute / 2)
    number.start(known)
    const owner = number.reserve(known)
    expect(owner.outcome).toMatchObject({ outcome: 'reserved' })
    return { number, stranger, owner }
  }

  it('each have a check under way, and each verdict counts where its code was typed', () => {
    const { number, stranger, owner } = bothChecking()
    expect(number.settle(stranger.id, 'rejected')).toMatchObject({ outcome: 'rejected' })
    expect(number.budget).toMatchObject({ rejections: 1, lease: undefined })
    expect(number.settle(owner.id, 'approved')).toMatchObject({ outcome: 'approved' })
    expect(number.ledger.known).toMatchObject({ rejections: 0, lease: undefined })
  })

  it.each(['approved', 'rejected'] as const)(
    'know nothing of a check of strangers that ends as %s after the owner is in',
    (verdict) => {
      const { number, stranger, owner } = bothChecking()
      number.settle(owner.id, 'approved')
      expect(number.settle(stranger.id, verdict)).toEqual({ outcome: 'gone' })
      expect(number.budget).toMatchObject({ rejections: verdict === 'rejected' ? 1 : 0, lease: undefined })
    },
  )

  it('each have their sends settled, whichever comes first', ({ fresh: number }) => {
    const stranger = number.book()
    const owner = number.book(known)
    expect(number.settleSend(stranger, notSent)).toEqual({ uncounted: true })
    expect(number.budget.sends).toEqual([])
    number.settleSend(owner, { result: 'sent' })
    expect(number.ledger.known).toMatchObject({ challenge: { budget: 'known' }, sends: [{}] })
  })

  it('share the absolute limits, in which the oldest send makes room', () => {
    const number = driveLedger({ ...ledgerLimits, allSendsPerHour: 2 })
    number.start(known)
    number.verify('approved', known)
    number.wait(10 * minute)
    number.start({}, { result: 'failed' })
    number.wait(minute)
    expect(number.start()).toMatchObject({ outcome: 'booked' })
    number.wait(2 * minute)
    expect(number.start({ purpose: 'transfer' })).toMatchObject({
      code: 'send_limit',
      retryAfterMs: 47 * minute,
    })
  })

  it('are both forgiven by a right code, and what was sent and tried on the other side stays counted', () => {
    for (const own of [{}, known]) {
      const other = 'known' in own ? {} : known
      const sideOf = (who: object) => ('known' in who ? number.ledger.known : number.ledger.strangers)
      const number = driveLedger({ ...ledgerLimits, failuresBeforeLock: 2 })
      number.start(other)
      for (let guesses = 0; guesses < 2; guesses += 1) number.verify('rejected', other)
      number.cancel(other)
      number.start(own)
      expect(number.verify('approved', own)).toMatchObject({ outcome: 'approved' })
      expect(sideOf(other)).toMatchObject({ attemptsSinceSuccess: 0, rejections: 0, lockExpiresAt: 0 })
      expect(sideOf(other).sends).toHaveLength(1)
      expect(sideOf(other).attemptTimes).toHaveLength(2)
      expect(sideOf(own)).toMatchObject({ challenge: undefined, lease: undefined, attemptTimes: [] })
      number.wait(minute)
      expect(number.start(other)).toMatchObject({ outcome: 'booked', challenge: { attempts: 0 } })
    }
  })
})

describe('of the guesses of a number', () => {
  const patient = { ...browserLimits, failuresBeforeLock: 1_000, cooldownMs: [0] }

  /** Starts and guesses until no code is checked, then says how many were. */
  function guessed(number: ReturnType<typeof driveLedger>, who: object, verdict: 'rejected' | 'unavailable') {
    let checks = 0
    for (let starts = 0; starts < 6; starts += 1) {
      number.start(who, { result: 'sent', lifetimeMs: minute })
      while (['rejected', 'spent'].includes(number.verify(verdict, who).outcome)) checks += 1
      number.wait(minute)
    }
    return checks
  }

  it.each([
    ['an hour', 15, 10, {}],
    ['a day', 30, 20, { sendsPerHour: 1_000 }],
    ['an hour with one send', 5, 0, { sendsPerHour: 1 }],
  ])('strangers have 60 %% in %s, known browsers 40 %%, and both no more than there are', (...row) => {
    const [, strangers, all, more] = row
    const number = driveLedger({ ...patient, ...more })
    expect([guessed(number, {}, 'unavailable'), guessed(number, known, 'unavailable')]).toEqual([
      strangers,
      all,
    ])
    expect(guessed(driveLedger({ ...patient, ...more }), known, 'unavailable')).toBe(all === 0 ? 5 : all)
  })

  it('strangers disable the number for themselves with 60 wrong ones, known browsers with 40', () => {
    const wrong = (who: object) => {
      const number = driveLedger(patient)
      let judged = 0
      for (let hours = 0; hours < 200; hours += 1) {
        judged += guessed(number, who, 'rejected')
        number.wait(hour)
      }
      return { judged, number }
    }
    const strangers = wrong({})
    expect(strangers.judged).toBe(60)
    expect(strangers.number.start()).toMatchObject({ code: 'phone_disabled' })
    expect(strangers.number.start(known)).toMatchObject({ outcome: 'booked' })
    expect(wrong(known).judged).toBe(40)
  })

  it('the last wrong one is not checked twice at once', () => {
    const number = startedLedger({ ...patient, knownShare: 0, failuresBeforeDisable: 2 })
    number.verify('rejected')
    const stranger = number.reserve()
    number.start(known)
    expect(number.reserve(known).outcome).toMatchObject({ code: 'verification_in_progress' })
    number.settle(stranger.id, 'unavailable')
    expect(number.verify('rejected', known)).toMatchObject({ disabled: true })
  })

  it('strangers have all where no browser is known', () => {
    expect(guessed(driveLedger({ ...patient, knownShare: 0 }), {}, 'unavailable')).toBe(25)
  })
})

it('a number of which no known browser was seen keeps nothing for them', () => {
  const number = startedLedger()
  number.verify('rejected')
  number.verify('approved')
  number.run(enable)
  expect(number.ledger.known).toBe(emptyBudget)
})
