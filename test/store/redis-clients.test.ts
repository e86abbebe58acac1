import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { withStoreDeadline } from '../../src/challenge/domain.js'
import { redisStore } from '../../src/store/redis-store.js'
import { contractThrough, otherClients, throughNodeRedis } from './redis-clients.js'
import { type RedisServer, startRedis, withoutRedis } from './redis-server.js'

const hour = 3_600_000

describe.skipIf(withoutRedis)('one Redis', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await startRedis()
  })
  afterAll(() => server.kill())

  describe.concurrent.each(Object.entries(otherClients))('through %s keeps the contract', (_name, connect) =>
    contractThrough(() => connect(server)),
  )

  describe.each([
    ['redis', throughNodeRedis],
    ['ioredis', otherClients['a client of ioredis'] ?? throughNodeRedis],
  ] as const)('a blocked event loop, through %s', (name, connect) => {
    const block = (ms: number) => {
      const end = performance.now() + ms
      while (performance.now() < end);
    }

    // Twice that of a real store, so that Redis has the time to respond beside other programs.
    const timeoutMs = 600

    test.each([[[700, 700]], [[200, 550, 550]]])('is no dead store: %j ms', async (blocks) => {
      const { connection, end } = await connect(server)
      // Two deadlines watch over an answer: the store's own, and the one that twoFactor puts around any store.
      const store = withStoreDeadline(redisStore({ ...connection, timeoutMs }), timeoutMs, {
        now: Date.now,
        emit: () => {},
      })
      await store.increment('tf3::count-a:warm', hour)
      const answers = [
        store.read('tf3::auth:blocked'),
        store.increment('tf3::count-a:blocked', hour),
        store.swap(`tf3::auth:${name}${blocks}`, undefined, {}, hour),
      ]
      for (const ms of blocks) {
        block(ms)
        await new Promise(setImmediate)
      }
      expect(await Promise.all(answers)).toHaveLength(3)
      await end()
    })
  })
})
