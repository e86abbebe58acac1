import { type Express, type Request, type RequestHandler, Router } from 'express'
import { describe, expect, it, vi } from 'vitest'
import { expressSession, type TwoFactor, TwoFactorError } from '../../src/index.js'
import { figure } from '../prove/figure.js'
import { type Host, phones, startHost, startSignedIn } from './kit.js'

// An unhandled rejection fails the run of the tests.

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

/** A function of the host, which fails while it is the one to do so. */
type Unless = <Args extends readonly unknown[], Result>(
  name: string,
  call: (...args: Args) => Result,
) => (...args: Args) => Result

type Mount = (app: Express, tf: TwoFactor, reach: RequestHandler, unless: Unless) => void

/** A host in which one function at a time fails, and the handlers that nobody may reach unproven. */
async function startFailingHost(mount: Mount = () => undefined, onFile: typeof phones = phones) {
  const state: { failing?: string | undefined; fail: () => unknown } = { fail: () => undefined }
  const reached: string[] = []
  const reach: RequestHandler = (req, res) => {
    reached.push(`${state.failing}: ${req.originalUrl}`)
    res.json({})
  }
  const unless: Unless =
    (name, call) =>
    (...args) =>
      name === state.failing ? (state.fail() as ReturnType<typeof call>) : call(...args)
  const session = expressSession()
  const host: Host = await startHost({
    options: {
      subject: unless('subject', (req) => req.session?.pendingUserId ?? req.session?.userId),
      phone: unless('phone', (_req, subject) => onFile[subject]),
      beforeSend: unless('beforeSend', () => true),
      onVerified: unless('onVerified', () => undefined),
      pages: { locale: unless('locale', () => 'en'), render: unless('render', () => '<p>') },
      now: unless('now', () => host.clock.now),
      session: {
        id: unless('session.id', (req) => session.id(req)),
        regenerate: unless('session.regenerate', (req, res) => session.regenerate(req, res)),
        save: unless('session.save', (req, res) => session.save?.(req, res)),
      },
    },
    mount: (app, tf) => mount(app, tf, reach, unless),
  })

  /** Each value in each way by this function. The host is told of all of it as an Error, and no handler is reached. */
  async function eachFailure(name: string, happens: (fails: (does: boolean) => void) => Promise<unknown>) {
    const own = ours()
    for (const way of Object.values(ways)) {
      for (const value of [own, ...thrown]) {
        state.fail = () => way(value)
        await happens((does) => {
          state.failing = does ? name : undefined
        })
      }
    }
    expect(reached).toEqual([])
    expect(host.errors.filter((error) => !(error instanceof Error))).toEqual([])
    // An adapter of sessions may speak as we do.
    if (!name.startsWith('session.')) expect(host.errors).toContain(own)
  }

  return { host, state, reached, eachFailure }
}

describe('whatever a function of the host throws or rejects with', () => {
  const asked = ['subject', 'phone', 'session.id', 'bind', 'exempt', 'describe', 'locale', 'render', 'now']
  const mounts = ['/route', '/router/inside', '/used/below']
  const requests = asked.length * Object.keys(ways).length * (thrown.length + 1) * mounts.length

  it(`lets none of ${requests} unproven requests past a guard`, async () => {
    const { host, reached, eachFailure } = await startFailingHost((app, tf, reach, unless) => {
      const guard = tf.requireTwoFactor({
        purpose: 'guarded',
        bind: unless('bind', () => ({ amount: 1 })),
        exempt: unless('exempt', () => false),
        describe: unless('describe', () => ({ rows: [['a', 'b']] })),
      })
      app.post('/route', guard)
      app.post('/route', reach)
      const router = Router()
      router.use(guard)
      router.post('/inside', reach)
      app.use('/router', router, reach)
      app.use('/used', guard)
      app.post('/used/below', reach)
      // `exempt` is called only for a user without a number.
    }, {})
    const ana = await host.login()
    const statuses = new Set<number>()
    for (const name of asked) {
      await eachFailure(name, async (fails) => {
        fails(true)
        for (const path of mounts) statuses.add((await ana.submit(path)).status)
      })
    }
    figure(11, `${reached.length} of ${requests} requests reached the handler`)
    expect([...statuses].filter((status) => status < 400)).toEqual([])
    // The host is told what was thrown.
    expect(host.errors.map((error) => (error as Error).cause)).toEqual(expect.arrayContaining([...noErrors]))
  })

  it.each([
    'subject',
    'phone',
    'beforeSend',
    'onVerified',
    'session.id',
    'session.regenerate',
    'session.save',
    'now',
  ])('is an Error to the routes as well, and signs in no user: %s', async (name) => {
    const { host, eachFailure } = await startFailingHost((app, tf, reach) => {
      app.use('/two-factor', reach)
      app.post('/begin', tf.start({ purpose: 'login' }), reach)
    })
    await eachFailure(name, async (fails) => {
      fails(false)
      host.clock.now += 24 * 3_600_000
      const ana = await host.challenged()
      fails(true)
      for (const path of ['/two-factor/start', '/two-factor/verify', '/begin']) {
        await ana.submit(path, { code: host.stub.rightCode })
      }
      fails(false)
      // What is asked for a send alone has nothing to do with the code.
      if (['phone', 'beforeSend', 'session.save'].includes(name)) return
      expect((await ana.get('/account')).status).toBe(403)
    })
  })

  it('is awaited once if it is a query, which each `then` runs again', async () => {
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
  it.each(noErrors)('is an Error for a caller that reads grants without a guard: %j', async (value) => {
    const { host, state } = await startFailingHost()
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
