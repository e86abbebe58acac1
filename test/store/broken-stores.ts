import { createHash } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import type { MemoryStore } from '../../src/store/memory-store.js'
import type { Entry, Json, Store } from '../../src/store/store.js'

interface Break {
  /** The sentence of the contract that must find it. */
  found: string
  /** Others that must find it as well. */
  also?: readonly string[]
  of: (store: MemoryStore, now: () => number) => Partial<Store>
}

const digest = (value: Json) => createHash('sha256').update(JSON.stringify(value)).digest('hex')

/** A store that swaps in a way of its own. */
const swap = (
  found: string,
  of: (store: MemoryStore, ...args: Parameters<Store['swap']>) => ReturnType<Store['swap']>,
  also: readonly string[] = [],
): Break => ({ found, also, of: (store) => ({ swap: (...args) => of(store, ...args) }) })

/** A store that counts in a way of its own. */
const increment = (
  found: string,
  of: (store: MemoryStore, ...args: Parameters<Store['increment']>) => ReturnType<Store['increment']>,
  also: readonly string[] = [],
): Break => ({ found, also, of: (store) => ({ increment: (...args) => of(store, ...args) }) })

/** Stores as people write them, each with one mistake. */
export const breaks: Readonly<Record<string, Break>> = {
  'reads, waits, then writes': swap(
    'of many parallel replacements or removals of one version, one succeeds',
    async (store, key, expected, next, ms) => {
      const seen = store.read(key)
      await turn()
      if (seen?.version !== expected) return { swapped: false, ...(seen && { entry: seen }) }
      return store.swap(key, store.read(key)?.version, next, ms)
    },
    ['no change is lost when each is decided on the entry that made the swap fail'],
  ),
  'creates without looking': swap(
    'of many parallel creations of one entry, one succeeds, and the others return it',
    (store, key, expected, next, ms) => store.swap(key, expected ?? store.read(key)?.version, next, ms),
  ),
  'removes whatever stands there': swap(
    'removing needs the current version',
    (store, key, expected, next, ms) =>
      store.swap(key, next === undefined ? store.read(key)?.version : expected, next, ms),
  ),
  'lets two take one entry away': swap(
    'of many parallel removals of one entry, one succeeds',
    (store, key, expected, next, ms) =>
      next === undefined && store.read(key) === undefined
        ? { swapped: true }
        : store.swap(key, expected, next, ms),
  ),
  'cannot remove what is absent': swap(
    'removing an absent entry, as absent, succeeds',
    (store, key, expected, next, ms) =>
      next === undefined && store.read(key) === undefined
        ? { swapped: false }
        : store.swap(key, expected, next, ms),
  ),
  'creates under a version that is gone': swap(
    'a version of an absent entry replaces nothing',
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
    'creating an existing entry changes nothing and returns that entry',
    (store, key, expected, next, ms) => {
      const result = store.swap(key, expected, next, ms)
      return result.swapped ? result : { swapped: false }
    },
  ),
  'hands out the stored value itself': {
    found: 'a stored value does not change with the objects that were written or read',
    of: (store) => {
      const values = new Map<string, Json>()
      return {
        read(key) {
          const entry = store.read(key)
          if (entry === undefined) return undefined
          const value = values.get(entry.version) ?? structuredClone(entry.value)
          values.set(entry.version, value)
          return { ...entry, value }
        },
      }
    },
  },
  'hands out entries that follow their key': {
    found: 'an entry that was read does not change when its key is written again',
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
  'keeps the value of the caller itself': {
    found: 'a stored value does not change with the objects that were written or read',
    of: (store) => {
      const values = new Map<string, Json>()
      return {
        read(key) {
          const entry = store.read(key)
          return entry && { ...entry, value: structuredClone(values.get(entry.version) ?? entry.value) }
        },
        swap(key, expected, next, ms) {
          const result = store.swap(key, expected, next && structuredClone(next), ms)
          if (result.swapped && result.entry && next !== undefined) values.set(result.entry.version, next)
          return result
        },
      }
    },
  },
  'cannot tell an empty list from an empty object': swap(
    'a read returns exactly the stored value, with the version that the swap returned',
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
  'lets what has ended stand in the way': {
    found: 'an expired entry does not block a new one',
    of: (store, now) => {
      const ends = new Map<string, number>()
      return {
        swap(key, expected, next, ms) {
          if (now() >= (ends.get(key) ?? Number.POSITIVE_INFINITY)) return { swapped: false }
          const result = store.swap(key, expected, next, ms)
          if (result.swapped) ends.set(key, next === undefined ? Number.POSITIVE_INFINITY : now() + ms)
          return result
        },
      }
    },
  },
  'lengthens a life at every read': {
    found: 'neither a read nor a failed swap extends a lifetime',
    of: (store) => ({
      read(key) {
        const entry = store.read(key)
        return entry && store.swap(key, entry.version, entry.value, 4_000).entry
      },
    }),
  },
  'lengthens a life at a refused swap': swap(
    'neither a read nor a failed swap extends a lifetime',
    (store, key, expected, next, ms) => {
      const result = store.swap(key, expected, next, ms)
      if (result.swapped || result.entry === undefined) return result
      const { entry } = store.swap(key, result.entry.version, result.entry.value, ms)
      return { swapped: false, ...(entry && { entry }) }
    },
  ),
  'keeps the first end of an entry': {
    found: 'a swap sets its own lifetime, longer or shorter',
    of: (store, now) => {
      const ends = new Map<string, number>()
      return {
        swap(key, expected, next, ms) {
          const end = store.read(key) === undefined ? now() + ms : (ends.get(key) ?? now() + ms)
          ends.set(key, end)
          return store.swap(key, expected, next, end - now())
        },
      }
    },
  },
  'has 32 bits for a lifetime': swap('a lifetime of a year is accepted', (store, key, expected, next, ms) =>
    store.swap(key, expected, next, ms > 2 ** 31 ? 1 : ms),
  ),
  'tells the whole window for its rest': increment(
    'a window starts at its first hit and is not extended by later hits',
    (store, key, windowMs, by) => ({
      count: store.increment(key, windowMs, by).count,
      resetInMs: windowMs,
    }),
    [
      'a later hit with a longer window does not extend the window',
      'adding 0 reads a counter and starts no window',
      'several hits are added at once and refunded, within the current window',
    ],
  ),
  'counts every key together': increment(
    'a counter counts from 1, separately for each key',
    (store, _key, windowMs, by) => store.increment('all', windowMs, by),
  ),
  'starts a window when it is only read': increment(
    'adding 0 reads a counter and starts no window',
    (store, key, windowMs, by) => {
      if (by !== 0 || store.read(key) !== undefined) return store.increment(key, windowMs, by)
      store.increment(key, windowMs)
      store.swap(key, store.read(key)?.version, 0, windowMs)
      return { count: 0, resetInMs: windowMs }
    },
  ),
  'adds 1 whatever it is told': increment(
    'several hits are added at once and refunded, within the current window',
    (store, key, windowMs) => store.increment(key, windowMs),
  ),
  'owes hits that are taken back twice': {
    found: 'a count never falls below 0, so that a double refund admits no further hit',
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
    'no hit is lost during parallel refunds',
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
    found: 'a client immediately reads the writes of another client',
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
