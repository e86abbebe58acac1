import { TwoFactorError } from '../../errors.js'
import { type Awaitable, all, andThen } from '../../lib/promises.js'
import { clockLeewayMs } from '../../lib/time.js'
import { forgottenAfter } from '../../lib/totp.js'
import type { Json } from '../../store/store.js'
import type { Basis } from '../keys.js'
import type { LedgerLimits } from '../limits.js'
import { createUpdater } from '../updater.js'
import { spentUntil } from './challenge.js'
import { isDisabled } from './guessing.js'
import {
  type Budget,
  type BudgetName,
  type Challenge,
  type Decision,
  emptyLedger,
  format,
  isSent,
  type Ledger,
  type LedgerView,
} from './ledger.js'
import { cooldownExpiresAt, rememberedMs } from './pacing.js'

/** The outcome of a command, the ledger after it, and the time it used. */
export interface Decided<Outcome> extends LedgerView {
  readonly outcome: Outcome
  readonly shared?: Decided<Outcome>
}

/** The ledger in the hands of one request, which reads it once for all its commands. */
export interface LedgerInHand {
  /** Reads it, for the command that follows. */
  read(): Awaitable<LedgerView>
  /** Decides on what was read or written last, and writes by compare-and-swap. `undo`: where another ledger refuses. */
  run<Outcome>(
    command: Command<Outcome>,
    undo?: (done: Outcome) => Command<unknown>,
  ): Awaitable<Decided<Outcome>>
}

/** What is decided on a ledger. `isShared`: it is that of the subject beside a number's. */
export type Command<Outcome> = (view: LedgerView, isShared: boolean) => Decision<Outcome>

/** Where the pure commands meet store and clock. */
export function createLedgers({ store, now: clock, emit }: Basis) {
  function viewOf(stored: Json | undefined, limits: LedgerLimits): LedgerView {
    if (stored === undefined) return { ledger: emptyLedger, now: clock(), limits }
    if (!isLedger(stored)) {
      emit({ type: 'store.failed', command: 'read' })
      throw new TwoFactorError('store_unavailable', {
        message: 'A ledger cannot be read. Does another program, or another version, write to this store?',
      })
    }
    return { ledger: stored, now: timeOf(stored, clock()), limits }
  }

  return (key: string, limits: LedgerLimits): LedgerInHand => {
    const entry = createUpdater<Ledger>(store, key)
    return {
      read: () => andThen(entry.read(), (stored) => viewOf(stored, limits)),
      run: (command) =>
        entry.update((stored) => {
          const view = viewOf(stored, limits)
          const { outcome, next } = command(view, false)
          if (next === undefined) return { outcome: { outcome, ...view } }
          const after = { outcome, ledger: next, now: view.now, limits }
          const ttlMs = keptForMs(after)
          // Nothing to remember, nothing in the store: refused starts must not fill it.
          return { outcome: after, put: { value: ttlMs === 0 ? undefined : next, ttlMs } }
        }),
    }
  }
}

/**
 * The ledger of a number and that of its subject as one. What both have to allow is booked in the one first, and
 * taken back where the other refuses: of parallel requests at several numbers one gets an attempt (brute force).
 */
export function both(own: LedgerInHand, shared: LedgerInHand): LedgerInHand {
  return {
    read: () => andThen(all([own.read(), shared.read()]), ([seen, also]) => ({ ...seen, shared: also })),
    async run(command, undo) {
      const decided = await own.run(command)
      if (undo !== undefined && !goesOn(decided.outcome)) return decided
      const takeBack = async () => undo && own.run(undo(decided.outcome))
      const inShared: typeof command = (view) => command(view, true)
      const also = await (async () => shared.run(inShared))().catch(async (error: unknown) => {
        await takeBack()
        throw error
      })
      if (!goesOn(also.outcome)) await takeBack()
      return { ...decided, outcome: worse(decided.outcome, also.outcome), shared: also }
    },
  }
}

/** What a command would come to, by what was read. */
export function planned<Outcome>(seen: LedgerView, command: Command<Outcome>): Outcome {
  const { outcome } = command(seen, false)
  if (seen.shared === undefined || !goesOn(outcome)) return outcome
  return worse(outcome, command(seen.shared, true).outcome)
}

const goesOn = (outcome: unknown) => ['booked', 'reserved', 'approved'].includes(Object(outcome).outcome)

/** What the two come to: the refusal of either, and whatever an attempt did to either. */
function worse<Outcome>(own: Outcome, shared: Outcome): Outcome {
  if (goesOn(shared)) return own
  if (goesOn(own)) return shared
  const left = [own, shared].flatMap((outcome) => Object(outcome).attemptsRemaining ?? [])
  return { ...shared, ...own, ...(left.length > 0 && { attemptsRemaining: Math.min(...left) }) }
}

/** Whether a stored value is a ledger. A missing figure would silently restart at zero, so that it is none. */
function isLedger(stored: Json): stored is Ledger {
  const { format: written, at, strangers, known, usedCodes }: Partial<Ledger> = Object(stored)
  return (
    written === format &&
    Number.isFinite(at) &&
    isBudget(strangers) &&
    isBudget(known) &&
    haveMoments(usedCodes)
  )
}

function isBudget(stored: Budget | undefined): boolean {
  const budget: Partial<Budget> = Object(stored)
  const { challenge, lease, sends, attemptTimes } = budget
  return (
    Number.isFinite(budget.attemptsSinceSuccess) &&
    Number.isFinite(budget.rejections) &&
    Number.isFinite(budget.lockExpiresAt) &&
    (challenge === undefined || isChallenge(challenge)) &&
    (lease === undefined || Number.isFinite(lease?.expiresAt)) &&
    haveMoments(sends) &&
    Array.isArray(attemptTimes) &&
    attemptTimes.every(Number.isFinite)
  )
}

const isChallenge = (challenge: Challenge): boolean =>
  Number.isFinite(challenge?.attempts) &&
  Number.isFinite(challenge.expiresAt) &&
  Number.isFinite(challenge.maxExpiresAt) &&
  (challenge.spentUntil === undefined || Number.isFinite(challenge.spentUntil)) &&
  (challenge.wrongCodes === undefined || Array.isArray(challenge.wrongCodes))

const haveMoments = (list: readonly { readonly at: number }[] | undefined): boolean =>
  Array.isArray(list) && list.every((one) => Number.isFinite(one?.at))

const failuresRememberedMs = 30 * rememberedMs
const wayRememberedMs = 30 * rememberedMs
const disabledRememberedMs = 365 * rememberedMs

/** The time a command works with: a ledger of another machine may lead this clock a little. */
export function timeOf(ledger: Ledger, clock: number): number {
  const lead = ledger.at - clock
  return lead > 0 && lead <= clockLeewayMs ? ledger.at : clock
}

/**
 * How long the ledger must be kept; 0 when there is nothing to remember. Dropping it earlier would refund
 * attempts or sends (brute force).
 */
export function keptForMs({ ledger, now, limits }: LedgerView): number {
  const expiries = [
    ledger.lastStep === undefined ? 0 : forgottenAfter(ledger.lastStep),
    forgottenAt(ledger.usedCodes.at(-1)?.at),
    ledger.lastWay === undefined ? 0 : ledger.at + wayRememberedMs,
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
    budget.challenge === undefined ? 0 : spentUntil(budget.challenge),
    forgottenAt(budget.sends.findLast(isSent)?.at),
    // Whoever types numbers that the provider refuses must not fill the store with them for a day.
    cooldownExpiresAt(budget.sends, limits),
    forgottenAt(budget.attemptTimes.at(-1)),
    budget.attemptsSinceSuccess > 0 ? changedAt + failuresRememberedMs : 0,
    isDisabled(ledger, name, limits) ? changedAt + disabledRememberedMs : 0,
  )
}
