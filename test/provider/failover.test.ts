import { describe, expect, test } from 'vitest'
import type { CodeProvider, Method, SendResult } from '../../src/challenge/exchange/code-provider.js'
import { failover } from '../../src/provider/failover.js'
import { submitted as check, order as send } from './recorder.js'

/** A provider that gives one answer, and what it was asked. */
function provider(name: string | undefined, sent: SendResult = { result: 'sent', handle: `of ${name}` }) {
  const asked: (string | undefined)[] = []
  const member: CodeProvider = {
    name,
    async sendCode() {
      asked.push('send')
      return sent
    },
    async checkCode({ handle }) {
      asked.push(handle)
      return 'approved'
    },
  }
  return { member, asked }
}

describe('the next provider is asked', () => {
  test.each(['not-sent', 'failed', 'misconfigured', 'later'] as const)('after %s', async (result) => {
    const [first, second] = [provider('first', { result }), provider('second')]
    const both = failover([first.member, second.member])
    expect(await both.sendCode(send)).toEqual({ result: 'sent', handle: 'failover/second:of second' })
    expect([first.asked, second.asked]).toEqual([['send'], ['send']])
  })

  test.each<[SendResult, object]>([
    [
      { result: 'sent', lifetimeMs: 300_000 },
      { handle: 'failover/first', byNumber: true },
    ],
    [{ result: 'unconfirmed', handle: 'h' }, { handle: 'failover/first:h' }],
    [{ result: 'foreign-number' }, {}],
    [{ result: 'later', retryAfterMs: 60_000, unrecognized: true }, {}],
  ])('never after %j, and who sent is kept where the code may arrive', async (sent, kept) => {
    const [first, second] = [provider('first', sent), provider('second')]
    expect(await failover([first.member, second.member]).sendCode(send)).toEqual({ ...sent, ...kept })
    expect(second.asked).toEqual([])
  })

  test('never after an answer that is not one, or an error: the code may have been sent', async () => {
    const second = provider('second')
    const odd = async () => ({ result: 'queued' }) as never
    const failing = () => Promise.reject(new Error('cut off'))
    const sentBy = (sendCode: CodeProvider['sendCode']) =>
      failover([{ ...provider('first').member, sendCode }, second.member]).sendCode(send)
    expect(await sentBy(odd)).toEqual({ result: 'queued' })
    await expect(sentBy(failing)).rejects.toThrow('cut off')
    expect(second.asked).toEqual([])
  })

  test('no more once time is up', async () => {
    const [first, second] = [provider('first', { result: 'not-sent' }), provider('second')]
    const late = { ...send, signal: AbortSignal.abort() }
    expect(await failover([first.member, second.member]).sendCode(late)).toEqual({ result: 'not-sent' })
    expect(second.asked).toEqual([])
  })
})

test('reports of a member reach the caller', async () => {
  const reports: object[] = []
  const report = (told: object) => void reports.push(told)
  const member: CodeProvider = {
    ...provider('first').member,
    async sendCode(asked) {
      asked.report?.({ httpStatus: 502 })
      return { result: 'unconfirmed' }
    },
  }
  await failover([member]).sendCode({ ...send, report })
  expect(reports).toEqual([{ httpStatus: 502 }])
})

test.each([
  [['misconfigured', 'not-sent'], 'misconfigured'],
  [['failed', 'misconfigured'], 'failed'],
] as const)(
  'after refusals of all members (%j), the result is the most expensive one: %s',
  async (results, expected) => {
    const members = results.map((result) => provider(undefined, { result }).member)
    expect(await failover(members).sendCode(send)).toEqual({ result: expected })
  },
)

describe('by which method', () => {
  const [sms, call, whatsapp] = [{ name: 'sms' }, { name: 'call' }, { name: 'whatsapp', label: 'WhatsApp' }]
  const withMethods = (name: string, methods: readonly Method[], sent?: SendResult) => {
    const { member, asked } = provider(name, sent)
    return { member: { ...member, methods }, asked }
  }

  test('together they have the methods of each, and an undeclared member has sms and call', () => {
    const chat = withMethods('chat', [whatsapp, sms]).member
    expect(failover([chat, provider('plain').member]).methods).toEqual([whatsapp, sms, call])
  })

  test('only those are asked that have it', async () => {
    const [plain, chat] = [provider('plain'), withMethods('chat', [whatsapp])]
    const both = failover([plain.member, chat.member])
    expect(await both.sendCode({ ...send, channel: 'whatsapp' })).toMatchObject({
      handle: 'failover/chat:of chat',
    })
    expect(plain.asked).toEqual([])
    expect(await both.sendCode({ ...send, channel: 'fax' })).toEqual({ result: 'not-sent' })
  })

  test.each<[string, readonly string[] | undefined, object]>([
    [
      'another one, where it will do',
      ['whatsapp', 'sms'],
      { result: 'sent', handle: 'failover/plain:of plain', channel: 'sms' },
    ],
    ['none, where a guard takes no other', ['whatsapp'], { result: 'failed' }],
    ['none, where nobody says', undefined, { result: 'failed' }],
  ])('instead: %s', async (_name, channels, expected) => {
    const chat = withMethods('chat', [whatsapp], { result: 'failed' })
    const both = failover([chat.member, provider('plain').member], { instead: { whatsapp: 'sms' } })
    expect(await both.sendCode({ ...send, channel: 'whatsapp', channels })).toEqual(expected)
    expect(chat.asked).toEqual(['send'])
  })

  test.each([{ whatsapp: 'sms' }, { sms: 'fax' }])('instead: %j, of which one exists nowhere', (instead) => {
    expect(() => failover([provider('plain').member], { instead })).toThrow(
      /^failover: instead: no provider declares a method "(whatsapp|fax)"$/,
    )
  })
})

describe('a code is checked where it was sent', () => {
  test('with the earlier handles of the same member, and without those of others', async () => {
    const seen: unknown[] = []
    const member: CodeProvider = {
      ...provider('second').member,
      async checkCode({ earlierHandles }) {
        seen.push(earlierHandles)
        return 'replaced'
      },
    }
    const both = failover([provider('first').member, member])
    const handle = 'failover/second:h3'
    const earlierHandles = ['failover/second:h2', 'failover/first:h1', 'failover/second', 'h0']
    expect(await both.checkCode({ ...check, handle, earlierHandles })).toBe('replaced')
    await both.checkCode({ ...check, handle })
    expect(seen).toEqual([['h2'], undefined])
  })

  async function checkBy(handle: string | undefined) {
    const [first, second] = [provider('first'), provider('second')]
    const verdict = await failover([first.member, second.member]).checkCode({ ...check, handle })
    return { verdict, first: first.asked, second: second.asked }
  }

  test.each([
    ['failover/first:h1', { first: ['h1'], second: [] }],
    ['failover/second:a:b c', { first: [], second: ['a:b c'] }],
    ['failover/second', { first: [], second: [undefined] }],
  ])('%s', async (handle, asked) => {
    expect(await checkBy(handle)).toEqual({ verdict: 'approved', ...asked })
  })

  test.each([undefined, '', 'VE1', 'second', 'second:h1'])(
    'and by the first one if its handle has no mark: %j',
    async (handle) => {
      expect(await checkBy(handle)).toEqual({ verdict: 'approved', first: [handle], second: [] })
    },
  )

  test.each(['failover/third:h1', 'failover/__proto__'])(
    'and nowhere once who sent it is gone, which costs no attempt: %s',
    async (handle) => {
      expect(await checkBy(handle)).toEqual({ verdict: 'not-sent', first: [], second: [] })
    },
  )
})

describe('pick', () => {
  test.each([
    ['second', ['second', 'first', 'third']],
    ['nobody', ['first', 'second', 'third']],
  ])('%s goes first', async (picked, expected) => {
    const order: string[] = []
    const members = ['first', 'second', 'third'].map((name) => ({
      ...provider(name).member,
      async sendCode(): Promise<SendResult> {
        order.push(name)
        return { result: 'not-sent' }
      },
    }))
    await failover(members, { pick: () => picked }).sendCode(send)
    expect(order).toEqual(expected)
  })

  const failing = (): string => {
    throw new Error('no table')
  }
  test.each([
    ['throws', failing],
    ['rejects', (async () => failing()) as never],
  ])('that %s leaves the order as it is', async (_name, pick) => {
    const both = failover([provider('first').member, provider('second').member], { pick })
    expect(await both.sendCode(send)).toMatchObject({ handle: 'failover/first:of first' })
  })
})

describe('a code that is asked for again after a send without a response', () => {
  const members = ['first', 'second', 'third'].map((name) => provider(name).member)
  const again = { ...send, previousUnanswered: true }

  test.each([
    ['failover/first:h', 'second'],
    ['failover/second', 'third'],
    ['failover/third:h', 'first'],
    // The first member sent it while it was alone.
    ['h', 'second'],
    ['failover/gone:h', 'first'],
    [undefined, 'first'],
  ])('of %j comes by %s', async (previousHandle, next) => {
    for (const options of [{}, { pick: () => 'first' }]) {
      const all = failover(members, previousHandle?.includes('second') ? {} : options)
      expect(await all.sendCode({ ...again, previousHandle })).toMatchObject({
        handle: `failover/${next}:of ${next}`,
      })
    }
  })

  test('comes by the picked member, unless that one is silent', async () => {
    const order = { ...again, previousHandle: 'failover/first' }
    const all = failover(members, { pick: () => 'third' })
    expect(await all.sendCode(order)).toMatchObject({ handle: 'failover/third:of third' })
  })

  test('comes by the silent member where no other one is left', async () => {
    const [silent, refusing] = [provider('first'), provider('second', { result: 'failed' })]
    const both = failover([silent.member, refusing.member])
    expect(await both.sendCode({ ...again, previousHandle: 'failover/first' })).toMatchObject({
      handle: 'failover/first:of first',
    })
  })

  test('comes by the first member as usual after a response', async () => {
    const order = { ...send, previousHandle: 'failover/first:h' }
    expect(await failover(members).sendCode(order)).toMatchObject({ handle: 'failover/first:of first' })
  })
})

test('wrapped members replace the originals, in their order and under their names', async () => {
  const both = failover([provider('first').member, provider('second').member])
  const [first, second] = [provider('wrapped', { result: 'failed' }), provider('wrapped')]
  const over = both.withMembers([first.member, second.member])
  expect(await over.sendCode(send)).toEqual({ result: 'sent', handle: 'failover/second:of wrapped' })
  expect(await over.checkCode({ ...check, handle: 'failover/first:h1' })).toBe('approved')
  expect([first.asked, second.asked]).toEqual([['send', 'h1'], ['send']])
})

test('the balance is the lowest one', async () => {
  const account = (credits?: number) => ({
    ...provider(undefined).member,
    balance: async () => ({ credits }),
  })
  const accounts = [provider(undefined).member, account(12), account(), account(3)]
  expect(await failover(accounts).balance?.()).toEqual({ credits: 3 })
  expect(await failover([account()]).balance?.()).toEqual({})
  expect(failover([provider('plain').member]).balance).toBeUndefined()
})

const a = provider('a').member
test.each<[unknown, string, object?]>([
  [[], 'providers must be an array of at least one CodeProvider'],
  [[{ checkCode() {} }], 'providers[0] must be a CodeProvider'],
  [[{ ...a, timeoutMs: 0 }], 'providers[0].timeoutMs must be an integer'],
  [[{ ...a, maxExchanges: 2 }], 'providers[0].maxExchanges must be an integer from 3 to 10000'],
  [[{ ...a, methods: [{ name: 'trusted-device' }] }], 'providers[0].methods[0].name must be 1 to 32 letters'],
  [[a, { ...a, name: 'b', methods: [] }], 'providers[1].methods must list at least one method'],
  [[a, { ...a, oneCode: true }], 'providers[1].oneCode was removed: cancel the code of previousHandle'],
  [[{ ...a, cancelCode() {} }], 'providers[0].cancelCode was removed: cancel the code of previousHandle'],
  [[a, a], 'two providers are named "a"'],
  [[provider('a:b').member], 'providers[0].name must be a string of 1 to 40'],
  [[a], 'pick must be a function (send) => name', { pick: 'a' }],
  [[a], 'unknown option "pik"; did you mean "pick"?', { pik: () => 'a' }],
])('%j is a mistake: %s', (providers, message, options) => {
  expect(() => failover(providers as never, options as never)).toThrow(`failover: ${message}`)
})

test('a blocking code is passed to the member that sent it only', async () => {
  const asked: unknown[] = []
  const member = (name: string, sent: SendResult): CodeProvider => ({
    name,
    async sendCode({ previousHandle }) {
      asked.push(`${name} after ${previousHandle}`)
      return sent
    },
    checkCode: async () => 'rejected',
  })
  const both = failover([member('one', { result: 'failed' }), member('many', { result: 'sent' })])
  for (const previousHandle of [
    'failover/one:h1',
    'failover/many:h2',
    'failover/many',
    'failover/gone:h3',
    undefined,
    'VE1:h4',
  ]) {
    await both.sendCode({ ...send, previousHandle })
  }
  expect(asked).toEqual([
    ...['one after h1', 'many after undefined'],
    ...['one after undefined', 'many after h2'],
    ...Array(3).fill(['one after undefined', 'many after undefined']).flat(),
    // Of the provider that was there alone before.
    ...['one after VE1:h4', 'many after undefined'],
  ])
})

test.each<[SendResult, SendResult, SendResult]>([
  [{ result: 'not-sent', cancelled: true }, { result: 'failed' }, { result: 'failed', cancelled: true }],
  [{ result: 'failed', cancelled: true }, { result: 'not-sent' }, { result: 'failed', cancelled: true }],
  [{ result: 'failed' }, { result: 'failed' }, { result: 'failed' }],
])(
  'a code that one service has ended is told as ended, also where the next sends none: %j, %j',
  async (...results) => {
    const [first, second, both] = results
    const members = [first, second].map(
      (sent, index): CodeProvider => ({
        name: `m${index}`,
        sendCode: async () => sent,
        checkCode: async () => 'rejected',
      }),
    )
    expect(await failover(members).sendCode(send)).toEqual(both)
  },
)
