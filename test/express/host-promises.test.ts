import { randomUUID } from 'node:crypto'
import express, { type Express, type Request } from 'express'
import { MemoryStore } from 'express-session'
import { describe, expect, it } from 'vitest'
import { expressSession, type SessionAdapter, type TwoFactorOptions } from '../../src/index.js'
import type { Answer, Browser } from './browser.js'
import { gate, type HostOptions, startHost, startLoggedIn, startVisit, withCookies } from './kit.js'

const never = new Promise<never>(() => undefined)
const hang = () => never
const limits = { hostTimeoutMs: 50 }
const own = expressSession()
const later = { ...own, id: async (req: Request) => own.id(req) }

const start = (browser: Browser) => browser.start()
const account = (browser: Browser) => browser.get('/account')
const page = (browser: Browser) => browser.open('/two-factor')

describe('a promise of the host that never settles', () => {
  it.each<[string, Partial<TwoFactorOptions>, (browser: Browser) => Promise<Answer>]>([
    ['phone', { phone: hang }, start],
    ['beforeSend', { beforeSend: hang }, start],
    ['render', { pages: { render: hang } }, page],
    ['describe', {}, (browser) => browser.post('/described', {})],
    ['exempt', {}, (browser) => browser.get('/exempted')],
    ['session.id', { session: { ...later, id: hang } }, account],
    ['session.keep', { session: { ...own, keep: hang } }, account],
    [
      'recoveryCodes.consume',
      { recoveryCodes: { consume: hang } },
      (browser) => browser.post('/two-factor/verify', { recoveryCode: 'A'.repeat(24) }),
    ],
  ])('%s counts as one that was rejected', async (name, options, ask) => {
    const host = await startHost({
      options: { ...options, limits },
      mount(app, tf) {
        const described = { purpose: 'pay', bind: () => ({ a: 1 }), describe: hang }
        app.post('/described', express.json(), tf.requireTwoFactor(described))
        app.get('/exempted', tf.requireTwoFactor({ exempt: hang }))
      },
    })
    const told = await ask(await host.login())
    expect(told.json).toEqual({ host: `${name} did not settle within 50 ms: limits.hostTimeoutMs` })
    expect(host.errors).toMatchObject([{ status: 503 }])
    expect(host.stub.sends).toEqual([])
  })

  it.each(['rotate', 'get', 'destroy', 'set'])(
    'of the session, %s, is 503 and elevates nobody',
    async (name) => {
      let rotate: SessionAdapter['rotate'] = own.rotate
      const sessionStore = new MemoryStore()
      const { get, set, destroy } = sessionStore
      const { host, ana } = await startLoggedIn({
        sessionStore,
        options: { session: { ...own, rotate: (req, res) => rotate(req, res) }, limits },
      })
      await start(ana)
      host.whileChecked(() => {
        if (name === 'rotate') rotate = hang
        else Object.assign(sessionStore, { [name]: hang })
      })
      const old = ana.copy()
      expect((await ana.verify(host.stub.rightCode)).refusal).toEqual([503, 'session_unavailable'])
      Object.assign(sessionStore, { get, set, destroy })
      for (const browser of [ana, old]) expect((await account(browser)).status).toBeGreaterThanOrEqual(401)
    },
  )
})

/** A host whose onVerified waits until it is let go, and then signs the person in. */
interface SetUp extends Pick<HostOptions, 'addSession'> {
  readonly session?: SessionAdapter
  /** Takes the session in hand, and returns what signs the person in. */
  hold(req: Request): () => void
  userOf(req: Request): string | undefined
}

const cookies = (): SetUp => ({
  ...usual,
  addSession: withCookies.addSession,
  session: withCookies.options.session,
})

const usual: SetUp = {
  hold: ({ session }) => {
    return () => {
      session.userId = 'ana'
      session.save?.()
    }
  },
  userOf: (req) => req.session.userId,
}

/** Sessions in a store of the host's own, where each request looks its own up by its id. */
function storeOfItsOwn(): SetUp {
  const store = new Map<string | undefined, { userId?: string }>()
  const ids = new WeakMap<Request, string>()
  const rotate: SessionAdapter['rotate'] = (req, res) => {
    const before = ids.get(req)
    const after = randomUUID()
    store.set(after, store.get(before) ?? {})
    store.delete(before)
    ids.set(req, after)
    if (!res.headersSent) res.cookie('own', after)
  }
  const addSession = (app: Express) => {
    app.use((req, res, next) => {
      const id = /own=([\w-]+)/.exec(req.headers.cookie ?? '')?.[1]
      if (id !== undefined && store.has(id)) ids.set(req, id)
      else rotate(req, res)
      // The login of every host writes into it.
      Object.assign(req, { session: {} })
      next()
    })
  }
  return {
    addSession,
    session: { id: (req) => ids.get(req), rotate },
    hold: (req) => {
      const id = ids.get(req)
      return () => void store.set(id, { userId: 'ana' })
    },
    userOf: (req) => store.get(ids.get(req))?.userId,
  }
}

describe('an onVerified that never settles', () => {
  it.each<[string, () => SetUp]>([
    ['express-session', () => usual],
    ['cookie-session', cookies],
    ['a store of its own', storeOfItsOwn],
  ])('is 503, and what it still writes reaches nobody: %s', async (_name, setUp) => {
    const { addSession, session, hold, userOf } = setUp()
    const held = gate()
    let written: Promise<unknown> = never
    const { host, visitor: ana } = await startVisit({
      ...(addSession && { addSession }),
      options: {
        ...(session && { session }),
        subject: () => 'ana',
        limits,
        onVerified(req) {
          const early = hold(req)
          written = held.opened.then(() => {
            early()
            hold(req)()
          })
          return never
        },
      },
      mount: (app) => app.get('/user', (req, res) => void res.json({ user: userOf(req) })),
    })
    expect((await start(ana)).status).toBe(201)
    const old = ana.copy()
    expect((await ana.verify(host.stub.rightCode)).refusal).toEqual([503, 'session_unavailable'])
    held.open()
    await written.catch(() => undefined)
    for (const browser of [ana, old]) {
      expect((await browser.get('/user')).json).toEqual({})
      expect((await account(browser)).status).toBe(403)
    }
  })
})

it.each([undefined, null, 7, Promise.resolve()])('a render that returns %j is told so', async (made) => {
  const host = await startHost({ options: { pages: { render: () => made as never } } })
  expect((await page(await host.login())).status).toBe(500)
  expect(host.errors).toMatchObject([
    { name: 'TypeError', message: expect.stringContaining('render must return the HTML') },
  ])
})
