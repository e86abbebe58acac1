import type { Emit } from '../events.js'
import type { Awaitable, Store } from '../store/store.js'
import { change } from './change.js'
import { type Decision, emptyLedger, keptForMs, type Ledger, type LedgerLimits, timeOf } from './ledger.js'

/** What a command answered, the ledger as it stands after it, and the time it worked with. */
export interface Decided<Outcome> {
  readonly outcome: Outcome
  readonly ledger: Ledger
  readonly now: number
}

/** The ledgers in the store: where the pure commands meet the clock. */
export interface Ledgers {
  read(key: string): Promise<Pick<Decided<never>, 'ledger' | 'now'>>
  /** Runs one command. `admit` is asked once, when the command would change something. */
  run<Outcome, Refused = never>(
    key: string,
    limits: LedgerLimits,
    command: (ledger: Ledger, now: number) => Decision<Outcome>,
    admit?: (outcome: Outcome) => Awaitable<Refused | undefined>,
  ): Promise<Decided<Outcome | Refused>>
}

export function createLedgers(parts: {
  readonly store: Store
  readonly now: () => number
  readonly emit: Emit
}): Ledgers {
  const { store, emit } = parts

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

    async run(key, limits, command, admit) {
      let before = { ledger: emptyLedger, now: 0 }
      const decide = (stored: Ledger | undefined) => {
        const ledger = stored ?? emptyLedger
        const now = nowFor(ledger)
        before = { ledger, now }
        const { outcome, next } = command(ledger, now)
        if (next === undefined) return { outcome: { outcome, ledger, now } }
        const put = { value: next, ttlMs: keptForMs(next, now, limits) }
        return { outcome: { outcome, ledger: next, now }, put }
      }
      return change(store, key, decide, async (decided) => {
        const refused = await admit?.(decided.outcome)
        return refused === undefined ? undefined : { ...before, outcome: refused }
      })
    },
  }
}
