import { describe, expect, it } from 'vitest'
import { signupLimitsOf } from '../../../src/challenge/limits.js'
import { browserLimits, day, hour, ledgerLimits, limits, minute } from '../kit.js'
import { type Acting, type Driver, driveLedger } from './driver.js'

/** Another session, which gets no live challenge back. */
const other = { session: 'other' }
const known = { known: true }

/** Sends this many codes, as soon as each can be sent, and types them while the provider decides nothing. */
function typeInVain(account: Driver, codes: number, who: Acting = {}): void {
  for (let sent = 0; sent < codes; ) {
    const session = `s${account.now}`
    if (account.start({ ...who, session }).outcome === 'booked') {
      account.verify('unavailable', { ...who, session })
      sent += 1
    } else account.wait(minute)
  }
}

/** The wait for the next code. */
function waitOf(account: Driver, who: Acting = other): number | undefined {
  const outcome = account.book(who)
  return outcome.outcome === 'refused' ? outcome.retryAfterMs : 0
}

describe('after codes without a verdict, the next code', () => {
  it.each([
    ['the second', 2, 'sms', 2 * minute],
    ['the third', 3, 'sms', 10 * minute],
    ['the third, a call', 3, 'call', 20 * minute],
  ] as const)('waits, after %s', (_name, codes, channel, pause) => {
    const account = driveLedger()
    typeInVain(account, codes, { channel })
    expect(waitOf(account, { ...other, channel })).toBe(pause)
  })

  it('waits by every factor, and in the browsers of this kind only', () => {
    const account = driveLedger(browserLimits)
    typeInVain(account, 3)
    expect(waitOf(account, { ...other, factor: 'office' })).toBe(10 * minute)
    expect(account.start({ ...known, factor: 'office' })).toMatchObject({ outcome: 'booked' })
  })

  it('is the live one for the session that typed it: it can be checked again', () => {
    const account = driveLedger()
    typeInVain(account, 2)
    account.wait(5 * minute)
    account.start(other)
    account.verify('unavailable', other, 'right')
    account.wait(5 * minute)
    expect(account.start(other)).toMatchObject({ outcome: 'live' })
    expect(account.verify('approved', other, 'right')).toMatchObject({ outcome: 'approved' })
  })

  it.each([
    ['rejected', 5 * minute],
    ['approved', 0],
  ] as const)('waits as usual once the third was %s', (verdict, pause) => {
    const account = driveLedger()
    typeInVain(account, 2)
    account.wait(2 * minute)
    account.start(other)
    account.verify(verdict, other)
    expect(waitOf(account, { session: 's3' })).toBe(pause)
  })

  it('waits no longer than a minute after codes of the day before', () => {
    const account = driveLedger()
    typeInVain(account, 3)
    account.wait(day)
    account.start()
    expect(waitOf(account)).toBe(minute)
  })

  it.each([
    ['unknown browsers', {}, browserLimits, 24, 4 * hour],
    ['known browsers', known, browserLimits, 40, day / 10],
    ['browsers that are not tracked', {}, ledgerLimits, 40, day / 10],
    ['a limit of three codes a day', {}, { ...ledgerLimits, codesWithoutVerdictPerDay: 3 }, 3, day],
  ])('waits longer after four fifths of the day: %s', (_name, who, limits, codes, pause) => {
    const account = driveLedger(limits)
    typeInVain(account, codes - 1, who)
    const before = waitOf(account, { ...who, ...other })
    expect(before).toBeLessThanOrEqual(10 * minute)
    account.wait(Number(before))
    typeInVain(account, 1, who)
    expect(waitOf(account, { ...who, ...other })).toBe(pause)
  })

  it('waits for the end of the day at a sign-up after the third: anyone can submit a malformed code', () => {
    const account = driveLedger(signupLimitsOf(limits))
    const start = account.now
    typeInVain(account, 3)
    account.wait(10 * minute)
    expect(waitOf(account)).toBe(start + day - account.now)
  })

  it('waits four hours at most, however long the provider decides nothing', () => {
    const account = driveLedger(browserLimits)
    const end = account.now + 3 * day
    let longest = 0
    while (account.now < end) {
      const from = account.now
      typeInVain(account, 1)
      longest = Math.max(longest, account.now - from)
    }
    expect(longest).toBe(4 * hour)
  })
})
