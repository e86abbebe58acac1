import { listSecretUsers } from '../../challenge/operator/inspection.js'
import { redisStore } from '../../store/redis-store.js'
import type { Store } from '../../store/store.js'
import { openRedis, type RedisOfApp, reasonOf } from './app-redis.js'
import { type Row, rowsAbout } from './findings.js'
import type { LoadFromApp } from './host-checks.js'
import { printable } from './quote.js'
import { describeSecretUsers } from './secret-users.js'

const { ok, skipped, wrong } = rowsAbout('Redis')

/** Errors of Redis, or of the connection, by pattern, with their meaning. The first match applies. */
const failures: readonly (readonly [says: RegExp, code: string, meaning: string, fix: string])[] = [
  [
    /WRONGPASS|NOAUTH|invalid password/i,
    'redis_refuses_login',
    'it refuses the login',
    'correct user and password in REDIS_URL',
  ],
  [
    /NOPERM|permission|can't run this command/i,
    'redis_permission',
    'its user lacks a permission',
    'pass the namespace of the app as --namespace, and allow its user the commands of docs/deployment.md, Redis',
  ],
  [
    /ECONNREFUSED/,
    'redis_not_listening',
    'nothing listens at that address',
    'start it, or correct host and port in REDIS_URL',
  ],
  [/ENOTFOUND|EAI_/, 'redis_dns', 'the host name has no address', 'correct the host name in REDIS_URL'],
  [
    /OOM/,
    'redis_full',
    'it has no memory for another sign-in',
    'raise maxmemory, also in its configuration file',
  ],
  [
    /no answer|no response/,
    'redis_silent',
    'it accepts connections and does not respond',
    'restart it, or let its replica take over',
  ],
  [
    /timeout|ETIMEDOUT|E(HOST|NET)UNREACH/i,
    'redis_unreachable',
    'it cannot be reached',
    'check host and port in REDIS_URL, and whether a firewall blocks this machine',
  ],
  [
    /(socket|connection)( is)? closed|ECONNRESET|EPIPE/i,
    'redis_closes',
    'it closed the connection',
    'run this again. If it fails again, write rediss:// in REDIS_URL if that port requires TLS, or start the Redis behind the proxy that listens there',
  ],
  [
    /^/,
    'redis_unusable',
    'it returned an error',
    'check that it runs, and the address, the password and the permissions in REDIS_URL',
  ],
]

export const clientMissing = wrong(
  'redis_client_missing',
  'neither redis nor ioredis is installed here',
  'run npm install redis in the folder of the app',
)

/** Returns the reason why Redis is unusable, and the fix. */
export function redisFailure(error: unknown): Row {
  const reason = reasonOf(error)
  const [, code, meaning, fix] = failures.find(([says]) => says.test(reason)) as (typeof failures)[number]
  return wrong(code, `cannot be used: ${meaning} (${printable(reason)})`, fix)
}

/** Checks that Redis is reachable, writable and configured to evict no live entry. */
export async function redisRows(
  url: string | undefined,
  load: LoadFromApp,
  namespace = '',
): Promise<readonly Row[]> {
  if (url === undefined) return [skipped('redis_not_asked', 'not asked: REDIS_URL is not set')]
  const connection = openRedis(url, load)
  if (connection === undefined) {
    return [clientMissing]
  }
  try {
    return await inspected(connection, namespace)
  } catch (error) {
    return [redisFailure(error)]
  } finally {
    connection.end()
  }
}

async function inspected({ client, connect }: RedisOfApp, namespace: string): Promise<readonly Row[]> {
  await connect()
  // One request, to a server that may be busy or remote: slow does not mean down.
  const store = redisStore({ client, timeoutMs: 2_000 })
  const findings = (await store.inspect?.(namespace)) ?? []
  if (findings.some(({ message }) => message.includes('MOVED '))) {
    return [skipped('redis_cluster', 'is a cluster: check it with tf.selfTest() in the app')]
  }
  if (findings.length > 0) {
    return findings.map(({ code, message, fix }) => wrong(code, printable(message), fix))
  }
  // Reading needed no write permission. The app's Redis user may have permissions for its namespace only.
  await store.increment(`tf3:${namespace}:doctor`, 1_000)
  return [ok('redis_ok', 'reachable, and evicts no live records'), ...(await secretRows(store, namespace))]
}

/** During a rotation the processes differ until the last one is replaced. */
async function secretRows(store: Store, namespace: string): Promise<readonly Row[]> {
  const users = await listSecretUsers(store, namespace, Date.now)
  if (users.length < 2) return []
  return [
    rowsAbout('Secret').warning(
      'secrets_differ',
      `differs between the machines, by its short hash: ${describeSecretUsers(users)}`,
      'unless you are deploying a new secret, give all machines the same list: a process that lacks the secret of another refuses correct codes',
    ),
  ]
}
