import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type {
  CodeProvider,
  CompositeProvider,
  SendResult,
  Verdict,
} from '../../../src/challenge/exchange/code-provider.js'
import { createCodes } from '../../../src/challenge/exchange/codes.js'
import { createSecrets, type Secrets } from '../../../src/challenge/keys.js'
import type { EventBody } from '../../../src/events.js'
import { failover } from '../../../src/provider/failover.js'
import { basisOf } from '../kit.js'

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
const pending = () => new Promise<never>(() => {})

const sealing = createSecrets(['a secret of at least thirty-two bytes'])
/** Leaves handles as they are. */
const plain: Secrets = {
  ...sealing,
  seal: (_use, handle) => handle,
  open: (_use, kept) => kept,
}

interface Settings {
  readonly secrets?: Secrets
  readonly sendTimeoutMs?: number
  readonly verifyTimeoutMs?: number
}

function open(
  provider: Partial<CodeProvider> | CompositeProvider,
  { secrets = plain, ...limits }: Settings = {},
) {
  const events: EventBody[] = []
  const clock = { now: 1_800_000_000_000 }
  const codes = createCodes({
    ...basisOf({ secrets, now: () => clock.now, emit: (event) => void events.push(event) }),
    provider: { sendCode: pending, checkCode: pending, ...provider },
    limits: { sendTimeoutMs: deadlineMs, verifyTimeoutMs: deadlineMs, ...limits },
  })
  const send = async () => (await codes.send(target, order)).result
  const check = async () => (await codes.check(target, submitted)).result
  return { codes, send, check, events, clock }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance'] })
})
afterEach(() => void vi.useRealTimers())

describe('an adapter', () => {
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
  ])('has its message in the event, %s', async (_, messageId, told) => {
    const { codes } = open({
      async sendCode({ report }) {
        report?.({ messageId })
        return { result: 'sent' }
      },
    })
    expect((await codes.send(target, order)).messageId).toBe(told)
  })

  it('has a shorter deadline when it asks for one', async () => {
    const { send, check } = open({ timeoutMs: 5 }, { sendTimeoutMs: 60_000, verifyTimeoutMs: 60_000 })
    const both = Promise.all([send(), check()])
    await vi.advanceTimersByTimeAsync(500)
    expect(await both).toEqual([{ result: 'unconfirmed' }, 'unavailable'])
  })
})

describe('a handle', () => {
  it('is sealed for its number and opens unchanged', async () => {
    const seen: unknown[] = []
    const provider: Partial<CodeProvider> = {
      sendCode: async () => ({ result: 'sent', handle: 'handle-canary' }),
      checkCode: async ({ handle }) => {
        seen.push(handle)
        return 'approved'
      },
    }
    const { codes, send } = open(provider, { secrets: sealing })
    const sent = await send()
    const handle = 'handle' in sent ? sent.handle : undefined
    expect(handle).not.toContain('handle-canary')
    expect(Buffer.from(handle ?? '', 'base64url').toString('latin1')).not.toContain('handle-canary')
    expect(await codes.check(target, { ...submitted, handle })).toMatchObject({ result: 'approved' })
    // Moved from the ledger of one number to that of another, it is worth nothing.
    const unavailable = { result: 'unavailable', fields: {} }
    expect(await codes.check({ ...target, key: 'ledger-2' }, { ...submitted, handle })).toEqual(unavailable)
    expect(await codes.check(target, { ...submitted, handle: 'handle-canary' })).toEqual(unavailable)
    expect(seen).toEqual(['handle-canary'])
  })

  it('of an earlier code opens with it, and one that cannot be opened is left out', async () => {
    const seen: unknown[] = []
    const provider: Partial<CodeProvider> = {
      sendCode: async () => ({ result: 'sent', handle: 'handle-canary' }),
      checkCode: async ({ earlierHandles }) => {
        seen.push(earlierHandles)
        return 'replaced'
      },
    }
    const { codes, send } = open(provider, { secrets: sealing })
    const sent = await send()
    const handle = 'handle' in sent ? (sent.handle ?? '') : ''
    const check = { ...submitted, handle }
    expect(await codes.check(target, { ...check, earlierHandles: [handle, 'unreadable'] })).toMatchObject({
      result: 'replaced',
    })
    await codes.check(target, { ...check, earlierHandles: ['unreadable'] })
    expect(seen).toEqual([['handle-canary'], undefined])
  })

  const nobodyAnswers: Partial<CodeProvider> = {
    sendCode: async () => ({ result: 'sent', handle: 'handle' }),
    checkCode: async () => 'unavailable',
  }
  it.each<[string, string | undefined, Partial<CodeProvider>, number]>([
    ['is not there yet while the code is being sent: that is no silence, and no event', undefined, {}, 0],
    ['is there, and nobody answers', 'handle', {}, 5],
    ['that was never given excuses no silence', undefined, { sendCode: async () => ({ result: 'sent' }) }, 5],
  ])('%s', async (_name, handle, more, told) => {
    const { codes, send, events } = open({ ...nobodyAnswers, ...more })
    await send()
    for (const key of 'abcde') await codes.check({ ...target, key }, { ...submitted, handle })
    expect(events.map(({ type }) => type)).toEqual(Array(told).fill('provider.unavailable'))
  })
})

describe('a code that stands in the way of the next', () => {
  it('is passed to the sender if it exists', async () => {
    const previousHandle = sealing.seal('handle', 'first', target.key)
    const asked: unknown[] = []
    const provider: Partial<CodeProvider> = {
      async sendCode(send) {
        asked.push(send.previousHandle)
        return { result: 'sent' }
      },
    }
    const { codes } = open(provider, { secrets: sealing })
    await codes.send(target, { ...order, previousHandle })
    await codes.send(target, order)
    // Sealed for another number.
    await codes.send({ ...target, key: 'other' }, { ...order, previousHandle })
    expect(asked).toEqual(['first', undefined, undefined])
  })
})

describe('an unexpected status', () => {
  function setUp() {
    let verdict: Verdict = 'rejected'
    let isFixed = false
    const provider: Partial<CodeProvider> = {
      async checkCode({ report }) {
        if (verdict === 'rejected') report?.({ unexpectedStatus: 'wrong', cause: 'paste' })
        if (isFixed) report?.({ asked: false })
        return verdict
      },
    }
    const { codes, events, clock } = open(provider)
    const checkOf = (account: number, answer: Verdict | 'fixed' = 'rejected') => {
      isFixed = answer === 'fixed'
      verdict = answer === 'fixed' ? 'approved' : answer
      return codes.check({ lane: 'auth', key: `ledger-${account}` }, submitted)
    }
    return { checkOf, events, clock }
  }

  it('emits an event with advice after five accounts in a row', async () => {
    const { checkOf, events } = setUp()
    for (const account of [1, 1, 2, 3, 3, 4]) await checkOf(account)
    expect(events).toEqual([])
    await checkOf(5)
    expect(events).toEqual([{ type: 'provider.unexpected', status: 'wrong', cause: 'paste', durationMs: 0 }])
  })

  it('is none where a code is approved in between: the account has a status for wrong codes', async () => {
    const { checkOf, events } = setUp()
    for (let account = 0; account < 20; account += 1) {
      await checkOf(account, account % 5 === 4 ? 'approved' : 'rejected')
    }
    expect(events).toEqual([])
  })

  it('is reported although a fixed code was approved, because it is no code of the service', async () => {
    const { checkOf, events } = setUp()
    for (const account of [1, 2, 3, 4]) await checkOf(account)
    await checkOf(5, 'fixed')
    await checkOf(6)
    expect(events).toMatchObject([{ type: 'provider.unexpected' }])
  })

  it('is one event a minute, also of parallel checks', async () => {
    const { checkOf, events, clock } = setUp()
    const told = async () => {
      await Promise.all(Array.from({ length: 50 }, (_, account) => checkOf(account)))
      return events.length
    }
    expect(await told()).toBe(1)
    clock.now += 59_999
    expect(await told()).toBe(1)
    clock.now += 1
    expect(await told()).toBe(2)
    // A clock that is set back by an hour does not silence it for an hour.
    clock.now -= 3_600_000
    expect(await told()).toBe(3)
  })
})

it('an exchange takes no time at all where the clock was set back meanwhile', async () => {
  const { codes, clock } = open({
    async sendCode() {
      clock.now -= 3_600_000
      return { result: 'sent' }
    },
  })
  expect((await codes.send(target, order)).fields).toStrictEqual({ durationMs: 0 })
})

it('a refused account emits one event an hour', async () => {
  const { send, events, clock } = open({ sendCode: async () => ({ result: 'misconfigured' }) })
  await Promise.all([send(), send()])
  clock.now += 3_599_999
  await send()
  expect(events).toEqual([{ type: 'provider.misconfigured', durationMs: 0 }])
  clock.now += 1
  await send()
  expect(events).toHaveLength(2)
})

describe('the queue of a provider', () => {
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
    const { send } = open({ maxExchanges: 3, sendCode }, { sendTimeoutMs: 10_000 })
    const refusedAt: number[] = []
    // One of the three slots is reserved for checks.
    const first = Promise.all([send(), send()])
    // It comes as these have 1.5 seconds left, and so has 8.5 when it gets its slot.
    await vi.advanceTimersByTimeAsync(7_900)
    const early = send().then((sent) => refusedAt.push(sent.result === 'not-sent' ? passed() : Number.NaN))
    await vi.advanceTimersByTimeAsync(600)
    const second = send()
    await vi.advanceTimersByTimeAsync(20_000)
    expect([...(await first), await second]).toEqual(Array(3).fill({ result: 'unconfirmed' }))
    await early
    expect(refusedAt).toEqual([9_900])
    expect(toldAt).toEqual([10_000, 10_000, 18_500])
  })

  it('emits no event for clients that disconnect while they wait, and asks no other member for them', async () => {
    const asked: string[] = []
    const member = (name: string): CodeProvider => ({
      name,
      maxExchanges: 3,
      sendCode() {
        asked.push(name)
        return pending()
      },
      checkCode: pending,
    })
    const first = member('first')
    const all = failover([first, member('second')])
    const { codes, events } = open(all, { sendTimeoutMs: 10_000 })
    // One of the three places is kept for checks.
    for (const _place of [1, 2]) void codes.send(target, order)
    await vi.advanceTimersByTimeAsync(0)
    const leaves: (() => void)[] = []
    const waiting = Array.from({ length: 10 }, () =>
      codes.send({ ...target, onGone: (leave) => void leaves.push(leave) }, order),
    )
    await vi.advanceTimersByTimeAsync(100)
    for (const leave of leaves) leave()
    const gone = await Promise.all(waiting)
    expect(gone).toEqual(
      Array(10).fill(expect.objectContaining({ result: { result: 'not-sent' }, isDisconnected: true })),
    )
    expect([asked, events]).toEqual([['first', 'first'], []])
  })

  it('has 64 slots: half for sign-ups, a quarter for checks of sign-ins only', async () => {
    const { codes, events } = open({}, { sendTimeoutMs: 1_000 })
    const all = (lane: 'auth' | 'enrol') =>
      Promise.all(Array.from({ length: 100 }, () => codes.send({ ...target, lane }, order)))
    const sent = Promise.all([all('enrol'), all('auth')])
    await vi.advanceTimersByTimeAsync(2_000)
    const asked = (await sent).map((each) => each.filter(({ fields }) => fields.reason === 'timeout').length)
    expect(asked).toEqual([32, 16])
    expect(events.filter((event) => 'reason' in event && event.reason === 'busy')).toHaveLength(200 - 48)
  })
})

describe('a provider made of several', () => {
  const alwaysNext = (members: readonly CodeProvider[]): CompositeProvider => ({
    members,
    withMembers: alwaysNext,
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
    const { codes, events } = open(alwaysNext([notSent, working]))
    expect(await codes.send(target, order)).toEqual({
      result: { result: 'sent', handle: '1' },
      fields: { provider: 'second', durationMs: 0 },
    })
    expect(events).toEqual([
      { type: 'provider.unavailable', command: 'send', sent: false, provider: 'first', durationMs: 0 },
    ])
  })

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

  it('has a queue per member: if one is full, the next one sends, and no other member checks its codes', async () => {
    const hangs: CodeProvider = { name: 'first', maxExchanges: 3, sendCode: pending, checkCode: pending }
    const { codes, events } = open(alwaysNext([hangs, working]))
    const reports: object[] = []
    const report = (told: object) => void reports.push(told)
    const hanging = [codes.send(target, order), codes.send(target, order)]
    const last = codes.send(target, { ...order, report })
    await vi.advanceTimersByTimeAsync(2_000)
    await Promise.all(hanging)
    expect(await last).toMatchObject({ result: { result: 'sent' }, fields: { provider: 'second' } })
    // Not silent: it was never asked.
    expect(reports).toEqual([{ asked: false }])
    const busy = { type: 'provider.unavailable', sent: false, provider: 'first', reason: 'busy' }
    expect(events[0]).toEqual({ ...busy, command: 'send' })
    const check = () => codes.check(target, { ...submitted, handle: '0' })
    const checked = Promise.all([check(), check(), check(), check()])
    await vi.advanceTimersByTimeAsync(2_000)
    expect(await checked).toEqual([
      ...Array(3).fill(expect.objectContaining({ result: 'unavailable' })),
      { result: 'not-sent', fields: { provider: 'first', reason: 'busy' } },
    ])
    expect(events).toContainEqual({ ...busy, command: 'check' })
  })

  it('passes on reports of a member, and reports no outage for a message that was not sent', async () => {
    const reports: object[] = []
    const { codes, events } = open({
      async sendCode({ report }) {
        report?.({ reason: 'text', asked: false })
        return { result: 'not-sent' }
      },
    })
    const sent = await codes.send(target, { ...order, report: (told) => void reports.push(told) })
    expect(sent.fields).toEqual({ reason: 'text' })
    expect(reports).toEqual([{ reason: 'text', asked: false }])
    expect(events).toEqual([])
  })

  it('may report no handle for a send', async () => {
    const composite: CompositeProvider = {
      ...alwaysNext([working]),
      withMembers: () => ({
        ...working,
        sendCode: async () => ({ result: 'sent', handle: undefined }) as never,
      }),
    }
    const { send } = open(composite, { secrets: sealing })
    expect(await send()).toEqual({ result: 'sent' })
  })
})

it.each<[what: string, checkCode: () => unknown]>([
  ['returns nothing', () => undefined],
  ['returns an unknown word', async () => 'valid'],
  ['returns true', async () => true],
  [
    'throws',
    () => {
      throw new Error('bug')
    },
  ],
  [
    'rejects',
    async () => {
      throw new Error('bug')
    },
  ],
])('a composite provider that %s has approved no code', async (_what, checkCode) => {
  const composed = { sendCode: pending, checkCode } as unknown as CodeProvider
  const { check } = open({ ...composed, members: [composed], withMembers: () => composed })
  expect(await check()).toBe('unavailable')
})
