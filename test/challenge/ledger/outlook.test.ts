import { describe, expect, it } from 'vitest'
import { outlook, refusalIn } from '../../../src/challenge/challenges.js'
import type { ChallengeScope } from '../../../src/challenge/ledger/ledger.js'
import type { LedgerLimits } from '../../../src/challenge/limits.js'
import { createPhoneFactor, createTotpFactor } from '../../../src/challenge/reach/factors.js'
import type { PhoneNumber } from '../../../src/phone-number.js'
import { hour, ledgerLimits, minute, refusal } from '../kit.js'
import { driveLedger } from './driver.js'

const own: ChallengeScope = { browserKind: 'unknown', session: 's1', purpose: 'login' }
const home = createPhoneFactor(
  { key: 'home', phone: '+573001234567' as PhoneNumber, country: 'CO' },
  undefined,
)

function drive(limits: LedgerLimits = ledgerLimits) {
  const number = driveLedger(limits)
  const look = (
    { purpose, ...requester }: Partial<ChallengeScope> = {},
    factor = home as typeof home | ReturnType<typeof createTotpFactor>,
  ) => {
    const known = { snapshot: number.view, requester: { ...own, ...requester } }
    const wanted = { purpose: purpose ?? 'login', bound: undefined }
    const refusal = refusalIn(known, wanted, { factor, channel: 'sms' })
    return { ...outlook(known), ...(refusal && { refusal }) }
  }
  return { number, look }
}

describe('the outlook of a start', () => {
  it('is clear on an empty ledger, and for the challenge that is live', () => {
    const { number, look } = drive()
    expect(look()).toEqual({ expired: false, failed: false, untypedSince: 0 })
    number.start()
    expect(look().refusal).toBeUndefined()
    expect(look({ session: 's2' }).refusal).toEqual(refusal('resend_too_soon', minute))
  })

  it('adds up the waits that follow one another, and keeps the reason of the first', () => {
    const { number, look } = drive({
      ...ledgerLimits,
      failuresBeforeLock: 1,
      lockMs: 2 * minute,
      sendsPerHour: 1,
    })
    number.start()
    number.verify('rejected')
    expect(look().refusal).toEqual(refusal('account_locked', hour))
    number.wait(hour - 1)
    expect(look().refusal).toMatchObject({ code: 'send_limit', retryAfterMs: 1 })
    number.wait(1)
    expect(look().refusal).toBeUndefined()
    expect(number.start()).toMatchObject({ outcome: 'booked' })
  })

  it('at an app depends on the attempts only', () => {
    const app = createTotpFactor(new Uint8Array(20))
    const { number, look } = drive({ ...ledgerLimits, failuresBeforeLock: 5, sendsPerHour: 1 })
    number.start()
    expect(look({ session: 's2' }, app).refusal).toBeUndefined()
    for (let wrong = 0; wrong < 5; wrong += 1) number.verify('rejected')
    // Five an hour, and a lock of a quarter.
    expect(look({}, app).refusal).toEqual(refusal('account_locked', hour))
    expect(look({ browserKind: 'known' }, app).refusal).toBeUndefined()
  })

  it('ends also where no start would ever be booked', () => {
    const { look } = drive({ ...ledgerLimits, sendsPerHour: 0 })
    expect(look().refusal).toEqual(refusal('send_limit', 8 * hour))
  })

  it('reports an expired code for as long as a new one could be valid', () => {
    const { number, look } = drive()
    number.start({}, { result: 'sent', lifetimeMs: 5 * minute })
    number.wait(5 * minute - 1)
    expect(look().expired).toBe(false)
    number.wait(1)
    expect(look().expired).toBe(true)
    expect(look({ session: 's2' }).expired).toBe(false)
    number.wait(ledgerLimits.codeLifetimeMs - 1)
    expect(look().expired).toBe(true)
    number.wait(1)
    expect(look().expired).toBe(false)
  })

  it('reports no code that has no attempts left, was cancelled or was submitted', () => {
    for (const act of ['exhaust', 'cancel', 'type'] as const) {
      const { number, look } = drive()
      number.start()
      for (let wrong = 0; wrong < (act === 'exhaust' ? 5 : 1); wrong += 1) number.verify('rejected')
      if (act === 'cancel') number.cancel()
      if (act === 'type') number.verify('approved')
      number.wait(11 * minute)
      expect([act, look().expired]).toEqual([act, false])
    }
  })

  it('remembers since when a sent code has not been submitted', () => {
    const { number, look } = drive()
    const first = number.now
    number.start()
    number.wait(minute)
    expect(look().untypedSince).toBe(first)
    number.verify('approved')
    expect(look().untypedSince).toBe(0)
    number.start({ known: true })
    expect(look().untypedSince).toBe(number.now)
  })
})
