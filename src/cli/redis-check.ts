import { type RedisClient, redisStore } from '../store/redis-store.js'
import type { Row } from './findings.js'
import type { LoadFromApp } from './host-checks.js'
import { printable } from './quote.js'

const name = 'Redis'

/** What Redis, or the way to it, says when it cannot be used. The first that fits counts. */
const failures: readonly { readonly code: string; readonly says: RegExp; readonly fix: string }[] = [
  {
    code: 'redis_refuses_login',
    says: /WRONGPASS|NOAUTH|invalid password/i,
    fix: 'correct user and password in REDIS_URL',
  },
  {
    code: 'redis_permission',
    says: /NOPERM|permission|can't run this command/i,
    fix: 'allow its user EVAL, EVALSHA and every command on keys that begin with tf2:',
  },
  {
    code: 'redis_not_listening',
    says: /ECONNREFUSED/,
    fix: 'start it, or correct host and port in REDIS_URL',
  },
  { code: 'redis_dns', says: /ENOTFOUND|EAI_/, fix: 'correct the host name in REDIS_URL' },
  {
    code: 'redis_silent',
    says: /no answer|timeout/i,
    fix: 'look whether it hangs, or whether a firewall stops this machine',
  },
]
const otherwise = {
  code: 'redis_unusable',
  fix: 'start it, and check the address, the password and the permissions in REDIS_URL',
}

/** Whether Redis can be reached and written, and is set up to forget nothing that is live. */
export async function redisRows(url: string | undefined, load: LoadFromApp): Promise<readonly Row[]> {
  if (url === undefined) {
    return [{ code: 'redis_not_asked', name, found: 'skipped', text: 'not asked: REDIS_URL is not set' }]
  }
  const connection = openRedis(url, load)
  if (connection === undefined) {
    const text = 'neither redis nor ioredis is installed here'
    const fix = 'npm install redis in the folder of the app'
    return [{ code: 'redis_client_missing', name, found: 'wrong', text, fix }]
  }
  try {
    return await inspected(connection)
  } catch (error) {
    const reason = reasonOf(error)
    const { code, fix } = failures.find(({ says }) => says.test(reason)) ?? otherwise
    return [{ code, name, found: 'wrong', text: `cannot be used: ${printable(reason)}`, fix }]
  } finally {
    connection.end()
  }
}

async function inspected({ client, connect }: RedisConnection): Promise<readonly Row[]> {
  await connect()
  // Asked once, by a machine that may be busy or far away: slow is not silent.
  const store = redisStore({ client, timeoutMs: 2_000 })
  const findings = (await store.inspect?.()) ?? []
  if (findings.some(({ message }) => message.includes('MOVED '))) {
    const text = 'is a cluster: ask it with selfTest() in the app'
    return [{ code: 'redis_cluster', name, found: 'skipped', text }]
  }
  // Looking takes no permission to write.
  if (findings.length === 0) await store.increment('tf2:doctor', 1_000)
  const rows = findings.map(
    ({ code, message, fix }): Row => ({ code, name, found: 'wrong', text: printable(message), fix }),
  )
  if (rows.length > 0) return rows
  return [{ code: 'redis_ok', name, found: 'ok', text: 'reachable, and forgets nothing that is live' }]
}

/** The store wraps what a client said; a refused connection to several addresses has a code alone. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.cause !== undefined) return reasonOf(error.cause)
  return error.message === '' && 'code' in error ? String(error.code) : error.message
}

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
