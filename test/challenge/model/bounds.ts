import type { BudgetName } from '../../../src/challenge/ledger/ledger.js'
import { documented, type Figures, type Who } from './oracle.js'

/**
 * What the outside saw: codes that went out, codes that the provider was asked about, people who were let
 * in. The bounds are told from it alone, whatever the ledger believes and whatever the clock did.
 */
export type Seen =
  | {
      readonly what: 'sent' | 'checked'
      readonly at: number
      readonly challenge: string
      readonly budget: BudgetName
    }
  | {
      readonly what: 'let in'
      readonly at: number
      readonly challenge: string
      readonly budget: BudgetName
      readonly code: string
      readonly by: Who
      readonly startedBy: Who
      /** Whether the provider said that the code is right. */
      readonly right: boolean
    }

const hour = 60 * 60_000
const day = 24 * hour

/** The most codes that the provider was asked about in any such time, without a success in between, in one budget. */
function mostChecks(history: readonly Seen[], windowMs: number): number {
  const most = (budget: BudgetName) => {
    const runs: number[][] = [[]]
    for (const { what, at } of history.filter((seen) => seen.budget === budget)) {
      if (what === 'let in') runs.push([])
      if (what === 'checked') runs.at(-1)?.push(at)
    }
    const within = (moments: number[], end: number) =>
      moments.filter((at) => at <= end && at > end - windowMs).length
    return Math.max(0, ...runs.flatMap((moments) => moments.map((end) => within(moments, end))))
  }
  return Math.max(most('strangers'), most('known'))
}

/** The bounds that a history broke. */
export function broken(history: readonly Seen[], figures: Figures = documented): string[] {
  const count = (what: Seen['what'], challenge?: string) =>
    history.filter((seen) => seen.what === what && (challenge === undefined || seen.challenge === challenge))
      .length
  const letIn = history.filter((seen) => seen.what === 'let in')
  const pairs = letIn.flatMap((one, index) => letIn.slice(index + 1).map((other) => [one, other] as const))
  const kept: Readonly<Record<string, boolean>> = {
    'checks for each send': count('checked') <= figures.attempts * count('sent'),
    'checks in an hour': mostChecks(history, hour) <= figures.checksPerHour,
    'checks in a day': mostChecks(history, day) <= figures.checksPerDay,
    'sends for each challenge': history.every(
      ({ challenge }) => count('sent', challenge) <= figures.sendsPerChallenge,
    ),
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
