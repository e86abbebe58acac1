import { describe, expect } from 'vitest'
import type { SendResult } from '../../../src/challenge/code-provider.js'
import { reserve } from '../../../src/challenge/ledger/attempts.js'
import { type Booked, goBack, type ResendOnLedger, resend } from '../../../src/challenge/ledger/sends.js'
import { ledgerLimitsOf } from '../../../src/challenge/limits.js'
import { figure } from '../../prove/figure.js'
import { hour, ledgerLimits, limits, minute, refusal } from '../kit.js'
import { driveLedger, it, startedLedger } from './driver.js'

type Driver = ReturnType<typeof driveLedger>

describe('starting a challenge', () => {
  it('gives the same session, subject, purpose and bound hash its live challenge back during the cooldown', () => {
    const number = driveLedger()
    const first = number.start({ bound: 'b' })
    number.wait(59_999)
    const again = number.start({ bound: 'b' })
    expect(again).toMatchObject({ outcome: 'live' })
    expect(again).toHaveProperty('challenge.id', first.outcome === 'booked' && first.challenge.id)
    expect(number.budget.sends).toHaveLength(1)
  })

  it.each([
    ['another session', { session: 's2' }],
    ['another subject', { subject: 'bob' }],
    ['another purpose', { purpose: 'transfer' }],
    ['other bound fields', { bound: 'c' }],
  ])('refuses %s during the cooldown and says how long', (_, other) => {
    const number = startedLedger()
    number.wait(10_000)
    expect(number.start(other)).toEqual(refusal('resend_too_soon', 50_000))
  })

  it('takes no code of an app for a text message that has to wait', () => {
    const number = driveLedger()
    number.start({ channel: 'app', known: true })
    number.start({ channel: 'app' })
    expect(number.start({ channel: 'sms' })).toEqual(refusal('resend_too_soon', 10 * minute))
    expect(number.start({ channel: 'app' })).toMatchObject({ outcome: 'live' })
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
    expect(number.budget.sends).toMatchObject([{ at: number.now }])
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

  it('counts a call as two, and sends a text where a call finds no room', () => {
    const number = driveLedger({ ...ledgerLimits, cooldownMs: [minute] })
    const by = (channel: string) => {
      const { outcome } = number.start({ channel })
      number.wait(minute)
      return outcome
    }
    const asked = ['call', 'call', 'call', 'sms', 'sms'] as const
    expect(asked.map(by)).toEqual(['booked', 'booked', 'refused', 'booked', 'refused'])
    number.wait(55 * minute)
    expect(number.start({ channel: 'call' })).toMatchObject({ outcome: 'booked' })
  })

  it('calls no number more often than the caps on cost let it, approved or not', () => {
    const number = driveLedger({ ...ledgerLimits, cooldownMs: [0], allSendsPerHour: 5 })
    for (let calls = 0; calls < 2; calls += 1) {
      expect(number.start({ channel: 'call' })).toMatchObject({ outcome: 'booked' })
      number.verify('approved')
    }
    expect(number.start({ channel: 'call' })).toEqual(refusal('send_limit', hour))
    expect(number.start({ channel: 'sms' })).toMatchObject({ outcome: 'booked' })
  })

  it('admits one call by a limit of one', () => {
    const number = driveLedger({ ...ledgerLimits, sendsPerHour: 1, cooldownMs: [0] })
    expect(number.start({ channel: 'call' })).toMatchObject({ outcome: 'booked' })
    for (const channel of ['call', 'sms']) {
      expect(number.start({ channel })).toEqual(refusal('send_limit', hour))
    }
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
    for (const channel of ['call', 'sms']) {
      expect(number.start({ channel })).toEqual(refusal('send_limit', hour))
    }
  })
})

describe('a start that replaces a challenge', () => {
  it.each([
    ['in the same session', { session: 's1' }],
    ['in another session', { session: 's2' }],
    ['for another subject', { subject: 'bob' }],
    ['for another purpose', { purpose: 'transfer' }],
  ])('inherits its attempts %s', (where, other) => {
    const number = startedLedger()
    for (let wrong = 0; wrong < 4; wrong += 1) number.verify('rejected')
    number.wait(minute)
    expect(number.start(other)).toMatchObject({ outcome: 'booked', challenge: { attempts: 4 } })
    figure(4, `a start ${where} gives 0 of 4 attempts back`)
  })

  it('is refused with no attempts left until the replaced one expires, exactly then it is fresh', () => {
    const number = startedLedger()
    for (let wrong = 0; wrong < 5; wrong += 1) number.verify('rejected')
    expect(number.start()).toMatchObject({ code: 'attempts_exhausted', retryAfterMs: 10 * minute })
    number.wait(10 * minute - 1)
    expect(number.start({ session: 's2' })).toMatchObject({ code: 'attempts_exhausted', retryAfterMs: 1 })
    number.wait(1)
    expect(number.start()).toMatchObject({ outcome: 'booked', challenge: { attempts: 0 } })
  })

  it('keeps what was guessed before for as long as it would have been kept, though it expires earlier itself', () => {
    const number = driveLedger()
    number.start({ channel: 'app' })
    for (let wrong = 0; wrong < 4; wrong += 1) number.verify('rejected')
    number.start({}, { result: 'sent', lifetimeMs: 2 * minute })
    expect(number.verify('rejected')).toMatchObject({ attemptsRemaining: 0 })
    expect(number.verify('rejected')).toEqual(refusal('attempts_exhausted', 10 * minute))
    number.wait(10 * minute - 1)
    expect(number.start({ session: 's2' })).toEqual(refusal('attempts_exhausted', 1))
    number.wait(1)
    expect(number.start()).toMatchObject({ outcome: 'booked', challenge: { attempts: 0 } })
    figure(4, 'a code that expires before the one that it replaced gives 0 of 4 attempts back')
  })

  it.each([
    ['a resend', (number: Driver, sent: SendResult) => number.resend({}, sent)],
    ['a start', (number: Driver, sent: SendResult) => number.start({ session: 's2' }, sent)],
  ])('keeps what was guessed after %s whose code lives shorter than the one before', (_, again) => {
    const number = startedLedger()
    number.wait(minute)
    again(number, { result: 'sent', lifetimeMs: minute })
    const { session = '' } = number.budget.challenge ?? {}
    for (let wrong = 0; wrong < 5; wrong += 1) number.verify('rejected', { session })
    number.wait(9 * minute - 1)
    expect(number.start()).toEqual(refusal('attempts_exhausted', 1))
    number.wait(1)
    expect(number.start()).toMatchObject({ outcome: 'booked', challenge: { attempts: 0 } })
  })

  it('asks for the end of no code that has ended by itself', () => {
    const number = startedLedger()
    number.verify('rejected')
    number.wait(minute)
    number.start({}, { result: 'sent', lifetimeMs: minute, handle: 'handle' })
    expect(number.budget.challenge).toMatchObject({ handle: 'handle' })
    number.wait(3 * minute)
    expect(number.start()).toMatchObject({ outcome: 'booked', previousHandle: undefined })
  })

  it('does so when its send fails, too', () => {
    const number = startedLedger()
    for (let wrong = 0; wrong < 3; wrong += 1) number.verify('rejected')
    number.wait(minute)
    number.start({}, { result: 'failed' })
    number.wait(8 * minute)
    expect(number.start()).toMatchObject({ outcome: 'booked', challenge: { attempts: 3 } })
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
  const expiry = (sent: Parameters<ReturnType<typeof driveLedger>['settleSend']>[1]) => {
    const number = driveLedger()
    number.start({}, sent)
    return (number.budget.challenge?.expiresAt ?? Number.NaN) - number.now
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
    expect(number.budget.sends).toEqual([])
    expect(number.start()).toMatchObject({ outcome: 'booked' })
  })

  it('voids a challenge whose code went to another number as well', ({ started: number }) => {
    number.wait(minute)
    number.verify('rejected')
    number.resend({}, { result: 'foreign-number' })
    expect(number.reserve().outcome).toMatchObject({ code: 'challenge_gone' })
    number.wait(2 * minute)
    // What was typed stays spent.
    expect(number.start()).toMatchObject({ outcome: 'booked', challenge: { attempts: 1 } })
  })

  it('gives a send back whose challenge was replaced, whatever was typed for the other', () => {
    const number = driveLedger({ ...ledgerLimits, cooldownMs: [] })
    const outcome = number.book()
    number.start({ session: 's2' })
    number.verify('rejected', { session: 's2' })
    number.settleSend(outcome, { result: 'not-sent' })
    expect(number.budget.sends).toHaveLength(1)
  })

  it.each(['sent', 'not-sent'] as const)('may come after the code was typed: %s', (result) => {
    const number = driveLedger()
    const outcome = number.book()
    number.verify('approved')
    number.settleSend(outcome, { result })
    expect(number.budget.challenge).toBeUndefined()
    expect(number.budget.sends).toHaveLength(result === 'sent' ? 1 : 0)
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
      challenge: { id: first.outcome === 'booked' ? first.challenge.id : '', attempts: 3 },
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
      expect(number.start()).toMatchObject({ challenge: { attempts: 1 } })
    },
  )

  it('names the newest handle of both kinds of browser, that of a challenge without one never', () => {
    const number = driveLedger()
    const handleOf = (who: object) => (number.book(who) as { previousHandle?: string }).previousHandle
    number.start({}, { result: 'sent', handle: 'of strangers' })
    number.verify('rejected')
    number.wait(minute)
    number.start({ known: true }, { result: 'sent', handle: 'of a known browser' })
    number.wait(2 * minute)
    expect(handleOf({ known: true, purpose: 'transfer' })).toBe('of a known browser')
    const fresh = startedLedger()
    fresh.wait(minute)
    expect(
      (fresh.book({ purpose: 'transfer' }) as { previousHandle?: string }).previousHandle,
    ).toBeUndefined()
  })

  it.each([
    ['live', () => {}],
    ['cancelled', (number: ReturnType<typeof driveLedger>) => number.cancel()],
  ])('keeps a send that never left when codes were typed for it meanwhile: %s', (_, end) => {
    const number = driveLedger()
    const outcome = number.book()
    number.verify('rejected')
    end(number)
    number.settleSend(outcome, { result: 'not-sent' })
    expect(number.budget.sends).toHaveLength(1)
    expect(number.start()).toMatchObject({ code: 'resend_too_soon' })
  })

  it.each([
    ['sent', {}, 'challenge-2'],
    ['unconfirmed', {}, 'challenge-2'],
    ['foreign-number', {}, undefined],
    ['failed', { uncounted: true }, undefined],
    ['misconfigured', { uncounted: true }, undefined],
    ['not-sent', { uncounted: true }, undefined],
  ] as const)('leaves of a send that was %s what may be typed, and whether it costs anything', (...row) => {
    const [result, told, id] = row
    const number = driveLedger()
    const outcome = number.book()
    expect(number.settleSend(outcome, { result })).toEqual(told)
    expect(number.budget.challenge?.id).toBe(id)
  })

  it('says that nothing may be typed for a code that others got, whatever was typed before', () => {
    const number = driveLedger()
    const outcome = number.book()
    number.verify('rejected')
    expect(number.settleSend(outcome, { result: 'foreign-number' })).toEqual({})
    expect(number.budget.challenge).toMatchObject({ expiresAt: 0, attempts: 1 })
  })

  it('is over once the provider has refused: a late success changes nothing', ({ started: number }) => {
    number.wait(minute)
    const outcome = number.book({ purpose: 'transfer' })
    number.settleSend(outcome, { result: 'failed' })
    const settled = number.ledger
    expect(number.settleSend(outcome, { result: 'sent', handle: 'late' })).toEqual({})
    expect(number.ledger).toBe(settled)
  })

  it('does nothing for a send that was given back already', ({ fresh: number }) => {
    const outcome = number.book()
    number.settleSend(outcome, { result: 'not-sent' })
    const settled = number.ledger
    expect(number.settleSend(outcome, { result: 'not-sent' })).toEqual({})
    expect(number.ledger).toBe(settled)
  })

  it('revives no challenge that was cancelled while the send was under way', ({ fresh: number }) => {
    const outcome = number.book()
    number.verify('rejected')
    number.cancel()
    expect(number.settleSend(outcome, { result: 'sent' })).toEqual({})
    expect(number.budget.challenge).toHaveProperty('expiresAt', 0)
  })

  it('leaves the challenge alone that replaced the one it was for', () => {
    const number = driveLedger({ ...ledgerLimits, cooldownMs: [] })
    const outcome = number.book()
    number.start({ session: 's2' }, { result: 'sent', lifetimeMs: 120_000 })
    expect(number.settleSend(outcome, { result: 'sent', lifetimeMs: 600_000 })).toEqual({})
    expect(number.budget.challenge).toMatchObject({ session: 's2', expiresAt: number.now + 120_000 })
  })
})

describe('resending', () => {
  it('keeps id, attempts and deadline, and takes the channel it is given', ({ fresh: number }) => {
    const first = number.start()
    number.verify('rejected')
    number.wait(minute)
    const again = number.resend({ channel: 'call' })
    const id = first.outcome === 'booked' && first.challenge.id
    expect(again).toMatchObject({ outcome: 'booked', challenge: { id, attempts: 1, channel: 'call' } })
    expect(number.budget.challenge?.maxExpiresAt).toBe(number.now + 9 * minute)
    number.wait(2 * minute)
    expect(number.resend()).toMatchObject({ challenge: { channel: 'call' } })
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
      expect(number.budget.challenge?.channel).toBe('sms')
    }
  })

  it('takes another channel once its code has gone out', ({ started: number }) => {
    number.wait(minute)
    const { id } = (number.resend({ channel: 'call' }, { result: 'unconfirmed' }) as Booked).challenge
    expect(number.budget.challenge).toMatchObject({ id, channel: 'call' })
    number.wait(2 * minute)
    const order = { ...number.budget.challenge, sendId: 'text', channel: 'sms', shown: {} } as const
    const booked = number.run((view) => resend(view, order as ResendOnLedger))
    // The order says how to send, the challenge how the code came that may be typed now.
    expect(booked).toMatchObject({ challenge: { channel: 'sms' } })
    expect(number.budget.challenge?.channel).toBe('call')
  })

  it('takes back what was called wrong before its handle was known', () => {
    const number = startedLedger({ ...ledgerLimits, cooldownMs: [minute] })
    number.wait(minute)
    const { budget, session, subject } = { budget: 'strangers', session: 's1', subject: 'ana' } as const
    const order = { budget, session, subject, shown: {}, sendId: 'second' }
    const booked = number.run((view) => resend(view, order))
    const attempt = { budget, session, subject, shown: {}, id: 'early', code: 'new-code' }
    number.run((view) => reserve(view, attempt))
    number.settle('early', 'rejected')
    expect(number.budget.challenge?.wrongCodes).toEqual(['new-code'])
    number.settleSend(booked, { result: 'sent', lifetimeMs: 600_000 })
    expect(number.budget.challenge).toMatchObject({ attempts: 1, wrongCodes: undefined })
  })
})

describe('going back to a challenge elsewhere', () => {
  /** That of another number of the same subject, begun `ms` later. */
  function later(ms: number) {
    const number = startedLedger()
    const { challenge: first } = number.budget
    if (first === undefined) throw new Error('no challenge')
    const elsewhere = driveLedger(ledgerLimits, number.now + ms)
    elsewhere.start({ channel: 'call' })
    const back = () => elsewhere.run((view) => goBack(view, first))
    return { first, elsewhere, back }
  }

  it('keeps what was tried there, and the later end of both', () => {
    const { first, elsewhere, back } = later(minute)
    elsewhere.verify('rejected')
    const { challenge: second } = elsewhere.budget
    expect(back()).toBe('live')
    expect(elsewhere.budget.challenge).toEqual({
      ...first,
      attempts: 1,
      expiresAt: second?.expiresAt,
      maxExpiresAt: second?.maxExpiresAt,
    })
    elsewhere.wait(minute)
    elsewhere.start({ session: 's2' }, { result: 'sent', lifetimeMs: minute })
    expect(back()).toBe('live')
    expect(elsewhere.budget.challenge).toMatchObject({ attempts: 1, spentUntil: second?.expiresAt })
    // And the other way round.
    const { first: newer, elsewhere: older, back: forth } = later(-minute)
    expect(forth()).toBe('live')
    expect(older.budget.challenge).toEqual(newer)
  })

  it.each([
    [
      'no attempt is left',
      (number: Driver) => {
        for (let i = 0; i < 5; i += 1) number.verify('rejected')
      },
    ],
    ['it was given up', (number: Driver) => number.cancel()],
    ['it has expired', (number: Driver) => number.wait(10 * minute)],
  ])('changes nothing where %s', (_name, happens) => {
    const { elsewhere, back } = later(minute)
    happens(elsewhere)
    const before = elsewhere.ledger
    expect(back()).toBe('gone')
    expect(elsewhere.ledger).toBe(before)
  })
})
