import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
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

const unavailable = (message: string) => ({
  code: 'store_unavailable',
  status: 503,
  message: 'the store cannot be used',
  cause: { message },
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

  test.each(['NaN', '-1', '1.5', ' 1', '1 ', 'a1', '1a'])(
    'takes %j for no counter: it would be below every limit',
    async (getex) => {
      await expect(replying({ getex }).store.read('k')).rejects.toMatchObject(
        unavailable('expected an integer reply'),
      )
    },
  )
})

describe('a swap', () => {
  test('sends the version expected, the entry and its whole milliseconds', async () => {
    const { sent, store } = replying({ evalsha: [1] })
    const { entry } = await store.swap('k', 'v0', { attempts: 1 }, 1_000.2)
    expect(sent).toEqual([
      ['k', 'evalsha', expect.any(String), '1', 'k', 'v0', `${entry?.version}\n{"attempts":1}`, '1001'],
    ])
    expect(entry?.value).toEqual({ attempts: 1 })
  })

  test('expects nothing where there was nothing, and a removal has neither entry nor end', async () => {
    const { sent, store } = replying({ evalsha: [1] })
    expect(await store.swap('k', undefined, undefined, 1_000)).toStrictEqual({ swapped: true })
    expect(sent[0]?.slice(3)).toEqual(['1', 'k', '', ''])
  })

  test('that was refused shows what stands in the way, if anything does', async () => {
    const refused = (standing: unknown) =>
      replying({ evalsha: [0, standing] }).store.swap('k', 'v0', {}, 1_000)
    expect(await refused(null)).toEqual({ swapped: false })
    expect(await refused('v1\n{}')).toEqual({ swapped: false, entry: { version: 'v1', value: {} } })
  })

  test('asks no replica, unless it has to', async () => {
    const { sent, store } = replying({ evalsha: [1], wait: 0 })
    expect((await store.swap('k', undefined, {}, 1_000)).swapped).toBe(true)
    expect(sent.map(([, command]) => command)).toEqual(['evalsha'])
  })
})

describe('a strict swap', () => {
  test('waits for a replica, for half of the deadline', async () => {
    const { sent, store } = replying({ evalsha: [1], wait: 1 }, { strict: true, timeoutMs: 51 })
    expect((await store.swap('k', undefined, {}, 1_000)).swapped).toBe(true)
    expect(sent[1]).toEqual(['k', 'wait', '1', '26'])
  })

  test('that no replica has confirmed has not happened', async () => {
    const { store } = replying({ evalsha: [1], wait: 0 }, { strict: true })
    await expect(store.swap('k', undefined, {}, 1_000)).rejects.toMatchObject(
      unavailable('no replica has confirmed the change'),
    )
  })

  test('that was refused has nothing to wait for', async () => {
    const { sent, store } = replying({ evalsha: [0, null] }, { strict: true })
    expect(await store.swap('k', 'v0', {}, 1_000)).toEqual({ swapped: false })
    expect(sent).toHaveLength(1)
  })
})

describe('an increment', () => {
  test('counts one, unless it is told how many', async () => {
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

  test('refuses what is no window and no amount before anything is sent', async () => {
    const { sent, store } = replying({ evalsha: [1, 1] })
    await expect(store.increment('k', Number.NaN)).rejects.toThrow('windowMs')
    await expect(store.increment('k', 1_000, 0.5)).rejects.toThrow()
    await expect(store.swap('k', undefined, {}, Number.NaN)).rejects.toThrow('ttlMs')
    expect(sent).toEqual([])
  })
})

test('a client that fails with something that is no error is unavailable all the same', async () => {
  const store = redisStore({ sendCommand: () => Promise.reject('gone') })
  await expect(store.read('k')).rejects.toMatchObject(unavailable('gone'))
})

describe('the deadline', () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate'] }))
  afterEach(() => vi.useRealTimers())

  test.each([
    ['is a quarter of a second by default', undefined, 250],
    ['is the one that was given', 40, 40],
  ])('%s, for each command', async (_, given, timeoutMs) => {
    const store = redisStore({
      sendCommand: () => new Promise(() => {}),
      ...(given === undefined ? {} : { timeoutMs: given }),
    })
    const late = vi.fn()
    const asked = [store.read('k'), store.swap('k', undefined, {}, 1_000), store.increment('k', 1_000)]
    for (const answer of asked) Promise.resolve(answer).catch(late)
    await vi.advanceTimersByTimeAsync(timeoutMs - 1)
    expect(late).not.toHaveBeenCalled()
    // One turn of the event loop more, in which a reply that is waiting is read.
    await vi.advanceTimersByTimeAsync(2)
    expect(late).toHaveBeenCalledTimes(3)
    expect(late.mock.lastCall?.[0]).toMatchObject(unavailable(`no response within ${timeoutMs} ms`))
  })

  test('of a start-up inspection is the same', async () => {
    const store = redisStore({ sendCommand: () => new Promise(() => {}) })
    const told = vi.fn()
    store.inspect?.().then(told, told)
    await vi.advanceTimersByTimeAsync(249)
    expect(told).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(2)
    expect(told).toHaveBeenCalledWith([
      {
        code: 'store_unreachable',
        message: 'Redis cannot be used: no response within 250 ms',
        fix: 'start Redis, and check the address, the password and the permissions of the client',
      },
    ])
  })
})
