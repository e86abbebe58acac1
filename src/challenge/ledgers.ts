import type { Emit } from '../events.js'
import type { Store } from '../store/store.js'
import { hold } from './change.js'
import { type Decision, emptyLedger, keptForMs, type Ledger, type LedgerLimits, timeOf } from './ledger.js'
import { ledgerStore } from './ledger-store.js'

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
  hold(key: string, limits: LedgerLimits): HeldLedger
}

export interface HeldLedger {
  /** Runs one command, unless the barrier refuses, which is asked together with the read. */
  run<Outcome, Barred = never>(
    command: (ledger: Ledger, now: number) => Decision<Outcome>,
    barrier?: Promise<Barred | undefined>,
  ): Promise<Decided<Outcome | Barred>>
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

    hold(key, limits) {
      const held = hold<Ledger>(store, key)
      return {
        run(command, barrier) {
          const decide = (stored: Ledger | undefined) => {
            const ledger = stored ?? emptyLedger
            const now = nowFor(ledger)
            const { outcome, next } = command(ledger, now)
            if (next === undefined) return { outcome: { outcome, ledger, now } }
            const put = { value: next, ttlMs: keptForMs(next, now, limits) }
            return { outcome: { outcome, ledger: next, now }, put }
          }
          const barred = barrier?.then((refusal) =>
            refusal === undefined ? undefined : { outcome: refusal, ledger: emptyLedger, now: parts.now() },
          )
          return held.change(decide, barred)
        },
      }
    },
  }
}
