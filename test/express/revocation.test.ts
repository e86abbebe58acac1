import { randomUUID } from 'node:crypto'
import cookieSession from 'cookie-session'
import express, { type Express, type Request } from 'express'
import { createClient } from 'redis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  memoryStore,
  type SessionAdapter,
  type Store,
  type TwoFactorOptions,
  tokenSession,
} from '../../src/index.js'
import { redisStore } from '../../src/store/redis-store.js'
import { figure } from '../prove/figure.js'
import { type RedisServer, startRedis, withoutRedis } from '../store/redis-server.js'
import type { Browser } from './browser.js'
import { type Host, type HostOptions, startHost } from './kit.js'

let server: RedisServer
let client: ReturnType<typeof createClient>
beforeAll(async () => {
  if (withoutRedis) return
  server = await startRedis()
  client = createClient({ url: server.url })
  await client.connect()
})
afterAll(async () => {
  client?.destroy()
  await server?.kill()
})

type Stored = { sid?: string; user?: string } | null
const dataOf = (req: Request) => (req as unknown as { session: Stored }).session ?? {}

const inCookie: SessionAdapter = {
  id: (req) => dataOf(req).sid,
  rotate(req) {
    dataOf(req).sid = randomUUID()
  },
  keep(req) {
    dataOf(req).sid ??= randomUUID()
  },
}
const tokenOf = (req: Request) => req.headers.authorization?.split(' ')[1]

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
  app.get('/account', tf.requireTwoFactor(), (_req, res) => void res.json({}))
}

interface SetUp extends HostOptions {
  readonly login: (host: Host) => Promise<Browser>
}
const withSession = (host: Host) => host.login()
const setUps: Readonly<Record<string, SetUp>> = {
  'express-session': { login: withSession },
  'cookie-session': {
    login: withSession,
    addSession: (app: Express) => app.use(cookieSession({ name: 'cs', keys: ['a key'] })),
    options: { session: inCookie },
  },
  'bearer tokens': {
    login: async (host) => Object.assign(host.browser(), { always: { authorization: 'Bearer ana-1' } }),
    addSession: () => undefined,
    options: { session: tokenSession(tokenOf), subject: () => 'ana', onVerified: () => undefined },
  },
}

const revocations: Readonly<Record<string, (host: Host, browser: Browser) => Promise<unknown>>> = {
  'a logout': (_host, browser) => browser.post('/logout'),
  revokeSubject: (host) => host.tf.grants.revokeSubject('ana'),
}

async function hostOn(store: 'memory' | 'Redis', setUp: SetUp): Promise<Host> {
  if (store === 'memory') return startHost({ ...setUp, routes })
  await client.sendCommand(['FLUSHALL'])
  // What is looked at here is order: a busy machine shall not make a store of it that does not answer.
  const timeoutMs = 30_000
  const options: Partial<TwoFactorOptions> = {
    ...setUp.options,
    limits: { storeTimeoutMs: timeoutMs },
    store: redisStore({ client, timeoutMs }),
  }
  return startHost({ ...setUp, routes, options })
}

describe.for(['memory', 'Redis'] as const)('on %s', (store) => {
  describe.skipIf(store === 'Redis' && withoutRedis).for(Object.entries(setUps))('with %s', ([, setUp]) => {
    it.for(Object.entries(revocations))(
      '%s while the code is being checked lets nobody in',
      async ([how, end]) => {
        const host = await hostOn(store, setUp)
        const ana = await setUp.login(host)
        expect((await ana.post('/two-factor/start', {})).status).toBe(201)
        const [other, old] = [ana.copy(), ana.copy()]
        const { answerCheck } = host.stub
        host.stub.answerCheck = async (request) => {
          await end(host, other)
          return answerCheck(request)
        }
        const verified = await ana.post('/two-factor/verify', { code: host.stub.rightCode })
        expect([verified.status, verified.json.code]).toEqual([410, 'challenge_gone'])
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
      await ana.post('/two-factor/start', {})
      await end(host, ana.copy())
      const { status } = await ana.post('/two-factor/verify', { code: host.stub.rightCode })
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
      await ana.post('/two-factor/start', {})
      const { rightCode: code } = host.stub
      expect((await ana.post('/two-factor/verify', { code })).status).toBe(200)
      expect((await ana.get('/account')).status).toBe(200)
    })
  })
})

describe('a session that onVerified renews itself', () => {
  it('keeps no grant after a 503, when the store executes what it never answers', async () => {
    const store = memoryStore()
    let written = 0
    const swap: Store['swap'] = async (key, ...rest) => {
      const swapped = await store.swap(key, ...rest)
      if (!key.includes(':grants:')) return swapped
      written += 1
      // The first writes the grant, the second takes it along to the id that the host gave the session.
      if (written === 2) throw new Error('the answer is lost')
      return swapped
    }
    const onVerified: TwoFactorOptions['onVerified'] = (req, _res, grant) =>
      new Promise((resolve, reject) => {
        req.session.regenerate((error) => {
          req.session.userId = grant.subject
          if (error) reject(error)
          else resolve()
        })
      })
    const host = await startHost({ routes, options: { store: { ...store, swap }, onVerified } })
    const ana = await host.challenged()
    expect((await ana.post('/two-factor/verify', { code: host.stub.rightCode })).status).toBe(503)
    expect(written).toBeGreaterThanOrEqual(2)
    expect((await ana.get('/account')).status).toBeGreaterThanOrEqual(401)
  })
})

describe('a logout that began before a step-up', () => {
  it('ends the sign-in as well, which the step-up took along to a new session id', async () => {
    let release = (): void => undefined
    const audited = new Promise<void>((resolve) => {
      release = resolve
    })
    let began = false
    const host = await startHost({
      mount: (app, tf) => {
        app.post('/audited-logout', async (req, res) => {
          began = true
          await audited
          await tf.grants.revoke(req)
          res.json({})
        })
      },
    })
    const ana = await host.signIn()
    host.clock.now += 60_000
    expect((await ana.post('/two-factor/start', { purpose: 'transfer' })).status).toBe(201)
    const logout = ana.copy().post('/audited-logout')
    await expect.poll(() => began).toBe(true)
    expect((await ana.post('/two-factor/verify', { code: host.stub.rightCode })).status).toBe(200)
    expect((await ana.get('/account')).status).toBe(200)
    release()
    await logout
    expect((await ana.get('/account')).status).toBe(403)
  })
})

describe('a trusted device', () => {
  it('is not left behind by a sign-in during which everything was revoked', async () => {
    const store = memoryStore()
    let late: Promise<void> | undefined
    const swap: Store['swap'] = async (key, ...rest) => {
      if (key.includes(':devices:')) await late
      return store.swap(key, ...rest)
    }
    const options = { store: { ...store, swap }, trustedDevices: { maxAgeMs: 30 * 24 * 60 * 60_000 } }
    const host = await startHost({ routes, options })
    const ana = await host.challenged()
    let release = (): void => undefined
    late = new Promise((resolve) => {
      release = resolve
    })
    const verifying = ana.post('/two-factor/verify', { code: host.stub.rightCode, trustDevice: true })
    await expect.poll(() => host.stub.checks.length).toBe(1)
    await host.tf.grants.revokeSubject('ana')
    release()
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
    const { answerCheck } = host.stub
    host.stub.answerCheck = async (request) => {
      await host.tf.grants.revokeSubject('ana')
      return answerCheck(request)
    }
    expect(await host.tf.challenges.verify({ ...who, code: code() })).toMatchObject({
      code: 'challenge_gone',
    })
    expect(host.stub.checks).toHaveLength(1)
  })
})
