import type { Express, Request } from 'express'
import { describe, expect, it } from 'vitest'
import type { TwoFactor } from '../../src/index.js'
import {
  expressSessions,
  type Host,
  type HostOptions,
  hearWarnings,
  ok,
  startHost,
  startSignedIn,
  startVisit,
} from './kit.js'

const { codes, said } = hearWarnings()

const anyone = { options: { subject: () => 'ana' } }
const guarded = (app: Express, tf: TwoFactor) => app.get('/account', tf.requireTwoFactor(), ok)

/** What reached the error handler of the host: one mistake, however often it was met. */
async function mistakeOf(host: Host): Promise<string> {
  const [first] = host.errors
  expect(first).toBeInstanceOf(TypeError)
  expect(first).toMatchObject({ code: 'ERR_TWO_FACTOR_OPTION' })
  return (first as TypeError).message
}

describe('a host without a session', () => {
  const mountSession =
    'app.use(session({ secret, resave: false, saveUninitialized: false, cookie: { sameSite: "lax" } }))'

  it.each<[string, HostOptions]>([
    ['has none at all', { ...anyone, addSession: () => undefined }],
    [
      'mounts it after the routes',
      {
        ...anyone,
        addSession: () => undefined,
        routes(app, tf) {
          app.use('/two-factor', tf.routes())
          guarded(app, tf)
          app.use(expressSessions())
        },
      },
    ],
    [
      'reads the subject from it',
      { addSession: () => undefined, options: { subject: (req) => req.session.userId } },
    ],
    [
      'takes everybody for nobody',
      { addSession: () => undefined, options: { subject: (req) => req.session?.userId } },
    ],
  ])('is told which line to write when it %s', async (_name, given) => {
    const { host, visitor } = await startVisit(given)
    const told = [
      await visitor.start(),
      await visitor.get('/two-factor'),
      await visitor.open('/account'),
      await visitor.get('/account'),
    ]
    expect(told.map(({ status }) => status)).toEqual([500, 500, 500, 500])
    expect(host.errors).toHaveLength(4)
    expect(await mistakeOf(host)).toContain(mountSession)
    expect(await codes()).toEqual(['TWO_FACTOR_NO_SESSION'])
    expect(host.stub.sends).toEqual([])
  })

  it('gets an error from a phone verification and its guard, too', async () => {
    const host = await startHost({
      addSession: () => undefined,
      options: { subject: () => null },
      routes(app, tf) {
        const signup = tf.phoneVerification()
        app.use('/phone', signup.routes())
        app.post('/signup', signup.requireProof(), ok)
      },
    })
    await host.browser().post('/phone/start', { phone: '+573009999999' })
    expect(await mistakeOf(host)).toContain(mountSession)
    expect((await host.browser().post('/signup')).status).toBe(500)
    expect(await codes()).toEqual(['TWO_FACTOR_NO_SESSION'])
  })

  it('that brings an adapter is warned, and refused as long as the adapter has no id', async () => {
    const host = await startHost({
      options: { subject: () => 'ana', session: { id: () => undefined, regenerate: () => undefined } },
    })
    expect((await host.browser().start()).refusal).toEqual([503, 'session_unavailable'])
    expect(await codes()).toEqual(['TWO_FACTOR_NO_SESSION'])
  })
})

it('an adapter that fails is no host without a session: its error is handed on, with no warning', async () => {
  const id = () => {
    throw new Error('the session store is away')
  }
  const host = await startHost({
    options: { subject: () => 'ana', session: { id, regenerate: () => undefined } },
  })
  expect((await host.browser().get('/account')).json).toEqual({ host: 'the session store is away' })
  expect(await codes()).toEqual([])
})

describe('a guard before the body parser', () => {
  it.each([
    ['Application/JSON ; charset=utf-8', '{"amount":1}', 'express.json()'],
    ['application/x-www-form-urlencoded', 'amount=1', 'express.urlencoded({ extended: false })'],
  ])('names the parser of %s', async (type, body, parser) => {
    const { host, ana } = await startSignedIn({
      mount(app, tf) {
        const bind = (req: Request) => ({ amount: req.body.amount })
        app.post('/pay', tf.requireTwoFactor({ purpose: 'pay', bind }))
        const describe = (req: Request) => ({ rows: [['Amount', req.body.amount] as const] })
        app.post('/show', tf.requireTwoFactor({ purpose: 'show', bind: () => ({}), describe }))
      },
    })
    for (const path of ['/pay', '/show']) {
      const told = await ana.postRaw(path, type, body)
      expect(told.status).toBe(500)
    }
    expect(host.errors).toHaveLength(2)
    const write = `write app.post(path, ${parser}, tf.requireTwoFactor({ … }), handler)`
    expect(await mistakeOf(host)).toContain(
      `(reading 'amount'). The body is not parsed before the guard: ${write}`,
    )
    for (const error of host.errors) expect((error as Error).cause).toBeInstanceOf(TypeError)
    expect(await codes()).toEqual(['TWO_FACTOR_NOT_PARSED'])
    expect(said[0]?.message).toContain('(POST /pay)')
  })
})

it('a guard leads to `path` below the `prefix`, behind a proxy that removes the first part of it', async () => {
  const host = await startHost({ options: { subject: () => 'ana', prefix: '/shop' } })
  expect((await host.browser().get('/two-factor')).status).toBe(200)
  expect((await host.browser().open('/account')).location).toMatch(/^\/shop\/two-factor\?/)
  expect([host.errors, await codes()]).toEqual([[], []])
})
