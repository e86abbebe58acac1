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

/** Stores as people write them, each with one mistake. */
export const breaks: Readonly<Record<string, Break>> = {
  'reads, waits, then writes': {
    found: 'of many that replace or remove one version, one does',
    of: (store) => ({
      async swap(key, expectedVersion, next, ttlMs) {
        const seen = store.read(key)
        await turn()
        if (seen?.version !== expectedVersion) return { swapped: false, ...(seen && { entry: seen }) }
        return store.swap(key, store.read(key)?.version, next, ttlMs)
      },
    }),
  },
  'creates without looking': {
    found: 'of many that create one entry, one does, and the others see it',
    of: (store) => ({
      swap: (key, expectedVersion, next, ttlMs) =>
        store.swap(key, expectedVersion ?? store.read(key)?.version, next, ttlMs),
    }),
  },
  'removes whatever stands there': {
    found: 'removing needs the current version',
    of: (store) => ({
      swap: (key, expectedVersion, next, ttlMs) =>
        store.swap(key, next === undefined ? store.read(key)?.version : expectedVersion, next, ttlMs),
    }),
  },
  'lets two take one entry away': {
    found: 'of many that take one entry away, one does',
    of: (store) => ({
      swap: (key, expectedVersion, next, ttlMs) =>
        next === undefined && store.read(key) === undefined
          ? { swapped: true }
          : store.swap(key, expectedVersion, next, ttlMs),
    }),
  },
  'cannot remove what is absent': {
    found: 'removing what is absent, as absent, succeeds',
    of: (store) => ({
      swap: (key, expectedVersion, next, ttlMs) =>
        next === undefined && store.read(key) === undefined
          ? { swapped: false }
          : store.swap(key, expectedVersion, next, ttlMs),
    }),
  },
  'creates under a version that is gone': {
    found: 'a version of something absent replaces nothing',
    of: (store) => ({
      swap: (key, expectedVersion, next, ttlMs) =>
        store.swap(key, store.read(key) === undefined ? undefined : expectedVersion, next, ttlMs),
    }),
  },
  'takes a hash of the value for its version': {
    found: 'a version never repeats, not even for the same value or after a removal',
    of: (store) => {
      const hashed = (entry: Entry | undefined) =>
        entry && { value: entry.value, version: digest(entry.value) }
      return {
        read: (key) => hashed(store.read(key)),
        swap(key, expectedVersion, next, ttlMs) {
          const standing = store.read(key)
          const same = hashed(standing)?.version === expectedVersion
          const result = store.swap(key, same ? standing?.version : 'none', next, ttlMs)
          const entry = hashed(result.entry)
          return { swapped: result.swapped, ...(entry && { entry }) }
        },
      }
    },
  },
  'counts versions from 1 again after a removal': {
    found: 'a version never repeats, not even for the same value or after a removal',
    of: (store) => ({
      swap(key, expectedVersion, next, ttlMs) {
        const before = Number(store.read(key)?.version ?? 0)
        const result = store.swap(key, expectedVersion, next, ttlMs)
        const standing = store.kept.get(key)
        if (!result.swapped || standing === undefined || next === undefined) return result
        standing.version = String(before + 1)
        return { swapped: true, entry: store.read(key) as Entry }
      },
    }),
  },
  'refuses without showing what stands there': {
    found: 'creating what exists changes nothing and returns the existing entry',
    of: (store) => ({
      swap(key, expectedVersion, next, ttlMs) {
        const result = store.swap(key, expectedVersion, next, ttlMs)
        return result.swapped ? result : { swapped: false }
      },
    }),
  },
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
  'keeps the value of the caller itself': {
    found: 'what is put and what is read are not the stored value itself',
    of: (store) => ({
      swap(key, expectedVersion, next, ttlMs) {
        const result = store.swap(key, expectedVersion, next, ttlMs)
        const standing = store.kept.get(key)
        if (result.swapped && next !== undefined && standing) standing.value = next
        return result
      },
    }),
  },
  'cannot tell an empty list from an empty object': {
    found: 'a value comes back exactly as it was put, with the version that the swap returned',
    of: (store) => ({
      swap: (key, expectedVersion, next, ttlMs) =>
        store.swap(key, expectedVersion, Array.isArray(next) && next.length === 0 ? {} : next, ttlMs),
    }),
  },
  'takes digits for a number': {
    found: 'a value comes back exactly as it was put, with the version that the swap returned',
    of: (store) => ({
      swap: (key, expectedVersion, next, ttlMs) =>
        store.swap(key, expectedVersion, /^\d+$/.test(String(next)) ? Number(next) : next, ttlMs),
    }),
  },
  'compares keys without their namespace': {
    found: 'keys that look alike are different keys',
    of: (store) => {
      const shared = (key: string) => key.replace(/^tf2:[^:]*/, 'tf2')
      return {
        read: (key) => store.read(shared(key)),
        swap: (key, expectedVersion, next, ttlMs) => store.swap(shared(key), expectedVersion, next, ttlMs),
      }
    },
  },
  'compares keys without their case': {
    found: 'keys that look alike are different keys',
    of: (store) => ({
      read: (key) => store.read(key.toLowerCase()),
      swap: (key, expectedVersion, next, ttlMs) =>
        store.swap(key.toLowerCase(), expectedVersion, next, ttlMs),
    }),
  },
  'forgets to end entries': {
    found: 'an entry exists until its lifetime has passed, and is then absent',
    of: (store) => ({
      swap: (key, expectedVersion, next) => store.swap(key, expectedVersion, next, 1e12),
    }),
  },
  'ends entries a moment late': {
    found: 'an entry exists until its lifetime has passed, and is then absent',
    of: (store) => ({
      swap: (key, expectedVersion, next, ttlMs) => store.swap(key, expectedVersion, next, ttlMs + 1),
    }),
  },
  'takes milliseconds for seconds': {
    found: 'an entry exists until its lifetime has passed, and is then absent',
    of: (store) => ({
      swap: (key, expectedVersion, next, ttlMs) => store.swap(key, expectedVersion, next, ttlMs / 1_000),
    }),
  },
  'lets what has ended stand in the way': {
    found: 'an expired entry does not block a new one',
    of: (store) => ({
      swap(key, expectedVersion, next, ttlMs) {
        const ended = store.kept.has(key) && store.read(key) === undefined
        return ended ? { swapped: false } : store.swap(key, expectedVersion, next, ttlMs)
      },
    }),
  },
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
  'lengthens a life at a refused swap': {
    found: 'neither a read nor a failed swap extends a lifetime',
    of: (store) => ({
      swap(key, expectedVersion, next, ttlMs) {
        const result = store.swap(key, expectedVersion, next, ttlMs)
        const standing = store.kept.get(key)
        if (!result.swapped && result.entry && standing) standing.end = store.now() + ttlMs
        return result
      },
    }),
  },
  'keeps the first end of an entry': {
    found: 'a swap sets its own lifetime, longer or shorter',
    of: (store) => ({
      swap(key, expectedVersion, next, ttlMs) {
        const end = store.read(key) && store.kept.get(key)?.end
        const result = store.swap(key, expectedVersion, next, ttlMs)
        const standing = store.kept.get(key)
        if (end !== undefined && standing) standing.end = end
        return result
      },
    }),
  },
  'has 32 bits for a lifetime': {
    found: 'a year is not too long',
    of: (store) => ({
      swap: (key, expectedVersion, next, ttlMs) =>
        store.swap(key, expectedVersion, next, ttlMs > 2 ** 31 ? 1 : ttlMs),
    }),
  },
  'stretches the window at every hit': {
    found: 'a window starts at its first hit and is not stretched by later ones',
    of: (store) => ({
      increment(key, windowMs, by) {
        const { count } = store.increment(key, windowMs, by)
        const standing = store.kept.get(key)
        if (standing) standing.end = store.now() + windowMs
        return { count, resetInMs: windowMs }
      },
    }),
  },
  'tells the whole window for its rest': {
    found: 'a window starts at its first hit and is not stretched by later ones',
    also: [
      'a later hit that asks for a longer window does not get it',
      'adding nothing reads a counter and starts no window',
      'hits are added several at once and taken back, within the window that runs',
    ],
    of: (store) => ({
      increment: (key, windowMs, by) => ({
        count: store.increment(key, windowMs, by).count,
        resetInMs: windowMs,
      }),
    }),
  },
  'tells seconds for milliseconds': {
    found: 'a counter counts from 1, each key for itself',
    also: ['a window of a day counts like one of a second'],
    of: (store) => ({
      increment(key, windowMs, by) {
        const { count, resetInMs } = store.increment(key, windowMs, by)
        return { count, resetInMs: resetInMs / 1_000 }
      },
    }),
  },
  'tells a longer window than it was given': {
    found: 'a counter counts from 1, each key for itself',
    of: (store) => ({
      increment(key, windowMs, by) {
        const { count, resetInMs } = store.increment(key, windowMs, by)
        return { count, resetInMs: resetInMs + 60_000 }
      },
    }),
  },
  'keeps a window for an hour at most': {
    found: 'a window of a day counts like one of a second',
    of: (store) => ({
      increment: (key, windowMs, by) => store.increment(key, Math.min(windowMs, 3_600_000), by),
    }),
  },
  'takes the longest window asked for': {
    found: 'a later hit that asks for a longer window does not get it',
    of: (store) => ({
      increment(key, windowMs, by) {
        const { count } = store.increment(key, windowMs, by)
        const standing = store.kept.get(key)
        if (standing) standing.end = Math.max(standing.end, store.now() + windowMs)
        return { count, resetInMs: (standing?.end ?? 0) - store.now() }
      },
    }),
  },
  'counts every key together': {
    found: 'a counter counts from 1, each key for itself',
    of: (store) => ({ increment: (_key, windowMs, by) => store.increment('all', windowMs, by) }),
  },
  'never ends a counter': {
    found: 'a window starts at its first hit and is not stretched by later ones',
    of: (store) => {
      const counts = new Map<string, number>()
      return {
        increment(key, windowMs) {
          counts.set(key, (counts.get(key) ?? 0) + 1)
          return { count: counts.get(key) ?? 0, resetInMs: store.increment(key, windowMs).resetInMs }
        },
      }
    },
  },
  'starts a window when it is only read': {
    found: 'adding nothing reads a counter and starts no window',
    of: (store) => ({
      increment(key, windowMs, by) {
        if (by !== 0 || store.read(key) !== undefined) return store.increment(key, windowMs, by)
        store.increment(key, windowMs)
        store.swap(key, store.read(key)?.version, 0, windowMs)
        return { count: 0, resetInMs: windowMs }
      },
    }),
  },
  'adds 1 whatever it is told': {
    found: 'hits are added several at once and taken back, within the window that runs',
    of: (store) => ({ increment: (key, windowMs) => store.increment(key, windowMs) }),
  },
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
  'starts a new window when a hit is taken back': {
    found: 'hits are added several at once and taken back, within the window that runs',
    of: (store) => ({
      increment(key, windowMs, by) {
        const result = store.increment(key, windowMs, by)
        const standing = store.kept.get(key)
        if (standing === undefined || by === undefined || by >= 0) return result
        standing.end = store.now() + windowMs
        return { count: result.count, resetInMs: windowMs }
      },
    }),
  },
  'takes hits back by reading, waiting and writing': {
    found: 'no hit is lost where others are taken back at the same time',
    of: (store) => ({
      async increment(key, windowMs, by = 1) {
        if (by >= 0) return store.increment(key, windowMs, by)
        const count = Math.max(0, Number(store.read(key)?.value ?? 0) + by)
        await turn()
        store.swap(key, store.read(key)?.version, count, windowMs)
        return { count, resetInMs: windowMs }
      },
    }),
  },
  'adds what is not an integer': {
    found: 'an amount that is not an integer is rejected and nothing is added',
    of: (store) => ({
      increment: (key, windowMs, by = 1) => store.increment(key, windowMs, Number.isInteger(by) ? by : 1),
    }),
  },
  'reads a counter, waits, then writes it': {
    found: 'no hit of a counter is lost or counted twice',
    of: (store) => ({
      async increment(key, windowMs) {
        const count = Number(store.read(key)?.value ?? 0) + 1
        await turn()
        store.swap(key, store.read(key)?.version, count, windowMs)
        return { count, resetInMs: windowMs }
      },
    }),
  },
  'loses the update of another writer': {
    found: 'no change is lost when each is decided on the entry that made the swap fail',
    of: (store) => ({
      async swap(key, expectedVersion, next, ttlMs) {
        const seen = store.read(key)
        await turn()
        return seen?.version === expectedVersion
          ? store.swap(key, store.read(key)?.version, next, ttlMs)
          : store.swap(key, expectedVersion, next, ttlMs)
      },
    }),
  },
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
      swap(key, expectedVersion, next, ttlMs) {
        try {
          return store.swap(key, expectedVersion, next, ttlMs)
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
  'keeps for ever what has no number for a lifetime': {
    found: 'an infinite, zero or invalid lifetime is rejected and nothing is written',
    of: (store) => ({
      swap: (key, expectedVersion, next, ttlMs) =>
        store.swap(key, expectedVersion, next, ttlMs > 0 ? ttlMs : 1e12),
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
