import cluster from 'node:cluster'
import { LRUCache } from 'lru-cache'
import { type Checks, checkOptions, func, integer, optionError } from '../lib/options.js'
import { duration } from './duration.js'
import { type Kept, type Partition, sealedPartition, sharded } from './partition.js'
import type { CounterResult, Entry, Json, Store, SwapResult } from './store.js'

export interface MemoryStoreOptions {
  /** Numbers remembered per lane before a new one is refused with `capacity`; 100,000. */
  maxLedgers?: number
  /** Subjects with a grant or a trusted device before a new one is refused; 100,000. */
  maxGrants?: number
  /** Counters of each kind before the one longest untouched is lost; 100,000. */
  maxCounters?: number
  /** Milliseconds of a clock; one that never runs backwards by default. */
  now?: () => number
  /** Called after a counter was lost that still ran, with its kind: `maxCounters` is too small. */
  onPressure?: (kind: string) => void
}

/** A store that answers at once, so that the guard needs no promise. */
export interface MemoryStore extends Store {
  read(key: string): Entry | undefined
  swap(key: string, expectedVersion: string | undefined, next: Json | undefined, ttlMs: number): SwapResult
  increment(key: string, windowMs: number): CounterResult
}

const checks: Checks<MemoryStoreOptions> = {
  maxLedgers: integer(1),
  maxGrants: integer(1),
  maxCounters: integer(1),
  now: func('() => milliseconds'),
  onPressure: func('(kind)'),
}

/** The wall clock may be set back, and would then keep what has ended. */
const monotonic = () => performance.now()

/**
 * The store of a single process: nothing to install, nothing left after a restart. What a guess budget
 * rests on is never evicted; a new number is refused with `capacity` when the store is full.
 *
 * @throws {TypeError} for a wrong option, and in a cluster worker with NODE_ENV=production: every worker
 * would hand out guesses of its own.
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
  const { maxLedgers = 100_000, maxGrants = 100_000, maxCounters = 100_000 } = options
  const { now = monotonic, onPressure = () => {} } = options

  // One partition per kind: a flood of one kind leaves the others alone.
  const partitions = new Map<string, Partition>([
    ['auth', sealedPartition(maxLedgers)],
    ['enrol', sealedPartition(maxLedgers)],
    ['enrolment', sealedPartition(maxLedgers)],
    ['grants', sealedPartition(maxGrants)],
    ['devices', sealedPartition(maxGrants)],
    ['failures', sealedPartition(maxGrants)],
  ])
  let written = 0

  function partitionOf(key: string): Partition {
    const kind = kindOf(key)
    let partition = partitions.get(kind)
    if (partition === undefined) {
      partition = counterPartition(maxCounters, () => onPressure(kind))
      partitions.set(kind, partition)
    }
    return partition
  }

  const keep = (value: Json, end: number): Kept => {
    written += 1
    return { value, version: written, end }
  }

  return {
    read(key) {
      const kept = live(partitionOf(key).get(key), now())
      return kept && entryOf(kept)
    },

    swap(key, expectedVersion, next, ttlMs) {
      const partition = partitionOf(key)
      const at = now()
      const standing = live(partition.get(key), at)
      const entry = standing && entryOf(standing)
      if (entry?.version !== expectedVersion) return refusal(entry)
      if (next === undefined) {
        partition.delete(key)
        return { swapped: true }
      }
      const kept = keep(frozen(next), at + duration('ttlMs', ttlMs))
      partition.set(key, kept, at)
      return { swapped: true, entry: entryOf(kept) }
    },

    increment(key, windowMs) {
      const partition = partitionOf(key)
      const at = now()
      const running = live(partition.get(key), at)
      const count = typeof running?.value === 'number' ? running.value + 1 : 1
      // The earlier end stands: a clock that was set back must not stretch the window.
      const end = Math.min(running?.end ?? Number.POSITIVE_INFINITY, at + duration('windowMs', windowMs))
      partition.set(key, keep(count, end), at)
      return { count, resetInMs: end - at }
    },
  }
}

/** Counters by address and session: no guess budget rests on them, so the one longest untouched may go. */
function counterPartition(max: number, onLoss: () => void): Partition {
  const [, shardOf] = sharded(
    max,
    (share) =>
      new LRUCache<string, Kept>({
        // `max` would allocate for that many at once, for every kind; a size grows.
        maxSize: share,
        sizeCalculation: () => 1,
        disposeAfter: (_lost, _key, reason) => {
          if (reason === 'evict') onLoss()
        },
      }),
  )
  return {
    get: (key) => shardOf(key).get(key),
    set(key, kept, at) {
      const counters = shardOf(key)
      // What has lapsed goes first, and is no loss.
      const oldest = counters.rkeys().next().value
      if (oldest !== undefined && live(counters.peek(oldest), at) === undefined) counters.delete(oldest)
      counters.set(key, kept)
    },
    delete: (key) => void shardOf(key).delete(key),
  }
}

/** The third part of `tf1:<namespace>:<kind>:<tag>`. */
function kindOf(key: string): string {
  const start = key.indexOf(':', 4)
  const end = key.indexOf(':', start + 1)
  return start === -1 || end === -1 ? '' : key.slice(start + 1, end)
}

const live = (kept: Kept | undefined, at: number): Kept | undefined =>
  kept !== undefined && at < kept.end ? kept : undefined

const entryOf = ({ value, version }: Kept): Entry => ({ value, version: String(version) })

const refusal = (entry: Entry | undefined): SwapResult =>
  entry === undefined ? { swapped: false } : { swapped: false, entry }

/** Nobody may change by hand what only a swap may change. */
function frozen<Value extends Json | undefined>(value: Value): Value {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen)
  return value
}
