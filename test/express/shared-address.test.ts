import type { Express } from 'express'
import { describe, expect, it } from 'vitest'
import type { TwoFactor } from '../../src/index.js'
import { Browser } from './browser.js'
import { type Host, startHost } from './kit.js'

const minute = 60_000
const forwarded = { 'x-forwarded-for': '203.0.113.7' }

const mount = (app: Express, tf: TwoFactor) => {
  app.set('trust proxy', 1)
  app.use('/signup/phone', tf.phoneVerification().routes())
}

/** Everything that one session can ask for, in the ten minutes of a window. */
async function exhaust(first: Browser, { clock }: Host) {
  const statuses = new Set<number>()
  const ask = async (path: string, body: object) => {
    statuses.add((await first.post(path, body)).status)
  }
  const guess = async (path: string, codes: number) => {
    for (let code = 0; code < codes; code += 1) await ask(`${path}/verify`, { code: `wrong${code}` })
  }
  for (const [round, pauseMs] of [minute, 2 * minute, 0].entries()) {
    for (const user of ['ana', 'ben', 'carl', 'dora', 'eva']) {
      await first.post('/login', { user })
      await ask('/two-factor/start', {})
      await ask('/two-factor/resend', {})
      await guess('/two-factor', round === 0 ? 6 : 1)
    }
    for (const phone of ['+573010000000', '+573010000001', '+573010000002', '+573010000003']) {
      await ask('/signup/phone/start', { phone })
      await ask('/signup/phone/resend', {})
      await guess('/signup/phone', round === 0 ? 6 : 1)
    }
    clock.now += pauseMs
  }
  return statuses
}

describe('two visitors behind one address', () => {
  it('do not keep each other out', async () => {
    const numbers: Record<string, string> = {}
    const host = await startHost({
      mount,
      options: {
        phone: (_req, subject) => {
          numbers[subject] ??= `+57300555${1_000 + Object.keys(numbers).length}`
          return numbers[subject]
        },
      },
    })
    const first = new Browser(host.url, forwarded)
    expect([...(await exhaust(first, host))]).toEqual(expect.arrayContaining([201, 422, 429]))

    const second = new Browser(host.url, forwarded)
    expect((await second.post('/signup/phone/start', { phone: '+573020000001' })).status).toBe(201)
    const signedUp = await second.post('/signup/phone/verify', { code: host.stub.rightCode })
    expect([signedUp.status, signedUp.json.verified]).toEqual([200, true])
    await second.post('/login', { user: 'zoe' })
    expect((await second.start()).status).toBe(201)
    expect((await second.verify(host.stub.rightCode)).status).toBe(200)
    expect((await second.get('/account')).json.userId).toBe('zoe')
    expect(host.errors).toEqual([])
  })
})
