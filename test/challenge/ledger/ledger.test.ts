import { describe, expect } from 'vitest'
import { isLive } from '../../../src/challenge/ledger/challenge.js'
import { unlock } from '../../../src/challenge/ledger/guessing.js'
import { emptyLedger } from '../../../src/challenge/ledger/ledger.js'
import { keptForMs, timeOf } from '../../../src/challenge/ledger/ledgers.js'
import type { LedgerLimits } from '../../../src/challenge/limits.js'
import { browserLimits, day, hour, ledgerLimits, minute, refusal } from '../kit.js'
import { type Driver, it, startedLedger } from './driver.js'

describe('the time a command works with', () => {
  it.each([
    ['the clock, when it leads', 1_000, 2_000, 2_000],
    ['the ledger, when that leads by up to five seconds', 7_000, 2_000, 7_000],
    ['the clock, when the ledger leads by more', 7_001, 2_000, 2_000],
  ])('is %s', (_, at, clock, expected) => {
    expect(timeOf({ ...emptyLedger, at }, clock)).toBe(expected)
  })

  it('set back by an hour shortens codes and makes no wait longer than the cooldown', ({ started }) => {
    started.wait(-hour)
    expect(started.reserve().outcome).toMatchObject({ code: 'challenge_gone' })
    // A send from the future proves the step.
    expect(started.start({ session: 's2' })).toMatchObject({ outcome: 'booked' })
    expect(started.start({ session: 's3' })).toEqual(refusal('resend_too_soon', minute))
    expect(started.ledger.sends).toHaveLength(2)
  })

  it('set back by an hour ends the wait after a postponed send', ({ started }) => {
    started.wait(minute)
    started.resend({}, { result: 'later', retryAfterMs: 5 * minute })
    expect(started.start({ session: 's2' })).toMatchObject({ code: 'provider_unavailable' })
    started.wait(-hour)
    expect(started.start({ session: 's2' })).toMatchObject({ outcome: 'booked' })
  })

  it('set back by an hour ends a lock later by that hour', ({ started: account }) => {
    for (let code = 0; code < 10; code += 1) {
      if (code === 5) {
        account.wait(10 * minute)
        account.start()
      }
      account.verify('rejected')
    }
    expect(account.start()).toEqual(refusal('account_locked', 15 * minute))
    account.wait(-hour)
    expect(account.start()).toEqual(refusal('account_locked', 75 * minute))
  })

  it.each([
    [5_000, true, 'refused'],
    [5_001, false, 'booked'],
  ])('set back by %d ms changes nothing up to five seconds', (setBackMs, live, next) => {
    const account = startedLedger()
    account.wait(-setBackMs)
    const { challenge } = account
    expect(challenge && isLive(challenge, { now: account.now, limits: ledgerLimits })).toBe(live)
    expect(account.start({ session: 's2' }).outcome).toBe(next)
  })
})

describe('a process with a shorter codeLifetimeMs', () => {
  it.each([true, false])(
    'keeps a live challenge for the lifetime stored with it (resent: %s)',
    (isResent) => {
      const account = startedLedger()
      const startedAt = account.now
      const limits = { ...ledgerLimits, codeLifetimeMs: ledgerLimits.codeLifetimeMs - minute }
      if (isResent) {
        account.wait(2 * minute)
        expect(account.resend().outcome).toBe('booked')
      }
      const { challenge } = account
      const isLiveAt = (now: number) => challenge && isLive(challenge, { now, limits })
      expect(isLiveAt(startedAt)).toBe(true)
      expect(isLiveAt((challenge?.expiresAt ?? 0) - 1)).toBe(true)
      expect(isLiveAt(challenge?.expiresAt ?? 0)).toBe(false)
      // A clock that is set back does not extend it.
      expect(isLiveAt(startedAt - 5_000)).toBe(true)
      expect(isLiveAt(startedAt - 5_001)).toBe(false)
    },
  )
})

it('cancels only the challenge of its own session', ({ started: account }) => {
  expect(account.cancel({ session: 's2' })).toEqual({})
  expect(account.verify('unavailable')).toEqual({ outcome: 'no-verdict' })
  account.cancel()
  expect(account.reserve().outcome).toEqual(refusal('challenge_gone'))
})

describe('a revocation', () => {
  it('ends the challenge that began before it, for every command, and none that began after it', () => {
    const account = startedLedger()
    const after = { revocationId: 'logout-1' }
    expect(account.reserve(after).outcome).toEqual(refusal('challenge_gone'))
    expect(account.resend(after)).toMatchObject({ code: 'challenge_gone' })
    expect(account.cancel(after)).toEqual({})
    account.wait(minute)
    expect(account.start(after)).toMatchObject({ outcome: 'booked' })
    expect(account.start(after)).toMatchObject({ outcome: 'live' })
    expect(account.reserve(after).outcome).toMatchObject({ outcome: 'reserved' })
  })

  it('that is no longer stored ends nothing', ({ fresh: account }) => {
    account.start({ revocationId: 'logout-1' })
    expect(account.reserve().outcome).toMatchObject({ outcome: 'reserved' })
  })
})

it('enabling an account forgets failures, guesses, lock and sends', () => {
  const limits = { ...browserLimits, failuresBeforeDisable: 5, failuresBeforeLock: 5, sendsPerHour: 1 }
  const account = startedLedger(limits)
  for (let wrong = 0; wrong < 5; wrong += 1) account.verify('rejected')
  account.show(undefined, { known: true })
  account.run(unlock)
  const none = { attempts: [], rejections: 0 }
  expect(account.ledger).toMatchObject({ unknown: none, known: none, lockExpiresAt: 0 })
  // The code that is on its way is good, for as many attempts as any.
  expect(account.verify('rejected')).toMatchObject({ attemptsRemaining: 4 })
  account.run(unlock)
  account.cancel()
  account.run(unlock)
  expect(account.start()).toMatchObject({ outcome: 'booked', challenge: { attempts: { unknown: 0 } } })
})

it('every operation keeps members that a later version has added, because both run during a deployment', ({
  started: account,
}) => {
  const added = { writes: 7 }
  account.run(({ ledger }) => {
    const sides = { unknown: { ...ledger.unknown, ...added }, known: { ...ledger.known, ...added } }
    return { outcome: undefined, next: { ...ledger, ...sides, ...added } }
  })
  const known = { known: true, session: 's2' }
  const commands = [
    () => account.verify('rejected'),
    () => account.verify('unavailable'),
    () => account.verify('not-sent'),
    () => account.start(known),
    () => account.verify('rejected', known),
    () => account.verify('approved', known),
    () => account.start({}, { result: 'failed' }),
    () => account.cancel(),
    () => account.show(undefined),
    () => account.run(unlock),
  ]
  for (const command of commands) {
    command()
    expect(account.ledger).toMatchObject({ ...added, unknown: added, known: added })
  }
})

describe('how long a ledger is kept', () => {
  const disabling = { ...ledgerLimits, failuresBeforeDisable: 1 }

  it.each<[string, number, (account: Driver) => void, LedgerLimits?]>([
    ['a day after the last send', day - minute, (account) => account.wait(minute)],
    ['a day after the last used code', day, (account) => account.verify('approved')],
    ['a day after the last check', day, (account) => account.verify('unavailable')],
    ['thirty days while failures stand', 30 * day, (account) => account.verify('rejected')],
    [
      'thirty days while those of a known browser do',
      30 * day,
      (account) => account.show(undefined, { known: true }),
    ],
    ['a year when it is disabled', 365 * day, (account) => account.verify('rejected'), disabling],
    [
      'a month where the place of the last success is to be shown first',
      30 * day,
      (account) => account.verify('approved', { hasChoice: true }),
    ],
  ])('is %s', (_, kept, act, limits = ledgerLimits) => {
    const account = startedLedger(limits)
    act(account)
    expect(keptForMs(account.view)).toBe(kept)
  })

  it('is its cooldown after a send that was refused, for nothing else counts it', ({ fresh: account }) => {
    account.start({}, { result: 'failed' })
    expect(keptForMs(account.view)).toBe(minute)
  })

  it('is nothing for a start that was refused: none fills the store', ({ fresh: account }) => {
    account.start({}, { result: 'not-sent' })
    expect(keptForMs(account.view)).toBe(0)
  })

  it('is as long as the last step of an app could pass for an attempt', () => {
    const lastStep = 60_000_000
    const now = lastStep * 30_000
    expect(keptForMs({ ledger: { ...emptyLedger, lastStep }, now, limits: ledgerLimits })).toBe(60_000)
  })

  it('covers a challenge whose send was refunded, because its attempts are inherited', ({
    fresh: account,
  }) => {
    const outcome = account.book()
    account.verify('unavailable')
    account.settleSend(outcome, { result: 'not-sent' })
    const { ledger } = account
    // The moments of the attempts are kept for a day.
    const withoutAttempts = { ...ledger, unknown: { ...ledger.unknown, attempts: [] } }
    expect(keptForMs({ ...account.view, ledger: withoutAttempts })).toBe(5 * minute)
  })
})
