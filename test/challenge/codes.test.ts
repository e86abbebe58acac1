import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type {
  CodeProvider,
  CompositeProvider,
  SendResult,
  Verdict,
} from '../../src/challenge/code-provider.js'
import { createCodes } from '../../src/challenge/codes.js'
import { createSecrets, type Secrets } from '../../src/challenge/keys.js'
import type { EventBody } from '../../src/events.js'
import { inTime } from '../in-time.js'
import { basisOf } from './kit.js'

const target = { lane: 'auth', key: 'ledger-1' } as const
const order = {
  destination: '+573001234567',
  channel: 'sms',
  appName: 'Acme',
  purpose: 'login',
  locale: 'en',
  expiresInMs: 600_000,
} as const
const submitted = { destination: '+573001234567', appName: 'Acme', code: '482913' }
const deadlineMs = 40
/** The most that may come on top of a deadline. */
const graceMs = 1_000

const pending = () => new Promise<never>(() => {})

/** Leaves handles as they are. */
const plain: Secrets = {
  ...createSecrets(['a secret of at least thirty-two bytes']),
  seal: (_use, handle) => handle,
  open: (_use, kept) => kept,
}

function open(
  provider: Partial<CodeProvider> | CompositeProvider,
  limits = {},
  secrets = plain,
  now = () => 1_800_000_000_000,
) {
  const events: EventBody[] = []
  const codes = createCodes({
    ...basisOf({ secrets, now, emit: (event) => void events.push(event) }),
    provider: { sendCode: pending, checkCode: pending, ...provider },
    limits: { sendTimeoutMs: deadlineMs, verifyTimeoutMs: deadlineMs, ...limits },
  })
  const send = async () => (await codes.send(target, order)).result
  const check = async () => (await codes.check(target, submitted)).result
  return { codes, send, check, events }
}

/** Adapters that break the port, as they come in plain JavaScript. */
const broken: Readonly<Record<string, () => unknown>> = {
  'rejects with an error': () => Promise.reject(new Error('482913 +573001234567')),
  'rejects with nothing': () => Promise.reject(undefined),
  'rejects with a falsy string': () => Promise.reject(''),
  'throws before there is a promise': () => {
    throw new Error('broken')
  },
  'throws null': () => {
    throw null
  },
  'never settles': pending,
  'returns nothing': () => undefined,
  'returns null': async () => null,
  'returns true': async () => true,
  'returns 1': async () => 1,
  'returns a list': async () => ['approved'],
  'returns an object that turns into an approval': async () => ({ toString: () => 'approved' }),
  'returns another word': async () => 'APPROVED',
  'returns a result that does not exist': async () => ({ result: 'delivered' }),
  'returns a result of another type': async () => ({ result: ['sent'] }),
  'returns what throws when it is read': async () => ({
    get result() {
      throw new Error('unreadable')
    },
  }),
}

describe('an adapter that breaks the port', () => {
  it.each(Object.entries(broken))('%s: unconfirmed and unavailable, in time', async (_name, answer) => {
    const { send, check } = open({ sendCode: answer as never, checkCode: answer as never })
    const both = Promise.all([send(), check()])
    expect(await inTime(deadlineMs + graceMs, both)).toEqual([{ result: 'unconfirmed' }, 'unavailable'])
  })

  it.each([
    ['of another type', 482_913],
    ['that is no string but has a length', ['h1']],
    ['of more than 200 characters', 'h'.repeat(201)],
  ])('with a handle %s has sent a code that nobody can check', async (_name, handle) => {
    const { send } = open({ sendCode: async () => ({ result: 'sent', handle }) as SendResult })
    expect(await send()).toEqual({ result: 'unconfirmed' })
  })

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '600000', null])(
    'with a lifetime of %s has said nothing about it',
    async (lifetimeMs) => {
      const { send } = open({ sendCode: async () => ({ result: 'sent', lifetimeMs }) as SendResult })
      expect(await send()).toEqual({ result: 'sent' })
    },
  )
})

describe('an adapter that keeps the port', () => {
  it.each<SendResult>([
    { result: 'sent' },
    { result: 'sent', lifetimeMs: 300_000, handle: 'h'.repeat(200) },
    { result: 'unconfirmed', handle: 'h1' },
    { result: 'failed' },
    { result: 'foreign-number' },
    { result: 'not-sent' },
    { result: 'misconfigured' },
  ])('has its send taken as it is: %j', async (sent) => {
    expect(await open({ sendCode: async () => ({ ...sent, id: 'm1' }) }).send()).toEqual(sent)
  })

  it.each(['failed', 'foreign-number', 'not-sent', 'misconfigured'])(
    'has nothing but its refusal taken: %s',
    async (result) => {
      const sent = { result, lifetimeMs: 300_000, handle: 'h1' } as SendResult
      expect(await open({ sendCode: async () => sent }).send()).toStrictEqual({ result })
    },
  )

  it('is shown a handle only where it has given one', async () => {
    const asked: object[] = []
    const { check } = open({
      async checkCode(request) {
        asked.push(request)
        return 'rejected'
      },
    })
    await check()
    expect(asked[0]).not.toHaveProperty('handle')
  })

  it.each([
    ['as it was named', 'm1', 'm1'],
    ['unless none was named', undefined, undefined],
    ['unless it holds the number', 'sms-3001234567-1', undefined],
    ['unless it is the number', '573001234567', undefined],
  ])('has its message told, %s', async (_, messageId, told) => {
    const { codes } = open({
      async sendCode({ report }) {
        report?.({ messageId })
        return { result: 'sent' }
      },
    })
    expect((await codes.send(target, order)).messageId).toBe(told)
  })

  it.each<Verdict>(['approved', 'rejected', 'misconfigured', 'unavailable', 'not-sent'])(
    'has its verdict taken as it is: %s',
    async (verdict) => {
      expect(await open({ checkCode: async () => verdict }).check()).toBe(verdict)
    },
  )

  it('is told by its signal when time is up, and may then say what it knows', async () => {
    const reasons: unknown[] = []
    const whenAborted = <Result>(signal: AbortSignal, result: Result) =>
      new Promise<Result>((resolve) =>
        signal.addEventListener('abort', () => {
          reasons.push(signal.reason)
          resolve(result)
        }),
      )
    const { send, check } = open({
      sendCode: ({ signal }) => whenAborted(signal, { result: 'unconfirmed', handle: 'h1' }),
      checkCode: ({ signal }) => whenAborted(signal, 'not-sent'),
    })
    expect(await send()).toEqual({ result: 'unconfirmed', handle: 'h1' })
    expect(await check()).toBe('not-sent')
    const late = expect.objectContaining({ message: `no response within ${deadlineMs} ms` })
    expect(reasons).toEqual([late, late])
  })

  it('is not told that time is up when it has failed by itself', async () => {
    const signals: AbortSignal[] = []
    const fails = async ({ signal }: { readonly signal: AbortSignal }): Promise<never> => {
      signals.push(signal)
      throw new Error('broken')
    }
    const { send, check } = open({ sendCode: fails, checkCode: fails })
    expect(await send()).toEqual({ result: 'unconfirmed' })
    expect(await check()).toBe('unavailable')
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false])
  })

  it('has a shorter deadline when it asks for one', async () => {
    const { send, check } = open({ timeoutMs: 5 }, { sendTimeoutMs: 60_000, verifyTimeoutMs: 60_000 })
    expect(await Promise.all([send(), check()])).toEqual([{ result: 'unconfirmed' }, 'unavailable'])
  })
})

describe('a handle', () => {
  it('is sealed for its number, and comes back as it was', async () => {
    const seen: unknown[] = []
    const provider: Partial<CodeProvider> = {
      sendCode: async () => ({ result: 'sent', handle: 'handle-canary' }),
      checkCode: async ({ handle }) => {
        seen.push(handle)
        return 'approved'
      },
    }
    const { codes, send } = open(provider, {}, createSecrets(['a secret of at least thirty-two bytes']))
    const sent = await send()
    const handle = 'handle' in sent ? sent.handle : undefined
    expect(handle).not.toContain('handle-canary')
    expect(Buffer.from(handle ?? '', 'base64url').toString('latin1')).not.toContain('handle-canary')
    expect(await codes.check(target, { ...submitted, handle })).toMatchObject({ result: 'approved' })
    // Moved from the ledger of one number to that of another, it is worth nothing.
    const unavailable = { result: 'unavailable', about: {} }
    expect(await codes.check({ ...target, key: 'ledger-2' }, { ...submitted, handle })).toEqual(unavailable)
    expect(await codes.check(target, { ...submitted, handle: 'handle-canary' })).toEqual(unavailable)
    expect(seen).toEqual(['handle-canary'])
  })

  const nobodyAnswers: Partial<CodeProvider> = {
    sendCode: async () => ({ result: 'sent', handle: 'handle' }),
    checkCode: async () => 'unavailable',
  }
  const asksNobody: Partial<CodeProvider> = { checkCode: async () => 'not-sent' }
  it.each<[string, string | undefined, Partial<CodeProvider>, number]>([
    ['is not there yet while the code is being sent: that is no silence, and no event', undefined, {}, 0],
    ['is not there yet, and its adapter says that it asked nobody', undefined, asksNobody, 0],
    ['is there, and nobody answers', 'handle', {}, 5],
    ['is there, and nobody is reached', 'handle', asksNobody, 5],
    ['that was never given excuses no silence', undefined, { sendCode: async () => ({ result: 'sent' }) }, 5],
  ])('%s', async (_name, handle, more, told) => {
    const { codes, send, events } = open({ ...nobodyAnswers, ...more })
    await send()
    for (const key of 'abcde') await codes.check({ ...target, key }, { ...submitted, handle })
    expect(events.map(({ type }) => type)).toEqual(Array(told).fill('provider.unavailable'))
  })
})

describe('the channel by which a code travelled', () => {
  it.each<[string, object, object]>([
    ['another of its methods', { channel: 'call' }, { channel: 'call' }],
    [
      'another that it declares',
      { channel: 'rcs', methods: [{ name: 'sms' }, { name: 'rcs' }] },
      { channel: 'rcs' },
    ],
    ['what only the host can have seen', { channel: 'passkey' }, {}],
    ['a word of this package', { channel: 'trusted-device' }, {}],
    ['no text', { channel: ['call'] }, {}],
  ])(
    'is what its provider says, where that is one of its methods: %s',
    async (_name, { methods, channel }: { methods?: CodeProvider['methods']; channel?: string }, told) => {
      const { send } = open({ methods, sendCode: async () => ({ result: 'sent', channel }) as SendResult })
      expect(await send()).toEqual({ result: 'sent', ...told })
    },
  )
})

describe('a code that stands in the way of the next', () => {
  const secrets = createSecrets(['a secret of at least thirty-two bytes'])
  const previousHandle = secrets.seal('handle', 'first', target.key)

  it.each(['auth', 'enrol'] as const)('is named to whoever sends, where there is one: %s', async (lane) => {
    const asked: unknown[] = []
    const { codes } = open(
      {
        async sendCode(send) {
          asked.push(send.previousHandle)
          return { result: 'sent' }
        },
      },
      { sendTimeoutMs: 500 },
      secrets,
    )
    await codes.send({ ...target, lane }, { ...order, previousHandle })
    await codes.send({ ...target, lane }, order)
    // Sealed for another number.
    await codes.send({ ...target, lane, key: 'other' }, { ...order, previousHandle })
    expect(asked).toEqual(['first', undefined, undefined])
  })

  it.each([
    [
      { result: 'not-sent', cancelled: true },
      { result: 'not-sent', cancelled: true },
    ],
    [
      { result: 'failed', cancelled: true },
      { result: 'failed', cancelled: true },
    ],
    [{ result: 'misconfigured', cancelled: 'yes' }, { result: 'misconfigured' }],
    // It has another in its place.
    [{ result: 'sent', cancelled: true }, { result: 'sent' }],
  ])('is ended where the service says so: %j', async (given, read) => {
    const { send } = open({ sendCode: async () => given as SendResult })
    expect(await send()).toEqual(read)
  })
})

describe('what an adapter reports', () => {
  it('is passed on as far as it is of the known members, in a bounded length', async () => {
    const { codes } = open({
      async sendCode({ report }) {
        const junk = { code: '482913', operation: { toString: () => 'no' }, httpStatus: '200', reason: 7 }
        report?.(junk as never)
        report?.({ reason: 'x'.repeat(500), providerError: 'y'.repeat(500) })
        report?.(null as never)
        return { result: 'failed' }
      },
    })
    expect((await codes.send(target, order)).about).toEqual({
      durationMs: 0,
      reason: 'x'.repeat(40),
      providerError: 'y'.repeat(200),
    })
  })

  it('loses numbers and codes that its service put into an error, and keeps short codes of errors', async () => {
    const { codes } = open({
      async sendCode({ report }) {
        report?.({ providerError: '21211: invalid To +57 300-123-4567, code 482913, error 1003' })
        return { result: 'failed' }
      },
    })
    expect((await codes.send(target, order)).about.providerError).toBe(
      '••••: invalid To +••••, code ••••, error 1003',
    )
  })

  it('names a deadline and an adapter that throws', async () => {
    const reasonOf = async (provider: Partial<CodeProvider>) => {
      const { codes } = open(provider)
      return [(await codes.send(target, order)).about, (await codes.check(target, submitted)).about]
    }
    const late = { durationMs: 0, reason: 'timeout' }
    expect(await reasonOf({})).toEqual([late, late])
    const causes: readonly (readonly [thrown: unknown, named: string])[] = [
      [new TypeError('482913'), 'TypeError'],
      [Object.assign(new Error('+573001234567'), { code: 'ECONNREFUSED' }), 'Error ECONNREFUSED'],
      [Object.assign(new Error(), { name: '482 913', code: 'my key' }), 'what is no error'],
      [null, 'what is no error'],
    ]
    for (const [thrown, named] of causes) {
      const throwing = () => {
        throw thrown
      }
      const broken = { durationMs: 0, reason: 'error', cause: `The adapter threw ${named}: see its own log.` }
      expect(await reasonOf({ sendCode: throwing, checkCode: throwing })).toEqual([broken, broken])
    }
  })

  it('calls it a timeout where an adapter was stopped by its signal', async () => {
    const { codes } = open({
      async sendCode({ report }) {
        report?.({ reason: 'aborted' })
        return { result: 'unconfirmed' }
      },
    })
    expect((await codes.send(target, order)).about.reason).toBe('timeout')
  })

  it.each([
    ['482913', '••••'],
    ['482-913 is wrong', '•••• is wrong'],
    ['4, 8, 2, 9, 1, 3', '••••'],
    ['+57 300 123 4567', '+••••'],
    ['1007', '1007'],
  ])('of an unexpected status %j quotes %j', async (unexpectedStatus, status) => {
    const { codes } = open({
      async checkCode({ report }) {
        report?.({ httpStatus: 200, unexpectedStatus })
        return 'rejected'
      },
    })
    expect((await codes.check(target, submitted)).about.status).toBe(status)
  })

  describe('of an unexpected status', () => {
    let verdict: Verdict
    beforeEach(() => {
      verdict = 'rejected'
    })
    function opened(now?: () => number) {
      const provider: Partial<CodeProvider> = {
        async checkCode({ report }) {
          report?.(
            verdict === 'approved' ? {} : { httpStatus: 200, unexpectedStatus: 'wrong', cause: 'paste' },
          )
          return verdict
        },
      }
      const { codes, events } = open(provider, {}, plain, now)
      const checkOf = (account: number) => codes.check({ lane: 'auth', key: `ledger-${account}` }, submitted)
      return { checkOf, events }
    }

    it('is an event with what to do once five accounts in a row met it', async () => {
      const { checkOf, events } = opened()
      for (const account of [1, 1, 2, 3, 3, 4]) await checkOf(account)
      expect(events).toEqual([])
      await checkOf(5)
      const about = { status: 'wrong', cause: 'paste', httpStatus: 200, durationMs: 0 }
      expect(events).toEqual([{ type: 'provider.unexpected', ...about }])
    })

    it('is none where a code is approved in between: the account has a status for wrong codes', async () => {
      const { checkOf, events } = opened()
      for (let account = 0; account < 20; account += 1) {
        verdict = account % 5 === 4 ? 'approved' : 'rejected'
        await checkOf(account)
      }
      expect(events).toEqual([])
    })

    it('is one event a minute, also of parallel checks', async () => {
      let clock = 1_800_000_000_000
      const { checkOf, events } = opened(() => clock)
      const told = async () => {
        await Promise.all(Array.from({ length: 50 }, (_, account) => checkOf(account)))
        return events.length
      }
      expect(await told()).toBe(1)
      clock += 59_999
      expect(await told()).toBe(1)
      clock += 1
      expect(await told()).toBe(2)
      // A clock that is set back by an hour does not silence it for an hour.
      clock -= 3_600_000
      expect(await told()).toBe(3)
    })
  })
})

describe('an exchange', () => {
  it('takes no time at all where the clock was set back meanwhile', async () => {
    let clock = 1_800_000_000_000
    const { codes } = open(
      {
        async sendCode() {
          clock -= 3_600_000
          return { result: 'sent' }
        },
      },
      {},
      plain,
      () => clock,
    )
    expect((await codes.send(target, order)).about).toStrictEqual({ durationMs: 0 })
  })
})

describe('the queue of a provider', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance'] })
  })
  afterEach(() => void vi.useRealTimers())

  it('takes a fifth of the deadline at most, within it', async () => {
    const toldAt: number[] = []
    const startedAt = performance.now()
    const passed = () => Math.round((performance.now() - startedAt) / 50) * 50
    const sendCode: CodeProvider['sendCode'] = ({ signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          toldAt.push(passed())
          resolve({ result: 'unconfirmed' })
        })
      })
    const { send } = open({ maxExchanges: 1, sendCode }, { sendTimeoutMs: 10_000 })
    const refusedAt: number[] = []
    const first = send()
    // It comes as the first has 1.5 seconds left, and so has 8.5 when it gets its place.
    await vi.advanceTimersByTimeAsync(7_900)
    const early = send().then((sent) => refusedAt.push(sent.result === 'not-sent' ? passed() : Number.NaN))
    await vi.advanceTimersByTimeAsync(600)
    const second = send()
    await vi.advanceTimersByTimeAsync(20_000)
    expect(await Promise.all([first, second])).toEqual([{ result: 'unconfirmed' }, { result: 'unconfirmed' }])
    await early
    expect(refusedAt).toEqual([9_900])
    expect(toldAt).toEqual([10_000, 18_500])
  })

  it.each([64, 3])('has %i places, and sign-ups half of them', async (most) => {
    const maxExchanges = most === 64 ? undefined : most
    const { codes, events } = open({ maxExchanges }, { sendTimeoutMs: 1_000 })
    const all = (lane: 'auth' | 'enrol') =>
      Promise.all(Array.from({ length: 100 }, () => codes.send({ ...target, lane }, order)))
    const sent = Promise.all([all('enrol'), all('auth')])
    await vi.advanceTimersByTimeAsync(2_000)
    const asked = (await sent).map((each) => each.filter(({ about }) => about.reason === 'timeout').length)
    expect(asked).toEqual([Math.floor(most / 2), most - Math.floor(most / 2)])
    expect(events.filter((event) => 'reason' in event && event.reason === 'busy')).toHaveLength(200 - most)
  })

  it('tells of a refused account once an hour', async () => {
    let clock = 1_800_000_000_000
    const { send, events } = open(
      { sendCode: async () => ({ result: 'misconfigured' }) },
      {},
      plain,
      () => clock,
    )
    await Promise.all([send(), send()])
    clock += 3_599_999
    await send()
    expect(events).toEqual([{ type: 'provider.misconfigured', durationMs: 0 }])
    clock += 1
    await send()
    expect(events).toHaveLength(2)
  })
})

describe('a provider made of several', () => {
  /** For those that answer at once: on a busy machine even that takes its time. */
  const unhurried = { sendTimeoutMs: 60_000, verifyTimeoutMs: 60_000 }
  const alwaysNext = (members: readonly CodeProvider[]): CompositeProvider => ({
    members,
    over: alwaysNext,
    async sendCode(send) {
      let sent: SendResult = { result: 'not-sent' }
      for (const member of members) {
        sent = await member.sendCode(send)
        if (sent.result !== 'not-sent') return sent
      }
      return sent
    },
    checkCode: (check) => (members[Number(check.handle)] as CodeProvider).checkCode(check),
  })
  const notSent: CodeProvider = {
    name: 'first',
    sendCode: async () => ({ result: 'not-sent' }),
    checkCode: async () => 'not-sent',
  }
  const working: CodeProvider = {
    name: 'second',
    sendCode: async () => ({ result: 'sent', handle: '1' }),
    checkCode: async () => 'approved',
  }

  it('names in its result who sent, and in its events who failed', async () => {
    const { codes, events } = open(alwaysNext([notSent, working]), unhurried)
    expect(await codes.send(target, order)).toEqual({
      result: { result: 'sent', handle: '1' },
      about: { provider: 'second', durationMs: 0 },
    })
    expect(events).toEqual([
      { type: 'provider.unavailable', command: 'send', sent: false, provider: 'first', durationMs: 0 },
    ])
  })

  describe('under one deadline', () => {
    beforeEach(() => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance'] })
    })
    afterEach(() => void vi.useRealTimers())

    /** Gives up so long after it was told that its time is over. */
    const unreachable = (lateMs = 0, toldAt: number[] = []): CodeProvider => ({
      ...notSent,
      sendCode: ({ signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            toldAt.push(Math.round(performance.now()))
            setTimeout(() => resolve({ result: 'not-sent' }), lateMs)
          })
        }),
    })

    it('leaves each its share of the time', async () => {
      const toldAt: number[] = []
      const startedAt = performance.now()
      const three = Array.from({ length: 3 }, () => unreachable(0, toldAt))
      const sent = open(alwaysNext([...three, working]), { sendTimeoutMs: 4_000 }).send()
      await vi.advanceTimersByTimeAsync(4_000)
      expect(await sent).toMatchObject({ result: 'sent' })
      const shares = toldAt.map((at) => Math.round((at - startedAt) / 100) * 100)
      expect(shares).toEqual([1_000, 2_000, 3_000])
    })

    it.each([
      ['asks the next one while there is a millisecond', 98, 'sent'],
      ['asks nobody for whom there is none', 99, 'not-sent'],
    ])('%s', async (_, lateMs, result) => {
      const two = alwaysNext([unreachable(lateMs), working])
      const { codes } = open(two, { sendTimeoutMs: 200 })
      const reports: object[] = []
      const sent = codes.send(target, { ...order, report: (told) => void reports.push(told) })
      await vi.advanceTimersByTimeAsync(400)
      expect(await sent).toMatchObject({ result: { result } })
      expect(reports).toEqual(result === 'sent' ? [] : [{ asked: false }])
    })
  })

  it('has a queue for each: while one has no place, the next is asked, and nobody else about its codes', async () => {
    const hangs: CodeProvider = { name: 'first', maxExchanges: 1, sendCode: pending, checkCode: pending }
    const { codes, events } = open(alwaysNext([hangs, working]), { sendTimeoutMs: 400, verifyTimeoutMs: 50 })
    const [, second] = await Promise.all([codes.send(target, order), codes.send(target, order)])
    expect(second).toMatchObject({ result: { result: 'sent' }, about: { provider: 'second' } })
    const busy = { type: 'provider.unavailable', sent: false, provider: 'first', reason: 'busy' }
    expect(events[0]).toEqual({ ...busy, command: 'send' })
    const check = () => codes.check(target, { ...submitted, handle: '0' })
    expect(await Promise.all([check(), check()])).toEqual([
      expect.objectContaining({ result: 'unavailable' }),
      { result: 'not-sent', about: { provider: 'first', reason: 'busy' } },
    ])
    expect(events).toContainEqual({ ...busy, command: 'check' })
  })

  it('calls no member silent that was not asked, having no place', async () => {
    const hangs: CodeProvider = { name: 'first', maxExchanges: 1, sendCode: pending, checkCode: pending }
    const reports: object[] = []
    const { codes } = open(hangs, { sendTimeoutMs: 100 })
    const report = (told: object) => void reports.push(told)
    await Promise.all([codes.send(target, order), codes.send(target, { ...order, report })])
    expect(reports).toEqual([{ asked: false }])
  })

  it('hands on what a member reports', async () => {
    const reports: object[] = []
    const { codes } = open({
      async sendCode({ report }) {
        report?.({ operation: 'sendText', asked: false })
        return { result: 'not-sent' }
      },
    })
    const sent = await codes.send(target, { ...order, report: (told) => void reports.push(told) })
    expect(sent.about).toEqual({ operation: 'sendText', durationMs: 0 })
    expect(reports).toEqual([{ operation: 'sendText', asked: false }])
  })

  it('may say of a send that it has no handle', async () => {
    const composite: CompositeProvider = {
      ...alwaysNext([working]),
      over: () => ({ ...working, sendCode: async () => ({ result: 'sent', handle: undefined }) as never }),
    }
    const { send } = open(composite, {}, createSecrets(['a secret of at least thirty-two bytes']))
    expect(await send()).toEqual({ result: 'sent' })
  })
})
