import { TwoFactorError } from '../errors.js'
import type { Json } from './store.js'

/** One value in memory, and the moment of the store's clock from which it is gone. */
export interface Kept {
  readonly value: Json
  readonly version: number
  readonly end: number
}

/** The entries of one kind. What has lapsed may still be found here: its `end` decides, not its presence. */
export interface Partition {
  get(key: string): Kept | undefined
  set(key: string, kept: Kept, at: number): void
  delete(key: string): void
}

/** A Map that doubles is copied in one go, milliseconds long from 100,000 entries on. A 64th of it is not. */
const shardCount = 64

const stepsPerWrite = 2
const stepsWhenFull = 128

/** Holds up to `max` entries in shards that `create` makes; gives the shard of a key. */
export function sharded<Shard>(
  max: number,
  create: (max: number) => Shard,
): [Shard[], (key: string) => Shard] {
  const count = max > shardCount * shardCount ? shardCount : 1
  const shards = Array.from({ length: count }, () => create(Math.ceil(max / count)))
  // The last characters of a key belong to a hash, so they spread evenly.
  const shardOf = (key: string) => {
    const last = key.length - 1
    return shards[((key.charCodeAt(last) * 31 + key.charCodeAt(last - 1)) | 0) % count] as Shard
  }
  return [shards, shardOf]
}

/** Every entry of all shards, over and over. Map iterators bear what is added and removed between two steps. */
function* rounds(shards: readonly Map<string, Kept>[]): Generator<[string, Kept] | undefined, never> {
  for (;;) {
    for (const shard of shards) {
      yield undefined
      yield* shard
    }
  }
}

/** A partition that never forgets what is live: while `max` entries are, it refuses new keys. */
export function sealedPartition(max: number): Partition {
  const [shards, shardOf] = sharded(max, () => new Map<string, Kept>())
  const walk = rounds(shards)
  let size = 0

  function remove(key: string): void {
    if (shardOf(key).delete(key)) size -= 1
  }

  function sweep(steps: number, at: number): void {
    for (let step = 0; step < steps; step += 1) {
      const entry = walk.next().value
      if (entry !== undefined && at >= entry[1].end) remove(entry[0])
    }
  }

  function admit(at: number): void {
    if (size >= max) sweep(stepsWhenFull, at)
    // Making room would let a flood of other numbers lift the lock of this one.
    if (size >= max) throw new TwoFactorError('capacity', { message: 'the memory store is full' })
    size += 1
  }

  return {
    get: (key) => shardOf(key).get(key),
    set(key, kept, at) {
      sweep(stepsPerWrite, at)
      const shard = shardOf(key)
      if (!shard.has(key)) admit(at)
      shard.set(key, kept)
    },
    delete: remove,
  }
}
