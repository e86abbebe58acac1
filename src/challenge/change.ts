import { randomBytes } from 'node:crypto'
import { TwoFactorError } from '../errors.js'
import type { Json, Store } from '../store/store.js'

/** What an entry of ours is: an object, stamped with the id of the command that wrote it. */
type Members = { readonly [member: string]: Json | undefined }

/** What to answer and, only if something changes, the value to put and how long it is kept. */
export interface Change<Value, Outcome> {
  readonly outcome: Outcome
  readonly put?: { readonly value: Value; readonly ttlMs: number }
}

/** Each failed swap means that somebody else's went through, and policy lets a handful through. */
const mostSwaps = 100

const thisProcess = randomBytes(9).toString('base64url')
let issued = 0

/** An id that no other command, send or attempt has, on any machine. */
export function newCommandId(): string {
  issued += 1
  return `${thisProcess}${issued.toString(36)}`
}

/**
 * Runs one command on one entry: read, decide, swap, and decides again on the value that made a swap
 * fail. `barrier` is asked together with the read, which over a network store costs no further round
 * trip; what it resolves with is the outcome then.
 */
export async function change<Value extends Members, Outcome, Barred = never>(
  store: Store,
  key: string,
  decide: (value: Value | undefined) => Change<Value, Outcome>,
  barrier?: Promise<Barred | undefined>,
): Promise<Outcome | Barred> {
  const command = newCommandId()
  // A read that throws must not leave the barrier behind, whose rejection nobody would handle.
  const read = async () => store.read(key)
  let [entry, barred] = await Promise.all([read(), barrier])
  if (barred !== undefined) return barred
  let attempted: Outcome | undefined
  for (let swaps = 0; swaps < mostSwaps; swaps += 1) {
    const value = entry?.value as (Value & { readonly command: string }) | undefined
    // A client that re-sends makes the first of two equal swaps succeed and reports the second.
    if (swaps > 0 && value?.command === command) return attempted as Outcome

    const { outcome, put } = decide(value)
    if (put === undefined) return outcome
    attempted = outcome
    const result = await store.swap(key, entry?.version, { ...put.value, command }, put.ttlMs)
    if (result.swapped) return outcome
    entry = result.entry
  }
  throw new TwoFactorError('store_unavailable', { message: 'The store refused every swap.' })
}
