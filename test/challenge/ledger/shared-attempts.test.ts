import { describe, expect, it } from 'vitest'
import { browserLimits, minute } from '../kit.js'
import { type Acting, driveLedger } from './driver.js'

const owner: Acting = { known: true, session: 'owner' }
/** The owner's session without the device cookie. */
const withoutCookie: Acting = { known: false, session: 'owner' }
const attacker: Acting = { known: false, session: 'attacker' }

function setUp(attemptsAreShared = true) {
  const account = driveLedger({ ...browserLimits, ...(attemptsAreShared && { attemptsAreShared: true }) })
  /** Submits wrong codes until one is refused, ten at most. Returns how many were checked. */
  const fail = (who: Acting, times = 10) => {
    for (let checked = 0; checked < times; checked += 1) {
      if (account.verify('rejected', who).outcome === 'refused') return checked
    }
    return times
  }
  return Object.assign(account, { fail })
}

describe('attempts that both kinds of browsers share', () => {
  it('are five for one challenge in total', () => {
    const account = setUp()
    account.start(owner)
    expect(account.fail(owner, 3)).toBe(3)
    expect(account.verify('rejected', withoutCookie)).toMatchObject({ attemptsRemaining: 1 })
    expect(account.fail(withoutCookie)).toBe(1)
    expect(account.fail(owner)).toBe(0)
    account.wait(minute)
    expect(account.resend(owner)).toMatchObject({ code: 'attempts_exhausted' })
    expect(account.start(owner)).toMatchObject({ code: 'attempts_exhausted' })
  })

  it('are ten without the profile', () => {
    const account = setUp(false)
    account.start(owner)
    expect([account.fail(owner), account.fail(withoutCookie)]).toEqual([5, 5])
  })

  it('leave a known browser five after five of an attacker in an earlier challenge', () => {
    const account = setUp()
    account.start(attacker)
    expect(account.fail(attacker)).toBe(5)
    account.wait(minute)
    expect(account.start(owner)).toMatchObject({ outcome: 'booked' })
    expect(account.fail(owner, 4)).toBe(4)
    expect(account.verify('approved', owner)).toMatchObject({ outcome: 'approved' })
  })

  it('are not renewed by a cancellation', () => {
    const account = setUp()
    account.start(owner)
    expect(account.fail(owner)).toBe(5)
    account.cancel(owner)
    account.wait(minute)
    expect(account.start(owner)).toMatchObject({ code: 'attempts_exhausted' })
  })
})
