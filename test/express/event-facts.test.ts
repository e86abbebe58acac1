import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { inspect } from 'node:util'
import type { Express } from 'express'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createClient, providerCodes, type TwoFactor, type TwoFactorEvent } from '../../src/index.js'
import type { StubAnswer } from '../provider-stub.js'
import { type Host, startHost } from './kit.js'

interface Observed {
  readonly host: Host
  readonly events: TwoFactorEvent[]
  only<Type extends TwoFactorEvent['type']>(type: Type): Extract<TwoFactorEvent, { type: Type }>[]
}

async function observe(options: object = {}): Promise<Observed> {
  const events: TwoFactorEvent[] = []
  const host = await startHost({ options: { onEvent: (event) => events.push(event), ...options } })
  return {
    host,
    events,
    only: (type) => events.filter((event): event is never => event.type === type),
  }
}

/** Ana asks for a code and types one. */
async function tryCode({ host }: Observed, code: string) {
  const ana = await host.challenged()
  return ana.post('/two-factor/verify', { code })
}

const refusedAccount: StubAnswer = { status: 520, json: { error: 1003, msg: 'no such account' } }

describe('an event', () => {
  it('changes nothing when its listener rejects later, and ends no process', async () => {
    const onEvent = async () => {
      throw new Error('metrics are down')
    }
    const observed = await observe({ onEvent })
    // An unhandled rejection fails the run of the tests.
    expect((await tryCode(observed, observed.host.stub.rightCode)).status).toBe(200)
  })

  it('carries its time, how long the provider took, and how old the code was', async () => {
    const observed = await observe()
    const { host, events } = observed
    const startedAt = host.clock.now
    const { answerSend, answerCheck } = host.stub
    host.stub.answerSend = (request) => {
      host.clock.now += 900
      return answerSend(request)
    }
    host.stub.answerCheck = (request) => {
      host.clock.now += 250
      return answerCheck(request)
    }
    const ana = await host.challenged()
    host.clock.now += 20_000
    await ana.post('/two-factor/verify', { code: '111111' })
    await ana.post('/two-factor/verify', { code: host.stub.rightCode })
    const asked = { operation: 'verifyCode', httpStatus: 200, durationMs: 250 }
    expect(events.filter(({ type }) => type !== 'provider.unexpected')).toMatchObject([
      { type: 'challenge.started', at: startedAt },
      {
        type: 'challenge.sent',
        at: startedAt + 900,
        durationMs: 900,
        operation: 'sendSmsCode',
        httpStatus: 200,
      },
      { type: 'challenge.rejected', at: startedAt + 21_150, reason: 'answer', ...asked },
      { type: 'challenge.approved', at: startedAt + 21_400, ageMs: 21_400, ...asked },
    ])
  })

  it('counts the age of a code from its own send, not from that of the first code', async () => {
    const { host, only } = await observe()
    const ana = await host.challenged()
    host.clock.now += 60_000
    await ana.post('/two-factor/resend', {})
    host.clock.now += 7_000
    await ana.post('/two-factor/verify', { code: host.stub.rightCode })
    expect(only('challenge.approved')).toMatchObject([{ ageMs: 7_000 }])
  })

  it('says how long a store took before it failed', async () => {
    const startedAt = Date.parse('2026-03-01T12:00:00.000Z')
    const clock = { now: startedAt }
    const { host, only } = await observe({
      now: () => clock.now,
      store: {
        async read() {
          await new Promise((resolve) => setImmediate(resolve))
          clock.now = startedAt + 30
          throw new Error('connection lost')
        },
        swap: () => ({ swapped: false }),
        increment: () => ({ count: 1, resetInMs: 1 }),
      },
    })
    const ana = await host.login()
    expect((await ana.post('/two-factor/start', {})).status).toBe(503)
    expect(only('store.failed')[0]).toMatchObject({ command: 'read', durationMs: 30 })
  })

  it.each<[string, StubAnswer, object, object]>([
    [
      'an account that is refused',
      refusedAccount,
      { type: 'provider.misconfigured' },
      { httpStatus: 520, providerError: '1003', reason: 'answer' },
    ],
    ['a connection that is cut', 'reset', { type: 'provider.unavailable', sent: true }, { reason: 'reset' }],
  ])('tells the cause of an incident: %s', async (_name, answer, event, cause) => {
    const sends = await observe()
    sends.host.stub.answerSend = () => answer
    await tryCode(sends, '111111')
    expect(sends.events).toContainEqual(
      expect.objectContaining({ ...event, ...cause, operation: 'sendSmsCode', at: sends.host.clock.now }),
    )
    const checks = await observe()
    checks.host.stub.answerCheck = () => answer
    expect((await tryCode(checks, '111111')).status).toBe(503)
    expect(checks.events).toContainEqual(
      expect.objectContaining({ ...event, ...cause, operation: 'verifyCode' }),
    )
  })

  it('tells that nothing listens at the address, and that nothing was sent', async () => {
    const client = createClient({ baseUrl: 'http://127.0.0.1:1/v1', client: 41, key: 'k-canary' })
    const provider = providerCodes({ client, approvedStatuses: ['verified'] })
    const { host, events } = await observe({ provider })
    await host.challenged()
    expect(events).toMatchObject([
      { type: 'challenge.started' },
      { type: 'provider.unavailable', sent: false, operation: 'sendSmsCode', reason: 'refused' },
      { type: 'challenge.undelivered', reason: 'not-sent', failure: 'refused', operation: 'sendSmsCode' },
    ])
  })

  it('names the error of a refused code, and nobody where nobody was asked', async () => {
    const observed = await observe()
    observed.host.stub.answerCheck = () => ({ status: 520, json: { error: 1007, msg: 'wrong' } })
    const ana = await observed.host.login()
    await ana.post('/two-factor/start', {})
    await ana.post('/two-factor/verify', { code: '111111' })
    expect(observed.only('challenge.rejected')).toMatchObject([{ httpStatus: 520, providerError: '1007' }])
    expect(observed.only('provider.unexpected')).toEqual([])
  })
})

describe('a status that is not approved', () => {
  it('is reported with its name, once a minute', async () => {
    const { host, only } = await observe()
    host.stub.answerCheck = () => ({ json: { status: 'verificado' } })
    const ana = await host.challenged()
    await ana.post('/two-factor/verify', { code: '111111' })
    host.clock.now += 59_999
    await ana.post('/two-factor/verify', { code: '222222' })
    expect(only('provider.unexpected')).toMatchObject([
      { status: 'verificado', httpStatus: 200, operation: 'verifyCode' },
    ])
    host.clock.now += 1
    await ana.post('/two-factor/verify', { code: '333333' })
    expect(only('provider.unexpected')).toHaveLength(2)
  })

  it.each([
    ['the code', (code: string) => `wrong ${code}`],
    ['the code that would have been right', () => 'expected 482913'],
    ['the number', () => 'wrong for +57 300 123 4567'],
    ['the key', () => 'k-canary'],
    ['an address', () => 'see https://provider.example/v1?key=k-canary'],
  ])('is reported without %s', async (_name, status) => {
    const observed = await observe()
    observed.host.stub.answerCheck = ({ form }) => ({ json: { status: status(form.code ?? '') } })
    await tryCode(observed, '135790')
    const told = inspect(observed.only('provider.unexpected'), { depth: 10 })
    expect(told).toContain('•••')
    expect(told).not.toMatch(/135790|482913|300 ?123|canary|https/)
  })
})

describe('without a listener', () => {
  let warned: (Error & { readonly code?: string })[] = []
  const listen = (warning: Error) => void (warning.name === 'TwoFactorWarning' && warned.push(warning))
  beforeEach(() => {
    warned = []
    process.on('warning', listen)
  })
  afterEach(() => void process.off('warning', listen))
  const settle = () => new Promise((resolve) => setImmediate(resolve))

  it('a refused account and a provider that is down are one process warning each, with the cause', async () => {
    const host = await startHost()
    for (const answer of [refusedAccount, 'reset', refusedAccount, 'reset'] as const) {
      host.stub.answerSend = () => answer
      await host.challenged()
      host.clock.now += 3_600_000
    }
    await settle()
    expect(warned.map(({ code }) => code)).toEqual([
      'TWO_FACTOR_PROVIDER_MISCONFIGURED',
      'TWO_FACTOR_PROVIDER_UNAVAILABLE',
    ])
    expect(warned[0]?.message).toContain('(sendSmsCode, HTTP 520, error 1003, answer)')
    expect(warned[1]?.message).toContain('(sendSmsCode, reset)')
  })

  it.each(['573007654321', '300 765 4321', 'unknown', '+57 30'])(
    'a number on file that reads %s is one process warning, and the person learns nothing of it',
    async (onFile) => {
      const host = await startHost({ options: { phone: () => onFile } })
      const ana = await host.login()
      const [first, second] = [
        await ana.post('/two-factor/start', {}),
        await ana.post('/two-factor/start', {}),
      ]
      expect(first.json).toEqual({
        type: 'urn:express-two-factor:destination_not_allowed',
        title: 'Codes cannot be sent to this number',
        status: 403,
        detail: "We can't send codes to this number. Use a mobile number in a country we serve.",
        code: 'destination_not_allowed',
      })
      expect(second.json).toEqual(first.json)
      await settle()
      expect(warned.map(({ code }) => code)).toEqual(['TWO_FACTOR_PHONE_UNREADABLE'])
      expect(warned[0]?.message).toMatch(
        /in international form, such as \+573001234567\. \((?:not-a-number|wrong-length)\)$/,
      )
      expect(warned[0]?.message).not.toContain(onFile)
    },
  )

  it('a number that a visitor mistypes is none, nor one of a country that is not served', async () => {
    const mount = (app: Express, tf: TwoFactor) => app.use('/signup/phone', tf.phoneVerification().routes())
    const host = await startHost({ mount, options: { phone: () => '+34600123456' } })
    const ana = await host.login()
    expect((await ana.post('/signup/phone/start', { phone: '573' })).status).toBe(400)
    expect((await ana.post('/two-factor/start', {})).status).toBe(403)
    await settle()
    expect(warned).toEqual([])
  })

  it.each([
    ['a host that listens', { onEvent: () => {} }, () => () => {}],
    [
      'a subscriber of the channel',
      {},
      () => {
        const heard = () => {}
        subscribe('express-two-factor:event', heard)
        return () => void unsubscribe('express-two-factor:event', heard)
      },
    ],
  ])('is what %s is not', async (_name, options, begin) => {
    const end = begin()
    const host = await startHost({ options })
    host.stub.answerSend = () => refusedAccount
    await host.challenged()
    await settle()
    end()
    expect(warned).toEqual([])
  })
})
