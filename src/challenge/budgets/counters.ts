import { all, andThen } from '../../lib/awaitable.js'
import type { Awaitable, Store } from '../../store/store.js'
import type { SendResult } from '../code-provider.js'
import type { Refusal } from '../commands.js'
import type { Keys } from '../keys.js'
import type { BudgetName } from '../ledger/ledger.js'
import type { Limits } from '../limits.js'
import { type Counted, counterTable, type Row } from './counter-table.js'
import { type Allowance, createBudget, type Hit } from './counting.js'
import type { ServiceLimits } from './service-limits.js'
import type { SignupGuard, Suspected } from './signup-guard.js'

/** What one send may cost. */
export interface SendBudget {
  check(): Awaitable<Refusal | undefined>
  take(): Promise<Refusal | undefined>
  /**
   * Called when nothing was sent: hours and days come back, the limits per minute do not, and the day of an
   * address only where the provider was not asked.
   */
  refund(result: SendResult['result']): Promise<unknown>
  /** One question to `beforeSend`, counted until it says yes: an assessment is billed. */
  readonly question: Allowance
  /** Whether the sign-ups of this country look like SMS pumping, by what `check` has read. */
  suspected(): Suspected | undefined
}

/** What one code may cost. */
export interface VerificationBudget {
  check(): Awaitable<Refusal | undefined>
  /** Counts it as a wrong code of this budget on the number. */
  take(budget: BudgetName): Promise<Refusal | undefined>
  /** Called unless the code was rejected. */
  refund(budget: BudgetName): Awaitable<unknown>
  /** Called when the number is proven: gives back what its codes were counted for. */
  proven(sends: number): Promise<unknown>
}

export interface Counters {
  forSend(counted: Counted): SendBudget
  /** Counts the attempt as a wrong one before it is judged; refunded unless the code was rejected. */
  forVerification(counted: Counted): VerificationBudget
}

export function createCounters(parts: {
  readonly store: Store
  readonly keys: Keys
  readonly limits: Limits
  readonly signups: Pick<SignupGuard, 'forSend' | 'approved'>
  readonly service: Pick<ServiceLimits, 'note'>
}): Counters {
  const { store, keys, limits, signups, service } = parts
  const rows = { auth: counterTable('auth', limits), enrol: counterTable('enrol', limits) }

  function hitsOf(counted: Counted, of: readonly Row[]): readonly Hit[] {
    const hits: Hit[] = []
    for (const [kind, holders, windowMs, max, told, back, group] of of) {
      for (const { tag, times } of holders(counted)) {
        const key = keys.counter(kind, tag)
        hits.push({ key, max: maxOf(max) * times, told, back, group, windowMs, count: 0, resetInMs: 0 })
      }
    }
    return hits
  }

  return {
    forSend(counted) {
      const { lane } = counted
      const hits = hitsOf(counted, rows[lane].sends)
      const budget = createBudget(store, hits)
      const country = lane === 'enrol' ? signups.forSend(counted.country) : undefined
      const questions = () => createBudget(store, hitsOf(counted, rows[lane].questions))
      return {
        check: () => andThen(all([budget.check(), country?.read()]), ([refusal]) => refusal),
        suspected: () => country?.suspected(unprovenIn(hits)),
        question: { take: () => questions().take(), refund: () => questions().giveBack('allowed') },
        async take() {
          const refusal = await budget.take(country && [country.allowance])
          service.note(lane, hits, refusal !== undefined)
          if (refusal === undefined) await country?.settle(unprovenIn(hits))
          return refusal
        },
        refund: (result) =>
          Promise.all([
            budget.giveBack(result === 'not-sent' ? result : 'refused'),
            country?.allowance.refund(),
          ]),
      }
    },

    forVerification(counted) {
      const { verifications, unproven, tally } = rows[counted.lane]
      const byAddress = hitsOf(counted, verifications)
      const address = createBudget(store, byAddress)
      const unprovenHits = hitsOf(counted, unproven)
      const wasted = createBudget(store, unprovenHits)
      const withTally = (name: BudgetName) =>
        createBudget(store, [...hitsOf(counted, tally(name)), ...byAddress])
      return {
        check: () => andThen(all([address.check(), wasted.check()]), ([refusal]) => refusal),
        take: (name) => withTally(name).take(),
        refund: (name) => withTally(name).giveBack('not-rejected'),
        async proven(sends) {
          if (counted.lane === 'auth') return
          const approved = signups.approved(counted.country, unprovenIn(unprovenHits))
          await Promise.all([approved, wasted.giveBack('proven', sends)])
        },
      }
    },
  }
}

/** Asked before anything is booked: a send that the host's function cannot bound is none. */
function maxOf(max: number | (() => number)): number {
  if (typeof max === 'number') return max
  const now: unknown = max()
  if (Number.isSafeInteger(now) && Number(now) >= 0) return Number(now)
  throw new TypeError('limits: a function of a limit of the service must return an integer, 0 or more')
}

/** As it was read or counted last, of the widest network: an attacker may hold a whole /48. Undefined without an address. */
function unprovenIn(hits: readonly Hit[]): number | undefined {
  const counts = hits.filter(({ group }) => group === 'unproven').map(({ count }) => count)
  return counts.length === 0 ? undefined : Math.max(...counts)
}
