import type { LRUCache } from 'lru-cache'
import { TwoFactorError } from '../errors.js'
import type { Json } from './store.js'

/** One value in memory, and when it expires on the store's clock. */
export interface Kept {
  readonly value: Json
  readonly version: number
  readonly expiresAt: number
}

/** The entries of one kind. Expired entries may still be present: `expiresAt` decides. */
export interface Partition {
  get(key: string): Kept | undefined
  /** @throws {TwoFactorError} `capacity` when the kind is sealed and full of live entries */
  set(key: string, kept: Kept, at: number): void
  delete(key: string): void
}

type Shard = LRUCache<string, Kept>

/**
 * Measured with 200,000 entries on a busy machine: a single cache pauses for 10 to 35 ms where its Map doubles
 * or is compacted; with 64 of them the slowest write takes 5 to 8 ms of CPU, garbage collection included.
 */
const shardCount = 64

/** One look at each shard. */
const looksWhenFull = shardCount

export const isLive = (kept: Kept, at: number): boolean => at < kept.expiresAt

/** Holds up to `max` entries in caches that `createShard` makes, each for its share. */
export function createPartition(parts: {
  readonly max: number
  /** While it is full of live entries it refuses new keys; else it evicts the least recently used. */
  readonly sealed: boolean
  readonly whenFull: string
  readonly createShard: (max: number) => Shard
}): Partition {
  const { max, sealed, whenFull, createShard } = parts
  const count = max > shardCount * shardCount ? shardCount : 1
  // A sealed shard may hold more than its share: the partition as a whole keeps the limit.
  const share = sealed ? max : Math.ceil(max / count)
  const shards = Array.from({ length: count }, () => createShard(share))
  let turn = 0

  /** The last characters of a key belong to a hash, so they spread evenly. */
  function shardOf(key: string): Shard {
    const last = key.length - 1
    return shardAt((key.charCodeAt(last) * 31 + key.charCodeAt(last - 1)) | 0)
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
    if (shards.reduce((sum, { size }) => sum + size, 0) < max) return
    for (let looks = 0; looks < looksWhenFull; looks += 1) {
      turn += 1
      if (freesRoom(shardAt(turn), at)) return
    }
    // Brute force: evicting instead would let a flood of other numbers lift the lock of this one.
    throw new TwoFactorError('capacity', { message: whenFull })
  }

  return {
    get: (key) => shardOf(key).get(key),
    set(key, kept, at) {
      const shard = shardOf(key)
      if (!shard.has(key)) {
        // One expired entry leaves for each new one, so no sweep is needed. More looks would create garbage.
        freesRoom(shard, at)
        if (sealed) admit(at)
      }
      shard.set(key, kept)
    },
    delete: (key) => void shardOf(key).delete(key),
  }
}
