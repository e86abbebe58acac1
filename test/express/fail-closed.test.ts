import { type Express, type Request, type RequestHandler, Router } from 'express'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { expressSession, type TwoFactor, TwoFactorError } from '../../src/index.js'
import { figure } from '../prove/figure.js'
import { phones, startHost, startSignedIn } from './kit.js'

/** An error of ours that the host met elsewhere, such as that of a greeting by SMS that was not taken. */
const ours = () => new TwoFactorError('delivery_failed')
/** What JavaScript throws besides Errors, with all that Express reads as "go on" when `next` is given it. */
const noErrors = [undefined, null, '', 0, false, 'route', 'router'] as const
const thrown = [new Error('database'), ...noErrors] as const
const ways = {
  throws: (value: unknown) => {
    throw value
  },
  rejects: (value: unknown) => Promise.reject(value),
} as const

const unhandled: unknown[] = []
const note = (reason: unknown) => void unhandled.push(reason)
beforeAll(() => void process.on('unhandledRejection', note))
afterAll(() => void process.off('unhandledRejection', note))

/** A host in which one function at a time fails, and the handlers that nobody may reach unproven. */
async function startFailingHost(mount: (app: Express, tf: TwoFactor, reach: RequestHandler) => void) {
  const state: { failing?: string | undefined; fail: () => unknown } = { fail: () => undefined }
  const reached: string[] = []
  const reach: RequestHandler = (req, res) => {
    reached.push(`${state.failing}: ${req.originalUrl}`)
    res.json({})
  }
  const unless = <Args extends readonly unknown[], Result>(name: string, call: (...args: Args) => Result) => {
    return (...args: Args): Result => (name === state.failing ? (state.fail() as Result) : call(...args))
  }
  const session = expressSession()
  const clock = { now: Date.parse('2026-03-01T12:00:00.000Z') }
  const host = await startHost({
    options: {
      subject: unless('subject', (req) => req.session?.pendingUserId ?? req.session?.userId),
      phone: unless('phone', (_req, subject) => phones[subject]),
      beforeSend: unless('beforeSend', () => true),
      onVerified: unless('onVerified', () => undefined),
      pages: { locale: unless('locale', () => 'en'), render: unless('render', () => '<p>') },
      now: unless('now', () => clock.now),
      session: {
        id: unless('session.id', (req) => session.id(req)),
        rotate: unless('session.rotate', (req, res) => session.rotate(req, res)),
        keep: unless('session.keep', (req, res) => session.keep?.(req, res)),
      },
    },
    mount: (app, tf) => mount(app, tf, reach),
  })
  return { host, state, reached, unless, clock }
}

describe('whatever a function of the host throws or rejects with', () => {
  const asked = ['subject', 'session.id', 'bind', 'exempt', 'describe', 'locale', 'render', 'now']
  const mounts = ['/route', '/router/inside', '/used/below']

  it(`lets none of ${asked.length * 2 * (thrown.length + 1) * mounts.length} unproven requests past a guard`, async () => {
    const { host, state, reached } = await startFailingHost((app, tf, reach) => {
      const guard = tf.requireTwoFactor({
        purpose: 'guarded',
        bind: () => (state.failing === 'bind' ? (state.fail() as never) : { amount: 1 }),
        exempt: () => state.failing === 'exempt' && (state.fail() as never),
        describe: () => (state.failing === 'describe' ? (state.fail() as never) : { rows: [['a', 'b']] }),
      })
      app.post('/route', guard)
      app.post('/route', reach)
      const router = Router()
      router.use(guard)
      router.post('/inside', reach)
      app.use('/router', router, reach)
      app.use('/used', guard)
      app.post('/used/below', reach)
    })
    const ana = await host.login()
    const statuses = new Map<number, number>()
    for (const name of asked) {
      const own = ours()
      for (const way of Object.values(ways)) {
        for (const value of [own, ...thrown]) {
          for (const path of mounts) {
            state.failing = name
            state.fail = () => way(value)
            const { status } = await ana.submit(path)
            statuses.set(status, (statuses.get(status) ?? 0) + 1)
          }
        }
      }
      // The host is told, whatever error it is; an adapter of sessions may speak as we do.
      if (name !== 'session.id') expect(host.errors).toContain(own)
    }
    expect(reached).toEqual([])
    figure(
      11,
      `${reached.length} of ${asked.length * 2 * (thrown.length + 1) * mounts.length} requests reached the handler`,
    )
    expect([...statuses.keys()].filter((status) => status < 400)).toEqual([])
    expect(host.errors.filter((error) => !(error instanceof Error))).toEqual([])
    expect(unhandled).toEqual([])
    // The host is told what was thrown.
    expect(host.errors.map((error) => (error as Error).cause)).toEqual(
      expect.arrayContaining([undefined, null, '', 0, false, 'route', 'router']),
    )
  })

  const flow = [
    'subject',
    'phone',
    'beforeSend',
    'onVerified',
    'session.id',
    'session.rotate',
    'session.keep',
  ]
  it.each([...flow, 'now'])(
    'is an Error to the routes as well, and nobody is let in by it: %s',
    async (name) => {
      const { host, state, reached, clock } = await startFailingHost((app, tf, reach) => {
        app.use('/two-factor', reach)
        app.post('/begin', tf.start({ purpose: 'login' }), reach)
        app.post('/prove', tf.verify(), reach)
      })
      const own = ours()
      for (const way of Object.values(ways)) {
        for (const value of [own, ...thrown]) {
          state.failing = undefined
          clock.now += 24 * 3_600_000
          const ana = await host.challenged()
          state.failing = name
          state.fail = () => way(value)
          for (const path of ['/two-factor/start', '/two-factor/verify', '/begin', '/prove']) {
            await ana.submit(path, { code: host.stub.rightCode })
          }
          state.failing = undefined
          if (!['phone', 'beforeSend', 'session.keep'].includes(name)) {
            expect((await ana.get('/account')).status).toBe(403)
          }
        }
      }
      expect(reached).toEqual([])
      if (!name.startsWith('session.')) expect(host.errors).toContain(own)
      expect(host.errors.filter((error) => !(error instanceof Error))).toEqual([])
      expect(unhandled).toEqual([])
    },
  )

  it('is asked of the host once where it is a query, which each `then` runs anew', async () => {
    const run = vi.fn((_: unknown, reject: (error: Error) => void) => reject(ours()))
    const query = Object.fromEntries([['then', run]]) as unknown as Promise<never>
    const host = await startHost({ options: { phone: () => query } })
    expect((await (await host.login()).start()).json).toEqual({ host: 'delivery_failed' })
    expect(run).toHaveBeenCalledOnce()
  })

  it('reaches its error handler from a handler behind a guard that had to wait', async () => {
    const { ana } = await startSignedIn({
      mount: (app, tf) => {
        const guard = tf.requireTwoFactor({ once: true })
        app.get('/once', (req, res, next) => {
          guard(req, res, (error) => {
            if (error !== undefined) return next(error)
            throw new Error('behind the guard')
          })
        })
      },
    })
    expect(await ana.get('/once')).toMatchObject({ status: 500, json: { host: 'behind the guard' } })
  })
})

describe('a value that is no Error', () => {
  it.each(noErrors)('is one to whoever asks for grants without a guard: %j', async (value) => {
    const { host, state } = await startFailingHost(() => undefined)
    state.failing = 'subject'
    state.fail = () => ways.throws(value)
    const error: unknown = await host.tf.grants.read({} as Request, 'login').catch((caught) => caught)
    expect(error).toBeInstanceOf(Error)
    expect((error as Error).cause).toBe(value)
  })

  it.each(noErrors)('is one when a member of the bound fields throws it: %j', async (value) => {
    const { host, reached } = await startFailingHost((app, tf, reach) => {
      const bind = () => ({
        get amount(): number {
          return ways.throws(value)
        },
      })
      app.post('/pay', tf.requireTwoFactor({ purpose: 'pay', bind }))
      app.post('/pay', reach)
    })
    const ana = await host.login()
    expect((await ana.post('/pay')).status).toBe(500)
    expect(host.errors).toEqual([expect.any(Error)])
    expect(reached).toEqual([])
  })
})
