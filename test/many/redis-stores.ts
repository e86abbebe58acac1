import { startRedisCluster } from '../store/redis-cluster-server.js'
import { startRedis } from '../store/redis-server.js'

/** What the processes of a test share, and the clients that reach it. */
export const redisStores = {
  'one Redis': {
    start: async () => {
      const server = await startRedis()
      return { redisPorts: [server.port], stop: () => server.kill() }
    },
    clientNames: ['redis', 'ioredis'],
  },
  'a cluster of three nodes': {
    start: async () => {
      const { primaries, stop } = await startRedisCluster()
      return { redisPorts: primaries.map(({ port }) => port), stop }
    },
    clientNames: ['cluster of redis', 'cluster of ioredis'],
  },
} as const
