import { LRUCache } from 'lru-cache'
import { TwoFactorError } from '../errors.js'
import type { Json } from './store.js'

/** One value in memory with its expiry on the store's clock. */
export interface StoredEntry {
  value: Json
  version: number
  expiresAt: number
}

type Shard = LRUCache<string, StoredEntry>

/**
 * Entries per cache. A Map blocks the process while it grows, in proportion to its size: with a million ledgers about
 * 30 ms at 16,000 entries each, and 5 ms at this size.
 */
const shardSize = 1_600

/** Minimum number of entries to examine before a new key is refused, at least one in each shard. */
const minLooks = 64

export const isUnexpired = (kept: StoredEntry, at: number): boolean => at < kept.expiresAt

export type Partition = ReturnType<typeof createPartition>

/** Stores up to `max` entries of one kind. Expired ones may be present: `expiresAt` decides. */
export function createPartition(parts: {
  readonly max: number
  /** If true, a partition full of live entries refuses new keys. Otherwise it evicts the least recently used entry. */
  readonly lasting: boolean
  readonly whenFull: string
}) {
  const { max, lasting, whenFull } = parts
  const count = max > 2 * shardSize ? Math.ceil(max / shardSize) : 1
  // A lasting shard may exceed its share, because the partition as a whole keeps the limit.
  const share = lasting ? max : Math.ceil(max / count)
  const shards: Shard[] = []
  let size = 0
  let turn = 0

  function shardAt(index: number): Shard {
    shards[index] ??= new LRUCache<string, StoredEntry>({
      // `max` would allocate this many entries immediately for every kind. A size grows.
      maxSize: share,
      sizeCalculation: () => 1,
      disposeAfter: (_lost, _key, reason) => {
        if (reason === 'evict') size -= 1
      },
    })
    return shards[index]
  }

  /**
   * A key ends with characters of a hash. With a smaller prime, some numbers of shards would leave half of them empty.
   */
  function shardOf(key: string): Shard {
    let place = 0
    for (let at = key.length - 4; at < key.length; at += 1) {
      place = (Math.imul(place, 65_599) + key.charCodeAt(at)) & 0x7fffffff
    }
    return shardAt(place % count)
  }

  function remove(shard: Shard, key: string): boolean {
    const isRemoved = shard.delete(key)
    if (isRemoved) size -= 1
    return isRemoved
  }

  /** Examines the least recently used entry: removes an expired one, and marks a live one of a lasting kind as used. */
  function freesRoom(shard: Shard, at: number): boolean {
    const oldest = shard.rkeys().next().value
    const kept = oldest === undefined ? undefined : shard.peek(oldest)
    if (oldest === undefined || kept === undefined) return false
    if (!isUnexpired(kept, at)) return remove(shard, oldest)
    if (lasting) shard.get(oldest)
    return false
  }

  function admit(at: number): void {
    if (size < max) return
    for (let looks = 0; looks < Math.max(minLooks, count); looks += 1) {
      turn += 1
      if (freesRoom(shardAt(turn % count), at)) return
    }
    // Evicting a live entry would let a flood of other accounts lift the lock of this one (brute force).
    throw new TwoFactorError('capacity', { message: whenFull })
  }

  return {
    /** Does not mark the entry as used: lasting entries are never evicted, and a read uses no counter. */
    peek: (key: string) => shardOf(key).peek(key),
    get: (key: string) => shardOf(key).get(key),
    delete: (key: string) => void remove(shardOf(key), key),
    /**
     * Changes an existing entry in place, live or expired, which costs less than inserting a new one.
     *
     * @throws {TwoFactorError} `capacity` for a new key, when lasting and full of live entries
     */
    put(key: string, there: StoredEntry | undefined, next: StoredEntry, at: number): StoredEntry {
      if (there !== undefined) {
        there.value = next.value
        there.version = next.version
        there.expiresAt = next.expiresAt
        return there
      }
      const shard = shardOf(key)
      // Each new entry removes one expired entry, so no sweep is needed. Examining more would create garbage.
      freesRoom(shard, at)
      if (lasting) admit(at)
      shard.set(key, next)
      size += 1
      return next
    },
  }
}
