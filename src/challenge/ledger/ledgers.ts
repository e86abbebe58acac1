import { TwoFactorError } from '../../errors.js'
import type { Emit } from '../../events.js'
import { clockLeewayMs } from '../../lib/clock.js'
import type { Entry, Store } from '../../store/store.js'
import type { LedgerLimits } from '../limits.js'
import { createUpdater, type SwapStore, type Update } from '../updater.js'
import { type BudgetName, type Decision, emptyLedger, isDisabled, type Ledger } from './ledger.js'
import { cooldownExpiresAt, isSent, rememberedMs } from './pacing.js'
import { packed, unpacked, type WrittenLedger } from './row.js'

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

const failuresRememberedMs = 30 * rememberedMs
const disabledRememberedMs = 365 * rememberedMs

/** The time a command works with: a ledger of another machine may lead this clock a little. */
export function timeOf(ledger: Ledger, clock: number): { readonly now: number; readonly leadsByMs?: number } {
  const lead = ledger.at - clock
  if (lead <= 0) return { now: clock }
  return lead <= clockLeewayMs ? { now: ledger.at } : { now: clock, leadsByMs: lead }
}

/**
 * How long the ledger must be kept; 0 when there is nothing to remember. Dropping it earlier would refund
 * attempts or sends (brute force).
 */
export function keptForMs(ledger: Ledger, now: number, limits: LedgerLimits): number {
  const expiries = [
    forgottenAt(ledger.usedCodes.at(-1)?.at),
    budgetExpiresAt(ledger, 'strangers', limits),
    budgetExpiresAt(ledger, 'known', limits),
  ]
  return Math.max(now, ...expiries) - now
}

/** When nothing counts any more what happened then; 0 for what never happened. */
const forgottenAt = (at: number | undefined) => (at === undefined ? 0 : at + rememberedMs)

function budgetExpiresAt(ledger: Ledger, name: BudgetName, limits: LedgerLimits): number {
  const { [name]: budget, at: changedAt } = ledger
  return Math.max(
    budget.challenge?.expiresAt ?? 0,
    forgottenAt(budget.sends.findLast(isSent)?.at),
    // Whoever types numbers that the provider refuses must not fill the store with them for a day.
    cooldownExpiresAt(budget.sends, limits),
    forgottenAt(budget.attemptTimes.at(-1)),
    budget.attemptsSinceSuccess > 0 ? changedAt + failuresRememberedMs : 0,
    isDisabled(ledger, name, limits) ? changedAt + disabledRememberedMs : 0,
  )
}
