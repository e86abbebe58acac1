import { createRequire } from 'node:module'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openRedisStore } from '../../../src/tools/cli/app-store.js'
import { type RedisClusterServer, startRedisCluster } from '../../store/redis-cluster-server.js'
import { withoutRedis } from '../../store/redis-server.js'

const load = createRequire(import.meta.url)

describe.skipIf(withoutRedis)('a cluster with a password', () => {
  let cluster: RedisClusterServer
  beforeAll(async () => {
    cluster = await startRedisCluster()
    for (const node of cluster.primaries) await node.ask('CONFIG', 'SET', 'requirepass', 'sesame 7')
  })
  afterAll(() => cluster?.stop())

  it.each(['redis', 'ioredis'])(
    'is used with all of its nodes from one address, through %s',
    async (name) => {
      const [node] = cluster.primaries
      const installed = (wanted: string) => (wanted === name ? load(wanted) : undefined)
      const opened = await openRedisStore(`redis://:sesame%207@127.0.0.1:${node?.port}`, installed)
      if (!('store' in opened)) throw new Error(opened.text)
      const { store, close } = opened
      const counted = await Promise.all(
        Array.from({ length: 30 }, (_, index) => store.increment(`tf3::${name}:${index}`, 60_000)),
      )
      await close()
      expect(counted.map(({ count }) => count)).toEqual(Array(30).fill(1))
    },
  )
})
