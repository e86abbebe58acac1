import { describe, expect, it } from 'vitest'
import { TwoFactorError, type TwoFactorOptions } from '../../src/index.js'
import type { Answer, Browser } from '../express/browser.js'
import { type Host, startHost, storeThrough } from '../express/kit.js'

const minute = 60_000

/** A caller of one kind: it speaks JSON or fills in forms. */
type Post = (
  path: string,
  fields?: Record<string, string>,
  headers?: Record<string, string>,
) => Promise<Answer>
interface Caller {
  readonly post: Post
}

interface Setup {
  readonly host: Host
  /** Somebody who has given a password, in a session of its own. */
  enter(): Promise<Caller>
  /** Nobody. */
  stranger(): Caller
  /** From now on the store throws this. */
  breakStore(error: Error): void
}

/** What a program sends, and what a browser does. */
const formats: Readonly<Record<string, { readonly lang?: string; readonly of: (browser: Browser) => Post }>> =
  {
    JSON: { of: (browser) => (path, fields, headers) => browser.post(path, fields ?? {}, headers) },
    'forms in es': {
      lang: 'es',
      of: (browser) => (path, fields, headers) =>
        browser.submit(path, fields, { 'accept-language': 'es', ...headers }),
    },
  }

async function setUp(postOf: (browser: Browser) => Post, options: Partial<TwoFactorOptions>): Promise<Setup> {
  let failure: Error | undefined
  const store = storeThrough((_command, _key, work) => {
    if (failure !== undefined) throw failure
    return work()
  })
  const host = await startHost({ options: { store, ...options } })
  return {
    host,
    stranger: () => ({ post: postOf(host.browser()) }),
    enter: async () => ({ post: postOf(await host.login()) }),
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

describe.each(Object.entries(formats))('over %s', (_name, { lang, of }) => {
  it.each(rows)(
    '$code is answered with $status',
    async ({ code, status, retryAfter, options, run = asksForACode }) => {
      const setup = await setUp(of, options?.() ?? {})
      const answer = await run(setup)
      expect(answer.status).toBe(status)
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(answer.headers.get('vary')).toBe('Accept')
      if (retryAfter !== undefined) expect(answer.headers.get('retry-after')).toBe(retryAfter)
      if (status === 429 || status === 503)
        expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
      if (lang === undefined) {
        expect(answer.headers.get('content-type')).toBe('application/problem+json')
        expect(answer.json).toMatchObject({ code, status, type: `urn:express-two-factor:${code}` })
        expect(answer.json.title).toBeTypeOf('string')
        expect(answer.json.detail).toBeTypeOf('string')
      } else {
        expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
        expect(answer.text).toContain(`<html lang="${lang}"`)
        expect(answer.text).not.toMatch(/undefined|\[object/)
      }
      expect(answer.text).not.toContain('3001234567')
      expect(setup.host.errors).toEqual([])
    },
  )
})
