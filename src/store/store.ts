import type { Awaitable } from '../lib/promises.js'

/** A value that a store accepts: plain JSON. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [member: string]: Json | undefined }

/** A stored value with the version under which a swap can replace it. */
export interface Entry {
  /** The stored value. Do not mutate it. */
  readonly value: Json
  /** An opaque text that never repeats for a key. */
  readonly version: string
}

/** The result of a swap. */
export interface SwapResult {
  /** True if the key had the expected version. */
  readonly swapped: boolean
  /** The current entry: the new one after a swap, otherwise the one that prevented it. */
  readonly entry?: Entry
}

/** A counter after an increment. */
export interface CounterResult {
  /** Hits in the current window, including the new ones. */
  readonly count: number
  /** Milliseconds until the window ends. */
  readonly resetInMs: number
}

/** A problem that would break the rules later, with its fix. */
export interface Finding {
  /** A stable name, such as `store_evicts`. */
  readonly code: string
  /** The problem in one sentence, without secrets. */
  readonly message: string
  /** The action that fixes it. */
  readonly fix: string
}

/**
 * Stores ledgers, grants and counters. Every limit on attempts depends on two properties: `swap` and `increment` are
 * atomic over all processes that share the store, and live entries are never forgotten. A store that cannot execute a
 * command rejects; the package then responds with 503 and admits no request.
 */
export interface Store {
  /** Returns the entry of a key from the primary, or undefined if it is absent or expired. Do not mutate the value. */
  read(key: string): Awaitable<Entry | undefined>
  /**
   * Atomic. If the key has `expectedVersion` (undefined: absent), stores `next` for `ttlMs` milliseconds (undefined:
   * removes it). Versions never repeat for a key.
   */
  swap(
    key: string,
    expectedVersion: string | undefined,
    next: Json | undefined,
    ttlMs: number,
  ): Awaitable<SwapResult>
  /**
   * Atomic. Adds `by` (default 1) to a counter. Its fixed window of `windowMs` starts with the first hit. 0 reads the
   * counter and starts no window. A negative amount removes hits; a count never falls below 0, and a count of 0 is
   * removed. Without a window, `resetInMs` is `windowMs`. If the store enforces a deadline, it removes hits that were
   * counted after it, because the caller has stopped waiting.
   */
  increment(key: string, windowMs: number, by?: number): Awaitable<CounterResult>
  /**
   * Deadline of each command, in milliseconds, if the store enforces one itself. Leave it out for a store that may
   * hang: the package then waits 250 ms.
   */
  readonly timeoutMs?: number
  /**
   * Called by `tf.selfTest()` with the option `namespace`, and by `express-two-factor doctor`. It must pass with
   * permissions for the keys of this namespace only. Resolves with an empty list if there is no problem, and never
   * rejects.
   */
  inspect?(namespace?: string): Promise<readonly Finding[]>
  /** Closes connections. `tf.close()` calls it for the default store only. */
  close?(): Awaitable<void>
}

/**
 * Checks a lifetime before a write: an entry with NaN or Infinity would never expire.
 *
 * @throws {TypeError} naming the argument
 */
export function requireDuration(name: string, ms: number): number {
  if (Number.isFinite(ms) && ms > 0) return ms
  throw new TypeError(`${name} must be a positive number of milliseconds, not ${ms}`)
}

/**
 * Checks the amount of an increment: a count of NaN exceeds no limit.
 *
 * @throws {TypeError} naming the argument
 */
export function wholeAmount(by: number): number {
  if (Number.isSafeInteger(by)) return by
  throw new TypeError(`by must be an integer, not ${by}`)
}

type KeyLane = 'auth' | 'enrol'

interface KindOfEntry {
  /**
   * The flow whose requests create these entries. No kind that grows with requests is written by both flows, so
   * sign-ups use no room of sign-ins.
   */
  readonly lane: KeyLane
  /**
   * Option of the memory store that limits the number of entries. Only entries under `maxCounters` may be evicted while
   * they are live, because a limit on attempts or a proof depends on every other entry.
   */
  readonly capacity: 'maxLedgers' | 'maxGrants' | 'maxCounters'
  /** A lower maximum for large entries. */
  readonly maxEntries?: number
}

const ledgers = (lane: KeyLane) => ({ lane, capacity: 'maxLedgers' }) as const
const lasting = (lane: KeyLane) => ({ lane, capacity: 'maxGrants' }) as const
const counters = (lane: KeyLane) => ({ lane, capacity: 'maxCounters' }) as const

/**
 * Every kind of entry. The kind is the third part of a key: `tf3:<namespace>:<kind>:<tag>`. The memory store separates
 * the kinds.
 */
export const kinds = {
  auth: ledgers('auth'),
  enrol: ledgers('enrol'),
  enrolment: ledgers('enrol'),
  grants: lasting('auth'),
  // Up to 20 kB each. If a form finds no room, the user types it again.
  forms: { ...lasting('auth'), maxEntries: 1_000 },
  devices: lasting('auth'),
  deployment: lasting('auth'),
  'number-sends': lasting('auth'),
  'number-wrong': lasting('auth'),
  'count-auth-address-sends': counters('auth'),
  'count-auth-service-sends': counters('auth'),
  'count-auth-signatures': counters('auth'),
  'count-auth-forms': counters('auth'),
  'count-auth-address-forms': counters('auth'),
  'count-enrol-address-sends': counters('enrol'),
  'count-enrol-address-unproven': counters('enrol'),
  'count-enrol-service-sends': counters('enrol'),
  'count-enrol-numbers': counters('enrol'),
  'count-enrol-tried': counters('enrol'),
  'signup-pause': lasting('enrol'),
  'count-country-sent': counters('enrol'),
  'count-country-approved': counters('enrol'),
  'count-auth-self-test': counters('auth'),
} as const satisfies Readonly<Record<string, KindOfEntry>>

export type Kind = keyof typeof kinds

/** An unknown kind is lasting: refusing new entries is safer than evicting live ones. */
export function entryKindOf(name: string): KindOfEntry {
  return Object.hasOwn(kinds, name) ? kinds[name as Kind] : ledgers('auth')
}
