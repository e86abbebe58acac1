import { EventEmitter } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { createContext, runInContext } from 'node:vm'
import express, { type RequestHandler } from 'express'
import { describe, expect, it, test } from 'vitest'
import { createTotpFactor } from '../src/challenge/reach/factors.js'
import {
  createClient,
  type GuardOptions,
  memoryStore,
  type SessionAdapter,
  type Store,
  type TwoFactorOptions,
} from '../src/index.js'
import { isPlainObject } from '../src/lib/json.js'
import { codeOf } from '../src/lib/totp.js'
import type { ClientOptions } from '../src/provider/index.js'
import { runScript, script } from '../src/store/redis-connection.js'
import { redisStore } from '../src/store/redis-store.js'
import { type GuardCoverage, guardCoverage, storeContract } from '../src/tools/testing/index.js'
import { snapshotOf } from '../src/tools/testing/rehearsal/snapshot.js'
import { signIn, startAccounts } from './account/kit.js'
import {
  expressSessions,
  hearWarnings,
  ok,
  startChallenged,
  startLoggedIn,
  startSignedIn,
  startVisit,
  stubCodes,
  usualRoutes,
} from './express/kit.js'
import { recorded } from './provider/recorder.js'

// In Jest, an app has other built-ins than the package, which Node loads: another realm.

const { codes } = hearWarnings()

const realm = createContext({ setTimeout })
/** Evaluates an expression with the built-ins of the other realm. */
const foreign = <Value>(expression: string): Value => runInContext(`(${expression})`, realm)

test('the other realm has built-ins of its own', () => {
  expect(foreign('{}')).not.toBeInstanceOf(Object)
})

describe('a plain object of another realm', () => {
  it.each(['{}', '{ a: 1 }', 'Object.create(null)', 'JSON.parse("{}")'])('is one: %s', (expression) => {
    expect(isPlainObject(foreign(expression))).toBe(true)
  })

  it.each([
    '[]',
    'new Map()',
    'new Date()',
    'Promise.resolve()',
    'new (class A {})()',
    'Object.create({ a: 1 })',
    '() => {}',
  ])('is not: %s', (expression) => expect(isPlainObject(foreign(expression))).toBe(false))
})

describe('a guard of an app in another realm', () => {
  const bind = `(req) => ({ amount: req.body.amount, to: { payees: [req.body.payee] } })`
  const shown = `(req) => ({ title: 'Transfer', rows: [['Amount', String(req.body.amount)], ['To', req.body.payee]] })`

  const startPayments = (guard: string) =>
    startSignedIn({
      mount(app, tf) {
        const confirmed = tf.requireTwoFactor(foreign<GuardOptions>(guard))
        app.post('/pay', express.json(), confirmed, (req, res) => void res.json({ paid: req.body }))
      },
    })

  it('binds and shows a payment, and admits it once', async () => {
    const { host, ana } = await startPayments(
      `{ purpose: 'pay', once: true, bind: ${bind}, describe: ${shown}, methods: ['code'] }`,
    )
    host.clock.now += 60_000
    const order = { amount: 5, payee: 'Ben' }
    const refused = await ana.post('/pay', order)
    expect(host.errors).toEqual([])
    expect(refused.json).toMatchObject({ code: 'second_factor_required', details: { title: 'Transfer' } })
    await host.confirm(ana, { requirement: refused.json.requirement })
    expect((await ana.post('/pay', { ...order, amount: 6 })).status).toBe(403)
    expect((await ana.post('/pay', order)).json).toEqual({ paid: order })
    expect((await ana.post('/pay', order)).status).toBe(403)
  })

  it.each([
    ['bind', `{ purpose: 'pay', bind: (req) => ({ amount: req.body.order.amount }) }`],
    [
      'describe',
      `{ purpose: 'pay', bind: () => ({}), describe: (req) => ({ rows: [['A', req.body.a.b]] }) }`,
    ],
    [
      'unless',
      `{ purpose: 'pay', bind: (req) => ({ amount: req.body.amount }), unless: (req) => req.body.order.amount < 5 }`,
    ],
  ])('refuses a request without a body, on which `%s` throws, with 400', async (_name, guard) => {
    const { host, ana } = await startPayments(guard)
    expect((await ana.send('/pay', { method: 'POST' })).refusal).toEqual([400, 'invalid_request'])
    const form = await ana.postRaw('/pay', 'application/x-www-form-urlencoded', 'amount=1')
    expect(form.refusal).toEqual([415, 'unsupported_media_type'])
    expect(host.errors).toEqual([])
  })

  it('names a promise among the bound fields', async () => {
    const { host, ana } = await startPayments(
      `{ purpose: 'pay', bind: () => ({ amount: Promise.resolve(1) }) }`,
    )
    expect((await ana.post('/pay', {})).status).toBe(500)
    expect(String(host.errors[0])).toContain('bind must be synchronous')
  })
})

/** Leaves in `req.body` what this makes of the text. */
const leaving =
  (make: (text: string) => unknown): RequestHandler =>
  async (req, _res, next) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk)
    const text = String(Buffer.concat(chunks))
    if (text !== '') req.body = make(text)
    next()
  }

it.each([
  ['bytes', '(text) => Uint8Array.from(text, (letter) => letter.charCodeAt(0))'],
  ['a Map', '(text) => new Map(Object.entries(JSON.parse(text)))'],
  ['an object', 'JSON.parse'],
])('a body that is %s of another realm is read', async (_name, make) => {
  const before = leaving(foreign(make))
  const { host, ana } = await startChallenged({
    addSession: (app) => app.use(expressSessions()).use('/two-factor', before),
  })
  expect((await ana.verify(host.stub.rightCode)).status).toBe(200)
})

describe('an option of another realm', () => {
  it('is a pattern of codes', async () => {
    const code = foreign<NonNullable<TwoFactorOptions['code']>>('{ pattern: /^[0-9]{6}$/g }')
    const { host, ana } = await startChallenged({ options: { code } })
    expect((await ana.verify('12345')).refusal).toEqual([400, 'invalid_request'])
    expect((await ana.verify(host.stub.rightCode)).status).toBe(200)
  })

  it('is a session adapter, whose TypeError means that there is no session', async () => {
    const session = foreign<SessionAdapter>(
      '{ id: (req) => req.mySession.id, regenerate() {}, async save() {} }',
    )
    const { visitor } = await startVisit({ options: { session } })
    expect((await visitor.get('/account')).status).toBe(500)
    expect(await codes()).toContain('TWO_FACTOR_NO_SESSION')
  })

  it('is a promise of the phones, a list of countries, and a refusal of a send', async () => {
    const options = foreign<Partial<TwoFactorOptions>>(`{
      phone: async () => ['+573001234567', { phone: '300 765 4321', country: 'CO' }],
      countries: ['CO'],
      limits: { cooldownMs: [1000] },
      beforeSend: async () => ({ allow: false, reason: 'no' }),
    }`)
    const { host, ana } = await startLoggedIn({ options })
    expect((await ana.start()).status).toBe(403)
    expect(host.errors).toEqual([])
  })

  it('is the key of an app as bytes', () => {
    const key = foreign<Uint8Array>('Uint8Array.from({ length: 20 }, (_, at) => at)')
    const now = 1_800_000_000_000
    const code = codeOf(Math.floor(now / 30_000), key)
    expect(createTotpFactor(key).judge(code, now)).toMatchObject({ result: 'approved' })
  })

  it('is a time of last use', async () => {
    const host = await startAccounts({
      pages: { lastUsed: foreign("async () => ({ '+573001234567': new Date(0) })") },
    })
    expect((await (await signIn(host)).open('/account/security')).text).toContain('1970')
  })

  it('is a day of a client', async () => {
    const { provider, client } = await recorded()
    await client.urlStatistics(foreign("{ nameUrl: 'a', since: new Date(0), until: new Date(864e5) }"))
    expect(JSON.stringify(provider.requests)).toContain('1970-01-02')
  })
})

describe('an error of another realm', () => {
  it.each([
    [`Object.assign(new Error('invalid'), { code: 'UND_ERR_INVALID_ARG' })`, 'dispatcher'],
    ['new TypeError("broken")', 'dispatcher'],
    [`Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })`, 'refused'],
  ])('of a dispatcher is named: %s', async (made, reason) => {
    const dispatcher = foreign<NonNullable<ClientOptions['dispatcher']>>(`{ dispatch() { throw ${made} } }`)
    const client = createClient({ baseUrl: 'https://provider.example/v1', client: 1, key: 'k', dispatcher })
    await expect(client.balance()).rejects.toMatchObject({ reason })
  })

  it('of Redis that lacks a script leads to its source', async () => {
    const sent: unknown[] = []
    const missing = foreign<Error>('new Error("NOSCRIPT No matching script")')
    const send = async (_key: string, [command]: string[]) => {
      sent.push(command)
      if (command === 'evalsha') throw missing
      return 1
    }
    expect(await runScript(send, script('return 1'), 'k')).toBe(1)
    expect(sent).toEqual(['evalsha', 'eval'])
  })

  it('of a client of Redis begins with the cause', async () => {
    const client = Object.assign(new EventEmitter(), {
      isReady: false,
      sendCommand: foreign<() => Promise<never>>('async () => { throw new Error("The client is offline") }'),
    })
    const store = redisStore({ client })
    client.emit('connect')
    await expect(store.read('key')).rejects.toMatchObject({
      cause: { message: 'no response to a new connection: The client is offline' },
    })
  })

  it('of a provider is a finding in its own words', async () => {
    const balance = foreign<() => Promise<never>>('async () => { throw new Error("no balance") }')
    const { host } = await startLoggedIn({ provider: (stub) => ({ ...stubCodes(stub), balance }) })
    const { findings } = await host.tf.selfTest()
    expect(findings.map(({ message }) => message)).toContain('no balance')
  })
})

describe('the test helpers of an app in another realm', () => {
  it('guardCoverage ignores a RegExp', async () => {
    let report: GuardCoverage['report'] | undefined
    const { ana } = await startSignedIn({
      routes(app, tf) {
        const coverage = guardCoverage(tf)
        report = coverage.report
        app.use(coverage.middleware)
        usualRoutes(app, tf)
        app.post('/open', ok)
      },
    })
    await ana.post('/open', {})
    expect(() => report?.()).toThrow('POST /open')
    expect(() => report?.(foreign('{ ignore: [/^POST/i] }'))).not.toThrow()
  })

  it('a snapshot of the state counts a Map, a Set and a Date', () => {
    const state = '{ orders: new Map([["a", 1]]), names: new Set(["b"]), at: new Date(0) }'
    const same = { orders: new Map([['a', 1]]), names: new Set(['b']), at: new Date(0) }
    expect([...snapshotOf(foreign(state))]).toEqual([...snapshotOf(same)])
  })

  it('storeContract accepts a store whose entries are of another realm', async () => {
    const copy = foreign<<Value>(value: Value) => Value>(
      '(value) => value === undefined ? undefined : JSON.parse(JSON.stringify(value))',
    )
    let now = 0
    const createStore = () => {
      const store = memoryStore({ now: () => now })
      return {
        read: async (key: string) => copy(await store.read(key)),
        swap: async (...given: Parameters<Store['swap']>) => copy(await store.swap(...given)),
        increment: async (...given: Parameters<Store['increment']>) => copy(await store.increment(...given)),
      }
    }
    const runs: (() => Promise<void>)[] = []
    storeContract({
      test: (_sentence, run) => runs.push(run),
      createStore,
      elapse: (ms) => {
        now += ms
      },
    })
    expect(runs.length).toBeGreaterThan(10)
    for (const run of runs) await run()
  })
})

test('no other file of the source asks by `instanceof` for a built-in that an app may create', async () => {
  const src = new URL('../src/', import.meta.url)
  const files = (await readdir(src, { recursive: true })).filter(
    (file) => file.endsWith('.ts') && !/^(?:browser|tools.cli)/.test(file),
  )
  const found = await Promise.all(
    files.map(async (file) => {
      const text = await readFile(new URL(file.replaceAll('\\', '/'), src), 'utf8')
      return /instanceof (?:(?:Type|Range|Reference)?Error|Date|RegExp|Map|Set|Uint8Array|Buffer)\b/.test(
        text,
      )
        ? [file.replaceAll('\\', '/')]
        : []
    }),
  )
  // Besides the helper: errors that the package itself has thrown.
  expect(found.flat().sort()).toEqual([
    'lib/options.ts',
    'lib/realms.ts',
    'tools/sandbox/control/control-routes.ts',
    'tools/testing/rehearsal/rows.ts',
  ])
})
