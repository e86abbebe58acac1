import type { RedisClient } from '../../store/redis-store.js'
import type { LoadFromApp } from './host-checks.js'

/** Returns the cause of a store error. A connection that fails at several addresses has only a code. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.cause !== undefined) return reasonOf(error.cause)
  return error.message === '' && 'code' in error ? String(error.code) : error.message
}

const connectTimeoutMs = 3_000
/** Longer, so that a server that accepts no connection is reported as such. */
const answerTimeoutMs = connectTimeoutMs + 500

/** Opens Redis with the package that the app has installed, `redis` or `ioredis`; undefined without either. */
export function openRedis(url: string, load: LoadFromApp): RedisOfApp | undefined {
  const nodeRedis = load('redis') as NodeRedisPackage | undefined
  if (nodeRedis !== undefined) {
    const socket = { connectTimeout: connectTimeoutMs, reconnectStrategy: false }
    const client = nodeRedis.createClient({ url, disableOfflineQueue: true, socket })
    return connection(client, () => client.isOpen && (client.destroy ?? client.disconnect)?.call(client))
  }
  const IoRedis = load('ioredis') as IoRedisPackage | undefined
  if (IoRedis === undefined) return undefined
  const client = new IoRedis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    connectTimeout: connectTimeoutMs,
    retryStrategy: () => null,
  })
  return connection(client, () => client.disconnect())
}

/** Opens the cluster of the node at this address. Account and TLS of the address apply to all nodes. */
export function openRedisCluster(url: string, load: LoadFromApp): RedisOfApp | undefined {
  const { username, password, protocol } = new URL(url)
  const account = {
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
  }
  const isSecure = protocol === 'rediss:'
  const nodeRedis = load('redis') as NodeRedisPackage | undefined
  if (nodeRedis !== undefined) {
    const socket = { connectTimeout: connectTimeoutMs, ...(isSecure && { tls: true }) }
    const client = nodeRedis.createCluster({ rootNodes: [{ url }], defaults: { ...account, socket } })
    return connection(client, () => (client.destroy ?? client.disconnect)?.call(client))
  }
  const IoRedis = load('ioredis') as IoRedisPackage | undefined
  if (IoRedis === undefined) return undefined
  const redisOptions = { ...account, connectTimeout: connectTimeoutMs, ...(isSecure && { tls: {} }) }
  const options = { lazyConnect: true, clusterRetryStrategy: () => null, redisOptions }
  const client = new IoRedis.Cluster([url], options)
  return connection(client, () => client.disconnect())
}

export type RedisOfApp = ReturnType<typeof connection>

/** Creates a connection to Redis through the package of the app. */
function connection(client: RedisClient & Connectable, end: () => unknown) {
  return {
    client,
    /** Rejects with the cause of the failure. */
    connect: () =>
      new Promise<void>((resolve, reject) => {
        // The event has the cause; the rejection may only report a closed connection.
        client.on('error', reject)
        client.connect().then(() => resolve(), reject)
        // A frozen server accepts the connection and never responds.
        setTimeout(() => reject(new Error('no answer')), answerTimeoutMs).unref()
      }),
    end: () => void end(),
  }
}

interface Connectable {
  on(event: 'error', listener: (error: Error) => void): unknown
  connect(): Promise<unknown>
}

interface NodeRedisPackage {
  createClient(options: object): Connectable &
    Ending & {
      readonly isOpen: boolean
      sendCommand(args: string[]): Promise<unknown>
    }
  createCluster(options: object): Connectable & Ending & Extract<RedisClient, { masters: unknown }>
}

interface Ending {
  /** Since version 5; `disconnect` before it. */
  destroy?(): void
  disconnect?(): unknown
}

type IoRedisClient = Connectable & Extract<RedisClient, { isCluster: boolean }> & { disconnect(): void }

interface IoRedisPackage {
  new (url: string, options: object): IoRedisClient
  readonly Cluster: new (urls: string[], options: object) => IoRedisClient
}
