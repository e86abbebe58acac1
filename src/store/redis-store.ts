import { randomUUID } from 'node:crypto'
import { TwoFactorError } from '../errors.js'
import {
  boolean,
  type Checks,
  checkOptions,
  func,
  optionError,
  that,
  timeoutMs as timeout,
  withDefault,
} from '../lib/options.js'
import { undoneWhenLate, withinDeadline } from '../lib/promises.js'
import { nameOfflineCause } from './offline-cause.js'
import {
  inspectRedis,
  isRedisClient,
  type RedisConnection,
  runScript,
  script,
  senderOf,
} from './redis-connection.js'
import { keepsSilentConnection, replaceSilentConnection } from './silent-connection.js'
import { type Entry, requireDuration, type Store, wholeAmount } from './store.js'

export type { RedisClient, RedisConnection, RunCommand as SendCommand } from './redis-connection.js'

/** Options of `redisStore`. */
export type RedisStoreOptions = {
  /** Deadline of each command, in milliseconds. Default: 250. */
  timeoutMs?: number
  /**
   * If true, a replica must acknowledge each swap. Counters are not acknowledged. Default: false. Each swap costs one
   * more round trip. It needs one connection to each primary: no pool, and `masterPoolSize: 1` for a Sentinel client.
   */
  strict?: boolean
} & RedisConnection

const toPaste = {
  client: 'redisClient, // connected, of the package redis or ioredis; or sendCommand: (key, args) => reply',
}

const checks = {
  client: that('must be a client of redis or ioredis', isRedisClient),
  sendCommand: func('(key, args) => reply'),
  timeoutMs: withDefault(250, timeout),
  strict: withDefault(false, boolean),
} satisfies Checks<RedisStoreOptions>

/**
 * An entry is stored as its version, a line feed and its value as JSON. A repeated swap writes again: WAIT covers only
 * the writes of its own connection, and the first write was made on a connection that broke. ARGV: the expected version
 * ('' if absent), the next entry ('' to remove it), its lifetime in milliseconds.
 */
const swapScript = script(`
local stored = redis.call('GET', KEYS[1])
local version = stored and string.match(stored, '^[^\\n]*')
local expected = ARGV[1] ~= '' and ARGV[1]
if version ~= expected and stored ~= ARGV[2] then
  return {0, stored}
end
if ARGV[2] == '' then
  redis.call('DEL', KEYS[1])
else
  redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
end
return {1}
`)

/**
 * ARGV: the window in milliseconds, the amount. A counter without an expiry would lock an account forever, so it gets
 * one. Zero is added rather than read, because only a primary accepts writes.
 */
const incrementScript = script(`
local by = tonumber(ARGV[2])
if by < 1 and redis.call('EXISTS', KEYS[1]) == 0 then
  return {0, tonumber(ARGV[1])}
end
local count = redis.call('INCRBY', KEYS[1], by)
if count < 1 then
  redis.call('DEL', KEYS[1])
  return {0, tonumber(ARGV[1])}
end
local rest = redis.call('PTTL', KEYS[1])
if rest < 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  rest = tonumber(ARGV[1])
end
return {count, rest}
`)

/**
 * Creates a store for several processes and machines, on Redis 6.2 or newer: single, behind Sentinel, or as a cluster.
 * A command that misses its deadline rejects with `store_unavailable` (503). There is no fallback to memory.
 *
 * @throws {TypeError} for a missing client or a wrong option
 * @example
 * import { createClient } from 'redis'
 * import { redisStore } from 'express-two-factor/redis'
 *
 * const client = createClient({ url: process.env.REDIS_URL, disableOfflineQueue: true })
 * client.on('error', (error) => console.error(error))
 * await client.connect()
 * const tf = twoFactor({ ...options, store: redisStore({ client }) })
 */
export function redisStore(options: RedisStoreOptions): Store {
  const required = options?.sendCommand === undefined ? toPaste : []
  const { timeoutMs, strict } = checkOptions('redisStore', options, checks, required)
  if (options.client !== undefined && options.sendCommand !== undefined) {
    throw optionError('redisStore: client and sendCommand exclude each other; pass one of them')
  }
  const { client } = options
  const plainSend = nameOfflineCause(client, senderOf(options))
  const send = keepsSilentConnection(client) ? replaceSilentConnection(client, plainSend) : plainSend
  // WAIT covers only the writes of its own connection. On another one it would confirm a write that no replica has.
  if (strict && options.client !== undefined && 'clientsInUse' in options.client) {
    throw optionError('redisStore: strict needs a single connection; pass a client instead of a pool')
  }

  const bounded = <Result>(ask: () => Promise<Result>): Promise<Result> =>
    withinDeadline(timeoutMs, ask).catch(unavailable)

  async function replicated(key: string): Promise<void> {
    const replicas = integerOf(await send(key, ['wait', '1', String(Math.ceil(timeoutMs / 2))]))
    if (replicas < 1) throw new Error('no replica has confirmed the change')
  }

  const store: Store = {
    // GETEX without options is a GET that only a primary accepts. A stale replica may still have a revoked grant.
    read: (key) =>
      bounded(async () => {
        const stored = await send(key, ['getex', key])
        return stored === null ? undefined : entryAtRest(stored)
      }),

    async swap(key, expectedVersion, next, ttlMs) {
      // Each call has a new version, so a client that sends a swap twice performs it once.
      const entry = next === undefined ? undefined : { value: next, version: randomUUID() }
      const put =
        entry === undefined
          ? ['']
          : [`${entry.version}\n${JSON.stringify(entry.value)}`, wholeMs('ttlMs', ttlMs)]
      return bounded(async () => {
        const reply = await runScript(send, swapScript, key, [expectedVersion ?? '', ...put])
        const [swapped, stored] = reply as unknown[]
        if (integerOf(swapped) === 0) {
          return stored === null ? { swapped: false } : { swapped: false, entry: entryAtRest(stored) }
        }
        if (strict) await replicated(key)
        return entry === undefined ? { swapped: true } : { swapped: true, entry }
      })
    },

    async increment(key, windowMs, by = 1) {
      const window = wholeMs('windowMs', windowMs)
      const add = async (amount: number) => {
        const args = [window, String(amount)]
        const [count, resetInMs] = (await runScript(send, incrementScript, key, args)) as unknown[]
        return { count: integerOf(count), resetInMs: integerOf(resetInMs) }
      }
      const adding = add(wholeAmount(by))
      const inTime = bounded(() => adding)
      return by > 0 ? undoneWhenLate(inTime, adding, () => add(-by)) : inTime
    },

    inspect: (namespace = '') => inspectRedis(send, { namespace, timeoutMs, strict }),
  }
  // Not enumerable: a store that spreads this one may hang and has not promised a deadline.
  return Object.defineProperty(store, 'timeoutMs', { value: timeoutMs })
}

/** Redis accepts whole milliseconds only. */
const wholeMs = (name: string, ms: number): string => String(Math.ceil(requireDuration(name, ms)))

/** Reads a version and a value, or a counter, which is its own version. */
function entryAtRest(stored: unknown): Entry {
  const text = String(stored)
  const [version = ''] = text.split('\n', 1)
  return { value: version === text ? integerOf(text) : JSON.parse(text.slice(version.length + 1)), version }
}

/** Rejects a reply that is no number: NaN would be below every limit. */
function integerOf(reply: unknown): number {
  const text = String(reply)
  if (!/^\d+$/.test(text)) throw new Error('expected an integer reply')
  return Number(text)
}

/** Passes on the message only: errors of clients include the command with its values. */
function unavailable(error: unknown): never {
  // After refusals at several addresses, Node's error has a code but no message.
  const { message, code }: Readonly<Record<string, unknown>> = Object(error)
  const cause = new Error(String(message || code || error))
  throw new TwoFactorError('store_unavailable', { message: 'the store cannot be used', cause })
}
