import type { Emit } from '../../events.js'
import type { Store } from '../../store/store.js'
import { createUpdater, type Update } from '../updater.js'
import { type Decision, emptyLedger, type Ledger, type LedgerLimits } from './ledger.js'
import { ledgerStore } from './ledger-store.js'
import { keptForMs, timeOf } from './lifetime.js'

/** The outcome of a command, the ledger after it, and the time it used. */
export interface Decided<Outcome> {
  readonly outcome: Outcome
  readonly ledger: Ledger
  readonly now: number
}

/** The ledgers in the store: where the pure commands meet the clock. */
export interface Ledgers {
  read(key: string): Promise<Pick<Decided<never>, 'ledger' | 'now'>>
  /** The ledger in the hands of one request, which reads it once for all its commands. */
  updater(key: string, limits: LedgerLimits): LedgerUpdater
}

export interface LedgerUpdater {
  /** Reads the ledger together with what else its commands depend on, and returns that. */
  readWith<Also>(also: Promise<Also>): Promise<Also>
  /** What a command would return on the ledger as it was read. Changes nothing. */
  preview<Outcome>(command: LedgerCommand<Outcome>): Promise<Decided<Outcome>>
  run<Outcome>(command: LedgerCommand<Outcome>): Promise<Decided<Outcome>>
}

type LedgerCommand<Outcome> = (ledger: Ledger, now: number) => Decision<Outcome>

export function createLedgers(parts: {
  readonly store: Store
  readonly now: () => number
  readonly emit: Emit
}): Ledgers {
  const { emit } = parts
  const store = ledgerStore(parts.store, emit)

  function nowFor(ledger: Ledger): number {
    const { now, leadsByMs } = timeOf(ledger, parts.now())
    if (leadsByMs !== undefined) emit({ type: 'clock.leads', byMs: leadsByMs })
    return now
  }

  return {
    async read(key) {
      const entry = await store.read(key)
      const ledger = (entry?.value as Ledger | undefined) ?? emptyLedger
      return { ledger, now: nowFor(ledger) }
    },

    updater(key, limits) {
      const { readWith, preview, update } = createUpdater<Ledger>(store, key)
      const deciding =
        <Outcome>(command: LedgerCommand<Outcome>) =>
        (stored: Ledger | undefined): Update<Ledger, Decided<Outcome>> => {
          const ledger = stored ?? emptyLedger
          const now = nowFor(ledger)
          const { outcome, next } = command(ledger, now)
          if (next === undefined) return { outcome: { outcome, ledger, now } }
          const ttlMs = keptForMs(next, now, limits)
          // Nothing to remember, nothing in the store: refused starts must not fill it.
          const put = { value: ttlMs === 0 ? undefined : next, ttlMs }
          return { outcome: { outcome, ledger: next, now }, put }
        }
      return {
        readWith,
        preview: (command) => preview(deciding(command)),
        run: (command) => update(deciding(command)),
      }
    },
  }
}
