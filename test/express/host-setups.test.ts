import type { Express } from 'express'
import { describe, expect, it } from 'vitest'
import { hostClock } from '../../src/express/host/boundary.js'
import { memoryStore, type TwoFactor, twoFactor } from '../../src/index.js'
import { asAna, baseOptions, ok, startHost, startVisit } from './kit.js'

it('start() sends a code on a path of your choice, beside the routes that check it', async () => {
  const routes = (app: Express, tf: TwoFactor) => {
    app.post('/a', asAna, tf.start({ purpose: 'login' }))
    app.use('/two-factor', tf.routes())
    app.get('/f', tf.requireTwoFactor(), ok)
  }
  const { host, visitor: ana } = await startVisit({ routes })
  expect((await ana.post('/a', { user: 'ana', password: 'x', purpose: 'anything' })).status).toBe(201)
  expect((await ana.get('/two-factor')).json.challenge.purpose).toBe('login')
  expect((await ana.post('/two-factor/verify', { code: host.stub.rightCode })).status).toBe(200)
  expect((await ana.get('/f')).status).toBe(200)
})

it('the further routes exist as routes only', async () => {
  const host = await startHost()
  for (const name of ['resend', 'verify', 'cancel', 'status']) {
    expect(host.tf).not.toHaveProperty(name)
    expect(host.tf.phoneVerification()).not.toHaveProperty(name)
  }
})

describe('close', () => {
  it('closes the client and the default store, never the store of the host', async () => {
    const closed: string[] = []
    const host = await startHost()
    const options = baseOptions(host.stub, host.clock)
    const store = { ...memoryStore(), close: () => void closed.push('store') }
    const tf = twoFactor({ ...options, store })
    await tf[Symbol.asyncDispose]()
    await tf.close()
    expect(closed).toEqual([])
    await expect(options.provider.balance?.()).rejects.toThrow()
  })

  it('does not wait for responses, refuses later requests, and sends nothing', async () => {
    const host = await startHost()
    const browser = await host.login()
    await host.tf.close()
    const { status, json } = await browser.start()
    expect([status, json.code, host.stub.sends.length]).toEqual([503, 'provider_unavailable', 0])
  })
})

it('the clock of the host loses its fractions of a millisecond, so that waiting times are integers', () => {
  const times = [1_000.75, 1_001, 1_001.999]
  const now = hostClock(() => times.shift() ?? 0)
  expect([now(), now(), now()]).toEqual([1_000, 1_001, 1_001])
})

it.each([Number.NaN, '1000', undefined, Promise.resolve(1_000)])(
  'a clock that returns %s is refused: no limit would ever be reached',
  (time) => {
    expect(hostClock(() => time as number)).toThrow('now must return a finite number of milliseconds')
  },
)
