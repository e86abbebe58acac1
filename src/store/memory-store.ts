import cluster from 'node:cluster'
import { type Checks, checkOptions, func, integer, optionError, withDefault } from '../lib/options.js'
import { createPartition, isUnexpired, type Partition, type StoredEntry } from './partition.js'
import {
  type CounterResult,
  type Entry,
  entryKindOf,
  type Json,
  requireDuration,
  type Store,
  type SwapResult,
  wholeAmount,
} from './store.js'

/** Options of `memoryStore`. */
export interface MemoryStoreOptions {
  /**
   * Maximum number of accounts at sign-in, and of numbers and sessions at sign-up, each. A further one is refused with
   * `capacity`. Default: 100,000.
   */
  maxLedgers?: number
  /**
   * Maximum number of accounts with grants, of accounts with trusted devices, of numbers with sent codes and of numbers
   * with wrong codes, each. A further one is refused. Default: 100,000.
   */
  maxGrants?: number
  /** Maximum number of other counters per kind. Beyond it, the least recently used one is evicted. Default: 100,000. */
  maxCounters?: number
  /** Returns the time in milliseconds. Default: a monotonic clock. */
  now?: () => number
}

/** A synchronous store, so the guard needs no promise. */
export interface MemoryStore extends Store {
  read(key: string): Entry | undefined
  swap(key: string, expectedVersion: string | undefined, next: Json | undefined, ttlMs: number): SwapResult
  increment(key: string, windowMs: number, by?: number): CounterResult
}

/**
 * A wall clock that is set back would keep entries beyond their lifetime. Whole milliseconds, like every returned time.
 */
const monotonic = () => Math.floor(performance.now())

const most = withDefault(100_000, integer(1))

const checks = {
  maxLedgers: most,
  maxGrants: most,
  maxCounters: most,
  now: withDefault(monotonic, func('() => milliseconds')),
} satisfies Checks<MemoryStoreOptions>

/**
 * Creates the store of a single process. It needs no installation and is empty after a restart. Live entries that a
 * limit on attempts depends on are never evicted. When the store is full, a new account or number is refused with
 * `capacity`.
 *
 * @throws {TypeError} for a wrong option, and in a cluster worker with NODE_ENV=production: every worker
 * would allow its own guesses (brute force).
 * @example
 * const tf = twoFactor({ ...options, store: memoryStore({ maxLedgers: 1_000_000 }) })
 */
export function memoryStore(options: MemoryStoreOptions = {}): MemoryStore {
  if (cluster.isWorker && process.env.NODE_ENV === 'production') {
    throw optionError(
      'memoryStore: cluster workers cannot share a memory store, so each worker would allow its own attempts; use redisStore',
    )
  }
  const { now, ...capacities } = checkOptions('memoryStore', options, checks)
  const partitions = new Map<string, Partition>()
  let written = 0

  /** One partition per kind, so that a flood of one kind does not evict the others. */
  function partitionOf(key: string): Partition {
    const name = kindIn(key)
    const known = partitions.get(name)
    if (known !== undefined) return known
    const { lane, capacity, maxEntries = Infinity } = entryKindOf(name)
    const partition = createPartition({
      max: Math.min(capacities[capacity], maxEntries),
      lasting: capacity !== 'maxCounters',
      whenFull: `the memory store is full of entries of the kind "${name}" (lane ${lane}); raise ${capacity}`,
    })
    partitions.set(name, partition)
    return partition
  }

  return {
    read(key) {
      const kept = partitionOf(key).peek(key)
      return kept && isUnexpired(kept, now()) ? entryOf(kept) : undefined
    },

    swap(key, expectedVersion, next, ttlMs) {
      const at = now()
      const partition = partitionOf(key)
      const kept = partition.peek(key)
      const entry = kept && isUnexpired(kept, at) ? entryOf(kept) : undefined
      if (entry?.version !== expectedVersion) return refusedSwap(entry)
      if (next === undefined) {
        partition.delete(key)
        return { swapped: true }
      }
      // A whole number, because V8 boxes a fraction, which needs 16 bytes more per entry.
      const expiresAt = Math.ceil(at + requireDuration('ttlMs', ttlMs))
      written += 1
      const put = partition.put(key, kept, { value: frozen(next), version: written, expiresAt }, at)
      return { swapped: true, entry: entryOf(put) }
    },

    increment(key, windowMs, by = 1) {
      const at = now()
      const partition = partitionOf(key)
      const kept = by === 0 ? partition.peek(key) : partition.get(key)
      const running = kept && isUnexpired(kept, at) ? kept : undefined
      const window = requireDuration('windowMs', windowMs)
      const count = Math.max(0, (typeof running?.value === 'number' ? running.value : 0) + wholeAmount(by))
      if (count === 0) {
        // A counter that was refunded to zero must not use room.
        if (by < 0) partition.delete(key)
        return { count, resetInMs: window }
      }
      // The earlier end applies: a clock that is set back must not extend the window.
      const expiresAt = Math.min(running?.expiresAt ?? Number.POSITIVE_INFINITY, Math.ceil(at + window))
      if (by !== 0) {
        written += 1
        partition.put(key, kept, { value: count, version: written, expiresAt }, at)
      }
      return { count, resetInMs: expiresAt - at }
    },
  }
}

/** The third part of `tf3:<namespace>:<kind>:<tag>`. */
function kindIn(key: string): string {
  const start = key.indexOf(':', 4)
  const end = key.indexOf(':', start + 1)
  return start === -1 || end === -1 ? '' : key.slice(start + 1, end)
}

const entryOf = ({ value, version }: StoredEntry): Entry => ({ value, version: String(version) })

const refusedSwap = (entry: Entry | undefined): SwapResult =>
  entry === undefined ? { swapped: false } : { swapped: false, entry }

/**
 * Freezes a value, because only a swap may change it. A frozen value is used as it is: its owner does not change it.
 */
function frozen<Value extends Json | undefined>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.values(value).forEach(frozen)
  return Object.freeze(value)
}

/** More apps than any process has. An app that creates a store for each request reaches this number. */
const maxOpen = 100
let open = 0

/** Opens a memory store for an app without a store, and warns if memory is not enough. */
export function openDefaultStore(
  now: (() => number) | undefined,
  warn: (
    code: 'TWO_FACTOR_SEVERAL_WORKERS' | 'TWO_FACTOR_MEMORY_STORE' | 'TWO_FACTOR_MADE_PER_REQUEST',
  ) => void,
): MemoryStore {
  const store = memoryStore({ ...(now && { now }) })
  const isWorker = cluster.isWorker || process.env.NODE_APP_INSTANCE !== undefined
  open += 1
  if (open === maxOpen) warn('TWO_FACTOR_MADE_PER_REQUEST')
  if (isWorker) warn('TWO_FACTOR_SEVERAL_WORKERS')
  if (process.env.NODE_ENV === 'production') warn('TWO_FACTOR_MEMORY_STORE')
  return Object.assign(store, {
    close() {
      open -= 1
    },
  })
}
