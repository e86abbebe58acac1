import { describe, expect, it } from 'vitest'
import { TwoFactorError } from '../../src/index.js'
import type { Answer, Browser } from './browser.js'
import { sessionIdOf, startChallenged, startLoggedIn, storeThrough } from './kit.js'

const faults: Readonly<Record<string, () => unknown>> = {
  'is down': () => Promise.reject(new Error('ECONNREFUSED')),
  'throws at once': () => {
    throw new Error('closed')
  },
  'never answers': () => new Promise(() => undefined),
  'is full': () => {
    throw new TwoFactorError('capacity')
  },
}

const routes: Readonly<Record<string, (browser: Browser) => Promise<Answer>>> = {
  start: (browser) => browser.start(),
  resend: (browser) => browser.post('/two-factor/resend', {}),
  verify: (browser) => browser.verify('482913'),
  cancel: (browser) => browser.post('/two-factor/cancel'),
  status: (browser) => browser.get('/two-factor'),
  guard: (browser) => browser.get('/account'),
  'once guard': (browser) => browser.post('/transfers', { amount: 1, payee: 'a' }),
}

const cases = Object.keys(faults).flatMap((fault) =>
  (['read', 'swap', 'increment'] as const).map((verb) => [fault, verb] as const),
)

describe('a store that', () => {
  // The routes at once: most of the time goes by until the store is given up.
  it.each(cases)('%s at %s is reported by each route, and signs in no user', async (fault, verb) => {
    await Promise.all(Object.keys(routes).map((route) => expectRefusal(fault, verb, route)))
  })

  async function expectRefusal(fault: string, verb: string, route: string): Promise<void> {
    let isBroken = false
    const store = storeThrough((command, _key, work) => {
      return isBroken && command === verb ? faults[fault]?.() : work()
    })
    const { host, ana } = await startLoggedIn({ options: { store } })
    // Verify, resend and cancel need a challenge that began while all was well.
    if (route !== 'start') await ana.start()
    host.clock.now += 60_000

    isBroken = true
    const told = await (routes[route] ?? (() => Promise.reject()))(ana)
    expect([route, host.errors]).toEqual([route, []])
    if (told.status >= 500) {
      expect([route, told.status]).toEqual([route, 503])
      expect(told.json.code).toBe(fault === 'is full' ? 'capacity' : 'store_unavailable')
      expect(told.headers.get('retry-after')).toBe('5')
      expect(told.text).not.toMatch(/ECONNREFUSED|closed/)
    }
    expect([route, told.json?.verified]).toEqual([route, undefined])
    isBroken = false
    expect([route, (await ana.get('/account')).status]).not.toEqual([route, 200])
  }

  it.each(['read', 'swap'] as const)(
    'fails at %s while onVerified fails signs in no user and hides no error of the app',
    async (verb) => {
      let fails = false
      const store = storeThrough((command, _key, work) => {
        if (fails && command === verb) throw new Error('down')
        return work()
      })
      const { host, ana } = await startChallenged({
        options: {
          store,
          onVerified: () => {
            fails = true
            throw new Error('the accounts are away')
          },
        },
      })
      const told = await ana.verify(host.stub.rightCode)
      expect([told.status, told.json]).toEqual([500, { host: 'the accounts are away' }])
      fails = false
      expect((await ana.get('/account')).status).toBe(403)
      expect((await ana.start()).status).toBe(201)
    },
  )
})

describe('a grant of the host', () => {
  /** Ana's host writes a grant for her; from its swap of this number on, the store answers nothing. */
  async function writeSilently(from: number) {
    const late: (() => unknown)[] = []
    let swaps: number | undefined
    const store = storeThrough((command, key, work) => {
      if (swaps === undefined || command !== 'swap' || !key.includes(':grants:')) return work()
      swaps += 1
      if (swaps < from) return work()
      late.push(work)
      return new Promise(() => undefined)
    })
    const { host, ana } = await startLoggedIn({ options: { store } })
    swaps = 0
    const grant = { subject: 'ana', session: sessionIdOf(ana), purpose: 'login', method: 'passkey' }
    const told = await host.tf.grants.write(grant).catch((error: unknown) => error)
    swaps = undefined
    for (const write of late) await write()
    return { told, status: (await ana.get('/account')).status }
  }

  it('that the store writes too late is refused and admits no request', async () => {
    expect(await writeSilently(1)).toMatchObject({ told: { code: 'store_unavailable' }, status: 403 })
  })

  it('that the store confirms too late was not refused, for it admits', async () => {
    expect(await writeSilently(2)).toMatchObject({ told: { method: 'passkey' }, status: 200 })
  })
})
