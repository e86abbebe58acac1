import type { Express, Request } from 'express'
import { describe, expect, it } from 'vitest'
import { memoryStore, type TwoFactor, tokenSession } from '../../src/index.js'
import { startHost } from './kit.js'
import { recover, startRecoveryHost } from './recovery-kit.js'

const cookie = '__Host-two-factor-device'
const setBy = (told: { headers: Headers }, name = cookie) =>
  told.headers.getSetCookie().filter((line) => line.startsWith(`${name}=`))

/** A store that takes everything but trusted and known browsers. */
function fullOfDevices(): ReturnType<typeof memoryStore> {
  const plain = memoryStore()
  return {
    ...plain,
    swap(key, version, next, ttlMs) {
      if (key.includes(':devices:')) throw new Error('full')
      return plain.swap(key, version, next, ttlMs)
    },
  }
}

describe('the cookie of a known browser', () => {
  it('is left by every success, sign-in and step-up, and by nothing else', async () => {
    const host = await startHost()
    const ana = await host.login()
    expect(setBy(await ana.post('/two-factor/start', {}))).toEqual([])
    expect(setBy(await ana.post('/two-factor/verify', { code: 'wrong1' }))).toEqual([])
    const verified = await ana.post('/two-factor/verify', { code: host.stub.rightCode })
    expect(setBy(verified)[0]).toMatch(/^__Host-two-factor-device=[\w-]{43}; Max-Age=7776000; Path=\/; /)
    const first = ana.cookies.get(cookie)
    const { json } = await ana.post('/transfers', { amount: 1, payee: 'Luis' })
    await ana.post('/two-factor/start', { requirement: json.requirement })
    await ana.post('/two-factor/verify', { code: host.stub.rightCode })
    expect(ana.cookies.get(cookie)).not.toBe(first)
  })

  it('opens nothing: not the guard, not the start', async () => {
    const host = await startHost()
    const before = await host.signIn()
    const later = await host.login()
    later.cookies.set(cookie, before.cookies.get(cookie) ?? '')
    expect((await later.get('/account')).status).toBe(403)
    expect((await later.post('/two-factor/start', {})).status).toBe(201)
    expect((await later.get('/account')).status).toBe(403)
    expect(host.stub.sends).toHaveLength(2)
  })

  it('is set for as long as the option says, and not at all with false', async () => {
    const short = await startHost({ options: { knownBrowsers: { maxAgeMs: 60_000 } } })
    const ana = await short.login()
    await ana.post('/two-factor/start', {})
    const told = await ana.post('/two-factor/verify', { code: short.stub.rightCode })
    expect(setBy(told)[0]).toContain('; Max-Age=60; ')
    const off = await startHost({ options: { knownBrowsers: false } })
    expect((await off.signIn()).cookies.has(cookie)).toBe(false)
  })

  it('carries the namespace, so that two instances keep a cookie each', async () => {
    const store = memoryStore()
    const [one, two] = [
      await startHost({ options: { store, namespace: 'one' } }),
      await startHost({ options: { store, namespace: 'two' } }),
    ]
    expect((await one.signIn()).cookies.has(`${cookie}-one`)).toBe(true)
    expect([...(await two.signIn()).cookies.keys()]).not.toContain(cookie)
  })

  it('does not exist for clients with bearer tokens', async () => {
    const tokenOf = (req: Request) => req.headers.authorization?.split(' ')[1]
    const host = await startHost({
      addSession: () => undefined,
      options: { session: tokenSession(tokenOf), subject: () => 'ana', onVerified: () => undefined },
      routes: (app: Express, tf) => void app.use('/two-factor', tf.routes()),
    })
    const bearer = { authorization: 'Bearer ana-1' }
    const app = host.browser()
    await app.post('/two-factor/start', {}, bearer)
    const told = await app.post('/two-factor/verify', { code: host.stub.rightCode }, bearer)
    expect([told.status, setBy(told)]).toEqual([200, []])
  })

  it('keeps a share of the guesses of a number for known browsers, where there may be any', async () => {
    const limits = { failuresBeforeDisable: 20, failuresBeforeLock: 1_000 }
    const bearer = { authorization: 'Bearer ana-1' }
    const tokens = {
      addSession: () => undefined,
      options: {
        limits,
        session: tokenSession((req: Request) => req.headers.authorization?.split(' ')[1]),
        subject: () => 'ana',
        onVerified: () => undefined,
      },
      routes: (app: Express, tf: TwoFactor) => void app.use('/two-factor', tf.routes()),
    }
    const hosts = [
      { host: await startHost({ options: { limits } }), guesses: 12 },
      { host: await startHost({ options: { limits, knownBrowsers: false } }), guesses: 20 },
      { host: await startHost(tokens), guesses: 20 },
    ]
    for (const { host, guesses } of hosts) {
      const thief = await host.login().catch(() => host.browser())
      for (let typed = 0; typed < 25; typed += 1) {
        if (typed % 5 === 0) {
          host.clock.now += 3_600_000
          await thief.post('/two-factor/start', {}, bearer)
        }
        expect((await host.tf.numbers.state('+573001234567')).disabled).toBe(typed >= guesses)
        await thief.post('/two-factor/verify', { code: `wrong${typed}` }, bearer)
      }
      expect(host.stub.checks).toHaveLength(guesses)
    }
  })

  it('that is malformed or of another subject is that of a stranger, who gets one of his own', async () => {
    const host = await startHost()
    const ana = await host.signIn()
    for (const foreign of [ana.cookies.get(cookie) ?? '', 'x'.repeat(5_000)]) {
      host.clock.now += 60_000
      const ben = await host.login('ben')
      ben.cookies.set(cookie, foreign)
      await ben.post('/two-factor/start', {})
      const told = await ben.post('/two-factor/verify', { code: host.stub.rightCode })
      expect([told.status, setBy(told).length]).toEqual([200, 1])
      expect(ben.cookies.get(cookie)?.slice(0, 20)).not.toBe(foreign.slice(0, 20))
    }
  })

  it('keeps nobody out when it cannot be stored', async () => {
    const host = await startHost({ options: { store: fullOfDevices() } })
    const ana = await host.signIn()
    expect((await ana.get('/account')).status).toBe(200)
    expect(ana.cookies.has(cookie)).toBe(false)
  })

  it('leaves nothing of itself in a response that fails, however it came to be', async () => {
    for (const more of [{}, { store: fullOfDevices() }]) {
      const onVerified = () => Promise.reject(new Error('no such account'))
      const host = await startHost({ options: { ...more, onVerified } })
      const ana = await host.login()
      await ana.post('/two-factor/start', {})
      const told = await ana.post('/two-factor/verify', { code: host.stub.rightCode })
      const names = told.headers.getSetCookie().map((line) => line.split('=')[0])
      expect([told.status, names]).toEqual([500, ['connect.sid']])
    }
  })

  it('is missed by no route where the option is off: start, resend, verify and a recovery code work', async () => {
    const host = await startRecoveryHost({
      options: { knownBrowsers: false },
      mount: (app, tf) => {
        app.get('/trusted', (req, res, next) => {
          tf.trustedDevices.has(req).then((trusted) => res.json(trusted), next)
        })
      },
    })
    const ana = await host.login()
    expect((await ana.get('/trusted')).json).toBe(false)
    expect((await ana.post('/two-factor/start', {})).status).toBe(201)
    host.clock.now += 60_000
    expect((await ana.post('/two-factor/resend', {})).status).toBe(200)
    const told = await ana.post('/two-factor/verify', { code: host.stub.rightCode, trustDevice: true })
    expect([told.status, setBy(told)]).toEqual([200, []])
    const ben = await host.login()
    expect((await recover(ben, host.codes[0])).status).toBe(200)
    expect((await ben.get('/account')).status).toBe(200)
  })
})
