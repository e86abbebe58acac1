import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { runScript, script } from '../../src/store/redis-connection.js'
import { type RedisStoreOptions, redisStore } from '../../src/store/redis-store.js'

/** A store over a Redis that replies by command, with what it was sent. */
function replying(replies: Record<string, unknown>, options: Partial<RedisStoreOptions> = {}) {
  const sent: [key: string, ...args: string[]][] = []
  const sendCommand = async (key: string, args: string[]) => {
    sent.push([key, ...args])
    return replies[args[0] ?? '']
  }
  return { sent, store: redisStore({ ...options, client: undefined, sendCommand } as RedisStoreOptions) }
}

const unavailable = (message?: string) =>
  expect.objectContaining({
    code: 'store_unavailable',
    status: 503,
    expose: false,
    message: 'the store cannot be used',
    ...(message && { cause: expect.objectContaining({ message }) }),
  })

describe('a read', () => {
  test('asks the primary, and an absent key is no entry', async () => {
    const { sent, store } = replying({ getex: null })
    expect(await store.read('k')).toBeUndefined()
    expect(sent).toEqual([['k', 'getex', 'k']])
  })

  test.each([
    ['v1\n{"attempts":2}', { version: 'v1', value: { attempts: 2 } }],
    ['v1\n"two\\nlines"', { version: 'v1', value: 'two\nlines' }],
    ['12', { version: '12', value: 12 }],
  ])('takes %j apart', async (getex, entry) => {
    expect(await replying({ getex }).store.read('k')).toEqual(entry)
  })

  test.each(['NaN', '-1', '1.5', ' 1', '1 ', '1a'])(
    'takes %j for no counter: it would be below every limit',
    async (getex) => {
      const { store } = replying({ getex })
      await expect(store.read('k')).rejects.toEqual(unavailable('expected an integer reply'))
    },
  )
})

describe('a swap', () => {
  test('sends the version expected, the entry and its whole milliseconds', async () => {
    const { sent, store } = replying({ evalsha: [1] })
    const { entry } = await store.swap('k', 'v0', { attempts: 1 }, 1_000.2)
    expect(entry?.value).toEqual({ attempts: 1 })
    // No replica is asked, unless it has to be.
    expect(sent).toEqual([
      ['k', 'evalsha', expect.any(String), '1', 'k', 'v0', `${entry?.version}\n{"attempts":1}`, '1001'],
    ])
  })

  test('expects nothing where there was nothing, and a removal has neither entry nor end', async () => {
    const { sent, store } = replying({ evalsha: [1] })
    expect(await store.swap('k', undefined, undefined, 1_000)).toStrictEqual({ swapped: true })
    expect(sent[0]?.slice(3)).toEqual(['1', 'k', '', ''])
  })

  test('that was refused returns the current entry, if there is one', async () => {
    const refused = (standing: unknown) =>
      replying({ evalsha: [0, standing] }).store.swap('k', 'v0', {}, 1_000)
    expect(await refused(null)).toEqual({ swapped: false })
    expect(await refused('v1\n{}')).toEqual({ swapped: false, entry: { version: 'v1', value: {} } })
  })
})

describe('a strict swap', () => {
  test.each([
    ['waits for a replica, for half of the deadline', 1, 1],
    ['that no replica has confirmed has not happened', 1, 0],
    ['that was refused has nothing to wait for', 0, 0],
  ])('%s', async (_, swapped, replicas) => {
    const replies = { evalsha: [swapped, null], wait: replicas }
    const { sent, store } = replying(replies, { strict: true, timeoutMs: 51 })
    const told = Promise.resolve(store.swap('k', 'v0', {}, 1_000))
    if (swapped === 1 && replicas === 0) {
      await expect(told).rejects.toEqual(unavailable('no replica has confirmed the change'))
    } else {
      expect(await told).toMatchObject({ swapped: swapped === 1 })
    }
    expect(sent.slice(1)).toEqual(swapped === 1 ? [['k', 'wait', '1', '26']] : [])
  })
})

describe('an increment', () => {
  test('counts one by default', async () => {
    const { sent, store } = replying({ evalsha: [3, 900] })
    expect(await store.increment('k', 1_000.5)).toEqual({ count: 3, resetInMs: 900 })
    await store.increment('k', 1_000, 0)
    await store.increment('k', 1_000, -2)
    expect(sent.map((command) => command.slice(3))).toEqual([
      ['1', 'k', '1001', '1'],
      ['1', 'k', '1000', '0'],
      ['1', 'k', '1000', '-2'],
    ])
  })

  test('refuses an invalid window or amount before it sends anything', async () => {
    const { sent, store } = replying({ evalsha: [1, 1] })
    await expect(store.increment('k', Number.NaN)).rejects.toThrow('windowMs')
    await expect(store.increment('k', 1_000, 0.5)).rejects.toThrow()
    await expect(store.swap('k', undefined, {}, Number.NaN)).rejects.toThrow('ttlMs')
    expect(sent).toEqual([])
  })
})

/** Every command of a store. */
const verbs = {
  read: (store) => store.read('tf3::auth:a'),
  swap: (store) => store.swap('tf3::auth:a', undefined, {}, 1_000),
  increment: (store) => store.increment('tf3::count-a:a', 1_000),
} satisfies Record<string, (store: ReturnType<typeof redisStore>) => unknown>

describe.each(Object.entries(verbs))('what makes no sense to a %s is no answer', (_verb, ask) => {
  const replies = [undefined, '', 'OK', 1.5, true, [], [null], ['x'], ['-1', '-1'], {}]

  test.each(replies.map((reply) => ({ reply })))('$reply', async ({ reply }) => {
    const store = redisStore({ sendCommand: async () => reply })
    await expect(ask(store)).rejects.toEqual(unavailable())
  })

  test.each([
    ['an error', new Error('refused'), 'refused'],
    [
      'one that has nothing but a code',
      Object.assign(new Error(''), { code: 'ECONNREFUSED' }),
      'ECONNREFUSED',
    ],
    ['what is no error', 'gone', 'gone'],
  ])('%s', async (_, reason, message) => {
    const store = redisStore({ sendCommand: () => Promise.reject(reason) })
    await expect(ask(store)).rejects.toEqual(unavailable(message))
  })
})

describe('a script', () => {
  const known = script('return 1')

  /** A server that refuses the script by its hash with this reason. */
  function refusing(reason: unknown) {
    const sent: string[][] = []
    const send = async (key: string, args: string[]) => {
      sent.push([key, ...args])
      if (args[0] === 'evalsha') throw reason
      return [1]
    }
    return { sent, send }
  }

  test('is sent whole to a server that does not have it, with its one key and its arguments', async () => {
    const { sent, send } = refusing(new Error('NOSCRIPT No matching script'))
    expect(await runScript(send, known, 'a key', ['1000', '1'])).toEqual([1])
    expect(sent).toEqual([
      ['a key', 'evalsha', known.sha, '1', 'a key', '1000', '1'],
      ['a key', 'eval', known.source, '1', 'a key', '1000', '1'],
    ])
  })

  test.each([
    new Error('READONLY You can not write against a read only replica.'),
    new Error('Connection is closed.'),
    new Error('no NOSCRIPT'),
    { message: 'NOSCRIPT' },
  ])('is not sent again after anything else, for it may have run: %s', async (reason) => {
    const { sent, send } = refusing(reason)
    await expect(runScript(send, known, 'key')).rejects.toBe(reason)
    expect(sent).toEqual([['key', 'evalsha', known.sha, '1', 'key']])
  })
})

describe('the deadline', () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate'] }))
  afterEach(() => vi.useRealTimers())

  test.each([
    ['is a quarter of a second by default', {}, 250],
    ['is the one that was given', { timeoutMs: 40 }, 40],
  ])('%s, for each command', async (_, given, timeoutMs) => {
    const store = redisStore({ ...given, sendCommand: () => new Promise(() => {}) })
    const late = vi.fn()
    for (const ask of Object.values(verbs)) Promise.resolve(ask(store)).catch(late)
    await vi.advanceTimersByTimeAsync(timeoutMs - 1)
    expect(late).not.toHaveBeenCalled()
    // One turn of the event loop more, in which a reply that is waiting is read.
    await vi.advanceTimersByTimeAsync(2)
    expect(late).toHaveBeenCalledTimes(3)
    expect(late.mock.lastCall?.[0]).toEqual(unavailable(`no response within ${timeoutMs} ms`))
  })
})
