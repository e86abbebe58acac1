import { createHash, randomUUID } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import type { CounterResult, Entry, Json, Store, SwapResult } from '../../src/store/store.js'

interface Kept {
  value: Json
  version: string
  end: number
}

/** A right store over a plain map: what a break changes is all that is wrong with the result. */
export interface PlainStore extends Store {
  readonly kept: Map<string, Kept>
  readonly now: () => number
  read(key: string): Entry | undefined
  swap(key: string, expectedVersion: string | undefined, next: Json | undefined, ttlMs: number): SwapResult
  increment(key: string, windowMs: number, by?: number): CounterResult
}

export function plainStore(now: () => number, kept = new Map<string, Kept>()): PlainStore {
  const check = (ms: number) => {
    if (!(ms > 0 && ms < Number.POSITIVE_INFINITY)) throw new RangeError(`not a lifetime: ${ms}`)
  }
  const live = (key: string) => {
    const standing = kept.get(key)
    return standing !== undefined && now() < standing.end ? standing : undefined
  }
  const put = (key: string, value: Json, end: number): Entry => {
    kept.set(key, { value: JSON.parse(JSON.stringify(value)), version: randomUUID(), end })
    return read(key) as Entry
  }
  function read(key: string): Entry | undefined {
    const standing = live(key)
    return standing && { value: structuredClone(standing.value), version: standing.version }
  }
  return {
    kept,
    now,
    read,
    swap(key, expectedVersion, next, ttlMs) {
      if (next !== undefined) check(ttlMs)
      const entry = read(key)
      if (entry?.version !== expectedVersion)
        return entry === undefined ? { swapped: false } : { swapped: false, entry }
      if (next !== undefined) return { swapped: true, entry: put(key, next, now() + ttlMs) }
      kept.delete(key)
      return { swapped: true }
    },
    increment(key, windowMs, by = 1) {
      check(windowMs)
      if (!Number.isInteger(by)) throw new RangeError(`not an amount: ${by}`)
      const running = live(key)
      const count = Math.max(0, Number(running?.value ?? 0) + by)
      if (count === 0) {
        kept.delete(key)
        return { count, resetInMs: windowMs }
      }
      const end = running?.end ?? now() + windowMs
      put(key, count, end)
      return { count, resetInMs: end - now() }
    },
  }
}

interface Break {
  /** The sentence of the contract that must find it. */
  found: string
  /** Others that must find it as well. */
  also?: readonly string[]
  of: (store: PlainStore) => Partial<Store>
}

const digest = (value: Json) => createHash('sha256').update(JSON.stringify(value)).digest('hex')

/** A store that swaps in a way of its own. */
const swap = (
  found: string,
  of: (store: PlainStore, ...args: Parameters<Store['swap']>) => ReturnType<Store['swap']>,
  also: readonly string[] = [],
): Break => ({ found, also, of: (store) => ({ swap: (...args) => of(store, ...args) }) })

/** A store that counts in a way of its own. */
const increment = (
  found: string,
  of: (store: PlainStore, ...args: Parameters<Store['increment']>) => ReturnType<Store['increment']>,
  also: readonly string[] = [],
): Break => ({ found, also, of: (store) => ({ increment: (...args) => of(store, ...args) }) })

/** Stores as people write them, each with one mistake. */
export const breaks: Readonly<Record<string, Break>> = {
  'reads, waits, then writes': swap(
    'of many that replace or remove one version, one does',
    async (store, key, expected, next, ms) => {
      const seen = store.read(key)
      await turn()
      if (seen?.version !== expected) return { swapped: false, ...(seen && { entry: seen }) }
      return store.swap(key, store.read(key)?.version, next, ms)
    },
    ['no change is lost when each is decided on the entry that made the swap fail'],
  ),
  'creates without looking': swap(
    'of many that create one entry, one does, and the others see it',
    (store, key, expected, next, ms) => store.swap(key, expected ?? store.read(key)?.version, next, ms),
  ),
  'removes whatever stands there': swap(
    'removing needs the current version',
    (store, key, expected, next, ms) =>
      store.swap(key, next === undefined ? store.read(key)?.version : expected, next, ms),
  ),
  'lets two take one entry away': swap(
    'of many that take one entry away, one does',
    (store, key, expected, next, ms) =>
      next === undefined && store.read(key) === undefined
        ? { swapped: true }
        : store.swap(key, expected, next, ms),
  ),
  'cannot remove what is absent': swap(
    'removing what is absent, as absent, succeeds',
    (store, key, expected, next, ms) =>
      next === undefined && store.read(key) === undefined
        ? { swapped: false }
        : store.swap(key, expected, next, ms),
  ),
  'creates under a version that is gone': swap(
    'a version of something absent replaces nothing',
    (store, key, expected, next, ms) =>
      store.swap(key, store.read(key) === undefined ? undefined : expected, next, ms),
  ),
  'takes a hash of the value for its version': {
    found: 'a version never repeats, not even for the same value or after a removal',
    of: (store) => {
      const hashed = (entry: Entry | undefined) =>
        entry && { value: entry.value, version: digest(entry.value) }
      return {
        read: (key) => hashed(store.read(key)),
        swap(key, expected, next, ms) {
          const standing = store.read(key)
          const same = hashed(standing)?.version === expected
          const result = store.swap(key, same ? standing?.version : 'none', next, ms)
          const entry = hashed(result.entry)
          return { swapped: result.swapped, ...(entry && { entry }) }
        },
      }
    },
  },
  'refuses without showing what stands there': swap(
    'creating what exists changes nothing and returns the existing entry',
    (store, key, expected, next, ms) => {
      const result = store.swap(key, expected, next, ms)
      return result.swapped ? result : { swapped: false }
    },
  ),
  'hands out the stored value itself': {
    found: 'what is put and what is read are not the stored value itself',
    of: (store) => ({
      read(key) {
        const standing = store.kept.get(key)
        return store.read(key) && standing && { value: standing.value, version: standing.version }
      },
    }),
  },
  'hands out entries that follow their key': {
    found: 'an entry in hand stays as it was when its key is written again',
    of: (store) => ({
      read: (key) =>
        store.read(key) && {
          get value() {
            return store.read(key)?.value ?? null
          },
          get version() {
            return String(store.read(key)?.version)
          },
        },
    }),
  },
  'keeps the value of the caller itself': swap(
    'what is put and what is read are not the stored value itself',
    (store, key, expected, next, ms) => {
      const result = store.swap(key, expected, next, ms)
      const standing = store.kept.get(key)
      if (result.swapped && next !== undefined && standing) standing.value = next
      return result
    },
  ),
  'cannot tell an empty list from an empty object': swap(
    'a value comes back exactly as it was put, with the version that the swap returned',
    (store, key, expected, next, ms) =>
      store.swap(key, expected, Array.isArray(next) && next.length === 0 ? {} : next, ms),
  ),
  'compares keys without their namespace': {
    found: 'keys that look alike are different keys',
    of: (store) => {
      const shared = (key: string) => key.replace(/^tf3:[^:]*/, 'tf3')
      return {
        read: (key) => store.read(shared(key)),
        swap: (key, expected, next, ms) => store.swap(shared(key), expected, next, ms),
      }
    },
  },
  'ends entries a moment late': swap(
    'an entry exists until its lifetime has passed, and is then absent',
    (store, key, expected, next, ms) => store.swap(key, expected, next, ms + 1),
  ),
  'lets what has ended stand in the way': swap(
    'an expired entry does not block a new one',
    (store, key, expected, next, ms) => {
      const ended = store.kept.has(key) && store.read(key) === undefined
      return ended ? { swapped: false } : store.swap(key, expected, next, ms)
    },
  ),
  'lengthens a life at every read': {
    found: 'neither a read nor a failed swap extends a lifetime',
    of: (store) => ({
      read(key) {
        const [entry, standing] = [store.read(key), store.kept.get(key)]
        if (entry && standing) standing.end = store.now() + 4_000
        return entry
      },
    }),
  },
  'lengthens a life at a refused swap': swap(
    'neither a read nor a failed swap extends a lifetime',
    (store, key, expected, next, ms) => {
      const result = store.swap(key, expected, next, ms)
      const standing = store.kept.get(key)
      if (!result.swapped && result.entry && standing) standing.end = store.now() + ms
      return result
    },
  ),
  'keeps the first end of an entry': swap(
    'a swap sets its own lifetime, longer or shorter',
    (store, key, expected, next, ms) => {
      const end = store.read(key) && store.kept.get(key)?.end
      const result = store.swap(key, expected, next, ms)
      const standing = store.kept.get(key)
      if (end !== undefined && standing) standing.end = end
      return result
    },
  ),
  'has 32 bits for a lifetime': swap('a year is not too long', (store, key, expected, next, ms) =>
    store.swap(key, expected, next, ms > 2 ** 31 ? 1 : ms),
  ),
  'tells the whole window for its rest': increment(
    'a window starts at its first hit and is not stretched by later ones',
    (store, key, windowMs, by) => ({
      count: store.increment(key, windowMs, by).count,
      resetInMs: windowMs,
    }),
    [
      'a later hit that asks for a longer window does not get it',
      'adding nothing reads a counter and starts no window',
      'hits are added several at once and taken back, within the window that runs',
    ],
  ),
  'counts every key together': increment(
    'a counter counts from 1, each key for itself',
    (store, _key, windowMs, by) => store.increment('all', windowMs, by),
  ),
  'starts a window when it is only read': increment(
    'adding nothing reads a counter and starts no window',
    (store, key, windowMs, by) => {
      if (by !== 0 || store.read(key) !== undefined) return store.increment(key, windowMs, by)
      store.increment(key, windowMs)
      store.swap(key, store.read(key)?.version, 0, windowMs)
      return { count: 0, resetInMs: windowMs }
    },
  ),
  'adds 1 whatever it is told': increment(
    'hits are added several at once and taken back, within the window that runs',
    (store, key, windowMs) => store.increment(key, windowMs),
  ),
  'owes hits that are taken back twice': {
    found: 'a count never falls below 0, so that nothing taken back twice admits more',
    of: (store) => {
      const owed = new Map<string, number>()
      return {
        increment(key, windowMs, by = 1) {
          const total = Number(store.read(key)?.value ?? 0) - (owed.get(key) ?? 0) + by
          owed.set(key, Math.max(0, -total))
          const { resetInMs } = store.increment(key, windowMs, by)
          return { count: total, resetInMs }
        },
      }
    },
  },
  'takes hits back by reading, waiting and writing': increment(
    'no hit is lost where others are taken back at the same time',
    async (store, key, windowMs, by = 1) => {
      if (by >= 0) return store.increment(key, windowMs, by)
      const count = Math.max(0, Number(store.read(key)?.value ?? 0) + by)
      await turn()
      store.swap(key, store.read(key)?.version, count, windowMs)
      return { count, resetInMs: windowMs }
    },
  ),
  'adds what is not an integer': increment(
    'an amount that is not an integer is rejected and nothing is added',
    (store, key, windowMs, by = 1) => store.increment(key, windowMs, Number.isInteger(by) ? by : 1),
  ),
  'reads a counter, waits, then writes it': increment(
    'no hit of a counter is lost or counted twice',
    async (store, key, windowMs) => {
      const count = Number(store.read(key)?.value ?? 0) + 1
      await turn()
      store.swap(key, store.read(key)?.version, count, windowMs)
      return { count, resetInMs: windowMs }
    },
  ),
  'reads from a copy that lags behind': {
    found: 'what one has written the other reads at once',
    of: (store) => {
      const cached = new Map<string, Entry | undefined>()
      return {
        async read(key) {
          const before = cached.get(key)
          cached.set(key, store.read(key))
          return before
        },
      }
    },
  },
  'answers as if nothing were wrong when it fails': {
    found: 'an infinite, zero or invalid lifetime is rejected and nothing is written',
    of: (store) => ({
      swap(key, expected, next, ms) {
        try {
          return store.swap(key, expected, next, ms)
        } catch {
          return { swapped: true }
        }
      },
      increment(key, windowMs) {
        try {
          return store.increment(key, windowMs)
        } catch {
          return { count: 1, resetInMs: windowMs }
        }
      },
    }),
  },
}

/** Stores that hide that their backend is gone. */
export const failOpen: Readonly<Record<string, Partial<Store>>> = {
  'reads as absent': { read: () => undefined },
  'swaps as done': { swap: () => ({ swapped: true }) },
  'swaps as refused': { swap: () => ({ swapped: false }) },
  'counts from 1': { increment: (_key, windowMs) => ({ count: 1, resetInMs: windowMs }) },
  'reads counters as 0': {
    increment: (_key, windowMs, by) => {
      if (by !== 0) throw new Error('down')
      return { count: 0, resetInMs: windowMs }
    },
  },
}
