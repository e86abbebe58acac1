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

it('a visitor whose address others have used up reads about the network, within the cooldown of an earlier code too', async () => {
  const phone = (_req: unknown, subject: string) => (subject === 'ana' ? '+573005550001' : '+573005550002')
  const host = await startHost({ mount, options: { limits: { sendsPerAddressPer10Min: 1 }, phone } })
  const [ana, ben] = [new Browser(host.url, forwarded), new Browser(host.url, forwarded)]
  for (const [browser, user] of [
    [ana, 'ana'],
    [ben, 'ben'],
  ] as const) {
    await browser.post('/login', { user })
    await browser.submit('/two-factor/start')
  }
  await ana.submit('/two-factor/cancel')
  for (const page of [await ben.submit('/two-factor/start'), await ana.submit('/two-factor/start')]) {
    expect(page.status).toBe(429)
    expect(page.text).toContain('<h1>Too many requests from your network</h1>')
    expect(page.text).toMatch(/You can try again at <time [^>]*>12:10 UTC</)
    expect(page.text).not.toContain('name="channel"')
    expect(page.text).not.toContain('asked for too many codes')
  }
  expect((await ben.start()).json).toMatchObject({
    code: 'send_limit',
    limit: 'address',
    detail: 'Too many requests from your network. You can try again at 12:10 UTC.',
  })
})
