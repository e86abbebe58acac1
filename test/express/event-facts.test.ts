import { describe, expect, it } from 'vitest'
import type { StubAnswer } from '../provider-stub.js'
import { hearWarnings, startChallenged, startHost, startLoggedIn, storeThrough } from './kit.js'

const refusedAccount: StubAnswer = { status: 520, json: { error: 1003, msg: 'no such account' } }

describe('an event', () => {
  it('changes nothing when its listener rejects later, and ends no process', async () => {
    const onEvent = async () => {
      throw new Error('metrics are down')
    }
    const { host, ana } = await startChallenged({ options: { onEvent } })
    // An unhandled rejection fails the run of the tests.
    expect((await ana.verify(host.stub.rightCode)).status).toBe(200)
  })

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
    const asked = { operation: 'verifyCode', httpStatus: 200, durationMs: 250 }
    expect(host.events.filter(({ type }) => type !== 'provider.unexpected')).toMatchObject([
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

  it('says how long a store took before it failed', async () => {
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
    ['573007654321', 'not-a-number'],
    ['300 765 4321', 'not-a-number'],
    ['unknown', 'not-a-number'],
    ['+57 30', 'wrong-length'],
  ])(
    'that reads %s is told by the reason of each refusal, of which the person learns nothing',
    async (onFile, reason) => {
      const { host, ana } = await startLoggedIn({ listens: true, options: { phone: () => onFile } })
      const [first, second] = [await ana.start(), await ana.start()]
      expect(first.json).toEqual({
        type: 'urn:express-two-factor:destination_not_allowed',
        title: 'Codes cannot be sent to this number',
        status: 403,
        detail: "We can't send codes to this number. Use a mobile number in a country we serve.",
        code: 'destination_not_allowed',
      })
      expect(second.json).toEqual(first.json)
      const told = host.events.filter(({ type }) => type === 'request.refused')
      expect(told).toMatchObject([{ reason }, { reason }])
      expect(JSON.stringify(host.events)).not.toContain(onFile)
    },
  )
})
