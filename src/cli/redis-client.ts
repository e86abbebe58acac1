import type { RedisClient } from '../store/redis-store.js'
import type { LoadFromApp } from './host-packages.js'

/** A connection to Redis through the package of the app. */
export interface RedisConnection {
  readonly client: RedisClient
  /** Rejects with why there is none. */
  connect(): Promise<void>
  end(): void
}

const connectTimeoutMs = 3_000

/** With what the app has installed, `redis` or `ioredis`; undefined when it has neither. */
export function openRedis(url: string, load: LoadFromApp): RedisConnection | undefined {
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

function connection(client: RedisClient & Connectable, end: () => unknown): RedisConnection {
  return {
    client,
    connect: () =>
      new Promise((resolve, reject) => {
        // The event says more than the rejection, which may only say that the connection is closed.
        client.on('error', reject)
        client.connect().then(() => resolve(), reject)
        // A server that is stopped in its tracks takes the connection and never says a word.
        setTimeout(() => reject(new Error('no answer')), connectTimeoutMs).unref()
      }),
    end: () => void end(),
  }
}

interface Connectable {
  on(event: 'error', listener: (error: Error) => void): unknown
  connect(): Promise<unknown>
}

interface NodeRedisPackage {
  createClient(options: object): Connectable & {
    readonly isOpen: boolean
    sendCommand(args: string[]): Promise<unknown>
    /** Since version 5; `disconnect` before it. */
    destroy?(): void
    disconnect?(): unknown
  }
}

type IoRedisPackage = new (
  url: string,
  options: object,
) => Connectable & Extract<RedisClient, { isCluster: boolean }> & { disconnect(): void }
