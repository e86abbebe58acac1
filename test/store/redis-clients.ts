import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { createClient, createClientPool, type RedisClientType } from 'redis'
import { test } from 'vitest'
import { type RedisConnection, redisStore } from '../../src/store/redis-store.js'
import { storeContract } from '../../src/tools/testing/store-contract.js'
import { patientMs, type RedisServer } from './redis-server.js'

/** A connection to hand to `redisStore`, and how the test ends it. */
export interface Connected {
  readonly connection: RedisConnection
  readonly end: () => unknown
}

export async function nodeRedis({ url }: RedisServer, options: object = {}): Promise<RedisClientType> {
  const client: RedisClientType = createClient({ url, ...options })
  return client.on('error', () => {}).connect()
}

/** The client of `redis` with its defaults, which stands for all of them in tests of the store itself. */
export async function throughNodeRedis(server: RedisServer, options: object = {}): Promise<Connected> {
  const client = await nodeRedis(server, options)
  return { connection: { client }, end: () => client.destroy() }
}

/** Every other way to reach a Redis. */
export const otherClients: Readonly<Record<string, (server: RedisServer) => Promise<Connected>>> = {
  'a client of redis that speaks RESP2': (server) => throughNodeRedis(server, { RESP: 2 }),
  'a pool of redis': async ({ url }) => {
    const client = createClientPool({ url })
    await client.connect()
    return { connection: { client }, end: () => client.destroy() }
  },
  'a client of ioredis': async ({ port }) => {
    const client = new Redis(port)
    return { connection: { client }, end: () => client.disconnect() }
  },
  'a bare sendCommand': async (server) => {
    const client = await nodeRedis(server)
    return {
      connection: { sendCommand: (_key, args) => client.sendCommand(args) },
      end: () => client.destroy(),
    }
  },
}

/** The tests of the contract, with one connection for each store. */
export function contractThrough(connect: () => Promise<Connected>): void {
  storeContract({
    test,
    createStore: async () => {
      const { connection, end } = await connect()
      return { ...redisStore({ ...connection, timeoutMs: patientMs }), close: async () => void end() }
    },
    elapse: (ms) => sleep(ms + 5),
    createDownStore: async () => {
      const { connection, end } = await connect()
      await end()
      return redisStore(connection)
    },
  })
}
