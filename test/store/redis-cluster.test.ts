import { Cluster } from 'ioredis'
import { createCluster } from 'redis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { redisStore } from '../../src/store/redis-store.js'
import { inTime } from '../in-time.js'
import { type Connected, contractThrough } from './redis-clients.js'
import { migrateSlot, type RedisClusterServer, startRedisCluster } from './redis-cluster-server.js'
import { until, withoutRedis } from './redis-server.js'

const hour = 3_600_000

/** Both are told to read from replicas, which a store must not do. */
const connectors: Record<string, (cluster: RedisClusterServer) => Promise<Connected>> = {
  redis: async ({ primaries }) => {
    const client = createCluster({ rootNodes: primaries.map(({ url }) => ({ url })), useReplicas: true })
    client.on('error', () => {})
    await client.connect()
    return { connection: { client }, end: () => client.destroy() }
  },
  ioredis: async ({ primaries }) => {
    const nodes = primaries.map(({ port }) => ({ host: '127.0.0.1', port }))
    const client = new Cluster(nodes, { scaleReads: 'slave' }).on('error', () => {})
    return { connection: { client }, end: () => client.disconnect() }
  },
}

describe.skipIf(withoutRedis)('a cluster of three primaries with a replica each', () => {
  let cluster: RedisClusterServer
  beforeAll(async () => {
    cluster = await startRedisCluster({ withReplicas: true })
  })
  afterAll(() => cluster.stop())

  describe.concurrent.each(Object.entries(connectors))(
    'through a cluster client of %s keeps the contract',
    (_name, connect) => contractThrough(() => connect(cluster)),
  )

  describe.each(Object.entries(connectors))('through a cluster client of %s', (name, connect) => {
    test('entries are spread over all primaries', async () => {
      const { connection, end } = await connect(cluster)
      const store = redisStore({ ...connection, timeoutMs: 2_000 })
      for (let i = 0; i < 60; i += 1) await store.swap(`tf2:spread:auth:${name}${i}`, undefined, i, hour)
      for (const node of cluster.primaries) expect(Number(await node.ask('DBSIZE'))).toBeGreaterThan(5)
      await end()
    })

    test('a strict store waits for the replica of the primary that holds the key', async () => {
      const { connection, end } = await connect(cluster)
      const store = redisStore({ ...connection, strict: true, timeoutMs: 2_000 })
      for (let i = 0; i < 30; i += 1) {
        const { swapped } = await store.swap(`tf2:strict:auth:${name}${i}`, undefined, i, hour)
        expect(swapped).toBe(true)
      }
      await end()
    })

    test('a strict store refuses what no replica has', async () => {
      const { connection, end } = await connect(cluster)
      const store = redisStore({ ...connection, strict: true })
      for (const replica of cluster.replicas) replica.freeze()
      for (let i = 0; i < 10; i += 1) {
        const swap = store.swap(`tf2:alone:auth:${name}${i}`, undefined, i, hour)
        await expect(swap).rejects.toMatchObject({ code: 'store_unavailable' })
      }
      for (const replica of cluster.replicas) replica.thaw()
      await end()
    })

    test('inspection meets every primary', async () => {
      const { connection, end } = await connect(cluster)
      await Promise.all(
        cluster.primaries.map((node) => node.ask('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru')),
      )
      const findings = await redisStore({ ...connection, timeoutMs: 2_000 }).inspect?.()
      await Promise.all(
        cluster.primaries.map((node) => node.ask('CONFIG', 'SET', 'maxmemory-policy', 'noeviction')),
      )
      expect(findings?.map(({ code, message }) => `${code}: ${message}`).sort()).toEqual(
        cluster.primaries
          .map(({ port }) => port)
          .sort()
          .map(
            (port) =>
              `store_evicts: Redis on port ${port} may forget what is live, maxmemory-policy is allkeys-lru`,
          ),
      )
      await end()
    })

    test('a slot that moves under load costs no count and no swap', async () => {
      const { connection, end } = await connect(cluster)
      const store = redisStore({ ...connection, timeoutMs: 2_000 })
      const [counter, ledger] = [`tf2:{${name}}:count-a:moving`, `tf2:{${name}}:auth:moving`]
      await store.increment(counter, hour)
      const known = await Promise.all(
        cluster.primaries.map((node) => node.ask('EXISTS', counter).catch(() => 0)),
      )
      const from = cluster.primaries[known.indexOf(1)]
      const to = cluster.primaries[(known.indexOf(1) + 1) % 3]
      if (from === undefined || to === undefined) throw new Error('nobody holds the key')

      let moving = true
      const counts: number[] = []
      let swaps = 0
      const count = async () => {
        while (moving) counts.push((await store.increment(counter, hour)).count)
      }
      const swap = async () => {
        for (let entry = await store.read(ledger); moving; ) {
          const result = await store.swap(ledger, entry?.version, Number(entry?.value ?? 0) + 1, hour)
          if (result.swapped) swaps += 1
          entry = result.entry
        }
      }
      /** Until both have gone on, where their slots are now. */
      const more = () => {
        const [counted, swapped] = [counts.length, swaps]
        return until(() => counts.length > counted + 5 && swaps > swapped + 5)
      }
      const load = Promise.all([count(), count(), swap(), swap()])
      await more()
      await migrateSlot(counter, from, to)
      await more()
      await migrateSlot(counter, to, from)
      await more()
      moving = false
      await load

      expect(counts.sort((a, b) => a - b)).toEqual(counts.map((_, i) => i + 2))
      expect((await store.read(ledger))?.value).toBe(swaps)
      await end()
    })
  })
})

test.skipIf(withoutRedis)(
  'a cluster that loses a primary answers for the others, and for all once its replica took over',
  async () => {
    const cluster = await startRedisCluster({ withReplicas: true })
    const connected = await Promise.all(Object.values(connectors).map((connect) => connect(cluster)))
    const stores = connected.map(({ connection }) => redisStore(connection))
    const strict = connected.map(({ connection }) =>
      redisStore({ ...connection, strict: true, timeoutMs: 2_000 }),
    )
    const keys = Array.from({ length: 30 }, (_, i) => `tf2::auth:${i}`)
    const entries = new Map<string, unknown>()
    for (const [i, key] of keys.entries()) {
      entries.set(key, (await strict[i % 2]?.swap(key, undefined, { key }, hour))?.entry)
    }

    await cluster.primaries[0]?.kill()
    for (const store of stores) {
      const answers = await Promise.all(
        keys.map(async (key) => {
          const read = Promise.resolve(store.read(key)).catch((error: { code: string }) => error.code)
          return inTime(1_000, read)
        }),
      )
      for (const [i, key] of keys.entries()) {
        expect([entries.get(key), 'store_unavailable']).toContainEqual(answers[i])
      }
      expect(answers).toContain('store_unavailable')
    }

    for (const store of strict) {
      await until(() => Promise.all(keys.map((key) => store.read(key))))
      for (const key of keys) expect(await store.read(key)).toEqual(entries.get(key))
    }
    for (const { end } of connected) await end()
    await cluster.stop()
  },
)
