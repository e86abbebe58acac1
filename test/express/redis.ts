import { createClient } from 'redis'
import { afterAll, beforeAll } from 'vitest'
import { type RedisServer, startRedis, withoutRedis } from '../store/redis-server.js'

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
  return redis
}
