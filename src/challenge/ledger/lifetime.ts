import { clockLeewayMs } from '../../lib/clock.js'
import { type Budget, isDisabled, type Ledger, type LedgerLimits } from './ledger.js'
import { cooldownExpiresAt, isSent } from './pacing.js'

const day = 24 * 60 * 60_000

/** How long sends, attempts and used codes are remembered: the longest window that counts them. */
export const rememberedMs = day
const failuresRememberedMs = 30 * day
const disabledRememberedMs = 365 * day

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
    (ledger.usedCodes.at(-1)?.at ?? -rememberedMs) + rememberedMs,
    budgetExpiresAt(ledger.strangers, ledger.at, limits),
    budgetExpiresAt(ledger.known, ledger.at, limits),
  ]
  return Math.max(now, ...expiries) - now
}

function budgetExpiresAt(budget: Budget, changedAt: number, limits: LedgerLimits): number {
  return Math.max(
    budget.challenge?.expiresAt ?? 0,
    (budget.sends.findLast(isSent)?.at ?? -rememberedMs) + rememberedMs,
    // Whoever types numbers that the provider refuses must not fill the store with them for a day.
    cooldownExpiresAt(budget.sends, limits),
    (budget.attemptTimes.at(-1) ?? -rememberedMs) + rememberedMs,
    budget.attemptsSinceSuccess > 0 ? changedAt + failuresRememberedMs : 0,
    isDisabled(budget, limits) ? changedAt + disabledRememberedMs : 0,
  )
}
