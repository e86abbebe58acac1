import { randomBytes } from 'node:crypto'
import { TwoFactorError } from '../errors.js'
import type { Entry, Json, Store } from '../store/store.js'

/** What an entry of ours is: an object, stamped with the id of the command that wrote it. */
type Members = { readonly [member: string]: Json | undefined }

/** What a change needs of a store. */
export type SwapStore = Pick<Store, 'read' | 'swap'>

/** What to answer and, only if something changes, the value to put and how long it is kept. */
export interface Update<Value, Outcome> {
  readonly outcome: Outcome
  readonly put?: { readonly value: Value; readonly ttlMs: number }
}

/** Each failed swap means that somebody else's went through, and policy lets a handful through. */
const maxSwaps = 100

const thisProcess = randomBytes(9).toString('base64url')
let issued = 0

/** An id that no other command, send or attempt has, on any machine. */
export function newCommandId(): string {
  issued += 1
  return `${thisProcess}${issued.toString(36)}`
}

type Decide<Value, Outcome> = (value: Value | undefined) => Update<Value, Outcome>

/** One entry in the hands of one request. */
export interface Updater<Value> {
  /** Reads it together with what is under way, so that the next change begins with its swap. */
  prefetch(): Promise<Value | undefined>
  /**
   * Runs one command: read, decide, swap, and decides again on the value that made a swap fail. What
   * was read ahead or left by the change before is not read again. `precondition` is asked together with
   * the read, which over a network store costs no further round trip; what it resolves with is the
   * outcome then.
   */
  update<Outcome, Unmet = never>(
    decide: Decide<Value, Outcome>,
    precondition?: Promise<Unmet | undefined>,
  ): Promise<Outcome | Unmet>
}

export function createUpdater<Value extends Members>(store: SwapStore, key: string): Updater<Value> {
  let seen: Promise<Entry | undefined> | undefined
  // A store that throws must not leave the precondition behind, whose rejection nobody would handle.
  const read = async () => store.read(key)

  async function update<Outcome, Unmet = never>(
    decide: Decide<Value, Outcome>,
    precondition?: Promise<Unmet | undefined>,
  ): Promise<Outcome | Unmet> {
    const command = newCommandId()
    let isCurrent = seen === undefined
    const reading = seen ?? read()
    const [unmet] = precondition === undefined ? [] : await Promise.all([precondition, reading])
    if (unmet !== undefined) return unmet
    let entry = await reading
    let attempted: Outcome | undefined
    for (let swaps = 0; swaps < maxSwaps; ) {
      const value = entry?.value as (Value & { readonly command: string }) | undefined
      // A client that re-sends makes the first of two equal swaps succeed and reports the second.
      if (value?.command === command) return attempted as Outcome

      const { outcome, put } = decide(value)
      if (put === undefined) {
        if (isCurrent) return outcome
        // Somebody else may have changed it since it was seen: nobody is refused by what was.
        entry = await read()
      } else {
        attempted = outcome
        // Not by spreading: a member added to a copy gives every entry a shape, and 300 bytes, of its own.
        const next = Object.assign({ command }, put.value, { command })
        const result = await store.swap(key, entry?.version, next, put.ttlMs)
        swaps += 1
        entry = result.entry
        if (result.swapped) {
          seen = Promise.resolve(entry)
          return outcome
        }
      }
      isCurrent = true
    }
    throw new TwoFactorError('store_unavailable', { message: 'The store refused every swap.' })
  }

  return {
    update,
    prefetch() {
      seen = read()
      const value = seen.then((entry) => entry?.value as Value | undefined)
      // A failure is told to whoever needs it. There may be nobody.
      value.catch(() => undefined)
      return value
    },
  }
}

/** One command on an entry that this request asks nothing else. */
export const update = <Value extends Members, Outcome, Unmet = never>(
  store: SwapStore,
  key: string,
  decide: Decide<Value, Outcome>,
  precondition?: Promise<Unmet | undefined>,
): Promise<Outcome | Unmet> => createUpdater<Value>(store, key).update(decide, precondition)
