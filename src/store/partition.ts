import { LRUCache } from 'lru-cache'
import { TwoFactorError } from '../errors.js'
import type { Json } from './store.js'

/** One value in memory, and when it expires on the store's clock. */
export interface StoredEntry {
  value: Json
  version: number
  expiresAt: number
}

type Shard = LRUCache<string, StoredEntry>

/**
 * Entries in one cache. Its Map stops the process while it is copied, the longer the more it holds: with a million
 * ledgers for some 30 ms at 16,000 each, 5 ms at these.
 */
const shardSize = 1_600

/** Looks for an expired entry before a new key is refused: at least one at each shard. */
const minLooks = 64

export const isLive = (kept: StoredEntry, at: number): boolean => at < kept.expiresAt

export type Partition = ReturnType<typeof createPartition>

/** The entries of one kind, up to `max`. Expired ones may still be present: `expiresAt` decides. */
export function createPartition(parts: {
  readonly max: number
  /** While it is full of live entries it refuses new keys; else it evicts the least recently used. */
  readonly lasting: boolean
  readonly whenFull: string
}) {
  const { max, lasting, whenFull } = parts
  const count = max > 2 * shardSize ? Math.ceil(max / shardSize) : 1
  // A lasting shard may hold more than its share: the partition as a whole keeps the limit.
  const share = lasting ? max : Math.ceil(max / count)
  const shards: Shard[] = []
  let size = 0
  let turn = 0

  function shardAt(index: number): Shard {
    shards[index] ??= new LRUCache<string, StoredEntry>({
      // `max` would allocate for that many at once, for every kind; a size grows.
      maxSize: share,
      sizeCalculation: () => 1,
      disposeAfter: (_lost, _key, reason) => {
        if (reason === 'evict') size -= 1
      },
    })
    return shards[index]
  }

  /** The last characters of a key belong to a hash. By a smaller prime, some numbers of shards would leave half empty. */
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

  /** Looks at the least recently used entry: removes it if expired, renews its recency if live and lasting. */
  function freesRoom(shard: Shard, at: number): boolean {
    const oldest = shard.rkeys().next().value
    const kept = oldest === undefined ? undefined : shard.peek(oldest)
    if (oldest === undefined || kept === undefined) return false
    if (!isLive(kept, at)) return remove(shard, oldest)
    if (lasting) shard.get(oldest)
    return false
  }

  function admit(at: number): void {
    if (size < max) return
    for (let looks = 0; looks < Math.max(minLooks, count); looks += 1) {
      turn += 1
      if (freesRoom(shardAt(turn % count), at)) return
    }
    // Brute force: evicting instead would let a flood of other accounts lift the lock of this one.
    throw new TwoFactorError('capacity', { message: whenFull })
  }

  return {
    /** Leaves its place among the least recently used: lasting entries are not evicted, and looking uses no counter. */
    peek: (key: string) => shardOf(key).peek(key),
    get: (key: string) => shardOf(key).get(key),
    delete: (key: string) => void remove(shardOf(key), key),
    /**
     * What is there, live or expired, is changed in place, which costs less than to set it anew.
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
      // One expired entry leaves for each new one, so no sweep is needed. More looks would create garbage.
      freesRoom(shard, at)
      if (lasting) admit(at)
      shard.set(key, next)
      size += 1
      return next
    },
  }
}
