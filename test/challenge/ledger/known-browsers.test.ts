import { describe, expect, it } from 'vitest'
import { enable } from '../../../src/challenge/ledger/attempts.js'
import { emptyBudget } from '../../../src/challenge/ledger/ledger.js'
import { ledgerLimits, minute } from '../kit.js'
import { driveLedger } from './driver.js'

const known = { known: true, session: 's2' }
const notSent = { result: 'not-sent' } as const

describe('the challenge of a known browser', () => {
  it('ends that of strangers, who may type nothing more, and counts none of their guesses', () => {
    const number = driveLedger()
    number.start()
    number.verify('rejected')
    number.wait(minute)
    const started = number.start(known)
    expect(started).toMatchObject({ challenge: { attempts: 0 }, superseded: { budget: 'strangers' } })
    expect(number.reserve().outcome).toMatchObject({ code: 'challenge_gone' })
    expect(number.verify('approved', known)).toMatchObject({ outcome: 'approved' })
  })

  it('keeps spent what strangers have guessed, for as long as it may live itself', () => {
    const number = driveLedger()
    number.start()
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
    const started = number.start()
    for (let made = 0; made < guesses; made += 1) number.verify('rejected')
    const challenge = number.budget.challenge
    number.wait(minute)
    expect(number.start(known, notSent)).toMatchObject({ outcome: 'booked' })
    expect(number.ledger.known).toMatchObject({ challenge: undefined, sends: [] })
    expect(number.budget.challenge).toEqual(challenge)
    expect(number.budget.sends).toHaveLength(1)
    expect(number.verify('approved')).toMatchObject({
      outcome: 'approved',
      challenge: { id: started.outcome === 'booked' && started.challenge.id, attempts: guesses + 1 },
    })
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
    const number = driveLedger()
    number.start()
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

  it('each have their sends settled, whichever comes first', () => {
    const number = driveLedger()
    const stranger = number.book()
    const owner = number.book(known)
    expect(number.settleSend(stranger.sendId, notSent, stranger.outcome)).toEqual({ uncounted: true })
    expect(number.budget.sends).toEqual([])
    expect(number.settleSend(owner.sendId, { result: 'sent' }, owner.outcome)).toMatchObject({
      challenge: { budget: 'known' },
    })
    expect(number.ledger.known.sends).toHaveLength(1)
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

it('a number of which no known browser was seen keeps nothing for them', () => {
  const number = driveLedger()
  number.start()
  number.verify('rejected')
  number.verify('approved')
  number.run(enable)
  expect(number.ledger.known).toBe(emptyBudget)
})
