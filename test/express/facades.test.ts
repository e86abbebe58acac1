import { channel } from 'node:diagnostics_channel'
import { describe, expect, it, vi } from 'vitest'
import { createClient, memoryStore, type Store, type TwoFactorEvent, twoFactor } from '../../src/index.js'
import { startProviderStub } from '../provider-stub.js'
import {
  baseOptions,
  ok,
  phones,
  sessionIdOf,
  startHost,
  startLoggedIn,
  startSignedIn,
  stubCodes,
} from './kit.js'

const phone = '+573001234567'

describe('challenges without a request', () => {
  it('follow the same rules', async () => {
    const { tf, clock } = await startHost()
    const actor = { subject: 7, session: 's1', phone }
    const started = await tf.challenges.start({ ...actor, purpose: 'login' })
    expect(started).toMatchObject({
      outcome: 'started',
      delivery: 'sent',
      challenge: { destination: '••••••67' },
    })
    expect(await tf.challenges.resend(actor)).toMatchObject({ outcome: 'refused', code: 'resend_too_soon' })
    expect(await tf.challenges.find(actor)).toMatchObject({ purpose: 'login' })
    expect(await tf.challenges.verify({ ...actor, code: 'no code!' })).toEqual({
      outcome: 'refused',
      code: 'invalid_request',
    })
    expect(await tf.challenges.verify({ ...actor, code: '000000' })).toEqual({
      outcome: 'rejected',
      attemptsRemaining: 4,
    })
    expect(await tf.challenges.verify({ ...actor, code: '482 913' })).toEqual({
      outcome: 'approved',
      purpose: 'login',
      channel: 'sms',
      phone,
    })
    expect(await tf.challenges.start({ ...actor, purpose: 'unheard-of' })).toMatchObject({
      code: 'invalid_request',
    })

    clock.now += 60_000
    await tf.challenges.start({ ...actor, purpose: 'login' })
    await tf.challenges.cancel(actor)
    expect(await tf.challenges.find(actor)).toBeUndefined()
  })

  it('take nothing from a command but what is theirs, so that no body chooses lane, visitor or budget', async () => {
    const { tf, stub } = await startHost({ options: { phone: () => phone } })
    const body = { lane: 'enrol', visitor: 'somebody', requireCode: false, known: true, bypass: true }
    const actor = { subject: 'ana', session: 's1', phone, ...body }
    await tf.challenges.start({ ...actor, purpose: 'login' })
    const mine = { subject: 'ana', session: 's1', phone }
    expect(await tf.challenges.find(mine)).toMatchObject({ purpose: 'login' })
    expect(await tf.challenges.find({ ...actor, session: 's2' })).toBeUndefined()
    expect(await tf.challenges.resend({ ...actor, session: 's2' })).toMatchObject({ outcome: 'refused' })
    expect(await tf.challenges.verify({ ...mine, code: 482_913 as never })).toMatchObject({
      code: 'invalid_request',
    })
    expect(await tf.challenges.verify({ ...actor, code: stub.rightCode })).toMatchObject({
      outcome: 'approved',
      purpose: 'login',
    })
  })

  it('tell every wait in whole milliseconds, whatever the clock and the store say', async () => {
    let time = 1_800_000_000_000.25
    const good = memoryStore()
    const store: Store = {
      ...good,
      increment: (_key, windowMs) => ({ count: 2, resetInMs: 0.3 * windowMs + 0.123 }),
    }
    const { tf } = await startHost({ options: { now: () => time } })
    const actor = { subject: 'ana', session: 's1', phone }
    await tf.challenges.start({ ...actor, purpose: 'login' })
    time += 1.7
    const tooSoon = await tf.challenges.resend(actor)
    const limited = await startHost({ options: { store, limits: { sendsPerAddressPer10Min: 1 } } })
    const here = { ...actor, address: '203.0.113.7', purpose: 'login' }
    const tooMany = await limited.tf.challenges.start(here)
    for (const outcome of [tooSoon, tooMany]) {
      expect(outcome).toMatchObject({ retryAfterMs: expect.toSatisfy(Number.isSafeInteger) })
    }
  })

  it('carry bound fields over to the grant', async () => {
    const { host, ana } = await startLoggedIn()
    const sid = sessionIdOf(ana)
    const actor = { subject: 'ana', session: sid, phone }
    const transfer = { purpose: 'transfer', bound: { amount: 5, payee: 'ACME' } }
    await host.tf.challenges.start({ ...actor, ...transfer })
    const outcome = await host.tf.challenges.verify({ ...actor, ...transfer, code: host.stub.rightCode })
    if (outcome.outcome !== 'approved') throw new Error('not approved')
    const { purpose, bound } = outcome
    const grant = await host.tf.grants.write({ subject: 'ana', session: sid, purpose, bound })
    expect(grant).toEqual({ subject: 'ana', purpose: 'transfer', verifiedAt: host.clock.now, method: 'host' })
    expect((await ana.post('/transfers', { amount: 5, payee: 'ACME' })).json).toEqual({ sent: 5, by: 'host' })
  })
})

describe('grants without a challenge', () => {
  it('are read as the guard admits with them', async () => {
    const hour = 3_600_000
    const { host, ana } = await startSignedIn({
      mount: (app, tf) => {
        app.get('/pay', tf.requireTwoFactor({ purpose: 'pay', maxAgeMs: hour }), ok)
        app.get('/grant', async (req, res) => {
          res.json({ granted: (await tf.grants.read(req, 'pay')) !== undefined })
        })
      },
    })
    await host.confirm(ana, { purpose: 'pay' })
    for (const [afterMs, granted] of [
      [10 * 60_000, true],
      [hour, false],
    ] as const) {
      host.clock.now += afterMs
      expect((await ana.get('/pay')).status).toBe(granted ? 200 : 403)
      expect((await ana.get('/grant')).json).toEqual({ granted })
    }
  })

  it.each(['sms', 'call', 'app', 'trusted-device', 'recovery-code'])(
    'are never written with the method of a factor of ours: %s',
    async (method) => {
      const { tf } = await startHost()
      const grant = { subject: 'ana', session: 's1', purpose: 'login', method }
      await expect(tf.grants.write(grant)).rejects.toThrow(`method "${method}" is reserved`)
    },
  )
})

describe('who a function is to act for', () => {
  const session = 'session must be a non-empty string: the id of the session'
  const subject =
    'subject must be a string of 1 to 256 characters, a safe integer or a bigint; it is a value of type'

  it.each([
    [{ session: undefined }, session],
    [{ session: '' }, session],
    [{ subject: undefined }, `${subject} undefined`],
    [{ subject: {} }, `${subject} object`],
  ])('has a subject and a session: %j is refused by name', async (wrong, message) => {
    const { tf } = await startHost()
    const given = {
      subject: 'ana',
      session: 's1',
      phone,
      purpose: 'login',
      code: '482913',
      ...wrong,
    } as never
    const { start, resend, verify, cancel, find } = tf.challenges
    for (const call of [start, resend, verify, cancel, find, tf.grants.write]) {
      await expect(call(given)).rejects.toThrow(new TypeError(message))
    }
    const stale = { ...(given as object), requirement: 'x' } as never
    await expect(resend(stale)).rejects.toThrow(new TypeError(message))
  })

  it('is a subject where there is no session', async () => {
    const { tf } = await startHost()
    await expect(tf.subjects.state(Number.NaN)).rejects.toThrow('it is a number that is not a safe integer')
    await expect(tf.trustedDevices.list('')).rejects.toThrow('it is a string of 0 characters')
    await expect(tf.grants.revokeSubject(Promise.resolve('ana') as never)).rejects.toThrow('it is a promise')
  })
})

describe('beforeSend', () => {
  it('is asked with everything a risk engine needs, and hands on what it throws', async () => {
    let throws = true
    const beforeSend = vi.fn(() => {
      if (throws) throw new Error('engine down')
      return true
    })
    const { host, ana } = await startLoggedIn({ options: { beforeSend } })
    expect((await ana.start()).json).toEqual({ host: 'engine down' })
    expect(host.stub.sends).toEqual([])
    throws = false
    expect((await ana.start({ channel: 'call' })).status).toBe(201)
    expect(beforeSend).toHaveBeenLastCalledWith(expect.objectContaining({ method: 'POST' }), {
      subject: 'ana',
      destination: '+573001234567',
      channel: 'call',
      channels: ['sms', 'call'],
      purpose: 'login',
    })
  })

  it('gives its reason to the event and to nobody else, and chooses the method', async () => {
    let answer: unknown
    const { host, ana } = await startLoggedIn({
      listens: true,
      options: {
        beforeSend: () => answer as boolean,
        purposes: { login: {}, transfer: {}, pay: { channels: ['sms'] } },
        appName: { login: 'Acme', pay: 'Acme pay', signup: 'Acme signup' },
      },
    })
    const start = (body: object = {}) => ana.start(body)
    const reasons = () =>
      host.events.flatMap((event) => (event.type === 'request.refused' ? [event.reason] : []))
    for (const [no, reason] of [
      [
        { allow: false, reason: 'SIM of +57 300 123 4567 changed at 2026-02-28' },
        'SIM of +•••• changed at ••••',
      ],
      [{ allow: false, reason: 'x'.repeat(300) }, 'x'.repeat(200)],
      [{ allow: false, reason: 5 }, undefined],
      // What means a number on file that cannot be read, from elsewhere.
      [{ allow: false, reason: 'not-a-number' }, 'not-a-number'],
      [false, undefined],
      [undefined, undefined],
      [1, undefined],
      [Promise.resolve(false), undefined],
      [{ allow: 1 }, undefined],
      [{ reason: 'risk' }, 'risk'],
      [{ method: 'call' }, undefined],
      [{ allow: true, method: 'fax', reason: 'safer' }, 'safer'],
    ] as const) {
      answer = no
      const { status, json } = await start()
      expect([status, json.code, json.reason]).toEqual([403, 'send_refused', undefined])
      expect(reasons().at(-1)).toBe(reason)
    }
    answer = { allow: true, method: 'call' }
    expect((await start()).json.challenge).toMatchObject({ channel: 'call', channels: ['sms', 'call'] })
    host.clock.now += 60_000
    answer = { allow: true, method: 'sms' }
    expect((await ana.post('/two-factor/resend', { channel: 'call' })).json.challenge.channel).toBe('sms')
    expect(host.stub.sends.map(({ path }) => path)).toEqual(['/v1/call/2fa/send-call', '/v1/2fa/send-sms'])
    await ana.verify(host.stub.rightCode)
    // A way that the purpose does not have is no way.
    host.clock.now += 120_000
    answer = { allow: true, method: 'call', reason: 'recent port-out' }
    expect((await start({ purpose: 'pay' })).json.code).toBe('send_refused')
    expect(reasons().at(-1)).toBe('recent port-out')
    answer = { allow: true }
    expect((await start({ purpose: 'pay' })).json.challenge.channel).toBe('sms')
  })
})

describe('events', () => {
  it('reach onEvent and the diagnostics channel, and a listener that throws changes nothing', async () => {
    const heard: TwoFactorEvent['type'][] = []
    const overheard: unknown[] = []
    const listener = (event: unknown) => void overheard.push(event)
    channel('express-two-factor:event').subscribe(listener)
    const host = await startHost({
      options: {
        onEvent: (event) => {
          heard.push(event.type)
          throw new Error('metrics down')
        },
      },
    })
    await host.signIn()
    channel('express-two-factor:event').unsubscribe(listener)
    expect(heard).toEqual(['challenge.started', 'challenge.sent', 'challenge.approved'])
    expect(overheard).toHaveLength(3)
    expect(JSON.stringify(overheard)).not.toMatch(/3001234567|482913|k-canary/)
  })
})

describe('a check under way', () => {
  it('holds the number for the shorter of both deadlines and two seconds', async () => {
    const stub = await startProviderStub()
    const client = createClient({ baseUrl: stub.baseUrl, client: 41, key: 'k', timeoutMs: 1_000 })
    const provider = stubCodes(stub, { client })
    const clock = { now: Date.now() }
    await using tf = twoFactor({ ...baseOptions(stub, clock), provider })
    const who = { subject: 'ana', session: 's', phone: phones.ana ?? '' }
    await tf.challenges.start({ ...who, purpose: 'login' })
    const both = await Promise.all([
      tf.challenges.verify({ ...who, code: '000001' }),
      tf.challenges.verify({ ...who, code: '000002' }),
    ])
    await stub.close()
    expect(both).toContainEqual({
      outcome: 'refused',
      code: 'verification_in_progress',
      retryAfterMs: 3_000,
    })
  })
})
