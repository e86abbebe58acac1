import { randomBytes, randomUUID } from 'node:crypto'
import { TwoFactorError } from '../errors.js'
import { type Awaitable, andThen, ignoreRejection } from '../lib/promises.js'
import type { Entry, Json, Store, SwapResult } from '../store/store.js'
import type { DomainServices, SecretUse } from './keys.js'

// Entries of the store, changed by compare-and-swap: in the hands of one request, or sealed.

/** An entry: an object, stamped with the id of the command that wrote it. */
type SealedMembers = { readonly [member: string]: Json | undefined }

/** What to return and, only if something changes, the value to put (undefined removes it) and how long it is kept. */
export interface Update<Value, Outcome> {
  readonly outcome: Outcome
  readonly put?: { readonly value: Value | undefined; readonly ttlMs: number }
}

/** What a command has last tried to put, and its outcome where that counts. */
interface Attempted<Outcome> {
  readonly outcome: Outcome
  readonly next: SealedMembers | undefined
  readonly ttlMs: number
}

/** The entry stays as it is, and there is nothing to say about it. */
export const unchanged = { outcome: undefined } as const

/** Each failed swap means that another one succeeded, and the limits allow only a handful: then it pauses. */
const maxSwaps = 100
/** For so long a change that the store did not answer is looked at again. */
const changedWithinMs = 1_500
/** A connection that broke is there again after 50 to 200 ms. */
const pauseMs = 100

const thisProcess = randomBytes(9).toString('base64url')
let issued = 0

/** An id that no other command, send or attempt has, on any machine. */
export function newCommandId(): string {
  issued += 1
  return flat(`${thisProcess}${issued.toString(36)}`)
}

/** An id that nobody guesses, for a challenge. */
export const newChallengeId = (): string => flat(randomUUID())

/** V8 keeps what it put together as a rope, in a store for months. Reading a character makes one string of it. */
function flat(text: string): string {
  text.charCodeAt(0)
  return text
}

type DecideEntry<Value, Outcome> = (value: Value | undefined) => Update<Value, Outcome>

/** One entry in the hands of one request. */
export interface Updater<Value> {
  /** Reads it for the change that follows, which begins with its swap, or refuses for what was read. */
  read(): Awaitable<Value | undefined>
  /** Reads it long before it is changed: a change that refuses then reads it again. */
  prefetch(): Awaitable<Value | undefined>
  /**
   * Runs one command: read, decide, swap, and decides again on the value that made a swap fail. What
   * was read ahead or left by the change before is not read again. For 1.5 s it looks again at what the store did not
   * answer, which may have been carried out: it swaps that once more, and goes on where others overtake it.
   */
  update<Outcome>(decide: DecideEntry<Value, Outcome>): Awaitable<Outcome>
}

export function createUpdater<Value extends SealedMembers>(store: Store, key: string): Updater<Value> {
  /** What was read or written last; undefined before. */
  let snapshot: { readonly entry: Awaitable<Entry | undefined>; readonly isFresh: boolean } | undefined

  const valueIn = (entry: Entry | undefined) =>
    entry?.value as (Value & { readonly command: string }) | undefined

  function read(isFresh: boolean): Awaitable<Value | undefined> {
    const entry = store.read(key)
    snapshot = { entry, isFresh }
    const value = andThen(entry, valueIn)
    // It may never be awaited: an unhandled rejection would end the process.
    ignoreRejection(value)
    return value
  }

  function update<Outcome>(decide: DecideEntry<Value, Outcome>): Awaitable<Outcome> {
    const command = newCommandId()
    let attempted: Attempted<Outcome> | undefined
    let swaps = 0
    let isUnanswered = false
    const passes = patience()
    const mineIn = (entry: Entry | undefined) => (valueIn(entry)?.command === command ? attempted : undefined)

    /** One broken connection must not cost what the provider has approved, or has sent. */
    async function lookAgain(trouble: unknown): Promise<Outcome> {
      await passes(trouble)
      let entry: Entry | undefined
      try {
        entry = await store.read(key)
      } catch (failure) {
        return lookAgain(failure)
      }
      isUnanswered = true
      return attempt(entry, true)
    }

    function attempt(entry: Entry | undefined, isCurrent: boolean): Awaitable<Outcome> {
      const mine = mineIn(entry)
      // A client that re-sends a swap succeeds with the first and reports the failure of the second. Where one got no
      // answer, it is swapped again: a strict store has a change before a replica does, and may lose it.
      if (mine) return isUnanswered ? swap(entry, mine) : mine.outcome
      const { outcome, put } = decide(valueIn(entry))
      if (put === undefined) {
        // Re-read before refusing: the entry seen earlier may be stale.
        return isCurrent ? outcome : andThen(store.read(key), (now) => attempt(now, true))
      }
      // Not by spreading: a member added to a copy gives every entry a shape, and 300 bytes, of its own. Frozen, so
      // that the memory store takes it as it is.
      const next = put.value && Object.freeze(Object.assign({ command }, put.value, { command }))
      attempted = { outcome, next, ttlMs: put.ttlMs }
      return swap(entry, attempted)
    }

    function swap(
      entry: Entry | undefined,
      { outcome, next, ttlMs }: Attempted<Outcome>,
    ): Awaitable<Outcome> {
      const read = (result: SwapResult): Awaitable<Outcome> => {
        if (result.swapped) {
          snapshot = { entry: result.entry, isFresh: false }
          return outcome
        }
        swaps += 1
        if (swaps % maxSwaps === 0) return lookAgain(refusedBy(result.entry?.version !== entry?.version))
        return attempt(result.entry, true)
      }
      const swapped = store.swap(key, entry?.version, next, ttlMs)
      return swapped instanceof Promise ? swapped.then(read, lookAgain) : read(swapped)
    }

    if (snapshot === undefined) return andThen(store.read(key), (entry) => attempt(entry, true))
    const { entry, isFresh } = snapshot
    snapshot = { entry, isFresh: false }
    return andThen(entry, (found) => attempt(found, isFresh))
  }

  return { update, read: () => read(true), prefetch: () => read(false) }
}

function refusedBy(isContended: boolean): TwoFactorError {
  if (!isContended)
    return new TwoFactorError('store_unavailable', { message: 'The store refused every swap.' })
  // Denial of service: requests that race for one record are told so, and alarm nobody about the store.
  return new TwoFactorError('verification_in_progress', {
    message: 'Other requests change the same record at the moment. Try again.',
    headers: { 'Retry-After': '1' },
  })
}

/** Waits a moment for trouble with the store to pass; throws it when that has lasted for 1.5 s. */
function patience(): (trouble: unknown) => Promise<void> {
  let since: number | undefined
  return async (trouble) => {
    // A full store says so at once: to ask again would keep it full.
    if (trouble instanceof TwoFactorError && trouble.code === 'capacity') throw trouble
    since ??= performance.now()
    if (performance.now() - since > changedWithinMs - pauseMs) throw trouble
    await new Promise((pass) => setTimeout(pass, pauseMs))
  }
}

/**
 * Asks once more where the store did not answer: for what may be done twice, and what is done too late undone. It has 1.5 s
 * to answer `look`, which may be asked any number of times.
 */
export async function retryUntilSettled<Result>(
  ask: () => Promise<Result>,
  look: () => Awaitable<unknown>,
): Promise<Result> {
  const passes = patience()
  let trouble: unknown
  try {
    return await ask()
  } catch (failure) {
    trouble = failure
  }
  for (;;) {
    await passes(trouble)
    try {
      await look()
      break
    } catch (failure) {
      trouble = failure
    }
  }
  return ask()
}

/** One command on an entry that this request does not otherwise use. */
export const update = async <Value extends SealedMembers, Outcome>(
  store: Store,
  key: string,
  decide: DecideEntry<Value, Outcome>,
): Promise<Outcome> => createUpdater<Value>(store, key).update(decide)

/**
 * An entry that no store can read. Without `sealed` nothing is left in it; it stays until its end, so that a command
 * which a client sends twice recognizes itself.
 */
export type Sealed = { readonly sealed?: string }

/** What becomes of it: `put` takes its place, or it is emptied, or it stays. */
interface SealedUpdate<Kept, Outcome> {
  readonly outcome: Outcome
  readonly put?: Kept | undefined
  readonly isEmptied?: true
}

/** Entries of one kind: what people type is sealed before it is kept. */
export function createSealed<Kept extends { readonly expiresAt: number }>(
  use: SecretUse,
  { store, secrets, now }: DomainServices,
) {
  /** What is in it before its end. The key is associated data: what is copied to another one does not open. */
  function open(key: string, stored: Sealed | undefined): Kept | undefined {
    const json = stored?.sealed && secrets.open(use, stored.sealed, key)
    const kept: Kept | undefined = json ? JSON.parse(json) : undefined
    return kept !== undefined && now() < kept.expiresAt ? kept : undefined
  }

  return {
    open,
    read: (key: string) => andThen(store.read(key), (entry) => open(key, entry?.value as Sealed | undefined)),

    /** By compare-and-swap. `entry`: where the request has it in hand already. */
    change: async <Outcome>(
      key: string,
      decide: (kept: Kept | undefined) => SealedUpdate<Kept, Outcome>,
      entry = createUpdater<Sealed>(store, key),
    ): Promise<Outcome> =>
      entry.update((stored) => {
        const kept = open(key, stored)
        const { outcome, put, isEmptied } = decide(kept)
        const last = put ?? (isEmptied && kept)
        if (last === undefined) return { outcome }
        const value: Sealed = put ? { sealed: secrets.seal(use, JSON.stringify(put), key) } : {}
        return {
          outcome,
          put: { value, ttlMs: Math.max(1, last.expiresAt - now()) },
        }
      }),
  }
}
