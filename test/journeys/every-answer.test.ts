import { expect, it } from 'vitest'
import { TwoFactorError, type TwoFactorOptions } from '../../src/index.js'
import type { Answer, Browser } from '../express/browser.js'
import { type Host, startHost, storeThrough } from '../express/kit.js'

const minute = 60_000

/** A caller of one kind: it speaks JSON or fills in forms. */
interface Caller {
  post(path: string, fields?: Record<string, string>, headers?: Record<string, string>): Promise<Answer>
  put(path: string): Promise<Answer>
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

async function setUp(asForm: boolean, options: Partial<TwoFactorOptions>): Promise<Setup> {
  let failure: Error | undefined
  const store = storeThrough((_command, _key, work) => {
    if (failure !== undefined) throw failure
    return work()
  })
  const host = await startHost({ options: { store, ...options } })
  /** What a program sends, or what a browser does. */
  const callerOf = (browser: Browser): Caller => ({
    post: (path, fields = {}, headers = {}) =>
      asForm
        ? browser.submit(path, fields, { 'accept-language': 'es', ...headers })
        : browser.post(path, fields, headers),
    put: (path) =>
      browser.send(path, {
        method: 'PUT',
        headers: asForm ? { accept: 'text/html', 'accept-language': 'es' } : {},
      }),
  })
  return {
    host,
    stranger: () => callerOf(host.browser()),
    enter: async () => callerOf(await host.login()),
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
    code: 'account_disabled',
    status: 403,
    options: () => ({ limits: { failuresBeforeDisable: 1 } }),
    async run(setup) {
      const ana = await begun(setup)
      await ana.post(verify, wrong)
      return ana.post(start)
    },
  },
  { code: 'method_not_allowed', status: 405, run: async ({ enter }) => (await enter()).put('/two-factor') },
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
    code: 'account_locked',
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
    options: () => ({ session: { id: () => undefined, regenerate: () => undefined } }),
  },
  { code: 'sending_paused', status: 503, options: () => ({ limits: { serviceSendsPerMinute: 0 } }) },
]

/** What every refusal says, whichever way it is asked for. */
async function refused(asForm: boolean, { code, status, retryAfter, options, run = asksForACode }: Row) {
  const setup = await setUp(asForm, options?.() ?? {})
  const answer = await run(setup)
  const header = (name: string) => answer.headers.get(name)
  expect([answer.status, header('cache-control'), header('vary')]).toEqual([status, 'no-store', 'Accept'])
  if (retryAfter !== undefined) expect(header('retry-after')).toBe(retryAfter)
  if (status === 429 || status === 503) expect(Number(header('retry-after'))).toBeGreaterThan(0)
  expect([code, answer.text.includes('3001234567')]).toEqual([code, false])
  expect(setup.host.errors).toEqual([])
  return answer
}

it.each(rows)('$code is answered with $status in JSON', async (row) => {
  const { headers, json } = await refused(false, row)
  expect(headers.get('content-type')).toBe('application/problem+json')
  const { code, status } = row
  expect(json).toMatchObject({ code, status, type: `urn:express-two-factor:${code}` })
  expect([typeof json.title, typeof json.detail]).toEqual(['string', 'string'])
})

it.each(rows)('$code is answered with $status on a page, in the language of the person', async (row) => {
  const { headers, text } = await refused(true, row)
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(text).toContain('<html lang="es"')
  expect(text).not.toMatch(/undefined|\[object/)
})
