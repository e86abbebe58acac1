import { describe, expect } from 'vitest'
import type { SendResult } from '../../../src/challenge/exchange/code-provider.js'
import { deliveryOf } from '../../../src/challenge/ledger/delivery.js'
import { signupLimitsOf } from '../../../src/challenge/limits.js'
import { figure } from '../../prove/figure.js'
import { day, hour, ledgerLimits, limits, minute, refusal } from '../kit.js'
import { type Driver, driveLedger, it, startedLedger } from './driver.js'

/** Of a start by anybody else, who is not given back the challenge that lives. */
const other = { session: 's2' }
const noPause = { ...ledgerLimits, cooldownMs: [] }

describe('starting a challenge', () => {
  it('returns its own challenge during the cooldown, and refuses other requests', () => {
    const account = driveLedger()
    account.start({ bound: 'b' })
    account.wait(59_999)
    expect(account.start({ bound: 'b' })).toMatchObject({ outcome: 'live', challenge: account.challenge })
    for (const others of [other, { purpose: 'transfer', bound: 'b' }, { bound: 'c' }]) {
      expect(account.start(others)).toEqual(refusal('resend_too_soon', 1))
    }
    expect(account.ledger.sends).toHaveLength(1)
  })

  it('pauses 60, 120, 300 and again 300 seconds, exactly', ({ fresh: account }) => {
    for (const pause of [60_000, 120_000, 300_000, 300_000]) {
      expect(account.start()).toMatchObject({ outcome: 'booked' })
      account.wait(pause - 1)
      expect(account.start(other)).toEqual(refusal('resend_too_soon', 1))
      account.wait(1)
    }
    expect(account.start()).toMatchObject({ outcome: 'booked' })
  })

  it.each([
    ['an hour lies between two sends', hour, 60_000],
    ['a moment less lies between them', hour - 1, 120_000],
  ])('pauses as after the first or second send when %s', (_, between, pause) => {
    const account = startedLedger()
    account.wait(between)
    account.start()
    expect(account.start(other)).toEqual(refusal('resend_too_soon', pause))
  })

  it('keeps no send for longer than a day, exactly', ({ started: account }) => {
    account.wait(day)
    account.start()
    expect(account.ledger.sends).toMatchObject([{ at: account.now }])
  })

  it('remembers a refused send for as long as a cooldown may depend on it', ({ fresh: account }) => {
    for (let sends = 0; sends < 24 * 20; sends += 1) {
      account.start({ channel: sends % 2 ? 'call' : 'sms' }, { result: 'failed' })
      account.wait(3 * minute)
    }
    expect(account.ledger.sends).toHaveLength(22)
  })

  it('sends five times an hour, and again exactly when the first is an hour old', () => {
    const account = driveLedger({ ...ledgerLimits, cooldownMs: [minute] })
    for (let sends = 0; sends < 5; sends += 1) {
      expect(account.start()).toMatchObject({ outcome: 'booked' })
      account.wait(minute)
    }
    expect(account.start()).toEqual(refusal('send_limit', 55 * minute))
    account.wait(55 * minute - 1)
    expect(account.start()).toEqual(refusal('send_limit', 1))
    account.wait(1)
    expect(account.start()).toMatchObject({ outcome: 'booked' })
  })

  it('sends ten times a day', ({ fresh: account }) => {
    let sent = 0
    for (let hours = 0; hours < 23; hours += 1) {
      if (account.start().outcome === 'booked') sent += 1
      account.wait(hour)
    }
    expect(sent).toBe(10)
    expect(account.start()).toEqual(refusal('send_limit', hour))
  })

  it('counts a call as two, refuses it where fewer are left, and the text still goes', () => {
    const outcomesOf = (sendsPerHour: number, channels: readonly ('call' | 'sms')[]) => {
      const account = driveLedger({ ...ledgerLimits, cooldownMs: [minute], sendsPerHour })
      return channels.map((channel) => {
        const outcome = account.start({ channel })
        account.wait(minute)
        return 'code' in outcome ? outcome.code : outcome.outcome
      })
    }
    expect(outcomesOf(5, ['call', 'call', 'call', 'sms', 'sms'])).toEqual([
      'booked',
      'booked',
      'send_limit',
      'booked',
      'send_limit',
    ])
    // A limit of one admits one call.
    expect(outcomesOf(1, ['call', 'sms'])).toEqual(['booked', 'send_limit'])
  })

  it('pauses each factor separately and counts all of them', () => {
    const account = startedLedger({ ...ledgerLimits, sendsPerHour: 3 })
    expect(account.start({ factor: 'office' })).toMatchObject({ outcome: 'booked' })
    expect(account.start({ factor: 'office', purpose: 'transfer' })).toEqual(
      refusal('resend_too_soon', minute),
    )
    // In this session, too: what was sent before is another code.
    expect(account.start()).toEqual(refusal('resend_too_soon', minute))
    account.wait(minute)
    expect(account.start()).toMatchObject({ outcome: 'booked' })
    expect(account.start({ factor: 'third' })).toMatchObject({ code: 'send_limit' })
  })

  it('pauses only its own channel after a refused send', ({ fresh: account }) => {
    account.start({}, { result: 'failed' })
    const delivery = 'delivery_failed'
    expect(account.start()).toEqual({ ...refusal('resend_too_soon', minute), delivery })
    account.wait(1)
    expect(account.start({ channel: 'call' }, { result: 'failed' })).toMatchObject({ outcome: 'booked' })
    // The second of the place.
    expect(account.start({ channel: 'call' })).toEqual({
      ...refusal('resend_too_soon', 2 * minute),
      delivery,
    })
    account.wait(minute)
    account.start()
    expect(account.start({ channel: 'call', purpose: 'transfer' })).toEqual(
      refusal('resend_too_soon', 5 * minute),
    )
  })

  it('states with the pause what became of the last send, unless a code was sent', () => {
    const account = driveLedger()
    const booked = account.book()
    expect(account.start(other)).toMatchObject({ code: 'resend_too_soon', delivery: 'unconfirmed' })
    account.settleSend(booked, { result: 'sent' })
    expect(account.start(other)).not.toHaveProperty('delivery')
    for (const [result, delivery] of [
      ['unconfirmed', 'unconfirmed'],
      ['misconfigured', 'provider_unavailable'],
      ['foreign-number', 'delivery_failed'],
    ] as const) {
      const failing = driveLedger()
      failing.start({}, { result })
      expect(failing.start(other)).toMatchObject({ code: 'resend_too_soon', delivery })
    }
  })

  it('is sent again without a pause once its booking is lost, exactly then, and counts', () => {
    const account = driveLedger({ ...ledgerLimits, sendsPerHour: 2 })
    const first = account.book()
    account.wait(11_999)
    expect(account.start()).toMatchObject({ outcome: 'live' })
    expect(account.start(other)).toMatchObject({ code: 'resend_too_soon' })
    account.wait(1)
    expect(account.start()).toMatchObject({ outcome: 'booked' })
    expect(account.start(other)).toMatchObject({ code: 'resend_too_soon' })
    account.wait(10 * minute)
    expect(account.start()).toMatchObject({ code: 'send_limit' })
    // What is heard of it after all is kept with it.
    account.settleSend(first, { result: 'sent' })
    expect(account.ledger.sends[0]).toMatchObject({ state: 'sent' })
  })

  it('without a confirmation pauses, and counts at a sign-up only: in the hour, and among the fifty of the day', () => {
    const booked = (limits: typeof ledgerLimits, hours: number) => {
      const account = driveLedger(limits)
      let sent = 0
      for (let turn = 0; turn < 6 * hours; turn += 1) {
        if (account.start({}, { result: 'unconfirmed' }).outcome === 'booked') sent += 1
        expect(account.start(other)).toHaveProperty('code')
        account.wait(10 * minute)
      }
      return sent
    }
    const signup = signupLimitsOf(limits)
    expect([booked(ledgerLimits, 2), booked(signup, 2), booked(signup, 24)]).toEqual([12, 10, 50])
    figure(3, '50 unanswered sends of a sign-up reach one number in a day')
  })
})

describe('a start that replaces a challenge', () => {
  it.each([
    ['in the same session', {}],
    ['in another session', other],
    ['for another purpose', { purpose: 'transfer' }],
  ])('inherits its attempts %s', (where, who) => {
    const account = startedLedger()
    for (let wrong = 0; wrong < 4; wrong += 1) account.verify('rejected')
    account.wait(minute)
    expect(account.start(who)).toMatchObject({ outcome: 'booked', challenge: { attempts: { unknown: 4 } } })
    figure(4, `a start ${where} gives 0 of 4 attempts back`)
  })

  it('is refused with no attempts left until the replaced one expires, exactly then it is fresh', () => {
    const account = startedLedger()
    for (let wrong = 0; wrong < 5; wrong += 1) account.verify('rejected')
    expect(account.start()).toEqual(refusal('attempts_exhausted', 10 * minute))
    account.wait(10 * minute - 1)
    expect(account.start(other)).toEqual(refusal('attempts_exhausted', 1))
    account.wait(1)
    expect(account.start()).toMatchObject({ outcome: 'booked', challenge: { attempts: { unknown: 0 } } })
  })

  it('keeps earlier attempts for their full time although it expires earlier', () => {
    const account = driveLedger()
    account.start({ factor: 'office' })
    for (let wrong = 0; wrong < 4; wrong += 1) account.verify('rejected')
    account.start({}, { result: 'sent', lifetimeMs: 2 * minute })
    expect(account.verify('rejected')).toMatchObject({ attemptsRemaining: 0 })
    expect(account.verify('rejected')).toEqual(refusal('attempts_exhausted', 10 * minute))
    account.wait(10 * minute - 1)
    expect(account.start(other)).toEqual(refusal('attempts_exhausted', 1))
    account.wait(1)
    expect(account.start()).toMatchObject({ outcome: 'booked', challenge: { attempts: { unknown: 0 } } })
    figure(4, 'a code that expires before the one that it replaced gives 0 of 4 attempts back')
  })

  it('keeps attempts after a resend whose code expires before the one it replaces', ({
    started: account,
  }) => {
    account.wait(minute)
    account.resend({}, { result: 'sent', lifetimeMs: minute })
    for (let wrong = 0; wrong < 5; wrong += 1) account.verify('rejected')
    account.wait(9 * minute - 1)
    expect(account.start()).toEqual(refusal('attempts_exhausted', 1))
    account.wait(1)
    expect(account.start()).toMatchObject({ outcome: 'booked', challenge: { attempts: { unknown: 0 } } })
  })
})

describe('settling a send', () => {
  it.each<[string, SendResult, number]>([
    ['the minutes of the provider', { result: 'sent', lifetimeMs: 120_000 }, 120_000],
    ['ten minutes at most', { result: 'sent', lifetimeMs: 86_400_000 }, 600_000],
    ['five minutes when the provider says nothing', { result: 'sent' }, 300_000],
    ['five minutes when its answer was lost', { result: 'unconfirmed' }, 300_000],
  ])('lets a code live for %s', (_, sent, lifetime) => {
    const account = driveLedger()
    account.start({}, sent)
    expect(account.challenge?.expiresAt).toBe(account.now + lifetime)
  })

  it.each([
    ['sent', 'sent', 'challenge-2', 'live'],
    ['unconfirmed', 'unconfirmed', 'challenge-2', 'live'],
    ['foreign-number', 'sent', undefined, 'refused'],
    ['failed', 'refused', undefined, 'refused'],
    ['misconfigured', 'refused', undefined, 'refused'],
    ['not-sent', undefined, undefined, 'booked'],
  ] as const)('keeps the outcome, the attempts and the pause of a send that was %s', (...row) => {
    const [result, state, id, next] = row
    const account = driveLedger()
    account.settleSend(account.book(), { result })
    expect(account.ledger.sends[0]?.state).toBe(state)
    expect(account.challenge?.id).toBe(id)
    expect(account.start().outcome).toBe(next)
  })

  it('ends a challenge whose code also went to another number, and its attempts stay used', ({
    started: account,
  }) => {
    account.wait(minute)
    account.verify('rejected')
    account.resend({}, { result: 'foreign-number' })
    expect(account.reserve().outcome).toMatchObject({ code: 'challenge_gone' })
    account.wait(2 * minute)
    expect(account.start()).toMatchObject({ outcome: 'booked', challenge: { attempts: { unknown: 1 } } })
  })

  it.each(['sent', 'not-sent'] as const)('may come after the code was typed: %s', (result) => {
    const account = driveLedger()
    const outcome = account.book()
    account.verify('approved')
    account.settleSend(outcome, { result })
    expect(account.challenge).toBeUndefined()
    expect(account.ledger.sends).toHaveLength(result === 'sent' ? 1 : 0)
  })

  it('leaves the earlier challenge as it was when the send that was to replace it never left', () => {
    const account = driveLedger()
    account.start()
    account.verify('rejected')
    const id = account.challenge?.id
    account.wait(minute)
    const outcome = account.book({ session: 's2', purpose: 'transfer' })
    account.verify('rejected', other)
    account.settleSend(outcome, { result: 'not-sent' })
    // The guess at the one that was never sent stays spent: the code upstream is the same.
    expect(account.reserve().outcome).toMatchObject({ challenge: { id, attempts: { unknown: 3 } } })
  })

  it.each(['not-sent', 'failed', 'misconfigured'] as const)(
    'brings no code back that was ended at the provider before a send was %s',
    (result) => {
      const account = driveLedger()
      account.start({}, { result: 'sent', handle: 'first' })
      account.verify('rejected')
      account.wait(minute)
      account.start({ purpose: 'transfer' }, { result, cancelled: true })
      expect(account.reserve().outcome).toMatchObject(refusal('challenge_gone'))
      // What was typed stays spent.
      account.wait(2 * minute)
      expect(account.start()).toMatchObject({ challenge: { attempts: { unknown: 1 } } })
    },
  )

  it('is over once the provider has refused: a late success changes nothing', ({ started: account }) => {
    account.wait(minute)
    const outcome = account.book({ purpose: 'transfer' })
    account.settleSend(outcome, { result: 'failed' })
    const settled = account.ledger
    account.settleSend(outcome, { result: 'sent', handle: 'late' })
    expect(account.ledger).toBe(settled)
  })

  it('revives no challenge that was cancelled while the send was under way', ({ fresh: account }) => {
    const outcome = account.book()
    account.verify('rejected')
    account.cancel()
    account.settleSend(outcome, { result: 'sent' })
    expect(account.challenge).toHaveProperty('expiresAt', 0)
  })

  it.each([
    ['sent', 2],
    ['not-sent', 1],
  ] as const)('keeps the challenge that replaced its own: %s', (result, sends) => {
    const account = driveLedger(noPause)
    const outcome = account.book()
    account.start(other, { result: 'sent', lifetimeMs: 120_000 })
    account.settleSend(outcome, { result, lifetimeMs: 600_000 } as SendResult)
    expect(account.challenge).toMatchObject({ session: 's2', expiresAt: account.now + 120_000 })
    expect(account.ledger.sends).toHaveLength(sends)
  })
})

describe('the handle of a code', () => {
  const known = { known: true, session: 's2' }
  /** What the provider is told to have been sent before. */
  const named = (account: Driver, who: object) => {
    const booked = account.book({ purpose: 'transfer', ...who })
    return booked.outcome === 'booked' ? booked.previousHandle : booked.outcome
  }

  it('is passed to the next send to its number while it may be valid, for any requester', () => {
    const account = driveLedger(noPause)
    account.start({}, { result: 'sent', handle: 'first' })
    account.start(known, { result: 'sent', handle: 'second', lifetimeMs: 8 * minute })
    account.start({ ...known, factor: 'office' }, { result: 'sent', handle: 'elsewhere' })
    account.cancel(known)
    expect(named(account, {})).toBe('second')
    expect(named(account, { factor: 'office' })).toBe('elsewhere')
    expect(named(account, { factor: 'third' })).toBeUndefined()
    account.wait(8 * minute)
    expect(named(account, {})).toBeUndefined()
  })

  it('belongs to the live challenge if an earlier send is answered late', () => {
    const account = driveLedger(noPause)
    const late = account.book()
    account.start(other, { result: 'sent', handle: 'own' })
    account.settleSend(late, { result: 'sent', handle: 'late' })
    expect(account.reserve(other).outcome).toMatchObject({ handle: 'own' })
  })

  it('is forgotten once the code was typed, or ended at the provider', () => {
    const account = driveLedger(noPause)
    account.start({}, { result: 'sent', handle: 'used' })
    account.verify('approved')
    expect(account.ledger.handles).toEqual([])
    account.start({}, { result: 'sent', handle: 'ended' })
    account.start({ purpose: 'transfer' }, { result: 'failed' })
    expect(account.ledger.handles).toMatchObject([{ handle: 'ended' }])
    account.start({ purpose: 'transfer' }, { result: 'failed', cancelled: true })
    expect(account.ledger.handles).toEqual([])
  })
})

describe('resending', () => {
  it('keeps id, attempts and deadline, and takes the channel it is given', ({ started: account }) => {
    account.verify('rejected')
    const { id, maxExpiresAt } = account.challenge ?? {}
    expect(account.resend()).toEqual(refusal('resend_too_soon', minute))
    account.wait(minute)
    expect(account.resend({ channel: 'call' })).toMatchObject({
      outcome: 'booked',
      challenge: { id, attempts: { unknown: 1 }, channel: 'call', maxExpiresAt },
    })
  })

  it('sends no code that cannot be submitted any more', ({ started: account }) => {
    for (let wrong = 0; wrong < 5; wrong += 1) account.verify('rejected')
    account.wait(minute)
    expect(account.resend()).toEqual(refusal('attempts_exhausted', 9 * minute))
  })

  it('never carries a challenge past ten minutes from its first send', ({ fresh: account }) => {
    account.start({}, { result: 'sent', lifetimeMs: 9 * minute })
    account.wait(8 * minute)
    account.resend()
    account.wait(2 * minute - 1)
    expect(account.reserve().outcome).toMatchObject({ outcome: 'reserved' })
    account.wait(1)
    expect(account.reserve().outcome).toMatchObject({ code: 'challenge_gone' })
  })

  it('that the provider refuses leaves the earlier code good, and the channel that it came by', () => {
    const account = startedLedger({ ...ledgerLimits, cooldownMs: [minute] })
    for (const refused of ['failed', 'not-sent'] as const) {
      account.wait(minute)
      expect(account.resend({ channel: 'call' }, { result: refused })).toMatchObject({ outcome: 'booked' })
      expect(account.challenge?.channel).toBe('sms')
    }
    expect(account.verify('approved')).toEqual({ outcome: 'approved', channel: 'sms' })
  })

  it('keeps its channel when the first send is heard of late, and has failed', ({ fresh: account }) => {
    const first = account.book()
    account.wait(minute)
    account.resend({ channel: 'call' })
    account.settleSend(first, { result: 'failed' })
    expect(account.verify('approved')).toEqual({ outcome: 'approved', channel: 'call' })
  })

  it('removes a wrong code from before its handle was known', ({ started: account }) => {
    account.wait(minute)
    const booked = account.bookAgain()
    account.verify('rejected', {}, 'new-code')
    expect(account.challenge?.wrongCodes).toEqual(['new-code'])
    account.settleSend(booked, { result: 'sent', lifetimeMs: 600_000 })
    expect(account.challenge).toMatchObject({ attempts: { unknown: 1 }, wrongCodes: undefined })
  })
})

describe('what is told of the code of a challenge', () => {
  const toldIn = (account: Driver) => account.challenge && deliveryOf(account.view, account.challenge)

  it('is nothing certain once its booking is lost', ({ fresh: account }) => {
    account.book()
    account.wait(11_999)
    expect(toldIn(account)).toBe('booked')
    account.wait(1)
    expect(toldIn(account)).toBe('unconfirmed')
    const forgotten = { ...account.view, ledger: { ...account.ledger, sends: [] } }
    expect(account.challenge && deliveryOf(forgotten, account.challenge)).toBe('unconfirmed')
  })

  it('is the state of the last send that the provider did not refuse', ({ started: account }) => {
    account.wait(minute)
    account.resend({}, { result: 'failed' })
    expect(toldIn(account)).toBe('sent')
    account.wait(2 * minute)
    account.resend({}, { result: 'unconfirmed' })
    expect(toldIn(account)).toBe('unconfirmed')
  })
})
