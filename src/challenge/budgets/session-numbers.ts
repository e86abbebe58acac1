import { dayMs } from '../../lib/time.js'
import type { Store } from '../../store/store.js'
import { type Refusal, refused } from '../commands.js'
import { hashId, type Keys } from '../keys.js'
import { createUpdater, type Update } from '../updater.js'
import type { Allowance } from './counting.js'

/** The numbers that one session has tried to enrol, by their ledgers. */
type TriedNumbers = { readonly numbers: readonly string[]; readonly expiresAt: number }

interface SessionNumbers extends Allowance {
  /** Reads them together with the ledger, so that `take` begins with its swap. */
  prefetch(): Promise<unknown>
}

/** Different numbers of one session. A refused one is not added, otherwise its second try would pass. */
export function sessionNumbers(
  parts: {
    readonly store: Pick<Store, 'read' | 'swap'>
    readonly keys: Keys
    readonly now: () => number
  },
  { session, ledgerKey, max }: { readonly session: string; readonly ledgerKey: string; readonly max: number },
): SessionNumbers {
  const { store, keys, now } = parts
  const { prefetch, update } = createUpdater<TriedNumbers>(
    store,
    keys.counter('count-enrol-numbers', hashId(session)),
  )
  let isAdded = false

  const current = (stored: TriedNumbers | undefined): TriedNumbers =>
    stored !== undefined && now() < stored.expiresAt ? stored : { numbers: [], expiresAt: now() + dayMs }
  const leftMs = ({ expiresAt }: TriedNumbers) => Math.min(dayMs, expiresAt - now())

  return {
    prefetch,
    take: () =>
      update((stored): Update<TriedNumbers, Refusal | undefined> => {
        const { numbers, expiresAt } = current(stored)
        isAdded = false
        if (numbers.includes(ledgerKey)) return { outcome: undefined }
        const ttlMs = leftMs({ numbers, expiresAt })
        if (numbers.length >= max) return { outcome: { ...refused('send_limit', ttlMs), limit: 'session' } }
        isAdded = true
        return { outcome: undefined, put: { value: { numbers: [...numbers, ledgerKey], expiresAt }, ttlMs } }
      }),

    async refund() {
      if (!isAdded) return
      await update((stored) => {
        const { numbers, expiresAt } = current(stored)
        const value = { numbers: numbers.filter((number) => number !== ledgerKey), expiresAt }
        // An empty list expires at once: refused starts must not fill the store.
        return { outcome: undefined, put: { value, ttlMs: value.numbers.length === 0 ? 1 : leftMs(value) } }
      })
    },
  }
}
