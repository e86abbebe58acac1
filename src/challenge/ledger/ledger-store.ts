import { TwoFactorError } from '../../errors.js'
import type { Emit } from '../../events.js'
import type { Entry } from '../../store/store.js'
import type { SwapStore } from '../updater.js'
import { packed, unpacked, type WrittenLedger } from './row.js'

/** The store as ledgers see it. There each of them is one string, half the bytes of a tree of objects. */
export function ledgerStore(store: SwapStore, emit: Emit): SwapStore {
  function decoded({ value, version }: Entry): Entry {
    try {
      return { value: unpacked(String(value)), version }
    } catch {
      emit({ type: 'store.failed', command: 'read' })
      throw new TwoFactorError('store_unavailable', {
        message: 'A ledger cannot be read. Does another program, or another version, write to this store?',
      })
    }
  }

  return {
    async read(key) {
      const entry = await store.read(key)
      return entry && decoded(entry)
    },
    async swap(key, expectedVersion, next, ttlMs) {
      const ledger = next as WrittenLedger | undefined
      const { swapped, entry } = await store.swap(key, expectedVersion, ledger && packed(ledger), ttlMs)
      if (entry === undefined) return { swapped }
      return {
        swapped,
        entry: swapped && ledger ? { value: ledger, version: entry.version } : decoded(entry),
      }
    },
  }
}
