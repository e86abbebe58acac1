import session from 'express-session'
import { createClient as createRedis } from 'redis'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { memoryStore, type TwoFactorOptions } from '../../src/index.js'
import { redisStore } from '../../src/store/redis-store.js'
import { withoutRedis } from '../store/redis-server.js'
import {
  asAna,
  type Host,
  hearWarnings,
  startChallenged,
  startHost,
  startLoggedIn,
  storeThrough,
  stubCodes,
} from './kit.js'
import { redisOfFile } from './redis.js'

const { said, codes } = hearWarnings()
afterEach(() => void vi.unstubAllEnvs())

const redis = redisOfFile()
const behindTls = { secure: true, sameSite: 'lax' } as const
const forwarded = { 'x-forwarded-for': '203.0.113.9' }

describe('a warning', () => {
  it('is not emitted for a correct setup, for any wrong codes after a correct one', async () => {
    const host = await startHost()
    await host.signIn()
    const ben = await host.challenged('ben')
    expect((await ben.verify('000000')).status).toBe(422)
    expect(await codes()).toEqual([])
  })

  it('names a proxy that Express does not trust, once, with a place in the documents', async () => {
    const { ana } = await startLoggedIn()
    await ana.start({}, forwarded)
    await ana.start({}, forwarded)
    expect(await codes()).toEqual(['TWO_FACTOR_TRUST_PROXY_MISSING'])
    expect(said[0]?.detail).toBe('See express-two-factor/docs/operation.md#warnings')
  })

  /** The time in which an app looks at its store, passed at once. */
  async function aMinuteAfterTheStart(options: Partial<TwoFactorOptions>): Promise<void> {
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const host = await startHost({ options })
    await vi.advanceTimersByTimeAsync(59_999)
    expect(await codes()).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    onTestFinished(() => host.tf.close())
  }

  it('names a store that may evict live records, and leaves its other findings to the self-test', async () => {
    const fix = 'set it'
    const inspect = async () => [
      { code: 'store_clock', message: 'Its clock leads.', fix },
      { code: 'store_evicts', message: 'It forgets.', fix },
      { code: 'store_evicts', message: 'Another node does.', fix },
    ]
    await aMinuteAfterTheStart({ store: { ...memoryStore(), inspect } })
    expect(await codes()).toEqual(['TWO_FACTOR_STORE_EVICTS'])
    expect(said[0]?.message).toMatch(/ \(It forgets\. Another node does\.\)$/)
  })

  it.each([
    ['has nothing to say about itself', undefined],
    ['cannot be asked', () => Promise.reject(new Error('down'))],
  ])('names no store that %s', async (_what, inspect) => {
    await aMinuteAfterTheStart({ store: { ...memoryStore(), ...(inspect && { inspect }) } })
    expect(await codes()).toEqual([])
  })

  it.skipIf(withoutRedis).each([
    ['volatile-lru', ['TWO_FACTOR_STORE_EVICTS']],
    ['noeviction', []],
  ])('names a Redis that forgets what is live: %s', async (policy, named) => {
    await redis.server.ask('CONFIG', 'SET', 'maxmemory-policy', policy)
    const store = redis.onRedis()
    const inspected = vi.fn(store.inspect)
    await aMinuteAfterTheStart({ store: { ...store, inspect: inspected } })
    await vi.waitFor(() => expect(inspected).toHaveBeenCalled())
    await inspected.mock.results[0]?.value
    await vi.waitFor(async () => expect(await codes()).toEqual(named))
  })

  it('names a `trust proxy` that trusts every client', async () => {
    const host = await startHost()
    host.app.set('trust proxy', true)
    await host.login()
    await host.browser().start()
    expect(await codes()).toEqual(['TWO_FACTOR_TRUST_PROXY_ALL'])
  })

  it('names a memory store in production and among several workers', async () => {
    vi.stubEnv('NODE_ENV', 'production')
    vi.stubEnv('NODE_APP_INSTANCE', '1')
    const host = await startHost()
    expect(await codes()).toEqual(['TWO_FACTOR_SEVERAL_WORKERS', 'TWO_FACTOR_MEMORY_STORE'])
    await host.tf.close()
  })

  it('names a session cookie that is not Secure or has no SameSite', async () => {
    vi.stubEnv('NODE_ENV', 'production')
    const host = await startHost({
      addSession: (app) =>
        app.use(
          session({ secret: 's', resave: false, saveUninitialized: false, cookie: { sameSite: 'none' } }),
        ),
    })
    await host.challenged()
    expect(await codes()).toEqual([
      'TWO_FACTOR_MEMORY_STORE',
      'TWO_FACTOR_COOKIE_NOT_SECURE',
      'TWO_FACTOR_COOKIE_SAME_SITE',
    ])
  })

  it('names no SameSite=None that a front end of allowedOrigins needs', async () => {
    const host = await startHost({
      options: { allowedOrigins: ['https://app.example'] },
      addSession: (app) =>
        app.use(
          session({ secret: 's', resave: false, saveUninitialized: false, cookie: { sameSite: 'none' } }),
        ),
    })
    await host.challenged()
    expect(await codes()).toEqual([])
  })

  describe('of a Secure cookie that a proxy which Express does not know keeps from going out', () => {
    const store = new session.MemoryStore()
    const tls = { 'x-forwarded-proto': 'https' }
    const named = async (host: Host) => (await host.tf.selfTest()).findings.map(({ code }) => code)
    /** A request may say that its proxy is known. */
    const startBehindTls = () =>
      startHost({
        addSession: (app) =>
          app.use((req, res, next) => {
            const proxy = req.headers['x-proxy-known'] !== undefined
            const options = { secret: 's', resave: false, saveUninitialized: false, proxy, store }
            session({ ...options, cookie: behindTls })(req, res, next)
          }),
        routes(app, tf) {
          app.use('/two-factor', tf.routes()).post('/login', asAna, tf.start({ purpose: 'login' }))
        },
      })

    it('is emitted when a user needs the cookie, and cleared when one arrives', async () => {
      const host = await startBehindTls()
      const visitor = host.browser(tls)
      // A visitor whose session holds nothing needs no cookie.
      expect((await visitor.get('/two-factor')).status).toBe(401)
      expect(await codes()).toEqual([])
      expect((await visitor.post('/login', {})).status).toBe(201)
      expect(await codes()).toEqual(['TWO_FACTOR_COOKIE_NEVER_SENT'])
      expect(said[0]?.message).toMatch(/\(`trust proxy` is not set, X-Forwarded-Proto was sent\)$/)
      expect(await named(host)).toContain('cookie_never_sent')
      // No browser sends its session back.
      expect((await visitor.get('/two-factor')).refusal).toEqual([401, 'not_identified'])
      const ana = host.browser({ ...tls, 'x-proxy-known': 'yes' })
      await ana.post('/login', {})
      expect((await ana.get('/two-factor')).status).toBe(200)
      expect(await named(host)).not.toContain('cookie_never_sent')
    })

    it('names the header that a known proxy does not send', async () => {
      const host = await startBehindTls()
      host.app.set('trust proxy', 1)
      await host.browser().post('/login', {})
      expect(await codes()).toEqual(['TWO_FACTOR_COOKIE_NEVER_SENT'])
      expect(said[0]?.message).toContain('let it send `X-Forwarded-Proto`')
      expect(said[0]?.message).toMatch(/\(`trust proxy` is set, X-Forwarded-Proto was not sent\)$/)
    })

    it('is not given where Express knows the proxy', async () => {
      const host = await startBehindTls()
      host.app.set('trust proxy', 1)
      expect((await host.browser(tls).post('/login', {})).status).toBe(201)
      expect(await codes()).toEqual([])
    })
  })

  it('names a status that `approvedStatuses` lacks, as self-test and health do with the line to paste', async () => {
    const { host, ana } = await startChallenged({
      provider: (stub) => stubCodes(stub, { approvedStatuses: ['ok'] }),
      options: { now: () => Date.now() },
    })
    expect((await ana.verify(host.stub.rightCode)).status).toBe(422)
    expect(await codes()).toEqual(['TWO_FACTOR_STATUS_UNEXPECTED'])
    expect(said[0]?.message).toMatch(/\(status verified\)$/)
    const fix =
      'if that code was correct, and npx express-two-factor calibrate confirms it, paste approvedStatuses: ["ok","verified"] into providerCodes()'
    expect(host.tf.health().provider.lastUnexpected).toMatchObject({ status: 'verified', fix })
    expect((await host.tf.selfTest()).findings).toMatchObject([{ code: 'status_unexpected', fix }])
  })

  it('names a factory that is called for every request', async () => {
    // A module of its own: suites before this one may have left stores open in this process.
    const path = '../../src/store/memory-store.js?own'
    const { openDefaultStore }: typeof import('../../src/store/memory-store.js') = await import(path)
    const warn = vi.fn()
    const made = Array.from({ length: 99 }, () => openDefaultStore(undefined, warn))
    expect(warn).not.toHaveBeenCalled()
    made.push(openDefaultStore(undefined, warn), openDefaultStore(undefined, warn))
    expect(warn).toHaveBeenCalledExactlyOnceWith('TWO_FACTOR_MADE_PER_REQUEST')
    for (const store of made) store.close?.()
  })
})

it('names a provider that cannot be reached, once, for an app without `onEvent`', async () => {
  const host = await startHost()
  await host.stub.close()
  for (const name of ['ana', 'ben']) {
    const response = await (await host.login(name)).start()
    expect(response.status).toBe(503)
  }
  expect(await codes()).toEqual(['TWO_FACTOR_PROVIDER_UNREACHABLE'])
  expect(said[0]?.message).toContain('refused')
})

describe('a provider at another address than `baseUrl`', () => {
  const html = { status: 200, text: '<!doctype html>' }
  it.each([
    [
      'has no such operation',
      { status: 404, json: {} },
      'HTTP 404: No such operation at that address: check',
    ],
    [
      'accepts no such method',
      { status: 405, text: '' },
      'HTTP 405: No such operation at that address: check',
    ],
    ['redirects', { status: 302, text: '' }, 'HTTP 302: Redirects are not followed: correct'],
    ['is a web site', html, 'HTTP 200: The response is a web page: check'],
  ])('is named once, with the advice, if it %s', async (_what, answer, advice) => {
    const host = await startHost()
    host.stub.answerSend = async () => answer
    for (const name of ['ana', 'ben']) await (await host.login(name)).start()
    expect(await codes()).toEqual(['TWO_FACTOR_PROVIDER_ADDRESS'])
    expect(said[0]?.message).toContain(`(sendSmsCode, ${advice} baseUrl`)
  })

  it.each([400, 429, 500])('is not assumed for the status %i', async (status) => {
    const host = await startHost()
    host.stub.answerSend = async () => ({ status, json: { error: '1' } })
    await (await host.login()).start()
    expect(await codes()).toEqual([])
  })
})

describe('a store that fails', () => {
  const failing = (error: () => unknown) => storeThrough(() => Promise.reject(error()), memoryStore())

  it('is named once, with its cause, for an app without `onEvent`', async () => {
    const host = await startHost({ options: { store: failing(() => new Error('OOM x')) } })
    for (const name of ['ana', 'ben']) expect((await (await host.login(name)).start()).status).toBe(503)
    expect(await codes()).toEqual(['TWO_FACTOR_STORE_FAILED'])
    expect(said[0]?.message).toMatch(/ \(OOM\)$/)
  })

  it('is named without its key, its value and the secret of its client', async () => {
    const quotes = () =>
      Object.assign(new Error('SET key-of-ana redis://:s3cret@10.0.0.1'), { name: 'not a name' })
    const host = await startHost({ options: { store: failing(quotes) } })
    expect((await (await host.login()).start()).status).toBe(503)
    expect(await codes()).toEqual(['TWO_FACTOR_STORE_FAILED'])
    expect(said[0]?.message).toMatch(/ \(unknown\)$/)
  })

  it('is named at the first request if its Redis client was never connected', async () => {
    const client = createRedis({ url: 'redis://:s3cret@127.0.0.1:1', disableOfflineQueue: true })
    client.on('error', () => {})
    const host = await startHost({ options: { store: redisStore({ client }) } })
    expect((await (await host.login()).start()).status).toBe(503)
    expect(await codes()).toEqual(['TWO_FACTOR_STORE_FAILED'])
    expect(said[0]?.message).toMatch(/ \(await client\.connect\(\) is missing\)$/)
    expect(said[0]?.message).not.toContain('s3cret')
  })

  it('is an event alone for an app with `onEvent`', async () => {
    const host = await startHost({ options: { store: failing(() => new Error('OOM')) }, listens: true })
    expect((await (await host.login()).start()).status).toBe(503)
    expect(host.events).toContainEqual(expect.objectContaining({ type: 'store.failed', cause: 'OOM' }))
    expect(await codes()).toEqual([])
  })
})
