import express, { type Request, type RequestHandler } from 'express'
import { describe, expect, it, vi } from 'vitest'
import {
  type CodeProvider,
  type CodeSend,
  failover,
  ownCodes,
  ProviderError,
  type TwoFactorOptions,
} from '../../src/index.js'
import { read } from '../documents.js'
import { runSample, samples } from '../sample.js'
import type { Browser } from './browser.js'
import { type Host, ok, startHost } from './kit.js'
import { recover, startRecoveryHost } from './recovery-kit.js'

// Samples of the documents, run as they are printed against a host.

interface User {
  phone?: string
  app?: string
  recovery?: Set<string>
  mustAddFactor?: boolean
}

describe('the samples for users without a second factor', () => {
  async function startSample(users: Map<string, User>) {
    const code = samples('docs/guide.md', 'without code')
    return startRecoveryHost({
      options: { phone: (_req, subject) => users.get(subject)?.phone },
      mount: (app, tf) => {
        const given = { users, tf, settings: ok, account: ok, isAdmin: (name: string) => name === 'root' }
        const made = runSample(
          code,
          { ...given, app: { use: () => {} } },
          '{ withoutCode, exempt, exemptHere }',
        )
        app.post('/password', async (req, res, next) => {
          req.session.pendingUserId = String(req.query.name)
          const { withoutCode } = (await made) as never as Record<string, (...all: unknown[]) => void>
          withoutCode?.(req, res, next)
        })
        app.post('/password', tf.start({ purpose: 'login', successPath: '/account' }))
        const by = (name: string) => async (_req: unknown, subject: string) =>
          ((await made) as never as Record<string, (...all: unknown[]) => boolean>)[name]?.(_req, subject) ===
          true
        app.get('/here', tf.requireTwoFactor({ exempt: by('exemptHere') }), ok)
        app.get('/there', tf.requireTwoFactor({ exempt: by('exempt') }), ok)
      },
    })
  }
  const signIn = async (host: Host, name: string) => {
    const browser = host.browser()
    const { status } = await browser.post(`/password?name=${name}`)
    return {
      browser,
      status,
      here: (await browser.get('/here')).status,
      there: (await browser.get('/there')).status,
    }
  }

  it('admit them by the password, and require a code from all others', async () => {
    const users = new Map<string, User>([
      ['eva', {}],
      ['ben', { phone: '+573007654321' }],
      ['leo', { recovery: new Set(['hash']) }],
      ['ana', { mustAddFactor: true }],
    ])
    const host = await startSample(users)
    expect(await signIn(host, 'eva')).toMatchObject({ status: 302, here: 200, there: 200 })
    expect(await signIn(host, 'ben')).toMatchObject({ status: 201, here: 403, there: 403 })
    expect(await signIn(host, 'leo')).toMatchObject({ status: 409, here: 403, there: 403 })
  })

  it('require a recovery code from a user who lost the phone, also after its use', async () => {
    const users = new Map<string, User>([['ana', { mustAddFactor: true }]])
    const host = await startSample(users)
    const ana = await signIn(host, 'ana')
    expect(ana).toMatchObject({ status: 409, here: 403, there: 403 })
    expect((await recover(ana.browser, host.codes[0])).status).toBe(200)
    expect((await ana.browser.get('/here')).status).toBe(200)
    expect(await signIn(host, 'ana')).toMatchObject({ status: 409, here: 403, there: 403 })
  })

  it('offer the recovery code on the page of an account without a number', async () => {
    const host = await startSample(new Map([['ana', { mustAddFactor: true }]]))
    const browser = host.browser()
    const page = await browser.submit('/password?name=ana', {})
    const link = /href="([^"]+)">Use a recovery code/.exec(page.text)?.[1] ?? ''
    const { fields } = await browser.open(link.replaceAll('&amp;', '&'))
    const done = await browser.submit('/two-factor/verify', {
      ...fields,
      recoveryCode: String(host.codes[0]),
    })
    expect([done.status, done.location]).toEqual([303, '/account'])
  })
})

it('the sample for an amount requires a code for this amount and payee from 100 on, and no code of an app', async () => {
  const code = samples('docs/guide.md', 'above an amount').replace('/transfers', '/above')
  const host = await startHost({
    options: { appName: { login: 'Acme', transfer: 'Acme transfer', signup: 'Acme signup' } },
    mount: (app, tf) => void runSample(code, { app, tf, express, transfer: ok }),
  })
  const ana = await host.signIn()
  const send = async (amount: unknown, payee = 'Luis') => (await ana.post('/above', { amount, payee })).status
  expect([await send(99.99), await send('50'), await send([50]), await send(-1)]).toEqual([
    200, 403, 403, 403,
  ])
  const { requirement } = (await ana.post('/above', { amount: 100, payee: 'Luis' })).json
  const started = await ana.post('/two-factor/start', { requirement })
  expect(started.json.challenge.details.rows).toEqual([
    ['Amount', '100'],
    ['To', 'Luis'],
  ])
  await ana.verify(host.stub.rightCode, { requirement })
  expect([await send(101), await send(100, 'Eva'), await send(100), await send(100)]).toEqual([
    403, 403, 200, 403,
  ])
})

it('the condition for an amount of a form skips the code for whole amounts below its limit only', () => {
  const [, source = ''] = /whole amounts below 5,000, use `(.*?)`/.exec(read('docs/guide.md')) ?? []
  const skips = new Function('body', `return ${source}`) as (body: object) => boolean
  const amounts = (...all: unknown[]) => all.filter((amount) => skips({ amount }))
  expect(amounts('0', '9', '99', '4999')).toEqual(['0', '9', '99', '4999'])
  expect(
    amounts('', '-1', '49.99', '5000', '9999999999', '5e1', ' 5', '5\n', '0x5', 5, ['5'], undefined, null),
  ).toEqual([])
})

describe('the sample for a limit of the bill', () => {
  /** By the length of an hour such as 2026-01-01T12, a day and a month. */
  const lengths = [13, 10, 7]

  async function startSample(incr: (key: string) => Promise<number>) {
    const counters = { incr, expire: async () => {} }
    const code = samples('docs/operation.md', 'cost').replace(/^(?=twoFactor\()/m, 'const made = ')
    const given = { counters, options: {}, twoFactor: (options: object) => options }
    const { made, most } = (await runSample(code, given, '{ made, most }')) as {
      made: Partial<TwoFactorOptions>
      most: Record<'signIns' | 'signUps', number[]>
    }
    const host = await startHost({
      options: made,
      mount: (app, tf) => void app.use('/signup', tf.phoneVerification({ path: '/signup' }).routes()),
    })
    let next = 0
    return {
      most,
      clock: host.clock,
      signIn: async (name: string) => (await (await host.login(name)).start()).status,
      signUp: async () => {
        next += 1
        return (await host.browser().post('/signup/start', { phone: `+57300555000${next}` })).status
      },
    }
  }

  it('counts the codes of sign-ins and sign-ups apart, per hour, day and month, and refuses beyond', async () => {
    const counts = new Map<string, number>()
    const { most, clock, signIn, signUp } = await startSample(async (key) => {
      counts.set(key, (counts.get(key) ?? 0) + 1)
      return counts.get(key) ?? 0
    })
    // A start that a limit refuses counts nothing.
    expect([await signIn('ana'), await signIn('ana'), await signIn('ben'), await signUp()]).toEqual([
      201, 429, 201, 201,
    ])
    const counted = (kind: string) =>
      [...counts].filter(([key]) => key.startsWith(`sends:${kind}:`)).map(([, count]) => count)
    expect([counted('signIns'), counted('signUps')]).toEqual([
      [2, 2, 2],
      [1, 1, 1],
    ])
    for (const key of counts.keys()) {
      const [, kind = '', time = ''] = /^sends:(\w+):(.*)/.exec(key) ?? []
      const limit = most[kind as keyof typeof most][lengths.indexOf(time.length)] ?? 0
      const [start, other] =
        kind === 'signIns' ? [() => signIn('eva'), signUp] : [signUp, () => signIn('eva')]
      counts.set(key, limit - 1)
      expect(await start()).toBe(201)
      clock.now += 3_600_000
      expect([await start(), await other()]).toEqual([403, 201])
      clock.now += 3_600_000
      counts.set(key, 0)
    }
  })

  it('sends nothing if its Redis fails', async () => {
    const { signIn } = await startSample(async () => {
      throw new Error('Redis is down')
    })
    expect(await signIn('ana')).toBe(500)
  })
})

it('the sample for an audit log logs what a guard refuses, and no request that it admits', async () => {
  const said: object[] = []
  const host = await startHost({
    mount(app, tf) {
      const options = { subject: (req: Request) => req.session.pendingUserId ?? req.session.userId }
      const exempt = (_req: Request, subject: string) => subject === 'leo'
      const requireTwoFactor = () => tf.requireTwoFactor({ exempt })
      const console = { log: (line: object) => void said.push(line) }
      const given = {
        app: { use: app.use.bind(app) },
        tf: { requireTwoFactor },
        options,
        console,
        // As a logout does: the log must not read the session after that.
        account: ((req, res) => void req.session.destroy(() => res.sendStatus(200))) satisfies RequestHandler,
      }
      void runSample(samples('docs/operation.md', 'audit').replace('/account', '/audited'), given)
    },
  })
  const linesOf = async (browser: Browser, path = '/audited') => {
    const { status } = await browser.get(path)
    // A line is written once the response has left.
    await vi.waitFor(() => expect(said).toHaveLength(status === 200 ? 0 : 1))
    return [status, ...said.splice(0)]
  }
  const ana = await host.login('ana')
  const refused = { type: 'guard.refused', user: 'ana', ip: '127.0.0.1', url: '/audited?id=7', status: 403 }
  expect(await linesOf(ana, '/audited?id=7')).toEqual([403, refused])
  expect(await linesOf(host.browser())).toMatchObject([401, { user: undefined, status: 401 }])
  expect(await linesOf(await host.signIn('ana'))).toEqual([200])
  expect(await linesOf(await host.login('leo'))).toEqual([200])
})

describe('the sample for an SMS vendor of your own', () => {
  /** Sends a code by the vendor, with a second one behind it. Returns its result, and whether the second one is used. */
  async function sendWith(vendor: () => Promise<Response>) {
    const code = samples('docs/providers.md', 'own vendor').replace(/^import .*$/m, '')
    const given = {
      ownCodes,
      ProviderError,
      process: { env: { TWO_FACTOR_SECRET: 's'.repeat(32) } },
      fetch: vendor,
    }
    const provider = (await runSample(code, given, 'provider')) as CodeProvider
    const sendNext = vi.fn(async () => ({ result: 'sent' as const }))
    const order: CodeSend = {
      destination: '+573001234567',
      channel: 'sms',
      appName: 'Acme',
      purpose: 'login',
      locale: 'en',
      expiresInMs: 300_000,
      signal: AbortSignal.timeout(5_000),
    }
    const { result } = await provider.sendCode(order)
    await failover([provider, { name: 'next', sendCode: sendNext, checkCode: vi.fn() }]).sendCode(order)
    return [result, sendNext.mock.calls.length > 0]
  }

  it.each([
    ['accepts the text', 202, '{"id":7}', 'sent', false],
    ['is at its rate limit', 429, '{"message":"slow down"}', 'later', true],
    ['is behind a gateway that is at its limit', 429, '<html>', 'later', false],
    ['refuses the number', 400, '', 'failed', true],
    ['refuses the token', 401, '{}', 'misconfigured', true],
    ['fails', 503, '{}', 'unconfirmed', false],
  ] as const)('a vendor that %s', async (_when, status, body, result, usesNext) => {
    expect(await sendWith(async () => new Response(body, { status }))).toEqual([result, usesNext])
  })

  it('a vendor that cannot be reached, or whose response is lost', async () => {
    const failing = (code: string) => () => Promise.reject(new TypeError('fetch failed', { cause: { code } }))
    expect(await sendWith(failing('ECONNREFUSED'))).toEqual(['not-sent', true])
    expect(await sendWith(failing('ECONNRESET'))).toEqual(['unconfirmed', false])
  })
})
