import { randomBytes, randomUUID } from 'node:crypto'
import { TwoFactorError } from '../errors.js'
import { ignoreRejection } from '../lib/promises.js'
import type { Entry, Json, Store } from '../store/store.js'
import type { DomainServices, SecretUse } from './keys.js'

// Changes store entries by compare-and-swap, plain or sealed, during one request.

/** An entry: an object with the id of the command that wrote it. */
type SealedMembers = { readonly [member: string]: Json | undefined }

/** The outcome of a decision and, if it changes the entry, the new value (undefined removes it) with its lifetime. */
export interface Update<Value, Outcome> {
  readonly outcome: Outcome
  readonly put?: { readonly value: Value | undefined; readonly ttlMs: number }
}

/** The value that a command last tried to store, with its outcome. */
interface Attempted<Outcome> {
  readonly outcome: Outcome
  readonly next: SealedMembers | undefined
  readonly ttlMs: number
}

/** A decision that changes nothing and has no outcome. */
export const unchanged = { outcome: undefined } as const

/** Each failed swap means that another one succeeded, and the limits allow only a few. After this many it pauses. */
const maxSwaps = 100
/** How long a change without a response is retried. */
const changedWithinMs = 1_500
/** A broken connection is restored after 50 to 200 ms. */
const pauseMs = 100

const thisProcess = randomBytes(9).toString('base64url')
let issued = 0

/** Creates an id that is unique over all commands, sends and attempts on every machine. */
export function newCommandId(): string {
  issued += 1
  return flat(`${thisProcess}${issued.toString(36)}`)
}

/** Creates the id of a challenge, which cannot be guessed. */
export const newChallengeId = (): string => flat(randomUUID())

/**
 * Makes one string of a text. V8 keeps a composed text as a rope, in a store for months; reading a character flattens
 * it.
 */
function flat(text: string): string {
  text.charCodeAt(0)
  return text
}

type DecideEntry<Value, Outcome> = (value: Value | undefined) => Update<Value, Outcome>

/** One entry during one request. */
export interface Updater<Value> {
  /** Reads the entry for the next change, which then starts with its swap or refuses because of what was read. */
  read(): Promise<Value | undefined>
  /** Reads the entry long before a change. A change that refuses reads it again. */
  prefetch(): Promise<Value | undefined>
  /**
   * Runs one command: read, decide, swap, and decide again on the value that made the swap fail. It does not repeat a
   * read that was made ahead, or that follows a change. For 1.5 s it retries a command without a response, which may
   * have been executed: it swaps once more, and continues if others were faster.
   */
  update<Outcome>(decide: DecideEntry<Value, Outcome>): Promise<Outcome>
}

/** An entry that was read or written. Only a fresh one is enough for a refusal. */
interface Snapshot {
  readonly entry: Promise<Entry | undefined>
  readonly isFresh: boolean
}

export function createUpdater<Value extends SealedMembers>(store: Store, key: string): Updater<Value> {
  let last: Snapshot | undefined

  const load = async () => store.read(key)
  const valueIn = (entry: Entry | undefined) =>
    entry?.value as (Value & { readonly command: string }) | undefined

  function remember(snapshot: Snapshot): Promise<Value | undefined> {
    last = snapshot
    const value = snapshot.entry.then(valueIn)
    // It may never be awaited, and an unhandled rejection would end the process.
    ignoreRejection(value)
    return value
  }

  /** Returns the last entry for a change. For the next change it is no longer fresh. */
  function takeSnapshot(): Snapshot {
    const snapshot = last ?? { entry: load(), isFresh: true }
    last &&= { ...snapshot, isFresh: false }
    return snapshot
  }

  async function update<Outcome>(decide: DecideEntry<Value, Outcome>): Promise<Outcome> {
    const command = newCommandId()
    const recover = createRecovery()
    const snapshot = takeSnapshot()
    let entry = await snapshot.entry
    let attempted: Attempted<Outcome> | undefined
    let isUnanswered = false
    let swaps = 0

    // Each pass after the first one has a fresh entry.
    for (let { isFresh } = snapshot; ; isFresh = true) {
      if (attempted === undefined || valueIn(entry)?.command !== command) {
        const { outcome, put } = decide(valueIn(entry))
        if (put === undefined && isFresh) return outcome
        if (put === undefined) {
          // Read again before a refusal, because the earlier value may be stale.
          entry = await load()
          continue
        }
        // Not by spreading: a member that is added to a copy gives every entry a shape of its own, and 300 bytes.
        // Frozen, so that the memory store uses it as it is.
        const next = put.value && Object.freeze(Object.assign({ command }, put.value, { command }))
        attempted = { outcome, next, ttlMs: put.ttlMs }
      } else if (!isUnanswered) {
        // A client that sends a swap twice succeeds with the first and reports the failure of the second. A swap
        // without a response is repeated: a strict store has a change before its replica does, and may lose it.
        return attempted.outcome
      }

      let trouble: unknown
      try {
        const expected = entry?.version
        const result = await store.swap(key, expected, attempted.next, attempted.ttlMs)
        entry = result.entry
        if (result.swapped) {
          last = { entry: Promise.resolve(entry), isFresh: false }
          return attempted.outcome
        }
        swaps += 1
        if (swaps % maxSwaps > 0) continue
        trouble = entry?.version === expected ? swapsRefused() : othersAreFaster()
      } catch (failure) {
        trouble = failure
      }
      // One broken connection must not lose what the provider has approved or sent.
      entry = await recover(trouble, load)
      isUnanswered = true
    }
  }

  return {
    update,
    read: () => remember({ entry: load(), isFresh: true }),
    prefetch: () => remember({ entry: load(), isFresh: false }),
  }
}

const swapsRefused = () =>
  new TwoFactorError('store_unavailable', { message: 'The store refused every swap.' })

/** Requests that race for one record get this problem, without an alarm about the store (denial of service). */
const othersAreFaster = () =>
  new TwoFactorError('verification_in_progress', {
    message: 'Other requests are changing this record. Try again.',
    headers: { 'Retry-After': '1' },
  })

/**
 * Creates the recovery of one command from store problems: it pauses and reads until the store responds again. It
 * throws the last problem after 1.5 s.
 */
function createRecovery() {
  let since: number | undefined
  return async function recover<Result>(problem: unknown, read: () => Promise<Result>): Promise<Result> {
    for (let trouble = problem; ; ) {
      // A full store is reported immediately, because a retry would keep it full.
      if (trouble instanceof TwoFactorError && trouble.code === 'capacity') throw trouble
      since ??= performance.now()
      if (performance.now() - since > changedWithinMs - pauseMs) throw trouble
      await new Promise((pass) => setTimeout(pass, pauseMs))
      try {
        return await read()
      } catch (failure) {
        trouble = failure
      }
    }
  }
}

/**
 * Retries an operation without a response for 1.5 s. It must be safe to repeat, and undone if it completes too late.
 * `look` may be called any number of times.
 */
export async function retryUntilSettled<Result>(
  ask: () => Promise<Result>,
  look: () => Promise<unknown>,
): Promise<Result> {
  try {
    return await ask()
  } catch (trouble) {
    await createRecovery()(trouble, look)
    return ask()
  }
}

/** Runs one command on an entry that this request does not use otherwise. */
export const update = <Value extends SealedMembers, Outcome>(
  store: Store,
  key: string,
  decide: DecideEntry<Value, Outcome>,
): Promise<Outcome> => createUpdater<Value>(store, key).update(decide)

/**
 * An entry that cannot be read in the store. Without `sealed` it is empty; it stays until its end, so that a command
 * that a client sends twice recognises itself.
 */
export type Sealed = { readonly sealed?: string }

/** The next state of a sealed entry: `put` replaces it, otherwise it is emptied or stays. */
interface SealedUpdate<Value, Outcome> {
  readonly outcome: Outcome
  readonly put?: Value | undefined
  readonly isEmptied?: true
}

/** Creates access to entries of one kind that are sealed, because they contain user input. */
export function createSealed<Value extends { readonly expiresAt: number }>(
  use: SecretUse,
  { store, secrets, now }: DomainServices,
) {
  /**
   * Opens an entry before its end. The key is associated data, so an entry that is copied to another key does not open.
   */
  function open(key: string, stored: Sealed | undefined): Value | undefined {
    const json = stored?.sealed && secrets.open(use, stored.sealed, key)
    const kept: Value | undefined = json ? JSON.parse(json) : undefined
    return kept !== undefined && now() < kept.expiresAt ? kept : undefined
  }

  return {
    open,
    async read(key: string): Promise<Value | undefined> {
      const entry = await store.read(key)
      return open(key, entry?.value as Sealed | undefined)
    },

    /** Changes an entry by compare-and-swap. Pass `entry` if the request has already opened it. */
    change: <Outcome>(
      key: string,
      decide: (kept: Value | undefined) => SealedUpdate<Value, Outcome>,
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
