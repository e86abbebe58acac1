import type { Awaitable } from '../lib/promises.js'

/** What a store keeps: plain JSON. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [member: string]: Json | undefined }

/** A stored value and the version under which it may be replaced. */
export interface Entry {
  /** What was put. Do not mutate it. */
  readonly value: Json
  /** Opaque, and never repeated for a key. */
  readonly version: string
}

/** What became of a swap. */
export interface SwapResult {
  /** Whether the key was at the expected version. */
  readonly swapped: boolean
  /** The current entry: the new one when swapped, else the one that made the swap fail. */
  readonly entry?: Entry
}

/** A counter after an increment. */
export interface CounterResult {
  /** Hits in the running window, those just added included. */
  readonly count: number
  /** Milliseconds until the window ends. */
  readonly resetInMs: number
}

/** A problem that would break the rules later, and its fix. */
export interface Finding {
  /** Stable, such as `store_evicts`. */
  readonly code: string
  /** What is wrong, in a sentence. It holds no secret. */
  readonly message: string
  /** What to do about it. */
  readonly fix: string
}

/**
 * Where ledgers, grants and counters live. Every guess budget rests on `swap` and `increment` being
 * atomic over all processes that share the store, and on nothing live being forgotten.
 * A store that cannot carry out a command rejects; the package then responds with 503 and admits nothing.
 */
export interface Store {
  /** The entry under key, or undefined when absent or expired. Read from the primary. Do not mutate the value. */
  read(key: string): Awaitable<Entry | undefined>
  /**
   * Atomic: if the key is at `expectedVersion` (undefined: absent), puts `next` for `ttlMs`
   * milliseconds (undefined: removes it). Versions never repeat for a key.
   */
  swap(
    key: string,
    expectedVersion: string | undefined,
    next: Json | undefined,
    ttlMs: number,
  ): Awaitable<SwapResult>
  /**
   * Atomic: adds `by` (1) to a counter whose fixed window of `windowMs` starts at its first hit.
   * 0 reads and starts no window. A negative amount takes hits back; a count never falls below 0, and one
   * that reaches 0 is gone. While no window runs, `resetInMs` is `windowMs`. Hits that are counted after the deadline are
   * taken back, by the store where it keeps one by itself: nobody waited for them.
   */
  increment(key: string, windowMs: number, by?: number): Awaitable<CounterResult>
  /**
   * Deadline of each command, in milliseconds, if the store enforces one itself. Leave it out for a store that may
   * hang: the package then waits 250 ms.
   */
  readonly timeoutMs?: number
  /**
   * Called by `tf.selfTest()`, with the option `namespace`, and by `express-two-factor doctor`: whoever may use the
   * keys of this namespace alone must pass. Resolves with an empty list when nothing is wrong; never rejects.
   */
  inspect?(namespace?: string): Promise<readonly Finding[]>
  /** Frees connections. `tf.close()` calls it for the default store only. */
  close?(): Awaitable<void>
}

/**
 * Checks a lifetime before anything is written under it: with NaN or Infinity the entry would never expire.
 *
 * @throws {TypeError} naming the argument
 */
export function duration(name: string, ms: number): number {
  if (Number.isFinite(ms) && ms > 0) return ms
  throw new TypeError(`${name} must be a positive number of milliseconds, not ${ms}`)
}

/**
 * Checks what is added to a counter: a count of NaN exceeds no limit.
 *
 * @throws {TypeError} naming the argument
 */
export function wholeAmount(by: number): number {
  if (Number.isSafeInteger(by)) return by
  throw new TypeError(`by must be an integer, not ${by}`)
}

type KeyLane = 'auth' | 'enrol'

interface KindOfEntry {
  /** Whose flood fills it. No kind that grows with requests is written by both lanes: sign-ups take no room from sign-ins. */
  readonly lane: KeyLane
  /**
   * The option of the memory store that bounds how many are kept. Only what counts for `maxCounters` may be evicted while
   * it is live: a guess budget or a proof depends on all else.
   */
  readonly capacity: 'maxLedgers' | 'maxGrants' | 'maxCounters'
  /** Bounds it further where entries are large. */
  readonly maxEntries?: number
}

const ledgers = (lane: KeyLane) => ({ lane, capacity: 'maxLedgers' }) as const
const lasting = (lane: KeyLane) => ({ lane, capacity: 'maxGrants' }) as const
const counters = (lane: KeyLane) => ({ lane, capacity: 'maxCounters' }) as const

/**
 * Every kind of entry, as the third part of its key names it: `tf3:<namespace>:<kind>:<tag>`. Keys are made of these
 * names, and the memory store keeps each kind apart.
 */
export const kinds = {
  auth: ledgers('auth'),
  enrol: ledgers('enrol'),
  enrolment: ledgers('enrol'),
  grants: lasting('auth'),
  // Up to 20 kB each. A form that finds no room is typed again.
  forms: { ...lasting('auth'), maxEntries: 1_000 },
  devices: lasting('auth'),
  deployment: lasting('auth'),
  'number-sends': lasting('auth'),
  'number-wrong': lasting('auth'),
  'count-auth-address-sends': counters('auth'),
  'count-auth-service-sends': counters('auth'),
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
export function kindOf(name: string): KindOfEntry {
  return Object.hasOwn(kinds, name) ? kinds[name as Kind] : ledgers('auth')
}
