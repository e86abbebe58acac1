import cluster from 'node:cluster'
import { LRUCache } from 'lru-cache'
import { TwoFactorError } from '../errors.js'
import { type Checks, checkOptions, func, integer, optionError } from '../lib/options.js'
import { kindOf } from './kinds.js'
import {
  type CounterResult,
  duration,
  type Entry,
  type Json,
  type Store,
  type SwapResult,
  wholeAmount,
} from './store.js'

/** Options of `memoryStore`. */
export interface MemoryStoreOptions {
  /** Numbers remembered per lane before a new one is refused with `capacity`; 100,000. */
  maxLedgers?: number
  /** Subjects with a grant, a trusted device or wrong codes, of each, before a new one is refused; 100,000. */
  maxGrants?: number
  /** Counters of each kind before the one longest untouched is lost; 100,000. */
  maxCounters?: number
  /** Clock in milliseconds; a monotonic one by default. */
  now?: () => number
  /** Called with the kind of a counter that was evicted while its window ran: `maxCounters` is too small. */
  onPressure?: (kind: string) => void
  /** Called once with each kind of other entries, when they have taken 80 % of their room. */
  onNearlyFull?: (kind: string) => void
}

/** A synchronous store, so that the guard needs no promise. */
export interface MemoryStore extends Store {
  read(key: string): Entry | undefined
  swap(key: string, expectedVersion: string | undefined, next: Json | undefined, ttlMs: number): SwapResult
  increment(key: string, windowMs: number, by?: number): CounterResult
}

const defaultCapacity = 100_000

const checks: Checks<MemoryStoreOptions> = {
  maxLedgers: integer(1),
  maxGrants: integer(1),
  maxCounters: integer(1),
  now: func('() => milliseconds'),
  onPressure: func('(kind)'),
  onNearlyFull: func('(kind)'),
}

/** Not the wall clock: set back, it would keep entries past their lifetime. */
const monotonic = () => performance.now()

/**
 * The store of a single process: nothing to install, nothing left after a restart. Live entries that a guess
 * budget depends on are never evicted; a new number is refused with `capacity` when the store is full.
 *
 * @throws {TypeError} for a wrong option, and in a cluster worker with NODE_ENV=production: every worker
 * would allow its own guesses (brute force).
 * @example
 * const tf = twoFactor({ ...options, store: memoryStore({ maxLedgers: 1_000_000 }) })
 */
export function memoryStore(options: MemoryStoreOptions = {}): MemoryStore {
  if (cluster.isWorker && process.env.NODE_ENV === 'production') {
    throw optionError(
      'memoryStore: cluster workers cannot share it, and each would allow its own guesses; use redisStore',
    )
  }
  checkOptions('memoryStore', options, checks)
  const { now = monotonic, onPressure = () => {}, onNearlyFull = () => {} } = options
  const partitions = new Map<string, ReturnType<typeof createPartition>>()
  let written = 0

  /** One partition per kind, so that a flood of one kind does not evict the others. */
  function partitionOf(key: string) {
    const name = kindIn(key)
    const known = partitions.get(name)
    if (known !== undefined) return known
    const { lane, sealed, capacity, maxEntries = Infinity } = kindOf(name)
    const partition = createPartition({
      max: Math.min(options[capacity] ?? defaultCapacity, maxEntries),
      sealed,
      onNearlyFull: () => onNearlyFull(name),
      whenFull: `the memory store is full of entries of the kind "${name}" (lane ${lane}); raise ${capacity}`,
      createShard: (maxSize) =>
        new LRUCache<string, Kept>({
          // `max` would allocate for that many at once, for every kind; a size grows.
          maxSize,
          sizeCalculation: () => 1,
          disposeAfter: (_lost, _key, reason) => {
            if (reason === 'evict') onPressure(name)
          },
        }),
    })
    partitions.set(name, partition)
    return partition
  }

  /** What is there, live or expired, is changed in place: half the garbage of a new object each time. */
  function put(key: string, standing: Kept | undefined, value: Json, expiresAt: number, at: number): Kept {
    written += 1
    if (standing === undefined) {
      const kept = { value, version: written, expiresAt }
      partitionOf(key).add(key, kept, at)
      return kept
    }
    standing.value = value
    standing.version = written
    standing.expiresAt = expiresAt
    return standing
  }

  return {
    read(key) {
      const kept = partitionOf(key).get(key)
      return kept && isLive(kept, now()) ? entryOf(kept) : undefined
    },

    swap(key, expectedVersion, next, ttlMs) {
      const at = now()
      const kept = partitionOf(key).get(key)
      const entry = kept && isLive(kept, at) ? entryOf(kept) : undefined
      if (entry?.version !== expectedVersion) return refusal(entry)
      if (next === undefined) {
        partitionOf(key).delete(key)
        return { swapped: true }
      }
      const expiresAt = at + duration('ttlMs', ttlMs)
      return { swapped: true, entry: entryOf(put(key, kept, frozen(next), expiresAt, at)) }
    },

    increment(key, windowMs, by = 1) {
      const at = now()
      const kept = partitionOf(key).get(key)
      const running = kept && isLive(kept, at) ? kept : undefined
      const window = duration('windowMs', windowMs)
      const count = Math.max(0, (typeof running?.value === 'number' ? running.value : 0) + wholeAmount(by))
      if (count === 0) {
        // A counter refunded to zero must not take up room.
        if (by < 0) partitionOf(key).delete(key)
        return { count, resetInMs: window }
      }
      // The earlier moment wins: a clock that was set back must not stretch the window.
      const expiresAt = Math.min(running?.expiresAt ?? Number.POSITIVE_INFINITY, at + window)
      if (by !== 0) put(key, kept, count, expiresAt, at)
      return { count, resetInMs: expiresAt - at }
    },
  }
}

/** The third part of `tf2:<namespace>:<kind>:<tag>`. */
function kindIn(key: string): string {
  const start = key.indexOf(':', 4)
  const end = key.indexOf(':', start + 1)
  return start === -1 || end === -1 ? '' : key.slice(start + 1, end)
}

const entryOf = ({ value, version }: Kept): Entry => ({ value, version: String(version) })

const refusal = (entry: Entry | undefined): SwapResult =>
  entry === undefined ? { swapped: false } : { swapped: false, entry }

/** Only a swap may change a stored value. Most of it is what was read before, and frozen. */
function frozen<Value extends Json | undefined>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.values(value).forEach(frozen)
  return Object.freeze(value)
}

// ── the entries of one kind ──────────────────────────────────────────────────────────────────────

/** One value in memory, and when it expires on the store's clock. */
interface Kept {
  value: Json
  version: number
  expiresAt: number
}

type Shard = LRUCache<string, Kept>

/**
 * Entries in one cache. Its Map stops the process while it is copied, the longer the more it holds: with a million
 * ledgers for some 30 ms at 16,000 each, 5 ms at these.
 */
const shardSize = 1_600

/** The share of the room at which somebody should know. */
const nearlyFull = 0.8

/** Looks for an expired entry before a new key is refused: at least one at each shard. */
const minLooks = 64

const isLive = (kept: Kept, at: number): boolean => at < kept.expiresAt

/**
 * The entries of one kind, up to `max` in caches that `createShard` makes, each for its share. Expired entries may
 * still be present: `expiresAt` decides.
 */
function createPartition(parts: {
  readonly max: number
  /** While it is full of live entries it refuses new keys; else it evicts the least recently used. */
  readonly sealed: boolean
  /** Called once, before anything is refused. */
  readonly onNearlyFull: () => void
  readonly whenFull: string
  readonly createShard: (max: number) => Shard
}) {
  const { max, sealed, onNearlyFull, whenFull, createShard } = parts
  const count = max > 2 * shardSize ? Math.ceil(max / shardSize) : 1
  // A sealed shard may hold more than its share: the partition as a whole keeps the limit.
  const share = sealed ? max : Math.ceil(max / count)
  const shards = Array.from({ length: count }, () => createShard(share))
  let turn = 0
  let isTold = false

  /** The last characters of a key belong to a hash. By a smaller prime, some numbers of shards would leave half empty. */
  function shardOf(key: string): Shard {
    let place = 0
    for (let at = key.length - 4; at < key.length; at += 1) {
      place = (Math.imul(place, 65_599) + key.charCodeAt(at)) & 0x7fffffff
    }
    return shardAt(place)
  }

  const shardAt = (index: number): Shard => shards[index % count] as Shard

  /** Looks at the least recently used entry: removes it if expired, renews its recency if live and sealed. */
  function freesRoom(shard: Shard, at: number): boolean {
    const oldest = shard.rkeys().next().value
    const kept = oldest === undefined ? undefined : shard.peek(oldest)
    if (oldest === undefined || kept === undefined) return false
    if (!isLive(kept, at)) return shard.delete(oldest)
    if (sealed) shard.get(oldest)
    return false
  }

  function admit(at: number): void {
    const size = shards.reduce((sum, shard) => sum + shard.size, 0)
    if (!isTold && size + 1 >= max * nearlyFull) {
      isTold = true
      onNearlyFull()
    }
    if (size < max) return
    for (let looks = 0; looks < Math.max(minLooks, count); looks += 1) {
      turn += 1
      if (freesRoom(shardAt(turn), at)) return
    }
    // Brute force: evicting instead would let a flood of other numbers lift the lock of this one.
    throw new TwoFactorError('capacity', { message: whenFull })
  }

  return {
    get: (key: string) => shardOf(key).get(key),
    /** Takes a key that it does not hold. @throws {TwoFactorError} `capacity` when sealed and full of live entries */
    add(key: string, kept: Kept, at: number): void {
      const shard = shardOf(key)
      // One expired entry leaves for each new one, so no sweep is needed. More looks would create garbage.
      freesRoom(shard, at)
      if (sealed) admit(at)
      shard.set(key, kept)
    },
    delete: (key: string) => void shardOf(key).delete(key),
  }
}
