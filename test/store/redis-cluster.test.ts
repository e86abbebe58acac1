import { Cluster } from 'ioredis'
import { createCluster } from 'redis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { redisStore } from '../../src/store/redis-store.js'
import { type Connected, contractThrough } from './redis-clients.js'
import { type RedisClusterServer, startRedisCluster } from './redis-cluster-server.js'
import { patientMs, withoutRedis } from './redis-server.js'

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
    test('a strict store waits for the replica of the primary that holds the key', async () => {
      const { connection, end } = await connect(cluster)
      const store = redisStore({ ...connection, strict: true, timeoutMs: patientMs })
      for (let i = 0; i < 30; i += 1) {
        const { swapped } = await store.swap(`tf3:strict:auth:${name}${i}`, undefined, i, hour)
        expect(swapped).toBe(true)
      }
      await end()
    })

    test('a strict store refuses a write that no replica has', async () => {
      const { connection, end } = await connect(cluster)
      const store = redisStore({ ...connection, strict: true })
      for (const replica of cluster.replicas) replica.freeze()
      for (let i = 0; i < 10; i += 1) {
        const swap = store.swap(`tf3:alone:auth:${name}${i}`, undefined, i, hour)
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
      const findings = await redisStore({ ...connection, timeoutMs: patientMs }).inspect?.()
      await Promise.all(
        cluster.primaries.map((node) => node.ask('CONFIG', 'SET', 'maxmemory-policy', 'noeviction')),
      )
      expect(findings?.map(({ code, message }) => `${code}: ${message}`).sort()).toEqual(
        cluster.primaries
          .map(({ port }) => port)
          .sort()
          .map(
            (port) =>
              `store_evicts: Redis on port ${port} may evict live records: maxmemory-policy is allkeys-lru`,
          ),
      )
      await end()
    })
  })
})
