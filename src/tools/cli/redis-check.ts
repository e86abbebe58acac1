import { type RedisClient, redisStore } from '../../store/redis-store.js'
import { type Row, rowsAbout } from './findings.js'
import type { LoadFromApp } from './host-checks.js'
import { printable } from './quote.js'

const { ok, skipped, wrong } = rowsAbout('Redis')

/** What Redis, or the way to it, says when it cannot be used. The first that fits counts. */
const failures: readonly (readonly [says: RegExp, code: string, fix: string])[] = [
  [/WRONGPASS|NOAUTH|invalid password/i, 'redis_refuses_login', 'correct user and password in REDIS_URL'],
  [
    /NOPERM|permission|can't run this command/i,
    'redis_permission',
    'allow its user EVAL, EVALSHA and every command on keys that begin with tf3:',
  ],
  [/ECONNREFUSED/, 'redis_not_listening', 'start it, or correct host and port in REDIS_URL'],
  [/ENOTFOUND|EAI_/, 'redis_dns', 'correct the host name in REDIS_URL'],
  [/no answer|timeout/i, 'redis_silent', 'look whether it hangs, or whether a firewall stops this machine'],
  [/^/, 'redis_unusable', 'start it, and check the address, the password and the permissions in REDIS_URL'],
]

/** Whether Redis can be reached and written, and is set up to forget nothing that is live. */
export async function redisRows(url: string | undefined, load: LoadFromApp): Promise<readonly Row[]> {
  if (url === undefined) return [skipped('redis_not_asked', 'not asked: REDIS_URL is not set')]
  const connection = openRedis(url, load)
  if (connection === undefined) {
    const fix = 'npm install redis in the folder of the app'
    return [wrong('redis_client_missing', 'neither redis nor ioredis is installed here', fix)]
  }
  try {
    return await inspected(connection)
  } catch (error) {
    const reason = reasonOf(error)
    const [, code, fix] = failures.find(([says]) => says.test(reason)) as (typeof failures)[number]
    return [wrong(code, `cannot be used: ${printable(reason)}`, fix)]
  } finally {
    connection.end()
  }
}

async function inspected({ client, connect }: ReturnType<typeof connection>): Promise<readonly Row[]> {
  await connect()
  // Asked once, by a machine that may be busy or far away: slow is not silent.
  const store = redisStore({ client, timeoutMs: 2_000 })
  const findings = (await store.inspect?.()) ?? []
  if (findings.some(({ message }) => message.includes('MOVED '))) {
    return [skipped('redis_cluster', 'is a cluster: ask it with selfTest() in the app')]
  }
  if (findings.length > 0) {
    return findings.map(({ code, message, fix }) => wrong(code, printable(message), fix))
  }
  // Looking took no permission to write.
  await store.increment('tf3:doctor', 1_000)
  return [ok('redis_ok', 'reachable, and forgets nothing that is live')]
}

/** The store wraps what a client said; a refused connection to several addresses has a code alone. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.cause !== undefined) return reasonOf(error.cause)
  return error.message === '' && 'code' in error ? String(error.code) : error.message
}

const connectTimeoutMs = 3_000

/** With what the app has installed, `redis` or `ioredis`; undefined when it has neither. */
function openRedis(url: string, load: LoadFromApp) {
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

/** A connection to Redis through the package of the app. */
function connection(client: RedisClient & Connectable, end: () => unknown) {
  return {
    client,
    /** Rejects with why there is none. */
    connect: () =>
      new Promise<void>((resolve, reject) => {
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
