import { describe, expect } from 'vitest'
import { isLive } from '../../../src/challenge/ledger/challenge.js'
import { enable } from '../../../src/challenge/ledger/guessing.js'
import { emptyLedger, type Ledger } from '../../../src/challenge/ledger/ledger.js'
import { keptForMs, timeOf } from '../../../src/challenge/ledger/ledgers.js'
import { browserLimits, day, hour, ledgerLimits, minute, refusal } from '../kit.js'
import { driveLedger, it, startedLedger } from './driver.js'

describe('the time a command works with', () => {
  it.each([
    ['the clock, when it leads', 1_000, 2_000, 2_000],
    ['the ledger, when that leads by up to five seconds', 7_000, 2_000, 7_000],
    ['the clock, when the ledger leads by more', 7_001, 2_000, 2_000],
  ])('is %s', (_, at, clock, expected) => {
    expect(timeOf({ ...emptyLedger, at }, clock)).toBe(expected)
  })

  it('set back by an hour makes codes shorter, and nobody wait longer than the cooldown', ({ started }) => {
    started.wait(-hour)
    expect(started.reserve().outcome).toMatchObject({ code: 'challenge_gone' })
    // A send from the future proves the step.
    expect(started.start({ session: 's2' })).toMatchObject({ outcome: 'booked' })
    expect(started.start({ session: 's3' })).toEqual(refusal('resend_too_soon', minute))
    expect(started.ledger.sends).toHaveLength(2)
  })

  it('set back by up to five seconds waits for the send as before', ({ started: number }) => {
    number.wait(-5_000)
    expect(number.start({ session: 's2' })).toEqual(refusal('resend_too_soon', minute))
  })

  it('set back by up to five seconds changes nothing for a code that lives as long as it may', () => {
    const live = (setBackMs: number) => {
      const number = startedLedger()
      const { challenge } = number
      return challenge && isLive(challenge, { now: number.now - setBackMs, limits: ledgerLimits })
    }
    expect(live(5_000)).toBe(true)
    expect(live(5_001)).toBe(false)
  })

  it('set forth by an hour expires a code and gives no attempt back once it is set right', () => {
    const number = startedLedger()
    number.verify('rejected')
    number.wait(hour)
    expect(number.reserve().outcome).toMatchObject({ code: 'challenge_gone' })
    number.wait(-hour)
    expect(number.verify('rejected')).toMatchObject({ attemptsRemaining: 3 })
  })
})

describe('cancelling', () => {
  it('ends nothing of another session', ({ started: number }) => {
    expect(number.cancel({ session: 's2' })).toEqual({})
    expect(number.reserve().outcome).toMatchObject({ outcome: 'reserved' })
  })
})

describe('a revocation', () => {
  it('ends the challenge that began before it, for every command, and none that began after it', () => {
    const number = startedLedger()
    const after = { epoch: 'logout-1' }
    expect(number.reserve(after).outcome).toEqual(refusal('challenge_gone'))
    expect(number.resend(after)).toMatchObject({ code: 'challenge_gone' })
    expect(number.cancel(after)).toEqual({})
    number.wait(minute)
    expect(number.start(after)).toMatchObject({ outcome: 'booked' })
    expect(number.start(after)).toMatchObject({ outcome: 'live' })
    expect(number.reserve(after).outcome).toMatchObject({ outcome: 'reserved' })
  })

  it('that nobody remembers any more ends nothing', ({ fresh: number }) => {
    number.start({ epoch: 'logout-1' })
    expect(number.reserve().outcome).toMatchObject({ outcome: 'reserved' })
  })
})

describe('enabling an account', () => {
  it('forgets failures, guesses, lock and sends', () => {
    const limits = { ...browserLimits, failuresBeforeDisable: 5, failuresBeforeLock: 5, sendsPerHour: 1 }
    const number = startedLedger(limits)
    for (let wrong = 0; wrong < 5; wrong += 1) number.verify('rejected')
    number.show(undefined, { known: true })
    number.run(enable)
    const none = { attempts: [], rejections: 0 }
    expect(number.ledger).toMatchObject({ stranger: none, known: none, lockExpiresAt: 0 })
    // The code that is on its way is good, for as many attempts as any.
    expect(number.verify('rejected')).toMatchObject({ attemptsRemaining: 4 })
    number.run(enable)
    number.cancel()
    number.run(enable)
    expect(number.start()).toMatchObject({ outcome: 'booked', challenge: { attempts: { stranger: 0 } } })
  })
})

describe('how long a ledger is kept', () => {
  const kept = (
    { ledger, now }: Pick<ReturnType<typeof driveLedger>, 'ledger' | 'now'>,
    limits = ledgerLimits,
  ) => keptForMs({ ledger, now, limits })

  it('is a day after the last send', ({ started: number }) => {
    number.wait(minute)
    expect(kept(number)).toBe(day - minute)
  })

  it('is as long as the last step of an app could be told from a guess', () => {
    const lastStep = 60_000_000
    const now = lastStep * 30_000
    expect(kept({ ledger: { ...emptyLedger, lastStep }, now })).toBe(60_000)
    expect(kept({ ledger: emptyLedger, now })).toBe(0)
  })

  it('is a day after the last used code', ({ started: number }) => {
    number.wait(5 * minute)
    number.verify('approved')
    expect(kept(number)).toBe(day)
  })

  it('is a day after the last check', ({ started: number }) => {
    number.wait(5 * minute - 1)
    number.verify('unavailable')
    expect(kept(number)).toBe(day)
  })

  it('is thirty days after the last change while failures stand', ({ started: number }) => {
    number.verify('rejected')
    expect(kept(number)).toBe(30 * day)
  })

  it('is a year when the number is disabled', () => {
    const number = startedLedger({ ...ledgerLimits, failuresBeforeDisable: 1 })
    number.verify('rejected')
    expect(kept(number, { ...ledgerLimits, failuresBeforeDisable: 1 })).toBe(365 * day)
  })

  it('covers a challenge whose send was given back, for its attempts are inherited', ({ fresh: number }) => {
    const outcome = number.book()
    number.verify('unavailable')
    number.settleSend(outcome, { result: 'not-sent' })
    expect(kept({ now: number.now, ledger: withoutTimes(number.ledger) })).toBe(5 * minute)
  })

  it('is a month where the place of the last success is to be shown first', ({ started: number }) => {
    number.verify('approved', { hasChoice: true })
    expect(kept(number)).toBe(30 * day)
  })

  it('is its cooldown after a send that was refused, for nothing else counts it', ({ fresh }) => {
    fresh.start({}, { result: 'failed' })
    expect(kept(fresh)).toBe(minute)
  })

  it('is nothing for a start that was refused: none fills the store', ({ fresh: number }) => {
    number.start({}, { result: 'not-sent' })
    expect(kept(number)).toBe(0)
  })

  it.each([false, true])('counts the checks of either rank: known %s', (known) => {
    const number = driveLedger()
    number.show(undefined, { known })
    expect(kept(number)).toBe(30 * day)
    const { ledger, now } = number
    const none = { rejections: 0 }
    const judged = {
      ...ledger,
      stranger: { ...ledger.stranger, ...none },
      known: { ...ledger.known, ...none },
    }
    expect(kept({ ledger: judged, now })).toBe(day)
  })
})

/** As after a day, for the list of attempts outlives every challenge. */
function withoutTimes(ledger: Ledger): Ledger {
  return { ...ledger, stranger: { ...ledger.stranger, attempts: [] }, sends: [] }
}
