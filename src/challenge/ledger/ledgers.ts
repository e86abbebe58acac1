import type { Emit } from '../../events.js'
import type { Store } from '../../store/store.js'
import { createUpdater } from '../updater.js'
import { type Decision, emptyLedger, keptForMs, type Ledger, type LedgerLimits, timeOf } from './ledger.js'
import { ledgerStore } from './row.js'

/** What a command answered, the ledger as it stands after it, and the time it worked with. */
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
  /** Runs one command, unless the precondition refuses, which is asked together with the read. */
  run<Outcome, Unmet = never>(
    command: (ledger: Ledger, now: number) => Decision<Outcome>,
    precondition?: Promise<Unmet | undefined>,
  ): Promise<Decided<Outcome | Unmet>>
}

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
      const updater = createUpdater<Ledger>(store, key)
      return {
        run(command, precondition) {
          const decide = (stored: Ledger | undefined) => {
            const ledger = stored ?? emptyLedger
            const now = nowFor(ledger)
            const { outcome, next } = command(ledger, now)
            if (next === undefined) return { outcome: { outcome, ledger, now } }
            const put = { value: next, ttlMs: keptForMs(next, now, limits) }
            return { outcome: { outcome, ledger: next, now }, put }
          }
          const unmet = precondition?.then((refusal) =>
            refusal === undefined ? undefined : { outcome: refusal, ledger: emptyLedger, now: parts.now() },
          )
          return updater.update(decide, unmet)
        },
      }
    },
  }
}
