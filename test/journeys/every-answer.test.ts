import express, { type Request } from 'express'
import { describe, expect, it } from 'vitest'
import { type Store, TwoFactorError, type TwoFactorOptions, tokenSession } from '../../src/index.js'
import { type Answer, Browser } from '../express/browser.js'
import {
  type Host,
  type HostOptions,
  startHost,
  storeThrough,
  withCookies,
  withTokens,
} from '../express/kit.js'

const minute = 60_000

/** A caller of one kind: it speaks JSON or fills in forms, and is somebody in one kind of session. */
interface Caller {
  get(path: string): Promise<Answer>
  post(path: string, fields?: Record<string, string>, headers?: Record<string, string>): Promise<Answer>
}

interface Setup {
  readonly host: Host
  /** Somebody who has given a password, in a session of its own. */
  enter(user?: string): Promise<Caller>
  /** Nobody. */
  stranger(): Caller
  /** From now on the store throws this. */
  breakStore(error: Error): void
}

/** What a program sends, and what a browser does. */
const formats = {
  JSON: { accept: 'application/json', lang: undefined },
  'forms in es': { accept: 'text/html', lang: 'es' },
} as const
type Format = (typeof formats)[keyof typeof formats]

const tokenOf = (req: Request) => req.headers.authorization?.split(' ')[1]

const sessions: Readonly<Record<string, HostOptions>> = {
  'express-session': {},
  'cookie-session': withCookies,
  'bearer tokens': withTokens({
    session: tokenSession(tokenOf),
    subject: (req) => tokenOf(req)?.split('-')[0],
  }),
}

const routes: NonNullable<HostOptions['routes']> = (app, tf) => {
  app.post('/login', express.json(), (req, res) => {
    if (req.session) req.session.pendingUserId = req.body.user
    res.json({})
  })
  app.use('/two-factor', tf.routes())
  app.get('/account', tf.requireTwoFactor(), (_req, res) => {
    res.json({ ok: true })
  })
}

async function setUp(kind: string, format: Format, options: Partial<TwoFactorOptions> = {}): Promise<Setup> {
  const session = sessions[kind] ?? {}
  const { store, breakStore } = fallibleStore()
  const host = await startHost({ ...session, routes, options: { ...session.options, store, ...options } })
  const callerOf = (browser: Browser): Caller => {
    const language = format.lang === undefined ? {} : { 'accept-language': format.lang }
    const { accept } = format
    return {
      get: (path) => browser.get(path, { accept, ...language }),
      post: (path, fields = {}, headers = {}) =>
        format.lang === undefined
          ? browser.post(path, fields, headers)
          : browser.submit(path, fields, { ...language, ...headers }),
    }
  }
  let logins = 0
  return {
    host,
    breakStore,
    stranger: () => callerOf(host.browser()),
    async enter(user = 'ana') {
      logins += 1
      const always = kind === 'bearer tokens' ? { authorization: `Bearer ${user}-${logins}` } : {}
      const browser = new Browser(host.url, always as Record<string, string>)
      await browser.post('/login', { user })
      return callerOf(browser)
    },
  }
}

function fallibleStore(): { store: Store; breakStore: (error: Error) => void } {
  let failure: Error | undefined
  return {
    store: storeThrough((_command, _key, work) => {
      if (failure !== undefined) throw failure
      return work()
    }),
    breakStore(error) {
      failure = error
    },
  }
}

interface Row {
  readonly code: string
  readonly status: number
  readonly options?: () => Partial<TwoFactorOptions>
  /** Of the answer, in seconds. */
  readonly retryAfter?: string
  /** What leads to it; by default somebody asks for a code. */
  run?(setup: Setup): Promise<Answer>
}

const start = '/two-factor/start'
const verify = '/two-factor/verify'
const wrong = { code: '000000' }

async function begun(setup: Setup): Promise<Caller> {
  const ana = await setup.enter()
  await ana.post(start)
  return ana
}

/** Somebody was sent a code and types this. */
const typed = (fields: Record<string, string>, headers?: Record<string, string>) => ({
  run: async (setup: Setup) => (await begun(setup)).post(verify, fields, headers),
})

const asksForACode = async ({ enter }: Setup) => (await enter()).post(start)

const rows: readonly Row[] = [
  { code: 'invalid_request', status: 400, ...typed({ code: 'x' }) },
  { code: 'not_identified', status: 401, run: async ({ stranger }) => stranger().post(start) },
  { code: 'destination_not_allowed', status: 403, options: () => ({ phone: () => '+4915112345678' }) },
  { code: 'send_refused', status: 403, options: () => ({ beforeSend: () => false }) },
  {
    code: 'cross_site',
    status: 403,
    run: async ({ enter }) => (await enter()).post(start, {}, { 'sec-fetch-site': 'cross-site' }),
  },
  {
    code: 'phone_disabled',
    status: 403,
    options: () => ({ limits: { failuresBeforeDisable: 1 } }),
    async run(setup) {
      const ana = await begun(setup)
      await ana.post(verify, wrong)
      return ana.post(start)
    },
  },
  { code: 'method_not_allowed', status: 405, run: async ({ enter }) => (await enter()).post('/two-factor') },
  {
    code: 'challenge_superseded',
    status: 409,
    async run(setup) {
      const here = await begun(setup)
      setup.host.clock.now += minute
      const there = await setup.enter()
      await there.post(start)
      return here.post(verify, wrong)
    },
  },
  {
    code: 'verification_in_progress',
    status: 409,
    async run(setup) {
      const ana = await begun(setup)
      let second: Promise<Answer> | undefined
      setup.host.stub.answerCheck = async () => {
        second = ana.post(verify, { code: '111111' })
        await second
        return { json: { status: 'wrong' } }
      }
      await ana.post(verify, wrong)
      return second ?? Promise.reject(new Error('nothing was checked'))
    },
  },
  { code: 'no_phone', status: 409, options: () => ({ phone: () => undefined }) },
  { code: 'challenge_gone', status: 410, run: async ({ enter }) => (await enter()).post(verify, wrong) },
  { code: 'payload_too_large', status: 413, ...typed({ code: '1'.repeat(20_000) }) },
  { code: 'unsupported_media_type', status: 415, ...typed(wrong, { 'content-type': 'text/plain' }) },
  { code: 'code_not_accepted', status: 422, ...typed(wrong) },
  {
    code: 'attempts_exhausted',
    status: 429,
    retryAfter: '300',
    options: () => ({ limits: { attemptsPerChallenge: 1 } }),
    async run(setup) {
      const ana = await begun(setup)
      await ana.post(verify, wrong)
      return ana.post(verify, { code: '111111' })
    },
  },
  {
    code: 'phone_locked',
    status: 429,
    retryAfter: '900',
    options: () => ({ limits: { failuresBeforeLock: 1 } }),
    async run(setup) {
      const ana = await begun(setup)
      await ana.post(verify, wrong)
      return ana.post(start)
    },
  },
  {
    code: 'resend_too_soon',
    status: 429,
    retryAfter: '60',
    run: async (setup) => (await begun(setup)).post('/two-factor/resend'),
  },
  {
    code: 'send_limit',
    status: 429,
    retryAfter: '3540',
    options: () => ({ limits: { sendsPerHour: 1 } }),
    async run(setup) {
      const ana = await begun(setup)
      setup.host.clock.now += minute
      return ana.post('/two-factor/resend')
    },
  },
  {
    code: 'delivery_failed',
    status: 502,
    async run({ host, enter }) {
      host.stub.answerSend = () => ({ status: 520, json: { error: 1007 } })
      return (await enter()).post(start)
    },
  },
  {
    code: 'verification_unavailable',
    status: 503,
    retryAfter: '5',
    async run(setup) {
      setup.host.stub.answerCheck = () => ({ json: {} })
      return (await begun(setup)).post(verify, wrong)
    },
  },
  {
    code: 'provider_unavailable',
    status: 503,
    retryAfter: '5',
    async run(setup) {
      const ana = await begun(setup)
      await setup.host.stub.close()
      return ana.post(verify, wrong)
    },
  },
  {
    code: 'store_unavailable',
    status: 503,
    retryAfter: '5',
    async run(setup) {
      const ana = await begun(setup)
      setup.breakStore(new Error('down'))
      return ana.post(verify, wrong)
    },
  },
  {
    code: 'capacity',
    status: 503,
    retryAfter: '5',
    async run({ enter, breakStore }) {
      const ana = await enter()
      breakStore(new TwoFactorError('capacity'))
      return ana.post(start)
    },
  },
  {
    code: 'session_unavailable',
    status: 503,
    retryAfter: '5',
    options: () => ({ session: { id: () => undefined, rotate: () => undefined } }),
  },
  { code: 'sending_paused', status: 503, options: () => ({ limits: { serviceSendsPerMinute: 0 } }) },
]

function expectWellFormed(answer: Answer): void {
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(answer.headers.get('vary')).toBe('Accept')
}

describe.each(Object.entries(formats))('over %s', (_name, format) => {
  it.each(rows)(
    '$code is answered with $status',
    async ({ code, status, retryAfter, options, run = asksForACode }) => {
      const setup = await setUp('express-session', format, options?.())
      const answer = await run(setup)
      expect(answer.status).toBe(status)
      expectWellFormed(answer)
      if (retryAfter !== undefined) expect(answer.headers.get('retry-after')).toBe(retryAfter)
      if (status === 429 || status === 503)
        expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
      if (format.lang === undefined) {
        expect(answer.headers.get('content-type')).toBe('application/problem+json')
        expect(answer.json).toMatchObject({ code, status, type: `urn:express-two-factor:${code}` })
        expect(answer.json.title).toBeTypeOf('string')
        expect(answer.json.detail).toBeTypeOf('string')
      } else {
        expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
        expect(answer.text).toContain(`<html lang="${format.lang}"`)
        expect(answer.text).not.toMatch(/undefined|\[object/)
      }
      expect(answer.text).not.toContain('3001234567')
      expect(setup.host.errors).toEqual([])
    },
  )

  it.each(Object.keys(sessions))('a whole sign-in succeeds with %s', async (kind) => {
    const setup = await setUp(kind, format)
    const ana = await setup.enter()
    const { stub, clock } = setup.host
    const isJson = format.lang === undefined
    const tokens = kind === 'bearer tokens'

    const refused = await ana.get('/account')
    expect(refused.status).toBe(isJson ? (tokens ? 401 : 403) : 303)
    expectWellFormed(refused)

    const answers = [await ana.post(start), await ana.post(start), await ana.post('/two-factor/cancel')]
    expect(answers.map(({ status }) => status)).toEqual(isJson ? [201, 200, 204] : [303, 303, 303])
    clock.now += minute
    await ana.post(start)
    clock.now += 2 * minute
    expect((await ana.post('/two-factor/resend', { channel: 'call' })).status).toBe(isJson ? 200 : 303)
    expect(stub.sends.map(({ path }) => path)).toEqual([
      '/v1/2fa/send-sms',
      '/v1/2fa/send-sms',
      '/v1/call/2fa/send-call',
    ])
    const shown = await ana.get('/two-factor')
    expect(shown.status).toBe(200)
    expectWellFormed(shown)
    expect(isJson ? shown.json.challenge.channel : shown.text).toContain(isJson ? 'call' : '<form')

    const right = await ana.post(verify, { code: stub.rightCode })
    expect(right.status).toBe(isJson ? 200 : 303)
    if (isJson) expect(right.json).toMatchObject({ verified: true, purpose: 'login' })
    else expect(right.location).toBe('/')
    expectWellFormed(right)
    expect((await ana.get('/account')).status).toBe(200)
  })
})
