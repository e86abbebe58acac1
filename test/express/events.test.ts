import { AsyncLocalStorage } from 'node:async_hooks'
import { channel } from 'node:diagnostics_channel'
import { describe, expect, it } from 'vitest'
import type { TwoFactorEvent } from '../../src/index.js'
import type { StubAnswer } from '../provider-stub.js'
import { expressSessions, hearWarnings, phones, startHost, startLoggedIn, storeThrough } from './kit.js'

describe('an event', () => {
  it.each<[string, () => void]>([
    [
      'throws',
      () => {
        throw new Error('metrics are down')
      },
    ],
    // An unhandled rejection fails the run of the tests.
    ['rejects later', () => Promise.reject(new Error('metrics are down'))],
  ])(
    'reaches the diagnostics channel as well, and a listener that %s changes nothing',
    async (_how, fail) => {
      const heard: TwoFactorEvent['type'][] = []
      const overheard: unknown[] = []
      const listener = (event: unknown) => void overheard.push(event)
      channel('express-two-factor:event').subscribe(listener)
      const onEvent = ({ type }: TwoFactorEvent) => {
        heard.push(type)
        return fail()
      }
      const host = await startHost({ options: { onEvent } })
      const ana = await host.signIn()
      channel('express-two-factor:event').unsubscribe(listener)
      expect((await ana.get('/account')).status).toBe(200)
      expect(heard).toEqual(['challenge.started', 'challenge.sent', 'challenge.approved'])
      expect(overheard).toHaveLength(3)
    },
  )

  it('carries its time, how long the provider took, and how old the code was', async () => {
    const host = await startHost({ listens: true })
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
    await ana.verify('111111')
    await ana.verify(host.stub.rightCode)
    const ofAna = { lane: 'auth', purpose: 'login', channel: 'sms', subject: 'ana', country: 'CO' }
    const sent = { operation: 'sendSmsCode', httpStatus: 200, durationMs: 900 }
    const asked = { operation: 'verifyCode', httpStatus: 200, durationMs: 250 }
    expect(host.events.filter(({ type }) => type !== 'provider.unexpected')).toMatchObject([
      { type: 'challenge.started', at: startedAt, ...ofAna, browser: 'new' },
      { type: 'challenge.sent', at: startedAt + 900, ...sent },
      { type: 'challenge.rejected', at: startedAt + 21_150, reason: 'answer', ...asked },
      { type: 'challenge.approved', at: startedAt + 21_400, ageMs: 21_400, ...asked },
    ])
  })

  it('is heard in the context of its request, which knows the IP address', async () => {
    const addresses = new AsyncLocalStorage<string | undefined>()
    const heard: string[] = []
    const host = await startHost({
      addSession: (app) => {
        app.set('trust proxy', 'loopback')
        app.use((req, _res, next) => addresses.run(req.ip, next), expressSessions())
      },
      options: { onEvent: ({ type }) => void heard.push(`${type} from ${addresses.getStore()}`) },
    })
    const ana = host.browser({ 'x-forwarded-for': '203.0.113.7' })
    await ana.post('/login', { user: 'ana' })
    await ana.start()
    await ana.post('/two-factor/resend', {})
    await ana.verify('111111')
    await ana.verify(host.stub.rightCode)
    const types = [
      'challenge.started',
      'challenge.sent',
      'request.refused',
      'challenge.rejected',
      'challenge.approved',
    ]
    expect(heard).toEqual(types.map((type) => `${type} from 203.0.113.7`))
  })

  it('names a factor that the app removed, with its masked number', async () => {
    const { tf, events } = await startHost({ listens: true })
    tf.subjects.factorRemoved(7, { kind: 'phone', phone: phones.ana ?? '' })
    tf.subjects.factorRemoved('ana', { kind: 'app' })
    const removed = { type: 'factor.changed', removed: true }
    expect(events).toMatchObject([
      { ...removed, kind: 'phone', subject: '7', before: '••••••67' },
      { ...removed, kind: 'app', subject: 'ana' },
    ])
    expect(events[1]).not.toHaveProperty('before')
  })

  it('contains the duration of a store command before it failed', async () => {
    const { host, ana } = await startLoggedIn({
      listens: true,
      options: {
        store: storeThrough(async () => {
          await new Promise((resolve) => setImmediate(resolve))
          host.clock.now += 30
          throw new Error('connection lost')
        }),
      },
    })
    expect((await ana.start()).status).toBe(503)
    const failed = host.events.find(({ type }) => type === 'store.failed')
    expect(failed).toMatchObject({ durationMs: 30 })
  })
})

describe('without a listener', () => {
  const { said, codes } = hearWarnings()

  it('a refused account is one process warning, with the cause', async () => {
    const host = await startHost()
    const refusedAccount: StubAnswer = { status: 520, json: { error: 1003, msg: 'no such account' } }
    for (const answer of [refusedAccount, 'reset', refusedAccount] as const) {
      host.stub.answerSend = () => answer
      await host.challenged()
      host.clock.now += 3_600_000
    }
    expect(await codes()).toEqual(['TWO_FACTOR_PROVIDER_MISCONFIGURED'])
    expect(said[0]?.message).toContain('(sendSmsCode, HTTP 520, error 1003, answer)')
  })
})

describe('a number on file', () => {
  it.each([
    ['300 765 4321', 'not-a-number'],
    ['+57 30', 'wrong-length'],
  ])('that reads %s is named in the reason of each refusal, but not to the user', async (onFile, reason) => {
    const { host, ana } = await startLoggedIn({ listens: true, options: { phone: () => onFile } })
    for (const told of [await ana.start(), await ana.start()]) {
      expect(told.refusal).toEqual([403, 'destination_not_allowed'])
      expect(told.text).not.toContain(reason)
    }
    expect((await ana.open('/two-factor')).status).toBe(200)
    const told = host.events.filter(({ type }) => type === 'request.refused')
    expect(told).toMatchObject([{ reason }, { reason }])
    expect(JSON.stringify(host.events)).not.toContain(onFile)
  })
})
