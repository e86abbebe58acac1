import { andThen } from '../../lib/promises.js'
import type { Store } from '../../store/store.js'
import type { Secrets, SecretUse } from '../secrets.js'
import { createUpdater } from '../updater.js'

/**
 * An entry that no store can read. Without `sealed` nothing is left in it; it stays until its end, so that a command
 * which a client sends twice recognizes itself.
 */
export type Sealed = { readonly sealed?: string }

/** What becomes of it: `put` takes its place, or it is emptied, or it stays. */
interface Decided<Kept, Outcome> {
  readonly outcome: Outcome
  readonly put?: Kept | undefined
  readonly isEmptied?: true
}

/** Entries of one kind: what people type is sealed before it is kept. */
export function createSealed<Kept extends { readonly expiresAt: number }>(
  use: SecretUse,
  {
    store,
    secrets,
    now,
  }: {
    readonly store: Store
    readonly secrets: Secrets
    readonly now: () => number
  },
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
      decide: (kept: Kept | undefined) => Decided<Kept, Outcome>,
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
