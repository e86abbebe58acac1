import type { Express, Request } from 'express'
import { MemoryStore } from 'express-session'
import { describe, expect, it } from 'vitest'
import { type TwoFactor, type TwoFactorOptions, tokenSession } from '../../src/index.js'
import {
  gate,
  type HostOptions,
  ok,
  signupAt,
  startChallenged,
  startHost,
  startLoggedIn,
  startVisit,
  withCookies,
  withTokens,
} from './kit.js'

/** Renews the session itself, as `req.login()` of passport does. */
const regenerates: NonNullable<TwoFactorOptions['onVerified']> = (req, _res, grant) =>
  new Promise((resolve, reject) => {
    req.session.regenerate((error) => {
      if (error) return reject(error)
      req.session.userId = grant.subject
      resolve()
    })
  })

/** Anonymous starts, each refused by another check. */
const refusedStarts: readonly (readonly [number, HostOptions['options']?])[] = [
  [403, { countries: ['MX'] }],
  [403, { beforeSend: () => false }],
  [429, { limits: { numbersPerSessionPerDay: 0 } }],
  [503, { limits: { serviceEnrolSendsPerHour: 0 } }],
]

/** Lines that set this session cookie, after a sign-up that is refused, in JSON and as a page. */
async function setByRefusals(name: string, given: HostOptions): Promise<readonly string[]> {
  const lines: string[] = []
  for (const [status, options] of refusedStarts) {
    const host = await startHost({
      ...given,
      options: { ...given.options, ...options, subject: () => undefined },
      mount: signupAt('/signup'),
    })
    const typed = { phone: '+573009999999' }
    const told = [
      await host.browser().post('/signup/start', typed),
      await host.browser().submit('/signup/start', typed),
    ]
    expect(told.map((one) => one.status)).toEqual([status, status])
    expect(host.stub.sends).toEqual([])
    lines.push(...told.flatMap(({ headers }) => headers.getSetCookie()))
  }
  return lines.filter((line) => line.startsWith(name))
}

describe('with express-session', () => {
  it('a right code renews the id, keeps the data of the host and ends the old cookie', async () => {
    const sessionStore = new MemoryStore()
    const { host, ana } = await startChallenged({ sessionStore })
    const old = ana.copy()
    await ana.verify(host.stub.rightCode)

    expect((await ana.get('/account')).json).toEqual({
      subject: 'ana',
      userId: 'ana',
      basket: 'three apples',
    })
    expect((await old.get('/account')).status).toBe(401)
    const kept = Object.values((sessionStore as unknown as { sessions: Record<string, string> }).sessions)
    expect(kept.map((text) => JSON.parse(text).basket)).toEqual(['three apples'])
  })

  it.each<[string, Partial<Record<'destroy' | 'set' | 'get', (...args: never[]) => void>>]>([
    [
      'cannot be renewed',
      { destroy: (_id: string, done: (error: Error) => void) => done(new Error('down')) },
    ],
    [
      'cannot be saved',
      { set: (_id: string, _session: object, done: (error: Error) => void) => done(new Error('down')) },
    ],
    ['is gone', { get: (_id: string, done: (error: null) => void) => done(null) }],
  ])('a session that %s is refused, not elevated', async (_name, broken) => {
    const sessionStore = new MemoryStore()
    const { host, ana } = await startChallenged({ sessionStore })
    // Breaks while the code is being checked: until then the session is well.
    const well = { destroy: sessionStore.destroy, set: sessionStore.set, get: sessionStore.get }
    host.whileChecked(() => {
      Object.assign(sessionStore, broken)
    })
    const told = await ana.verify(host.stub.rightCode)
    Object.assign(sessionStore, well)
    expect(told.refusal).toEqual([503, 'session_unavailable'])
    expect((await ana.get('/account')).status).toBeGreaterThanOrEqual(401)
  })

  it('a session saved late by a slow request neither brings a grant back nor loses one', async () => {
    const [arrived, held] = [gate(), gate()]
    const { host, ana } = await startChallenged({
      mount: (app) => {
        app.get('/slow', async (req, res) => {
          req.session.basket = 'written late'
          arrived.open()
          await held.opened
          res.json({})
        })
      },
    })
    const old = ana.copy()
    const slow = old.copy().get('/slow')
    await arrived.opened
    await ana.verify(host.stub.rightCode)
    held.open()
    await slow
    expect((await ana.get('/account')).status).toBe(200)
    // The old session exists again, and is worth nothing.
    expect((await old.get('/account')).status).toBe(403)
  })

  it('an anonymous session is saved at start, so that the code finds it', async () => {
    const { host, visitor } = await startVisit({ options: { subject: () => 'ana' } })
    expect((await host.confirm(visitor)).status).toBe(200)
    expect((await visitor.get('/account')).status).toBe(200)
  })

  it('an anonymous session is not saved by a start that is refused', async () => {
    const sessionStore = new MemoryStore()
    expect(await setByRefusals('connect.sid', { sessionStore })).toEqual([])
    expect(Object.keys((sessionStore as unknown as { sessions: object }).sessions)).toEqual([])
  })

  it('an onVerified that renews the session itself takes the grant along, and a number under way', async () => {
    const { host, ana } = await startLoggedIn({
      options: { onVerified: regenerates },
      mount: signupAt('/phone'),
    })
    await ana.post('/phone/start', { phone: '+573009999999' })
    await ana.start()
    const old = ana.copy()
    expect((await ana.verify(host.stub.rightCode)).status).toBe(200)
    expect((await ana.get('/account')).json).toMatchObject({ subject: 'ana', userId: 'ana' })
    expect((await ana.get('/phone')).json.challenge).toMatchObject({ purpose: 'signup' })
    expect((await old.get('/account')).status).toBe(401)
  })
})

describe('an adapter of the host', () => {
  it.each(['', undefined, 7])('a session whose id is %j is none', async (id) => {
    const session = { id: () => id as string, regenerate: () => undefined }
    const host = await startHost({
      options: { session, subject: () => 'ana' },
      mount: (app, tf) =>
        app.get('/grant', (req, res, next) => {
          tf.grants.read(req, 'login').then((grant) => res.json(grant), next)
        }),
    })
    expect((await host.browser().start()).refusal).toEqual([503, 'session_unavailable'])
    expect(host.stub.sends).toEqual([])
    expect((await host.browser().get('/grant')).json).toEqual({ host: 'This request has no session.' })
  })

  it('a session that could not be renewed is an event', async () => {
    const session = { id: () => 'never renewed', regenerate: () => undefined }
    const { host, ana } = await startChallenged({ options: { session }, listens: true })
    const verify = await ana.verify(host.stub.rightCode)
    expect(verify.json).toMatchObject({ status: 503, code: 'session_unavailable' })
    const types = host.events.map(({ type }) => type)
    expect([types.includes('session.failed'), types.includes('store.failed')]).toEqual([true, false])
  })
})

describe('with cookie-session', () => {
  it('a missing id function is named together with the fix', async () => {
    const { host, ana } = await startLoggedIn({ addSession: withCookies.addSession })
    expect((await ana.start()).status).toBe(500)
    expect(String(host.errors[0])).toContain(
      'With cookie-session pass { id, regenerate, save } as the `session` option',
    )
  })

  it('an anonymous session gets an id by a start, and none by a refused start', async () => {
    expect(await setByRefusals('cs', withCookies)).toEqual([])
    const { host, visitor } = await startVisit({
      ...withCookies,
      options: { ...withCookies.options, subject: () => 'ana' },
    })
    expect((await host.confirm(visitor)).status).toBe(200)
  })
})

describe('with bearer tokens', () => {
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  const tokenOf = (req: Request) => req.headers.authorization?.split(' ')[1]
  const options = {
    session: tokenSession(tokenOf),
    subject: (req: Request) => (tokenOf(req)?.startsWith('ana-') ? 'ana' : null),
  }
  const mount = (app: Express, tf: TwoFactor) => {
    app.get('/keys', tf.requireTwoFactor({ purpose: 'keys' }), ok)
  }

  it('a refusal carries the challenge of RFC 9470, and the grant belongs to the token', async () => {
    const { host, visitor: app } = await startVisit({ ...withTokens(options), mount })
    const refused = await app.get('/keys', bearer('ana-1'))
    expect(refused.status).toBe(401)
    expect(refused.json).toMatchObject({ code: 'second_factor_required', status: 401, maxAgeMs: 300_000 })
    expect(refused.headers.get('www-authenticate')).toBe(
      'Bearer error="insufficient_user_authentication", error_description="A fresh second factor is required", max_age="300"',
    )
    const { requirement } = refused.json
    expect((await app.start({ requirement }, bearer('ana-2'))).status).toBe(400)
    expect((await app.start({ requirement }, bearer('ana-1'))).status).toBe(201)
    const { rightCode: code } = host.stub
    expect((await app.verify(code, {}, bearer('ana-1'))).status).toBe(200)
    expect((await app.get('/keys', bearer('ana-1'))).status).toBe(200)
    expect((await app.get('/keys', bearer('ana-2'))).status).toBe(401)
    expect(app.cookies.size).toBe(0)
  })

  it.each<[string, Record<string, string>]>([
    ['no token', {}],
    ['another scheme', { authorization: 'Basic ana-1' }],
    ['another scheme before it', { authorization: 'Basic Bearer ana-1' }],
    ['a token without its scheme', { authorization: 'ana-1' }],
  ])('a request with %s is refused', async (_name, headers) => {
    const host = await startHost(withTokens())
    const app = host.browser(headers)
    for (const told of [await app.get('/account'), await app.start()]) {
      expect(told.refusal).toEqual([401, 'not_identified'])
    }
    expect(host.stub.sends).toEqual([])
  })
})
