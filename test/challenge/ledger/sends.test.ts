import { describe, expect } from 'vitest'
import type { SendResult } from '../../../src/challenge/code-provider.js'
import { type Booked, deliveryOf } from '../../../src/challenge/ledger/sends.js'
import { ledgerLimitsOf } from '../../../src/challenge/limits.js'
import { figure } from '../../prove/figure.js'
import { hour, ledgerLimits, limits, minute, refusal } from '../kit.js'
import { type Driver, driveLedger, it, startedLedger } from './driver.js'

describe('starting a challenge', () => {
  it('gives the same session, subject, purpose and bound hash its live challenge back during the cooldown', () => {
    const number = driveLedger()
    const first = number.start({ bound: 'b' })
    number.wait(59_999)
    const again = number.start({ bound: 'b' })
    expect(again).toMatchObject({ outcome: 'live' })
    expect(again).toHaveProperty('challenge.id', first.outcome === 'booked' && first.challenge.id)
    expect(number.ledger.sends).toHaveLength(1)
  })

  it.each([
    ['another session', { session: 's2' }],
    ['another purpose', { purpose: 'transfer' }],
    ['other bound fields', { bound: 'c' }],
  ])('refuses %s during the cooldown and says how long', (_, other) => {
    const number = startedLedger()
    number.wait(10_000)
    expect(number.start(other)).toEqual(refusal('resend_too_soon', 50_000))
  })

  it('pauses 60, 120, 300 and again 300 seconds, exactly', ({ fresh: number }) => {
    for (const pause of [60_000, 120_000, 300_000, 300_000]) {
      expect(number.start()).toMatchObject({ outcome: 'booked' })
      number.wait(pause - 1)
      expect(number.start({ session: 's2' })).toEqual(refusal('resend_too_soon', 1))
      number.wait(1)
    }
    expect(number.start()).toMatchObject({ outcome: 'booked' })
  })

  it.each([
    ['an hour lies between two sends', hour, 60_000],
    ['a moment less lies between them', hour - 1, 120_000],
  ])('pauses as after the first or second send when %s', (_, between, pause) => {
    const number = startedLedger()
    number.wait(between)
    number.start()
    expect(number.start({ session: 's2' })).toMatchObject({ code: 'resend_too_soon', retryAfterMs: pause })
  })

  it('pauses no longer for sends whose code was typed', ({ fresh: number }) => {
    for (let logins = 0; logins < 3; logins += 1) {
      number.start()
      number.verify('approved')
    }
    number.start()
    expect(number.start({ session: 's2' })).toMatchObject({ code: 'resend_too_soon', retryAfterMs: 60_000 })
  })

  it('keeps no send for longer than a day, exactly', ({ started: number }) => {
    number.wait(24 * hour)
    number.start()
    expect(number.ledger.sends).toMatchObject([{ at: number.now }])
  })

  it('sends five times an hour, and again exactly when the first is an hour old', () => {
    const number = driveLedger({ ...ledgerLimits, cooldownMs: [minute] })
    for (let sends = 0; sends < 5; sends += 1) {
      expect(number.start()).toMatchObject({ outcome: 'booked' })
      number.wait(minute)
    }
    expect(number.start()).toEqual(refusal('send_limit', 55 * minute))
    number.wait(55 * minute - 1)
    expect(number.start()).toMatchObject({ code: 'send_limit', retryAfterMs: 1 })
    number.wait(1)
    expect(number.start()).toMatchObject({ outcome: 'booked' })
  })

  it('sends ten times a day', ({ fresh: number }) => {
    let sent = 0
    for (let hours = 0; hours < 23; hours += 1) {
      if (number.start().outcome === 'booked') sent += 1
      number.wait(hour)
    }
    expect(sent).toBe(10)
    expect(number.start()).toMatchObject({ code: 'send_limit', retryAfterMs: hour })
  })

  it('counts a call as two, refuses it where fewer are left, and the text still goes', () => {
    const number = driveLedger({ ...ledgerLimits, cooldownMs: [minute] })
    const outcomes = (['call', 'call', 'call', 'sms', 'sms'] as const).map((channel) => {
      const outcome = number.start({ channel })
      number.wait(minute)
      return 'code' in outcome ? outcome.code : outcome.outcome
    })
    expect(outcomes).toEqual(['booked', 'booked', 'send_limit', 'booked', 'send_limit'])
  })

  it('admits one call where the limit is one', () => {
    const number = driveLedger({ ...ledgerLimits, sendsPerHour: 1 })
    expect(number.start({ channel: 'call' })).toMatchObject({ outcome: 'booked' })
    number.wait(10 * minute)
    expect(number.start()).toMatchObject({ code: 'send_limit' })
  })

  it('pauses at each place by itself, and counts all of them', () => {
    const number = startedLedger({ ...ledgerLimits, sendsPerHour: 3 })
    expect(number.start({ place: 'office' })).toMatchObject({ outcome: 'booked' })
    expect(number.start({ place: 'office', purpose: 'transfer' })).toEqual(refusal('resend_too_soon', minute))
    // In this session, too: what was sent before is another code.
    expect(number.start()).toEqual(refusal('resend_too_soon', minute))
    number.wait(minute)
    expect(number.start()).toMatchObject({ outcome: 'booked' })
    expect(number.start({ place: 'third' })).toMatchObject({ code: 'send_limit' })
  })

  it('pauses after a refused send by its own channel alone', ({ fresh: number }) => {
    number.start({}, { result: 'failed' })
    expect(number.start()).toEqual(refusal('resend_too_soon', minute))
    number.wait(1)
    expect(number.start({ channel: 'call' }, { result: 'failed' })).toMatchObject({ outcome: 'booked' })
    // The second of the place.
    expect(number.start({ channel: 'call' })).toEqual(refusal('resend_too_soon', 2 * minute))
    number.wait(minute)
    number.start()
    expect(number.start({ channel: 'call', purpose: 'transfer' })).toEqual(
      refusal('resend_too_soon', 5 * minute),
    )
  })

  it('is sent again without a pause once its booking is lost, exactly then, and counts', () => {
    const number = driveLedger({ ...ledgerLimits, sendsPerHour: 2 })
    const first = number.book()
    number.wait(11_999)
    expect(number.start()).toMatchObject({ outcome: 'live' })
    expect(number.start({ session: 's2' })).toMatchObject({ code: 'resend_too_soon' })
    number.wait(1)
    expect(number.start()).toMatchObject({ outcome: 'booked' })
    expect(number.start({ session: 's2' })).toMatchObject({ code: 'resend_too_soon' })
    number.wait(10 * minute)
    expect(number.start()).toMatchObject({ code: 'send_limit' })
    // What is heard of it after all is kept with it.
    number.settleSend(first, { result: 'sent' })
    expect(number.ledger.sends[0]).toMatchObject({ state: 'sent' })
  })

  it('that nobody has confirmed pauses, and counts at a sign-up alone', () => {
    const booked = (limits: typeof ledgerLimits) => {
      const number = driveLedger(limits)
      let sent = 0
      for (let turn = 0; turn < 12; turn += 1) {
        if (number.start({}, { result: 'unconfirmed' }).outcome === 'booked') sent += 1
        expect(number.start({ session: 's2' })).toHaveProperty('code')
        number.wait(10 * minute)
      }
      return sent
    }
    expect([booked(ledgerLimits), booked(ledgerLimitsOf(limits, 'enrol'))]).toEqual([12, 3])
  })

  it('sends three times a day to a number that nobody has proven', () => {
    const number = driveLedger(ledgerLimitsOf(limits, 'enrol'))
    const outcomes = Array.from({ length: 4 }, () => {
      const { outcome } = number.start()
      number.wait(hour)
      return outcome
    })
    expect(outcomes).toEqual(['booked', 'booked', 'booked', 'refused'])
  })

  it('never has room in a budget of nothing', () => {
    const number = driveLedger({ ...ledgerLimits, sendsPerHour: 0 })
    expect(number.start()).toEqual(refusal('send_limit', hour))
    expect(number.start({ channel: 'call' })).toEqual(refusal('send_limit', hour))
  })
})

describe('a start that replaces a challenge', () => {
  it.each([
    ['in the same session', { session: 's1' }],
    ['in another session', { session: 's2' }],
    ['for another purpose', { purpose: 'transfer' }],
  ])('inherits its attempts %s', (where, other) => {
    const number = startedLedger()
    for (let wrong = 0; wrong < 4; wrong += 1) number.verify('rejected')
    number.wait(minute)
    expect(number.start(other)).toMatchObject({ outcome: 'booked', challenge: { attempts: { stranger: 4 } } })
    figure(4, `a start ${where} gives 0 of 4 attempts back`)
  })

  it('is refused with no attempts left until the replaced one expires, exactly then it is fresh', () => {
    const number = startedLedger()
    for (let wrong = 0; wrong < 5; wrong += 1) number.verify('rejected')
    expect(number.start()).toMatchObject({ code: 'attempts_exhausted', retryAfterMs: 10 * minute })
    number.wait(10 * minute - 1)
    expect(number.start({ session: 's2' })).toMatchObject({ code: 'attempts_exhausted', retryAfterMs: 1 })
    number.wait(1)
    expect(number.start()).toMatchObject({ outcome: 'booked', challenge: { attempts: { stranger: 0 } } })
  })

  it('keeps what was guessed before for as long as it would have been kept, though it expires earlier itself', () => {
    const number = driveLedger()
    number.start({ place: 'office' })
    for (let wrong = 0; wrong < 4; wrong += 1) number.verify('rejected')
    number.start({}, { result: 'sent', lifetimeMs: 2 * minute })
    expect(number.verify('rejected')).toMatchObject({ attemptsRemaining: 0 })
    expect(number.verify('rejected')).toEqual(refusal('attempts_exhausted', 10 * minute))
    number.wait(10 * minute - 1)
    expect(number.start({ session: 's2' })).toEqual(refusal('attempts_exhausted', 1))
    number.wait(1)
    expect(number.start()).toMatchObject({ outcome: 'booked', challenge: { attempts: { stranger: 0 } } })
    figure(4, 'a code that expires before the one that it replaced gives 0 of 4 attempts back')
  })

  it.each([
    ['a resend', (number: Driver, sent: SendResult) => number.resend({}, sent)],
    ['a start', (number: Driver, sent: SendResult) => number.start({ session: 's2' }, sent)],
  ])('keeps what was guessed after %s whose code lives shorter than the one before', (_, again) => {
    const number = startedLedger()
    number.wait(minute)
    again(number, { result: 'sent', lifetimeMs: minute })
    const { session = '' } = number.challenge ?? {}
    for (let wrong = 0; wrong < 5; wrong += 1) number.verify('rejected', { session })
    number.wait(9 * minute - 1)
    expect(number.start()).toEqual(refusal('attempts_exhausted', 1))
    number.wait(1)
    expect(number.start()).toMatchObject({ outcome: 'booked', challenge: { attempts: { stranger: 0 } } })
  })

  it('asks for the end of no code that has ended by itself', () => {
    const number = startedLedger()
    number.verify('rejected')
    number.wait(minute)
    number.start({}, { result: 'sent', lifetimeMs: minute, handle: 'handle' })
    expect(number.ledger.handles).toMatchObject([{ handle: 'handle', place: 'home' }])
    number.wait(3 * minute)
    expect(number.start()).toMatchObject({ outcome: 'booked', previousHandle: undefined })
  })

  it('does so when its send fails, too', () => {
    const number = startedLedger()
    for (let wrong = 0; wrong < 3; wrong += 1) number.verify('rejected')
    number.wait(minute)
    number.start({}, { result: 'failed' })
    number.wait(8 * minute)
    expect(number.start()).toMatchObject({ outcome: 'booked', challenge: { attempts: { stranger: 3 } } })
  })

  it('names the challenge that it supersedes, unless that was dead already', ({ fresh: number }) => {
    const first = number.start()
    number.wait(minute)
    const second = number.start({ session: 's2' })
    expect(second).toMatchObject({
      superseded: { id: first.outcome === 'booked' ? first.challenge.id : '' },
    })
    number.cancel({ session: 's2' })
    number.wait(2 * minute)
    expect(number.start()).toMatchObject({ outcome: 'booked', superseded: undefined })
  })
})

describe('settling a send', () => {
  const expiry = (sent: Parameters<Driver['settleSend']>[1]) => {
    const number = driveLedger()
    number.start({}, sent)
    return (number.challenge?.expiresAt ?? Number.NaN) - number.now
  }

  it.each([
    ['the minutes of the provider', { result: 'sent', lifetimeMs: 120_000 }, 120_000],
    ['ten minutes at most', { result: 'sent', lifetimeMs: 86_400_000 }, 600_000],
    ['five minutes when the provider says nothing', { result: 'sent' }, 300_000],
    ['five minutes when its answer was lost', { result: 'unconfirmed' }, 300_000],
  ] as const)('lets a code live for %s', (_, sent, lifetime) => {
    expect(expiry(sent)).toBe(lifetime)
  })

  it('keeps the send and its cooldown when the provider refused it, but leaves nothing to type', () => {
    const number = driveLedger()
    number.start({}, { result: 'failed' })
    expect(number.reserve().outcome).toMatchObject({ code: 'challenge_gone' })
    expect(number.start()).toMatchObject({ code: 'resend_too_soon' })
  })

  it('gives send and cooldown back when provably nothing was sent', ({ fresh: number }) => {
    number.start({}, { result: 'not-sent' })
    expect(number.ledger.sends).toEqual([])
    expect(number.start()).toMatchObject({ outcome: 'booked' })
  })

  it('voids a challenge whose code went to another number as well', ({ started: number }) => {
    number.wait(minute)
    number.verify('rejected')
    number.resend({}, { result: 'foreign-number' })
    expect(number.reserve().outcome).toMatchObject({ code: 'challenge_gone' })
    number.wait(2 * minute)
    // What was typed stays spent.
    expect(number.start()).toMatchObject({ outcome: 'booked', challenge: { attempts: { stranger: 1 } } })
  })

  it('gives a send back whose challenge was replaced, whatever was typed for the other', () => {
    const number = driveLedger({ ...ledgerLimits, cooldownMs: [] })
    const outcome = number.book()
    number.start({ session: 's2' })
    number.verify('rejected', { session: 's2' })
    number.settleSend(outcome, { result: 'not-sent' })
    expect(number.ledger.sends).toHaveLength(1)
    // What was started since stays.
    expect(number.challenge).toMatchObject({ session: 's2' })
  })

  it.each(['sent', 'not-sent'] as const)('may come after the code was typed: %s', (result) => {
    const number = driveLedger()
    const outcome = number.book()
    number.verify('approved')
    number.settleSend(outcome, { result })
    expect(number.challenge).toBeUndefined()
    expect(number.ledger.sends).toHaveLength(result === 'sent' ? 1 : 0)
  })

  it('keeps the earlier code good when a resend fails', ({ started: number }) => {
    number.wait(minute)
    number.resend({}, { result: 'failed' })
    number.wait(2 * minute)
    number.resend({}, { result: 'not-sent' })
    expect(number.reserve().outcome).toMatchObject({ outcome: 'reserved' })
  })

  it('leaves the earlier challenge as it was when the send that was to replace it never left', () => {
    const number = driveLedger()
    const first = number.start()
    number.verify('rejected')
    number.wait(minute)
    const outcome = number.book({ session: 's2', purpose: 'transfer' })
    number.verify('rejected', { session: 's2' })
    number.settleSend(outcome, { result: 'not-sent' })
    expect(number.reserve().outcome).toMatchObject({
      outcome: 'reserved',
      // The guess at the one that was never sent stays spent: the code upstream is the same.
      challenge: {
        id: first.outcome === 'booked' ? first.challenge.id : '',
        attempts: { stranger: 3 },
      },
    })
  })

  it.each(['not-sent', 'failed', 'misconfigured'] as const)(
    'brings no code back that was ended at the provider before a send was %s',
    (result) => {
      const number = driveLedger()
      number.start({}, { result: 'sent', handle: 'first' })
      number.verify('rejected')
      number.wait(minute)
      const outcome = number.book({ purpose: 'transfer' })
      expect(outcome).toMatchObject({ outcome: 'booked', previousHandle: 'first' })
      number.settleSend(outcome, { result, cancelled: true })
      expect(number.reserve().outcome).toMatchObject(refusal('challenge_gone'))
      // What was typed stays spent.
      number.wait(2 * minute)
      expect(number.start()).toMatchObject({ challenge: { attempts: { stranger: 1 } } })
    },
  )

  it('names the handle of the last code of the number that may still live, whoever asked for it', () => {
    const number = driveLedger({ ...ledgerLimits, cooldownMs: [0] })
    const handleOf = (who: object) => (number.book(who) as { previousHandle?: string }).previousHandle
    number.start({}, { result: 'sent', handle: 'first' })
    number.start({ known: true, session: 's2' }, { result: 'sent', handle: 'second', lifetimeMs: 8 * minute })
    number.start({ known: true, session: 's2', place: 'office' }, { result: 'sent', handle: 'elsewhere' })
    number.cancel({ known: true, session: 's2' })
    expect(handleOf({ purpose: 'transfer' })).toBe('second')
    expect(handleOf({ place: 'office', purpose: 'transfer' })).toBe('elsewhere')
    expect(handleOf({ place: 'third', purpose: 'transfer' })).toBeUndefined()
    number.wait(8 * minute)
    expect(handleOf({ purpose: 'login' })).toBeUndefined()
    const fresh = startedLedger()
    fresh.wait(minute)
    expect(
      (fresh.book({ purpose: 'transfer' }) as { previousHandle?: string }).previousHandle,
    ).toBeUndefined()
  })

  it('keeps the handle of the challenge that lives, when an earlier send is heard of late', () => {
    const number = driveLedger({ ...ledgerLimits, cooldownMs: [0] })
    const late = number.book()
    number.start({ session: 's2' }, { result: 'sent', handle: 'own' })
    number.settleSend(late, { result: 'sent', handle: 'late' })
    expect(number.reserve({ session: 's2' }).outcome).toMatchObject({ handle: 'own' })
  })

  it('forgets the handle of a code that was typed, or ended at the provider', () => {
    const number = driveLedger({ ...ledgerLimits, cooldownMs: [0] })
    number.start({}, { result: 'sent', handle: 'used' })
    number.verify('approved')
    expect(number.ledger.handles).toEqual([])
    number.start({}, { result: 'sent', handle: 'ended' })
    number.start({ purpose: 'transfer' }, { result: 'failed', cancelled: true })
    expect(number.ledger.handles).toEqual([])
  })

  it.each([
    ['sent', 'sent', 'challenge-2'],
    ['unconfirmed', 'unconfirmed', 'challenge-2'],
    ['foreign-number', 'sent', undefined],
    ['failed', 'refused', undefined],
    ['misconfigured', 'refused', undefined],
    ['not-sent', undefined, undefined],
  ] as const)('leaves of a send that was %s what may be typed, and what became of it', (...row) => {
    const [result, state, id] = row
    const number = driveLedger()
    const outcome = number.book()
    number.settleSend(outcome, { result })
    expect(number.ledger.sends[0]?.state).toBe(state)
    expect(number.challenge?.id).toBe(id)
  })

  it('says that nothing may be typed for a code that others got, whatever was typed before', () => {
    const number = driveLedger()
    const outcome = number.book()
    number.verify('rejected')
    number.settleSend(outcome, { result: 'foreign-number' })
    expect(number.challenge).toMatchObject({ expiresAt: 0, attempts: { stranger: 1 } })
  })

  it('is over once the provider has refused: a late success changes nothing', ({ started: number }) => {
    number.wait(minute)
    const outcome = number.book({ purpose: 'transfer' })
    number.settleSend(outcome, { result: 'failed' })
    const settled = number.ledger
    number.settleSend(outcome, { result: 'sent', handle: 'late' })
    expect(number.ledger).toBe(settled)
  })

  it('does nothing for a send that was given back already', ({ fresh: number }) => {
    const outcome = number.book()
    number.settleSend(outcome, { result: 'not-sent' })
    const settled = number.ledger
    number.settleSend(outcome, { result: 'not-sent' })
    expect(number.ledger).toBe(settled)
  })

  it('revives no challenge that was cancelled while the send was under way', ({ fresh: number }) => {
    const outcome = number.book()
    number.verify('rejected')
    number.cancel()
    number.settleSend(outcome, { result: 'sent' })
    expect(number.challenge).toHaveProperty('expiresAt', 0)
  })

  it('leaves the challenge alone that replaced the one it was for', () => {
    const number = driveLedger({ ...ledgerLimits, cooldownMs: [] })
    const outcome = number.book()
    number.start({ session: 's2' }, { result: 'sent', lifetimeMs: 120_000 })
    number.settleSend(outcome, { result: 'sent', lifetimeMs: 600_000 })
    expect(number.challenge).toMatchObject({ session: 's2', expiresAt: number.now + 120_000 })
  })
})

describe('resending', () => {
  it('keeps id, attempts and deadline, and takes the channel it is given', ({ fresh: number }) => {
    const first = number.start()
    number.verify('rejected')
    number.wait(minute)
    const again = number.resend({ channel: 'call' })
    const id = first.outcome === 'booked' && first.challenge.id
    expect(again).toMatchObject({
      outcome: 'booked',
      challenge: { id, attempts: { stranger: 1 }, channel: 'call' },
    })
    expect(number.challenge?.maxExpiresAt).toBe(number.now + 9 * minute)
  })

  it('never carries a challenge past ten minutes from its first send', ({ fresh: number }) => {
    number.start({}, { result: 'sent', lifetimeMs: 9 * minute })
    number.wait(8 * minute)
    number.resend()
    number.wait(2 * minute - 1)
    expect(number.reserve().outcome).toMatchObject({ outcome: 'reserved' })
    number.wait(1)
    expect(number.reserve().outcome).toMatchObject({ code: 'challenge_gone' })
  })

  it('that the provider refuses leaves the challenge with the channel its code came by', () => {
    const number = startedLedger({ ...ledgerLimits, cooldownMs: [minute] })
    for (const refused of ['failed', 'not-sent'] as const) {
      number.wait(minute)
      expect(number.resend({ channel: 'call' }, { result: refused })).toMatchObject({ outcome: 'booked' })
      expect(number.challenge?.channel).toBe('sms')
    }
  })

  it('takes back what was called wrong before its handle was known', () => {
    const number = startedLedger({ ...ledgerLimits, cooldownMs: [minute] })
    number.wait(minute)
    const booked = number.bookAgain()
    number.verify('rejected', {}, 'new-code')
    expect(number.challenge?.wrongCodes).toEqual(['new-code'])
    number.settleSend(booked, { result: 'sent', lifetimeMs: 600_000 })
    expect(number.challenge).toMatchObject({ attempts: { stranger: 1 }, wrongCodes: undefined })
  })
})

describe('what is told of the code of a challenge', () => {
  const toldIn = (number: Driver) => number.challenge && deliveryOf(number.view, number.challenge)

  it.each(['sent', 'unconfirmed'] as const)('is that it was %s, once that is known', (result) => {
    const number = driveLedger()
    const booked = number.book() as Booked
    expect(toldIn(number)).toBe('booked')
    number.settleSend(booked, { result })
    expect(toldIn(number)).toBe(result)
  })

  it('is nothing certain once its booking is lost', ({ fresh: number }) => {
    number.book()
    number.wait(11_999)
    expect(toldIn(number)).toBe('booked')
    number.wait(1)
    expect(toldIn(number)).toBe('unconfirmed')
  })

  it('is that of the last one that the provider did not refuse', ({ started: number }) => {
    number.wait(minute)
    number.resend({}, { result: 'failed' })
    expect(toldIn(number)).toBe('sent')
    number.wait(2 * minute)
    number.resend({}, { result: 'unconfirmed' })
    expect(toldIn(number)).toBe('unconfirmed')
  })
})
