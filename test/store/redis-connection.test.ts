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

  test('finds the node of a command by its key, also for a command without one', async () => {
    const { client, calls, pipelines } = cluster([
      [null, 'a value'],
      [null, 1],
    ])
    const [named, led] = [
      ['getex', 'a key'],
      ['wait', '1', '5'],
    ]
    expect(await senderOf({ client })('a key', named)).toBe('OK')
    expect({ calls, pipelines }).toEqual({ calls: [named], pipelines: [] })
    expect(await senderOf({ client })('a key', led)).toBe(1)
    expect({ calls, pipelines }).toEqual({ calls: [named], pipelines: [[named, led]] })
  })

  test.each([
    ['its lead', new Error('MOVED 1'), null],
    ['the command', null, new Error('READONLY')],
  ])('confirms nothing when %s fails', async (_, ofLead, ofCommand) => {
    const { client } = cluster(
      [
        [ofLead, null],
        [ofCommand, 1],
      ],
      [1],
    )
    const store = redisStore({ client, strict: true })
    await expect(store.swap('tf3::auth:a', undefined, {}, 1_000)).rejects.toMatchObject({
      code: 'store_unavailable',
      cause: { message: (ofLead ?? ofCommand)?.message },
    })
  })
})

describe('what counts as a client', () => {
  const method = () => {}

  test('is an object from either package', () => {
    expect([{ call: method }, { sendCommand: method }].map(isRedisClient)).toEqual([true, true])
    const wrong = [undefined, null, 'redis://', 5, {}, { call: 'get' }, { sendCommand: true }]
    expect(wrong.map(isRedisClient)).toEqual(wrong.map(() => false))
    expect(isRedisClient(Object.assign(() => {}, { sendCommand: method }))).toBe(false)
  })

  test.each<[string, object, string]>([
    [
      'or one function in its place, not both',
      { client: { sendCommand: method }, sendCommand: method },
      'client and sendCommand exclude each other; pass one of them',
    ],
    ['and no address', { sendCommand: 'redis://' }, 'sendCommand must be a function (key, args) => reply'],
    ['and not left out', {}, 'missing client; add'],
    [
      'and one connection where it is strict, not several',
      { client: { sendCommand: method, clientsInUse: 0 }, strict: true },
      'strict needs a single connection; pass a client instead of a pool',
    ],
    ...[0, -1, Number.NaN, Number.POSITIVE_INFINITY].map((timeoutMs): [string, object, string] => [
      `and a deadline that is not ${timeoutMs}`,
      { sendCommand: method, timeoutMs },
      'timeoutMs must be an integer from 1 to 2147483647 (milliseconds)',
    ]),
  ])('%s', (_, options, message) => {
    expect(() => redisStore(options as never)).toThrow(`redisStore: ${message}`)
  })

  test('and a pool where it is not strict, one connection always', () => {
    const pool = { sendCommand: method, clientsInUse: 0 } as never
    expect(() => redisStore({ client: pool })).not.toThrow()
    expect(() => redisStore({ client: { sendCommand: method } as never, strict: true })).not.toThrow()
  })
})
