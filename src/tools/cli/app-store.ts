import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { senderOf } from '../../store/redis-connection.js'
import { redisStore } from '../../store/redis-store.js'
import type { Store } from '../../store/store.js'
import { openRedis, openRedisCluster, type RedisOfApp } from './app-redis.js'
import type { Row } from './findings.js'
import type { LoadFromApp } from './host-checks.js'
import { clientMissing, redisFailure } from './redis-check.js'
import { UsageError } from './usage-error.js'

/** The store that the processes of an app share. */
export interface AppStore {
  readonly store: Store
  close(): Promise<void>
}

/** A remote server may be slow without being down. */
const timeoutMs = 2_000

/** Opens the store with the client that the app has installed. A returned row reports the obstacle. */
export async function openRedisStore(url: string, load: LoadFromApp): Promise<AppStore | Row> {
  const single = openRedis(url, load)
  if (single === undefined) return clientMissing
  const failure = await connectionFailure(single)
  if (failure !== undefined) return failure
  if (!(await isOfCluster(single))) return storeOf(single)
  single.end()
  const cluster = openRedisCluster(url, load)
  if (cluster === undefined) return clientMissing
  return (await connectionFailure(cluster)) ?? storeOf(cluster)
}

async function connectionFailure(redis: RedisOfApp): Promise<Row | undefined> {
  try {
    await redis.connect()
    return undefined
  } catch (error) {
    redis.end()
    return redisFailure(error)
  }
}

const storeOf = ({ client, end }: RedisOfApp): AppStore => ({
  store: redisStore({ client, timeoutMs }),
  close: async () => end(),
})

/**
 * A user without the permission to ask counts as a single node: the first key on another node then reports the cluster.
 */
async function isOfCluster({ client }: RedisOfApp): Promise<boolean> {
  const info = await senderOf({ client })('', ['info', 'cluster']).catch(() => '')
  return String(info).includes('cluster_enabled:1')
}

/** Loads the store that a module of the app exports as `store` or as default. */
export async function loadStore(file: string): Promise<AppStore> {
  const { href } = pathToFileURL(resolve(file))
  const module = await import(href).catch((error) => {
    if (error?.code !== 'ERR_MODULE_NOT_FOUND' || error.url !== href) throw error
    throw new UsageError(`The file ${file} does not exist.`)
  })
  const store = await (module.store ?? module.default)
  if (typeof store?.read !== 'function' || typeof store.swap !== 'function') {
    throw new UsageError(`${file} exports no store, neither as "store" nor as its default export.`)
  }
  return { store, close: async () => store.close?.() }
}
