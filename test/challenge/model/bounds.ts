import type { BudgetName } from '../../../src/challenge/ledger/ledger.js'
import { figures, type Guesses, type Who } from './oracle.js'

/**
 * What the outside saw: codes that went out, codes that the provider was asked about, people who were let
 * in. The bounds are told from it alone, whatever the ledger believes and whatever the clock did.
 */
export type Seen =
  | {
      readonly what: 'sent'
      readonly at: number
      readonly challenge: string
    }
  | {
      readonly what: 'checked'
      readonly at: number
      readonly challenge: string
      readonly budget: BudgetName
      readonly attempt: string
    }
  | {
      readonly what: 'let in'
      readonly at: number
      readonly challenge: string
      readonly attempt: string
      readonly code: string
      readonly by: Who
      readonly startedBy: Who
      /** Whether the provider said that the code is right. */
      readonly right: boolean
    }

const hour = 60 * 60_000
const day = 24 * hour

/** Whether no hour and no day sees more codes checked than it may. Those that let somebody in do not count. */
function keptTo(
  { checksPerHour, checksPerDay }: Guesses,
  history: readonly Seen[],
  by?: BudgetName,
): boolean {
  const letIn = new Set(history.flatMap((seen) => (seen.what === 'let in' ? [seen.attempt] : [])))
  const moments = history.flatMap((seen) =>
    seen.what === 'checked' && !letIn.has(seen.attempt) && (by ?? seen.budget) === seen.budget
      ? [seen.at]
      : [],
  )
  const most = (windowMs: number) =>
    Math.max(0, ...moments.map((end) => moments.filter((at) => at <= end && at > end - windowMs).length))
  return most(hour) <= checksPerHour && most(day) <= checksPerDay
}

/** The bounds that a history broke. */
export function broken(history: readonly Seen[]): string[] {
  const count = (what: Seen['what'], challenge?: string) =>
    history.filter((seen) => seen.what === what && (challenge === undefined || seen.challenge === challenge))
      .length
  const letIn = history.filter((seen) => seen.what === 'let in')
  const pairs = letIn.flatMap((one, index) => letIn.slice(index + 1).map((other) => [one, other] as const))
  const kept: Readonly<Record<string, boolean>> = {
    'checks for each send': count('checked') <= figures.attempts * count('sent'),
    'checks of a number': keptTo(figures, history),
    'checks by strangers': keptTo(figures.shares.strangers, history, 'strangers'),
    'checks by known browsers': keptTo(figures.shares.known, history, 'known'),
    'one success for each challenge': pairs.every(([one, other]) => one.challenge !== other.challenge),
    'one success for each code in a day': pairs.every(
      ([one, other]) => one.code !== other.code || Math.abs(other.at - one.at) >= day,
    ),
    'success for a right code alone': letIn.every(({ right }) => right),
    'success for its owner alone': letIn.every(
      ({ by, startedBy }) =>
        by.session === startedBy.session &&
        by.subject === startedBy.subject &&
        by.budget === startedBy.budget,
    ),
  }
  return Object.keys(kept).filter((rule) => kept[rule] === false)
}
