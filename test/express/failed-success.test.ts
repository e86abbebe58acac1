import { EventEmitter, once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Express, Request, Response } from 'express'
import { describe, expect, it } from 'vitest'
import {
  expressSession,
  memoryStore,
  type SessionAdapter,
  type Store,
  type TwoFactorOptions,
  tokenSession,
} from '../../src/index.js'
import { type Host, startHost } from './kit.js'

const cookie = '__Host-two-factor-device'

/** A store whose writes of one kind fail once it is armed. */
function failing(kind: string) {
  const well = memoryStore()
  let armed = false
  const store: Store = {
    ...well,
    swap: (key, ...rest) =>
      armed && key.includes(`:${kind}:`) ? Promise.reject(new Error('down')) : well.swap(key, ...rest),
  }
  return {
    store,
    arm(on = true) {
      armed = on
    },
  }
}

/** express-session, whose nth renewal does something else when told so. */
function counted(instead: (nth: number) => Promise<void> | undefined = () => undefined) {
  const renewals: number[] = []
  const own = expressSession()
  const session: SessionAdapter = {
    ...own,
    async rotate(req, res) {
      renewals.push(renewals.length + 1)
      return instead(renewals.length) ?? own.rotate(req, res)
    },
  }
  return { session, renewals }
}

async function verify(host: Host, more: object = {}) {
  const ana = await host.challenged()
  const old = ana.copy()
  const told = await ana.post('/two-factor/verify', { code: host.stub.rightCode, ...more })
  return { ana, old, told }
}

describe('a sign-in whose grant cannot be stored', () => {
  it.each<[string, (nth: number) => Promise<void> | undefined]>([
    ['is given up', () => undefined],
    ['cannot be given up', (nth) => (nth === 2 ? Promise.reject(new Error('down')) : undefined)],
    ['never says whether it is given up', (nth) => (nth === 2 ? new Promise(() => undefined) : undefined)],
  ])('is refused, and its session %s', async (_name, instead) => {
    const { store, arm } = failing('grants')
    const { session, renewals } = counted(instead)
    const trustedDevices = { maxAgeMs: 60_000 }
    const limits = { storeTimeoutMs: 50 }
    const host = await startHost({ options: { store, session, trustedDevices, limits } })
    const ana = await host.challenged()
    arm()
    const told = await ana.post('/two-factor/verify', { code: host.stub.rightCode, trustDevice: true })
    expect([told.status, told.json.code]).toEqual([503, 'store_unavailable'])
    // What a frozen store writes later ends up under an id that was never issued.
    expect(renewals).toEqual([1, 2])
    // Neither is the browser trusted, or known.
    expect(ana.cookies.has(cookie)).toBe(false)
    expect(await host.tf.trustedDevices.list('ana')).toEqual([])
  })

  it('is refused without known browsers as well', async () => {
    const { store, arm } = failing('grants')
    const host = await startHost({ options: { store, knownBrowsers: false } })
    const ana = await host.challenged()
    arm()
    const told = await ana.post('/two-factor/verify', { code: host.stub.rightCode })
    expect([told.status, told.json.code]).toEqual([503, 'store_unavailable'])
  })
})

describe('a sign-in that fails after its grant was stored', () => {
  it('renews the session no second time where the grant can be taken back', async () => {
    for (const knownBrowsers of [false, undefined] as const) {
      const { session, renewals } = counted()
      const onVerified = () => Promise.reject(new Error('no such account'))
      const options = { session, onVerified, ...(knownBrowsers === false && { knownBrowsers }) }
      const { ana, told } = await verify(await startHost({ options }))
      expect([told.json, renewals]).toEqual([{ host: 'no such account' }, [1]])
      expect((await ana.get('/account')).status).toBe(403)
    }
  })

  it('gives its session up where the grant cannot be taken back', async () => {
    const { store, arm } = failing('grants')
    const { session, renewals } = counted()
    const onVerified = () => {
      arm()
      throw new Error('no such account')
    }
    const { told } = await verify(await startHost({ options: { store, session, onVerified } }))
    expect([told.json, renewals]).toEqual([{ host: 'no such account' }, [1, 2]])
  })

  it('is refused when what the session had under way cannot be taken along', async () => {
    const { store, arm } = failing('enrolment')
    const mount = (app: Express, tf: Host['tf']) => app.use('/phone', tf.phoneVerification().routes())
    const host = await startHost({ options: { store }, mount })
    const ana = await host.login()
    await ana.post('/phone/start', { phone: '+573009999999' })
    await ana.post('/two-factor/start', {})
    arm()
    const told = await ana.post('/two-factor/verify', { code: host.stub.rightCode })
    expect([told.status, told.json.code]).toEqual([503, 'store_unavailable'])
    expect((await ana.get('/account')).status).toBe(403)
  })

  it.each([
    ['leaves no browser trusted', true, 201],
    ['leaves a trusted browser as it was', false, 200],
  ])('%s whose record the store is still writing', async (_name, isNew, next) => {
    const { store: plain, arm } = failing('enrolment')
    const written: unknown[] = []
    const store: Store = {
      ...plain,
      swap(key, ...rest) {
        if (!key.includes(':devices:')) return plain.swap(key, ...rest)
        const swapped = setTimeout(20).then(() => plain.swap(key, ...rest))
        written.push(swapped)
        return swapped
      },
    }
    const mount = (app: Express, tf: Host['tf']) => app.use('/phone', tf.phoneVerification().routes())
    const trustedDevices = { maxAgeMs: 86_400_000 }
    const purposes = { login: {}, transfer: {} }
    const host = await startHost({ options: { store, trustedDevices, purposes }, mount })
    const ana = await host.login()
    if (!isNew) {
      await ana.post('/two-factor/start', {})
      await ana.post('/two-factor/verify', { code: host.stub.rightCode, trustDevice: true })
      host.clock.now += 60_000
    }
    await ana.post('/phone/start', { phone: '+573009999999' })
    await ana.post('/two-factor/start', { purpose: isNew ? 'login' : 'transfer' })
    arm()
    const told = await ana.post('/two-factor/verify', { code: host.stub.rightCode, trustDevice: isNew })
    expect([told.status, told.json.code]).toEqual([503, 'store_unavailable'])
    arm(false)
    await Promise.all(written)
    const later = await host.login()
    later.cookies.set(cookie, ana.cookies.get(cookie) ?? '')
    host.clock.now += 60_000
    expect((await later.post('/two-factor/start', {})).status).toBe(next)
    expect(await host.tf.trustedDevices.list('ana')).toHaveLength(isNew ? 0 : 1)
  })

  const idOf = (req: Request) => req.get('x-session')
  /** Whoever sends a request says in which session: as if every id that there ever was were known. */
  const byHeader = (
    onVerified: (req: Request, res: Response) => void,
    more: Partial<TwoFactorOptions> = {},
  ) => ({
    options: {
      subject: () => 'ana',
      session: {
        id: idOf,
        rotate: (req: Request) => {
          req.headers['x-session'] = 'after'
        },
      },
      onVerified,
      ...more,
    },
  })

  it('leaves no grant under the id that the host has renewed itself', async () => {
    const host = await startHost(
      byHeader((req) => {
        req.headers['x-session'] = 'last'
        throw new Error('no such account')
      }),
    )
    await host.browser().post('/two-factor/start', {}, { 'x-session': 'before' })
    const { rightCode: code } = host.stub
    await host.browser().post('/two-factor/verify', { code }, { 'x-session': 'before' })
    expect(host.errors).toHaveLength(1)
    for (const id of ['before', 'after', 'last']) {
      expect((await host.browser().get('/account', { 'x-session': id })).status).toBe(403)
    }
  })

  it('leaves none under the old id that the host has restored (session fixation)', async () => {
    const host = await startHost(
      byHeader((req) => {
        req.headers['x-session'] = 'before'
      }),
    )
    await host.browser().post('/two-factor/start', {}, { 'x-session': 'before' })
    const { rightCode: code } = host.stub
    const told = await host.browser().post('/two-factor/verify', { code }, { 'x-session': 'before' })
    expect([told.status, told.json.code]).toEqual([503, 'session_unavailable'])
    for (const id of ['before', 'after']) {
      expect((await host.browser().get('/account', { 'x-session': id })).status).toBe(403)
    }
  })

  it('leaves none under the id that the grant had moved to', async () => {
    const host = await startHost(
      byHeader((req, res) => {
        req.headers['x-session'] = 'last'
        res.status(403).json({ host: 'no such page' })
      }),
    )
    await host.browser().post('/two-factor/start', {}, { 'x-session': 'before' })
    const { rightCode: code } = host.stub
    const told = await host.browser().post('/two-factor/verify', { code }, { 'x-session': 'before' })
    expect(told.json).toEqual({ host: 'no such page' })
    for (const id of ['before', 'after', 'last']) {
      expect((await host.browser().get('/account', { 'x-session': id })).status).toBe(403)
    }
  })
})

describe('an onVerified that answers in its own words', () => {
  const here = fileURLToPath(new URL('.', import.meta.url))
  /** Stands in for a template and for a file: it says that the account is suspended. */
  const own = 'failed-success.test.ts'

  it.each([
    [200, 200],
    [303, 200],
    [399, 200],
    [400, 403],
    [403, 403],
    [500, 403],
  ])('with %i leaves a guard that answers %i', async (status, guarded) => {
    const onVerified: TwoFactorOptions['onVerified'] = (req, res, grant) => {
      req.session.userId = grant.subject
      res.status(status).json({ own: 'words' })
    }
    const { ana, told } = await verify(await startHost({ options: { onVerified } }))
    expect([told.status, told.json]).toEqual([status, { own: 'words' }])
    expect((await ana.get('/account')).status).toBe(guarded)
  })

  it.each<[string, (res: Response) => void]>([
    ['a file', (res) => res.status(403).sendFile(own, { root: here })],
    ['a template', (res) => res.status(403).render(own)],
    [
      'a template after a while',
      (res) => {
        res.status(403)
        void setTimeout(50).then(() => res.render(own))
      },
    ],
  ])('is waited for and lets nobody in when %s is still to come', async (_, respond) => {
    const onVerified: TwoFactorOptions['onVerified'] = (req, res, grant) => {
      req.session.userId = grant.subject
      respond(res)
    }
    const host = await startHost({ options: { onVerified } })
    host.app.engine('ts', (_path, _options, done) => {
      void setTimeout(20).then(() => done(null, 'suspended'))
    })
    host.app.set('views', here)
    const { ana, told } = await verify(host)
    expect(told.status).toBe(403)
    expect(told.text).toMatch(/suspended/)
    expect((await ana.get('/account')).status).toBe(403)
    expect(host.errors).toEqual([])
  })

  it('is no success when it set a status of 404 and sends nothing', { timeout: 30_000 }, async () => {
    const onVerified: TwoFactorOptions['onVerified'] = (req, res, grant) => {
      req.session.userId = grant.subject
      res.status(404)
    }
    const { ana, told } = await verify(await startHost({ options: { onVerified } }))
    expect([told.status, told.json.code]).toEqual([410, 'challenge_gone'])
    expect((await ana.get('/account')).status).toBe(403)
  })

  it('is not taken for a refusal where the app gives every response a status of 404 at first', async () => {
    const own = expressSession()
    const session: SessionAdapter = {
      ...own,
      rotate(req, res) {
        res.status(404)
        return own.rotate(req, res)
      },
    }
    const { ana, told } = await verify(await startHost({ options: { session } }))
    expect([told.status, told.json.verified]).toEqual([200, true])
    expect((await ana.get('/account')).status).toBe(200)
    const onVerified: TwoFactorOptions['onVerified'] = (_req, res) => void res.json({ own: 'words' })
    const refused = await verify(await startHost({ options: { session, onVerified } }))
    expect([refused.told.status, (await refused.ana.get('/account')).status]).toEqual([404, 403])
  })

  it('may be left by its visitor before it has come', async () => {
    const heard = new EventEmitter()
    const refused = once(heard, 'refused')
    const onVerified: TwoFactorOptions['onVerified'] = (req, res, grant) => {
      req.session.userId = grant.subject
      res.status(403)
      heard.emit('refused')
    }
    const host = await startHost({ options: { onVerified } })
    const ana = await host.challenged()
    const leaving = new AbortController()
    const asked = ana.send('/two-factor/verify', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code: host.stub.rightCode }),
      signal: leaving.signal,
    })
    asked.catch(() => undefined)
    await refused
    leaving.abort()
    await expect(asked).rejects.toThrow()
    expect(host.errors).toEqual([])
  })
})

describe('what is taken back', () => {
  const down = () => Promise.reject(new Error('database down'))

  it('is the grant, also when the clock was set back meanwhile', async () => {
    const host: Host = await startHost({
      options: {
        onVerified() {
          host.clock.now -= 6_000
          return down()
        },
      },
    })
    const { ana, told } = await verify(host)
    expect(told.status).toBe(500)
    for (const passedMs of [0, 2_000, 10_000]) {
      host.clock.now += passedMs
      expect((await ana.get('/account')).status).toBe(403)
    }
  })

  it('is no other grant of the same purpose', async () => {
    let fails = false
    const host = await startHost({
      options: { purposes: { login: {}, transfer: {} }, onVerified: () => (fails ? down() : undefined) },
      mount(app, tf) {
        app.post('/passkey', async (req, res) => {
          const session = String(req.sessionID)
          await tf.grants.write({ subject: 'ana', session, purpose: 'transfer', method: 'passkey' })
          res.json({})
        })
        const guard = tf.requireTwoFactor({ purpose: 'transfer', methods: ['passkey'] })
        app.get('/by-passkey', guard, (_req, res) => res.json({}))
      },
    })
    const ana = await host.login()
    await ana.post('/passkey')
    expect((await ana.get('/by-passkey')).status).toBe(200)
    await ana.post('/two-factor/start', { purpose: 'transfer' })
    fails = true
    expect((await ana.post('/two-factor/verify', { code: host.stub.rightCode })).status).toBe(500)
    expect((await ana.get('/by-passkey')).status).toBe(200)
  })

  it('is the grant, also when the trust of the browser cannot be', async () => {
    const { store, arm } = failing('devices')
    const { session } = counted((nth) => (nth === 2 ? Promise.reject(new Error('down')) : undefined))
    const host = await startHost({
      options: {
        store,
        session,
        trustedDevices: { maxAgeMs: 86_400_000 },
        onVerified: (req, res, grant) => {
          req.session.userId = grant.subject
          arm()
          res.status(403).json({ suspended: true })
        },
      },
    })
    const { ana, told } = await verify(host, { trustDevice: true })
    expect([told.status, told.json]).toEqual([403, { suspended: true }])
    arm(false)
    expect((await ana.get('/account')).status).toBe(403)
  })
})

describe('while onVerified runs', () => {
  it('the host finds the grant in the renewed session', async () => {
    const found: unknown[] = []
    const onVerified: TwoFactorOptions['onVerified'] = async (req) => {
      found.push(await host.tf.grants.read(req, 'login'))
    }
    const host: Host = await startHost({ options: { onVerified } })
    expect((await verify(host)).told.status).toBe(200)
    expect(found).toMatchObject([{ subject: 'ana', purpose: 'login' }])
  })

  it('nobody gets in by a bearer token, whose session keeps its id', async () => {
    const statuses: number[] = []
    const account = async () => (await host.browser().get('/account', bearer)).status
    const bearer = { authorization: 'Bearer ana' }
    const host: Host = await startHost({
      addSession: () => undefined,
      options: {
        session: tokenSession((req) => req.headers.authorization),
        subject: () => 'ana',
        onVerified: async () => void statuses.push(await account()),
      },
      routes: (app, tf) => {
        app.use('/two-factor', tf.routes())
        app.get('/account', tf.requireTwoFactor(), (_req, res) => void res.json({}))
      },
    })
    await host.browser().post('/two-factor/start', {}, bearer)
    const { rightCode: code } = host.stub
    expect((await host.browser().post('/two-factor/verify', { code }, bearer)).status).toBe(200)
    expect([...statuses, await account()]).toEqual([401, 200])
  })
})

describe('a phone verification whose proof cannot be stored', () => {
  it('is refused, gives its session up and leaves nothing to redeem', async () => {
    const { store, arm } = failing('enrolment')
    const { session, renewals } = counted()
    const host = await startHost({
      options: { store, session },
      mount: (app, tf) => {
        const signup = tf.phoneVerification()
        app.use('/phone', signup.routes())
        app.post('/signup', signup.requireProof(), (req, res) => void res.json(req.provenPhone))
      },
    })
    const visitor = host.browser()
    await visitor.post('/phone/start', { phone: '+573009999999' })
    arm()
    const told = await visitor.post('/phone/verify', { code: host.stub.rightCode })
    expect([told.status, told.json.code]).toEqual([503, 'store_unavailable'])
    expect(renewals).toEqual([1, 2])
    expect((await visitor.post('/signup')).status).toBe(403)
  })
})

describe('a proof of a number by a bearer token, whose session keeps its id', () => {
  it.each(['a sign-in', 'a proof'])(
    'keep a number under way through %s: their session keeps its id',
    async (what) => {
      const host = await startHost({
        addSession: () => undefined,
        options: {
          session: tokenSession((req) => req.headers.authorization),
          subject: (req) => (req.get('x-anonymous') ? undefined : 'ana'),
          onVerified: () => undefined,
        },
        routes: (app, tf) => {
          app.use('/two-factor', tf.routes())
          app.get('/account', tf.requireTwoFactor(), (_req, res) => void res.json({}))
          const signup = tf.phoneVerification()
          app.use('/phone', signup.routes())
          app.post('/signup', signup.requireProof(), (req, res) => void res.json(req.provenPhone))
        },
      })
      const app = Object.assign(host.browser(), { always: { authorization: 'Bearer ana' } })
      const signIn = async () => {
        await app.post('/two-factor/start', {})
        expect((await app.post('/two-factor/verify', { code: host.stub.rightCode })).status).toBe(200)
      }
      if (what === 'a proof') await signIn()
      await app.post('/phone/start', { phone: '+573009999999' })
      if (what === 'a sign-in') await signIn()
      expect((await app.post('/phone/verify', { code: host.stub.rightCode })).status).toBe(200)
      expect((await app.get('/account')).status).toBe(200)
      expect((await app.post('/signup')).json).toMatchObject({ phone: '+573009999999' })
    },
  )
})

describe('a proof of a number in a session that is renewed', () => {
  const withProof = (more: Partial<TwoFactorOptions>) =>
    startHost({
      options: more,
      mount: (app, tf) => {
        const signup = tf.phoneVerification()
        app.use('/phone', signup.routes())
        app.post('/signup', signup.requireProof(), (req, res) => void res.json(req.provenPhone))
      },
    })

  it('is not renewed for a subject that was revoked while the code was checked', async () => {
    const { session, renewals } = counted()
    const host = await withProof({ session })
    const ana = await host.login()
    await ana.post('/phone/start', { phone: '+573009999999' })
    const { answerCheck } = host.stub
    host.stub.answerCheck = async (request) => {
      await host.tf.grants.revokeSubject('ana')
      return answerCheck(request)
    }
    expect((await ana.post('/phone/verify', { code: host.stub.rightCode })).status).toBe(410)
    expect(renewals).toEqual([])
  })
})
