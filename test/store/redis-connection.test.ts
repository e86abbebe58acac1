import { describe, expect, test } from 'vitest'
import { isRedisClient, senderOf } from '../../src/store/redis-connection.js'
import { redisStore } from '../../src/store/redis-store.js'

/** Notes how the one method of a client was called, and returns a reply. */
function noted(reply: unknown = 'OK') {
  const calls: unknown[][] = []
  const method = async (...args: unknown[]) => {
    calls.push(args)
    return reply
  }
  return { calls, method }
}

describe('a command goes out in the way of the client', () => {
  const command = ['get', 'a key']
  type Method = ReturnType<typeof noted>['method']

  test.each<[string, (method: Method) => object, unknown[]]>([
    ['of ioredis: word by word', (call) => ({ isCluster: false, call }), command],
    ['of redis: as a list', (sendCommand) => ({ sendCommand }), [command]],
    [
      'of redis with Sentinel: to the primary, because a replica may be stale',
      (sendCommand) => ({ sendCommand, getSentinelNode: () => {} }),
      [false, command],
    ],
    [
      'of redis with a cluster: to the primary of the key',
      (sendCommand) => ({ sendCommand, masters: [] }),
      ['a key', false, command],
    ],
  ])('%s', async (_way, clientOf, call) => {
    const { calls, method } = noted()
    expect(await senderOf({ client: clientOf(method) as never })('a key', command)).toBe('OK')
    expect(calls).toEqual([call])
  })

  test('through a function of the host: unchanged', async () => {
    const { calls, method } = noted()
    expect(await senderOf({ sendCommand: method })('a key', ['wait', '1', '5'])).toBe('OK')
    expect(calls).toEqual([['a key', ['wait', '1', '5']]])
  })
})

describe('a cluster of ioredis', () => {
  function cluster(replies: unknown[][] | null, reply?: unknown) {
    const call = noted(reply)
    const pipelines: string[][][] = []
    const pipeline = (commands: string[][]) => {
      pipelines.push(commands)
      return { exec: async () => replies }
    }
    return { client: { isCluster: true, call: call.method, pipeline } as never, calls: call.calls, pipelines }
  }

  test('finds the node of a command that names its key', async () => {
    const { client, calls, pipelines } = cluster(null)
    expect(await senderOf({ client })('a key', ['getex', 'a key'])).toBe('OK')
    expect({ calls, pipelines }).toEqual({ calls: [['getex', 'a key']], pipelines: [] })
  })

  test('is led to the node of the key for one that names none', async () => {
    const { client, calls, pipelines } = cluster([
      [null, 'a value'],
      [null, 1],
    ])
    expect(await senderOf({ client })('a key', ['wait', '1', '5'])).toBe(1)
    expect({ calls, pipelines }).toEqual({
      calls: [],
      pipelines: [
        [
          ['getex', 'a key'],
          ['wait', '1', '5'],
        ],
      ],
    })
  })

  test.each([
    [
      'its lead',
      [
        [new Error('MOVED 1'), null],
        [null, 1],
      ],
      'MOVED 1',
    ],
    [
      'the command',
      [
        [null, null],
        [new Error('READONLY'), 1],
      ],
      'READONLY',
    ],
  ])('confirms nothing when %s fails', async (_, replies, message) => {
    const { client } = cluster(replies, [1])
    const store = redisStore({ client, strict: true })
    await expect(store.swap('tf3::auth:a', undefined, {}, 1_000)).rejects.toMatchObject({
      code: 'store_unavailable',
      cause: { message },
    })
  })
})

describe('what counts as a client', () => {
  const method = () => {}

  test('is an object of one of the two packages', () => {
    expect([{ call: method }, { sendCommand: method }].map(isRedisClient)).toEqual([true, true])
    const wrong = [undefined, null, 'redis://', 5, {}, { call: 'get' }, { sendCommand: true }]
    expect(wrong.map(isRedisClient)).toEqual(wrong.map(() => false))
    expect(isRedisClient(Object.assign(() => {}, { sendCommand: method }))).toBe(false)
  })

  test('or one function in its place, not both', () => {
    const both = { client: { sendCommand: method }, sendCommand: async () => null } as never
    expect(() => redisStore(both)).toThrow(
      'redisStore: client and sendCommand exclude each other; pass one of them',
    )
    expect(() => redisStore({ sendCommand: 'redis://' } as never)).toThrow(
      'redisStore: sendCommand must be a function (key, args) => reply',
    )
    expect(() => redisStore({} as never)).toThrow(
      'redisStore: missing client; add\n  client: redisClient, // connected, of the package redis or ioredis; or sendCommand: (key, args) => reply',
    )
  })

  test('and strict takes one connection, not several', () => {
    const pool = { sendCommand: method, clientsInUse: 0 } as never
    expect(() => redisStore({ client: pool, strict: true })).toThrow(
      'redisStore: strict needs a single connection; pass a client instead of a pool',
    )
    expect(() => redisStore({ client: pool })).not.toThrow()
    expect(() => redisStore({ client: { sendCommand: method } as never, strict: true })).not.toThrow()
  })

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('a deadline of %d ms is refused', (timeoutMs) => {
    expect(() => redisStore({ sendCommand: async () => null, timeoutMs })).toThrow(
      'redisStore: timeoutMs must be an integer from 1 to 2147483647 (milliseconds)',
    )
  })
})
