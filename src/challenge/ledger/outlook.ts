import type { Outlook } from '../commands.js'
import type { LedgerLimits } from '../limits.js'
import { type Binding, isApproved, type Ledger, type LedgerRefusal } from './ledger.js'
import type { LedgerView } from './ledgers.js'
import { type StartOnLedger, start } from './sends.js'

/** A lock, a cooldown, an hour and a day can follow one another. A limit of 0 never ends. */
const maxWaits = 8

/** What a start would meet, if nothing else happens meanwhile. Changes nothing. */
export function outlook(
  { shared, ...own }: LedgerView,
  command: StartOnLedger,
): Omit<Outlook, 'channels' | 'destinations'> {
  const { ledger, now, limits } = shared ?? own
  const refusals = [own, shared].flatMap((seen) => (seen && refusalOf(seen, command)) ?? [])
  const waitOf = ({ retryAfterMs = Number.POSITIVE_INFINITY }: LedgerRefusal) => retryAfterMs
  const [refusal] = refusals.sort((one, other) => waitOf(other) - waitOf(one))
  const untyped = [...ledger.strangers.sends, ...ledger.known.sends].filter((send) => !isApproved(send))
  return {
    expired: hasExpired(ledger, command.binding, now, limits),
    untypedSince: Math.max(0, ...untyped.map(({ at }) => at)),
    ...(refusal && { refusal }),
  }
}

function refusalOf({ ledger, now, limits }: LedgerView, command: StartOnLedger): LedgerRefusal | undefined {
  let first: LedgerRefusal | undefined
  let waitMs = 0
  for (let waits = 0; waits < maxWaits; waits += 1) {
    const { outcome } = start(ledger, command, now + waitMs, limits)
    if (outcome.outcome !== 'refused') break
    first ??= outcome
    // Waiting does not help: a disabled number.
    if (outcome.retryAfterMs === undefined) return outcome
    waitMs += outcome.retryAfterMs
  }
  return first && { ...first, retryAfterMs: waitMs }
}

function hasExpired(ledger: Ledger, binding: Binding, now: number, limits: LedgerLimits): boolean {
  const challenge = ledger[binding.budget].challenge
  if (challenge === undefined || challenge.attempts >= limits.attemptsPerChallenge) return false
  // Enumeration: nobody learns of a code that somebody else asked for.
  if (challenge.subject !== binding.subject || challenge.session !== binding.session) return false
  return challenge.expiresAt <= now && now < challenge.expiresAt + limits.codeLifetimeMs
}
