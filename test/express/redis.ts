import { createClient } from 'redis'
import { afterAll, beforeAll } from 'vitest'
import { memoryStore, type Store } from '../../src/index.js'
import { redisStore } from '../../src/store/redis-store.js'
import { type RedisServer, startRedis, withoutRedis } from '../store/redis-server.js'

/** For every command: a busy machine that answers late would hold an attacker back, too. */
export const patientMs = 10_000

/** One Redis for all tests of a file, with a client of it; nothing where none is installed. */
export function redisOfFile() {
  const redis = {} as { server: RedisServer; client: ReturnType<typeof createClient> }
  beforeAll(async () => {
    if (withoutRedis) return
    redis.server = await startRedis()
    redis.client = createClient({ url: redis.server.url })
    await redis.client.connect()
  })
  afterAll(async () => {
    redis.client?.destroy()
    await redis.server?.kill()
  })
  const onRedis = () => redisStore({ client: redis.client, timeoutMs: patientMs })
  /** In memory, which a test may give a clock, and on that Redis. */
  const stores: Readonly<Record<string, (now?: () => number) => Store>> = {
    'in memory': (now) => memoryStore(now && { now }),
    ...(!withoutRedis && { 'on Redis': onRedis }),
  }
  return Object.assign(redis, { stores, onRedis })
}

export const times = <T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)))
