import type { Emit, EventBody } from '../../events.js'
import type { Json } from '../../store/store.js'
import { type SwapStore, update } from '../updater.js'

/** What follows from a record, and what is told of it. */
export interface Change<Value> {
  readonly record: Value
  readonly events: readonly EventBody[]
}

/** One entry that all processes change, and what this one saw of it last. */
export function createSharedRecord<Value extends { readonly [member: string]: Json | undefined }>(
  { store, emit }: { readonly store: SwapStore; readonly emit: Emit },
  key: string,
  ttlMs: number,
) {
  let seen: Value | undefined
  return {
    /** From memory. */
    seen: () => seen,
    /** Looks at what others have made of it. */
    async read(): Promise<void> {
      seen = (await store.read(key))?.value as Value | undefined
    },
    /**
     * Puts what follows from it, if anything does, which is resolved with, and tells of it: of processes that find out
     * the same, one does.
     */
    async change(next: (before: Value | undefined) => Change<Value> | undefined) {
      let found: Value | undefined
      const change = await update<Value, Change<Value> | undefined>(store, key, (before) => {
        const outcome = next(before)
        found = before
        return { outcome, ...(outcome && { put: { value: outcome.record, ttlMs } }) }
      })
      // Only once it is there: what the store refused is still to be told.
      seen = change?.record ?? found
      for (const event of change?.events ?? []) emit(event)
      return change
    },
  }
}
