import { describe, expect } from 'vitest'
import { minute } from './kit.js'
import { ana, createService, it, rightCode } from './service.js'

const login = { ...ana, purpose: 'login' }

/** What an event says of a challenge of Ana's. */
const aboutAna = (started: object, more: object = {}) => ({
  challengeId: 'challenge' in started && (started.challenge as { id: string }).id,
  purpose: 'login',
  lane: 'auth',
  channel: 'sms',
  subject: 'ana',
  country: 'CO',
  ...more,
})

describe('events', () => {
  it('name the refused requester, the refusal and the counter that refused', async () => {
    const { challenges, events } = createService({ limits: { sendsPerAddressPer10Min: 0 } })
    await challenges.start({ ...login, address: '203.0.113.7' })
    await challenges.resend({ ...ana, lane: 'enrol' })
    await challenges.verify({ ...ana, code: 'wrong1' })
    const refused = { type: 'request.refused', code: 'challenge_gone', lane: 'auth', subject: 'ana' }
    expect(events).toStrictEqual([
      { ...refused, command: 'start', code: 'send_limit', limit: 'address' },
      { ...refused, command: 'resend', lane: 'enrol' },
      { ...refused, command: 'verify' },
    ])
  })

  it('describe a sign-in without number, code or session', async ({ service }) => {
    const { challenges, provider, wait, events, eventTypes } = service
    provider.send = () => ({ result: 'unconfirmed' })
    await challenges.start(login)
    await challenges.verify({ ...ana, code: 'wrong1' })
    wait(minute)
    provider.send = () => ({ result: 'sent' })
    await challenges.start({ ...login, session: 'session-2' })
    await challenges.cancel({ ...ana, session: 'session-2' })
    await challenges.cancel({ ...ana, session: 'session-2' })
    wait(2 * minute)
    await challenges.start(login)
    await challenges.verify({ ...ana, code: rightCode })
    provider.send = () => ({ result: 'misconfigured' })
    await challenges.start({ ...ana, purpose: 'transfer' }).catch(() => undefined)
    expect(eventTypes()).toEqual([
      'challenge.started',
      'provider.unavailable',
      'challenge.unconfirmed',
      'challenge.rejected',
      'challenge.started',
      'challenge.superseded',
      'challenge.sent',
      'challenge.cancelled',
      'challenge.started',
      'challenge.sent',
      'challenge.approved',
      'challenge.started',
      'provider.misconfigured',
      'challenge.undelivered',
    ])
    expect(JSON.stringify(events)).not.toMatch(/300123|session-|123456|wrong1/)
  })

  it('contain the age of the approved code since its last send', async () => {
    const { challenges, events, wait } = createService({ name: 'acme-sms' })
    const about = aboutAna(await challenges.start(login), { provider: 'acme-sms', durationMs: 0 })
    wait(minute)
    await challenges.resend(ana)
    wait(minute / 2)
    await challenges.verify({ ...ana, code: rightCode })
    expect(events.slice(-2)).toStrictEqual([
      { type: 'challenge.sent', ...about },
      { type: 'challenge.approved', ageMs: minute / 2, ...about },
    ])
  })

  it('distinguish a wrong code from a used code, which the provider did not check', async ({
    challenges,
    events,
    provider,
  }) => {
    const transfer = { ...ana, purpose: 'transfer', displayed: { purpose: 'transfer' } }
    await challenges.start(login)
    await challenges.verify({ ...ana, code: rightCode })
    const rejected = {
      type: 'challenge.rejected',
      ...aboutAna(await challenges.start(transfer), { purpose: 'transfer' }),
    }
    await challenges.verify({ ...transfer, code: rightCode })
    expect(events.at(-1)).toStrictEqual({ ...rejected, attemptsRemaining: 4, inARow: 1, used: true })
    expect(provider.checks).toHaveLength(1)
    const exchange = { operation: 'verifyCode', httpStatus: 200 }
    provider.report = exchange
    await challenges.verify({ ...transfer, code: 'wrong1' })
    expect(events.at(-1)).toStrictEqual({
      ...rejected,
      ...exchange,
      durationMs: 0,
      attemptsRemaining: 3,
      inARow: 2,
      used: false,
    })
  })

  it('contain the reason if a code was not delivered', async ({ challenges, events, provider }) => {
    provider.report = { operation: 'sendSmsCode', reason: 'answer' }
    provider.send = () => ({ result: 'foreign-number' })
    await challenges.start(login).catch(() => undefined)
    expect(events.at(-1)).toStrictEqual({
      type: 'challenge.undelivered',
      reason: 'foreign-number',
      operation: 'sendSmsCode',
      failure: 'answer',
      durationMs: 0,
      ...aboutAna({}, { challengeId: expect.any(String) }),
    })
  })

  it('report a superseded challenge only if the send was made', async ({
    challenges,
    events,
    eventTypes,
    provider,
    wait,
  }) => {
    const superseded = { type: 'challenge.superseded', ...aboutAna(await challenges.start(login)) }
    wait(minute)
    provider.send = () => ({ result: 'not-sent' })
    const other = { ...login, session: 'session-2' }
    await challenges.start(other).catch(() => undefined)
    expect(eventTypes()).not.toContain('challenge.superseded')
    provider.send = () => ({ result: 'sent' })
    await challenges.start(other)
    expect(events).toContainEqual(superseded)
  })

  it('name the challenge that was cancelled, locked its number or disabled it', async () => {
    const { challenges, events, wait } = createService({
      limits: { failuresBeforeLock: 1, failuresBeforeDisable: 2 },
    })
    const first = aboutAna(await challenges.start(login))
    await challenges.verify({ ...ana, code: 'wrong1' })
    expect(events.at(-1)).toStrictEqual({ type: 'subject.locked', lockedForMs: 15 * minute, ...first })
    await challenges.cancel(ana)
    expect(events.at(-1)).toStrictEqual({ type: 'challenge.cancelled', ...first })
    wait(15 * minute)
    const second = aboutAna(await challenges.start(login))
    await challenges.verify({ ...ana, code: 'wrong2' })
    expect(events.at(-1)).toStrictEqual({ type: 'subject.disabled', ...second })
  })

  it('name a number that was disabled by the answer to a challenge that was replaced meanwhile', async () => {
    const { challenges, provider, eventTypes } = createService({
      limits: { failuresBeforeDisable: 1, cooldownMs: [0] },
    })
    await challenges.start(login)
    provider.check = () => challenges.start({ ...ana, purpose: 'transfer' }).then(() => 'rejected')
    expect(await challenges.verify({ ...ana, code: 'wrong1' })).toMatchObject({ outcome: 'refused' })
    expect(eventTypes()).toContain('subject.disabled')
  })
})
