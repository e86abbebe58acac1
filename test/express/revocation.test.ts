import express from 'express'
import { describe, expect, it } from 'vitest'
import type { TwoFactorOptions } from '../../src/index.js'
import { figure } from '../prove/figure.js'
import { withoutRedis } from '../store/redis-server.js'
import type { Browser } from './browser.js'
import {
  anasToken,
  gate,
  type Host,
  type HostOptions,
  ok,
  startChallenged,
  startHost,
  startLoggedIn,
  startSignedIn,
  storeThrough,
  withCookies,
  withTokens,
} from './kit.js'
import { patientMs, redisOfFile } from './redis.js'

const redis = redisOfFile()

const routes: NonNullable<HostOptions['routes']> = (app, tf) => {
  app.post('/login', express.json(), (req, res) => {
    req.session.pendingUserId = req.body.user
    res.json({})
  })
  app.post('/logout', async (req, res) => {
    await tf.grants.revoke(req)
    if (typeof req.session?.destroy === 'function') req.session.destroy(() => res.json({}))
    else {
      Object.assign(req, { session: null })
      res.json({})
    }
  })
  app.use('/two-factor', tf.routes())
  app.get('/account', tf.requireTwoFactor(), ok)
}

interface SetUp extends HostOptions {
  readonly login: (host: Host) => Promise<Browser>
}
const withSession = (host: Host) => host.login()
const setUps: Readonly<Record<string, SetUp>> = {
  'express-session': { login: withSession },
  'cookie-session': {
    login: withSession,
    ...withCookies,
  },
  'bearer tokens': {
    ...withTokens(),
    login: async (host) => host.browser(anasToken),
  },
}

const revocations: Readonly<Record<string, (host: Host, browser: Browser) => Promise<unknown>>> = {
  'a logout': (_host, browser) => browser.post('/logout'),
  revokeSubject: (host) => host.tf.grants.revokeSubject('ana'),
}

async function hostOn(store: 'memory' | 'Redis', setUp: SetUp): Promise<Host> {
  if (store === 'memory') return startHost({ ...setUp, routes })
  await redis.client.sendCommand(['FLUSHALL'])
  const options: Partial<TwoFactorOptions> = {
    ...setUp.options,
    limits: { storeTimeoutMs: patientMs },
    store: redis.onRedis(),
  }
  return startHost({ ...setUp, routes, options })
}

const stores = withoutRedis ? (['memory'] as const) : (['memory', 'Redis'] as const)

describe.for(stores)('on %s', (store) => {
  describe.for(Object.entries(setUps))('with %s', ([, setUp]) => {
    it.for(Object.entries(revocations))(
      '%s while the code is being checked lets nobody in',
      async ([how, end]) => {
        const host = await hostOn(store, setUp)
        const ana = await setUp.login(host)
        expect((await ana.start()).status).toBe(201)
        const [other, old] = [ana.copy(), ana.copy()]
        host.whileChecked(() => end(host, other))
        expect((await ana.verify(host.stub.rightCode)).refusal).toEqual([410, 'challenge_gone'])
        const after = await Promise.all([ana, other, old].map((browser) => browser.get('/account')))
        const letIn = after.filter(({ status }) => status < 401).length
        figure(
          16,
          `${letIn} of ${after.length} copies of a session let in after ${how} during a check, on ${store}`,
        )
        expect(letIn).toBe(0)
      },
    )

    it.for(Object.entries(revocations))('%s before the code is typed ends the challenge', async ([, end]) => {
      const host = await hostOn(store, setUp)
      const ana = await setUp.login(host)
      await ana.start()
      await end(host, ana.copy())
      const { status } = await ana.verify(host.stub.rightCode)
      expect([401, 410]).toContain(status)
      expect((await ana.get('/two-factor')).json.challenge ?? null).toBeNull()
      expect((await ana.post('/two-factor/resend', {})).status).toBeGreaterThanOrEqual(401)
      expect(host.stub.checks).toEqual([])
      expect((await ana.get('/account')).status).toBeGreaterThanOrEqual(401)
    })

    it('somebody who signs in after a revocation is let in, at the same moment too', async () => {
      const host = await hostOn(store, setUp)
      await host.tf.grants.revokeSubject('ana')
      const ana = await setUp.login(host)
      await ana.start()
      const { rightCode: code } = host.stub
      expect((await ana.verify(code)).status).toBe(200)
      expect((await ana.get('/account')).status).toBe(200)
    })
  })
})

describe('a revocation while the host looks for the number', () => {
  it('ends the sign-in that has begun', async () => {
    const [asked, answered] = [gate(), gate()]
    const phone = async () => {
      asked.open()
      await answered.opened
      return '+573001234567'
    }
    const { host, ana } = await startLoggedIn({ routes, options: { phone } })
    const starting = ana.start()
    await asked.opened
    await host.tf.grants.revokeSubject('ana')
    answered.open()
    expect((await starting).status).toBe(201)
    expect((await ana.verify(host.stub.rightCode)).refusal).toEqual([410, 'challenge_gone'])
    expect(host.stub.checks).toEqual([])
  })
})

describe('a logout that began before a step-up', () => {
  it('ends the sign-in as well, which the step-up took along to a new session id', async () => {
    const audited = gate()
    let began = false
    const { host, ana } = await startSignedIn({
      mount: (app, tf) => {
        app.post('/audited-logout', async (req, res) => {
          began = true
          await audited.opened
          await tf.grants.revoke(req)
          res.json({})
        })
      },
    })
    host.clock.now += 60_000
    expect((await ana.start({ purpose: 'transfer' })).status).toBe(201)
    const logout = ana.copy().post('/audited-logout')
    await expect.poll(() => began).toBe(true)
    expect((await ana.verify(host.stub.rightCode)).status).toBe(200)
    expect((await ana.get('/account')).status).toBe(200)
    audited.open()
    await logout
    expect((await ana.get('/account')).status).toBe(403)
  })
})

describe('a trusted device', () => {
  it('is not left behind by a sign-in during which everything was revoked', async () => {
    const late = gate()
    const store = storeThrough((command, key, work) => {
      return command === 'swap' && key.includes(':devices:') ? late.opened.then(work) : work()
    })
    const options = { store, trustedDevices: { maxAgeMs: 30 * 24 * 60 * 60_000 } }
    const { host, ana } = await startChallenged({ routes, options })
    const verifying = ana.verify(host.stub.rightCode, { trustDevice: true })
    await expect.poll(() => host.stub.checks.length).toBe(1)
    await host.tf.grants.revokeSubject('ana')
    late.open()
    expect((await verifying).status).toBe(410)
    expect(await host.tf.trustedDevices.list('ana')).toEqual([])
    expect((await ana.get('/account')).status).toBeGreaterThanOrEqual(401)
  })
})

describe('without a request of their own', () => {
  it('challenges end with a revocation, checks that were under way too', async () => {
    const host = await startHost({ routes })
    const who = { subject: 'ana', session: 's1', phone: '+573001234567' }
    const code = () => host.stub.rightCode
    await host.tf.challenges.start({ ...who, purpose: 'login' })
    await host.tf.grants.revokeSubject('ana')
    expect(await host.tf.challenges.verify({ ...who, code: code() })).toMatchObject({
      code: 'challenge_gone',
    })
    host.clock.now += 60_000
    await host.tf.challenges.start({ ...who, purpose: 'login' })
    host.whileChecked(() => host.tf.grants.revokeSubject('ana'))
    expect(await host.tf.challenges.verify({ ...who, code: code() })).toMatchObject({
      code: 'challenge_gone',
    })
    expect(host.stub.checks).toHaveLength(1)
  })
})
