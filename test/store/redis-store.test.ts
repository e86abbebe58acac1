import { inspect } from 'node:util'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { redisStore } from '../../src/store/redis-store.js'
import { contractThrough, nodeRedis, throughNodeRedis } from './redis-clients.js'
import { patientMs, type RedisServer, startRedis, withoutRedis } from './redis-server.js'

const hour = 3_600_000

describe.skipIf(withoutRedis)('one Redis', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await startRedis()
  })
  afterAll(() => server.kill())

  /** A store over a connection that the test meddles with. */
  async function watched(meddle: (send: () => Promise<unknown>) => Promise<unknown> = (send) => send()) {
    const client = await nodeRedis(server)
    const store = redisStore({
      sendCommand: (_key, args) => meddle(() => client.sendCommand(args)),
      timeoutMs: patientMs,
    })
    return { store, [Symbol.asyncDispose]: async () => client.destroy() }
  }

  describe.concurrent('keeps the contract', () => contractThrough(() => throughNodeRedis(server)))

  describe('a swap', () => {
    test('that the client sends twice is done once, and reports success', async () => {
      await using twice = await watched(async (send) => {
        await send()
        return send()
      })
      const first = await twice.store.swap('tf3::auth:twice', undefined, { attempts: 1 }, hour)
      expect(first.swapped).toBe(true)
      expect(await twice.store.read('tf3::auth:twice')).toEqual(first.entry)
      const second = await twice.store.swap('tf3::auth:twice', first.entry?.version, { attempts: 2 }, hour)
      expect(second.swapped).toBe(true)
      // A removal leaves nothing to know it by: whoever takes a grant away twice is told that it is gone.
      expect(await twice.store.swap('tf3::auth:twice', second.entry?.version, undefined, hour)).toEqual({
        swapped: false,
      })
    })
  })

  describe('at rest', () => {
    test('a counter without an end gets one', async () => {
      await using one = await watched()
      await server.ask('SET', 'tf3::count-a:endless', '4')
      expect(await one.store.increment('tf3::count-a:endless', hour)).toEqual({ count: 5, resetInMs: hour })
    })

    test('no key is without an end', async () => {
      const keys = (await server.ask('KEYS', '*')) as string[]
      expect(keys.length).toBeGreaterThan(50)
      for (const key of keys) expect([key, await server.ask('PTTL', key)]).not.toEqual([key, -1])
    })

    test.each(['', 'not json', 'version\nnot json', 'version\n'])(
      'an unreadable entry is not a missing one: %j',
      async (text) => {
        await using one = await watched()
        await server.ask('SET', 'tf3::auth:foreign', text, 'PX', '60000')
        await expect(one.store.read('tf3::auth:foreign')).rejects.toMatchObject({ code: 'store_unavailable' })
        await expect(one.store.swap('tf3::auth:foreign', undefined, {}, hour)).rejects.toThrow()
        await expect(one.store.increment('tf3::auth:foreign', hour)).rejects.toThrow()
      },
    )
  })

  test('an error contains the message of Redis, and neither key nor value', async () => {
    await using client = {
      redis: new Redis(server.port),
      [Symbol.asyncDispose]: async () => client.redis.disconnect(),
    }
    const store = redisStore({ client: client.redis, timeoutMs: patientMs })
    await server.ask('RPUSH', 'tf3::auth:canary-key', 'a list')
    const error = await Promise.resolve(
      store.swap('tf3::auth:canary-key', undefined, { secret: 'canary-value' }, hour),
    ).catch((error: unknown) => error)
    expect(error).toMatchObject({
      code: 'store_unavailable',
      cause: { message: expect.stringContaining('WRONGTYPE') },
    })
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('canary')
    await server.ask('DEL', 'tf3::auth:canary-key')
  })
})
