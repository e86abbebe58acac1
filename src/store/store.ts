/** What a store keeps: plain JSON. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [member: string]: Json | undefined }

/** A value, or a promise of one. Callers never wait on a value that is already there. */
export type Awaitable<T> = T | Promise<T>

/** A value at rest and the version under which it may be replaced. */
export interface Entry {
  readonly value: Json
  readonly version: string
}

export interface SwapResult {
  readonly swapped: boolean
  /** The entry that stands now: the new one when swapped, else the one that was in the way. */
  readonly entry?: Entry
}

export interface CounterResult {
  /** Hits in the running window, those just added included. */
  readonly count: number
  /** Milliseconds until the window ends. */
  readonly resetInMs: number
}

/** Something about a store that would break the rules later, and what to do about it. */
export interface Finding {
  /** Stable, such as `store_evicts`. */
  readonly code: string
  readonly message: string
  readonly fix: string
}

/**
 * Where ledgers, grants and counters live. Every guess budget rests on `swap` and `increment` being
 * atomic over all processes that share the store, and on nothing live being forgotten.
 * A store that cannot answer rejects; the package then answers 503 and lets nobody in.
 */
export interface Store {
  /** The entry under key, or undefined when absent or past its end. Read from the primary. The value must not be written into. */
  read(key: string): Awaitable<Entry | undefined>
  /**
   * Atomic: if the key stands at `expectedVersion` (undefined: absent), puts `next` for `ttlMs`
   * milliseconds (undefined: removes it). Versions never repeat for a key.
   */
  swap(
    key: string,
    expectedVersion: string | undefined,
    next: Json | undefined,
    ttlMs: number,
  ): Awaitable<SwapResult>
  /**
   * Atomic: adds `by` (1) to a counter whose window of `windowMs` starts at its first hit and never stretches.
   * 0 reads and starts no window. A negative amount takes hits back; a count never falls below 0, and one
   * that reaches 0 is gone. While no window runs, `resetInMs` is `windowMs`.
   */
  increment(key: string, windowMs: number, by?: number): Awaitable<CounterResult>
  /** Asked at start-up. Nothing found is an empty list; never rejects. */
  inspect?(): Promise<readonly Finding[]>
  close?(): Awaitable<void>
}
