import { type Awaitable, all, allEnded, allSettled, andThen } from '../../lib/promises.js'
import type { Store } from '../../store/store.js'
import { type Refusal, refused } from '../commands.js'
import type { SendResult } from '../exchange/code-provider.js'
import type { DomainServices } from '../keys.js'
import type { Limits } from '../limits.js'
import {
  type CounterHit,
  type CounterRow,
  counterTable,
  type RateLimitKeys,
  type RefundRule,
} from './counter-table.js'
import { timesBehindProxy } from './networks.js'
import type { ServiceLimits } from './service-limits.js'
import type { SignupGuard } from './signup-guard.js'
import type { SignupPause } from './signup-pause.js'

export type Counters = ReturnType<typeof createCounters>

/** What one send may cost. */
export type SendRateLimits = ReturnType<Counters['forSend']>

/** What sends use up besides what their account and number may. */
export function createCounters(
  parts: DomainServices & {
    readonly limits: Limits
    readonly signups: SignupGuard
    readonly service: ServiceLimits
    readonly pause: SignupPause
  },
) {
  const { store, keys, limits, signups, service } = parts
  const rows = { auth: counterTable('auth', limits), enrol: counterTable('enrol', limits) }

  function hitsOf(counted: RateLimitKeys, of: readonly CounterRow[]): readonly CounterHit[] {
    const hits: CounterHit[] = []
    for (const row of of) {
      const tag = row.of(counted)
      if (tag === undefined) continue
      const times = counted.proxied && row.told?.limit === 'address' ? timesBehindProxy : 1
      const key = keys.counter(row.kind, tag)
      hits.push({ row, key, max: row.max * times, isTaken: false, refusal: undefined, count: 0 })
    }
    return hits
  }

  return {
    forSend(counted: RateLimitKeys) {
      const { lane } = counted
      const hits = hitsOf(counted, rows[lane].sends)
      const budget = createBudget(store, hits)
      const country = lane === 'enrol' ? signups.forSend(counted.country) : undefined
      const pause = lane === 'enrol' ? parts.pause : undefined
      let isAsked = false
      const question = createBudget(
        store,
        hits.filter(({ row }) => rows[lane].questions.includes(row)),
      )
      /**
       * Called when nothing was sent: hours and days come back, the limits per minute do not, and the day of an
       * address only where the provider was not asked.
       */
      const refund = (result: SendResult['result']) =>
        Promise.all([budget.giveBack(result === 'not-sent' ? result : 'refused'), country?.refund()])
      return {
        check: () =>
          andThen(
            all([pause?.refusal(), budget.check(), country?.read()]),
            ([paused, over]) => paused ?? over,
          ),
        /** Whether the sign-ups of this country look like SMS pumping, by what `check` has read. `isHeard`: the host is told. */
        suspected: (isHeard: boolean) => country?.suspected(unprovenIn(hits), isHeard),
        /** What a question to `beforeSend` takes before `take`, and gives back where nothing is sent after it. */
        question: {
          take: () => {
            isAsked = true
            return question.take()
          },
          refund: () => allSettled([question.undo()]),
        },
        async take() {
          // Again: a host that is asked may take its time.
          const paused = isAsked ? await pause?.refusal() : undefined
          if (paused !== undefined) {
            await allSettled([budget.undo()])
            return paused
          }
          const over = await budget.take(country)
          for (const { row, refusal } of hits) {
            if (refusal?.retryAfterMs && row.told?.service) {
              service.close(lane, row.told.service, refusal.retryAfterMs)
            }
          }
          if (over !== undefined) return over
          const late = country?.settle(unprovenIn(hits))
          if (late !== undefined) await refund('not-sent')
          return late
        },
        /** What `take` would count: the store answers again. */
        look: () => all([budget.look(), country?.look()]),
        /** Called when it could not all be counted. */
        undo: () => all([budget.undo(), country?.refund()]),
        refund,
      }
    },

    /** Called when a number is proven: gives back what its codes were counted for. */
    async proven(counted: RateLimitKeys, sends: number): Promise<void> {
      if (counted.lane === 'auth') return
      const wasted = createBudget(store, hitsOf(counted, rows.enrol.sends))
      await Promise.all([signups.approved(counted.country), wasted.giveBack('proven', sends)])
    },
  }
}

/** As it was read or counted last. Undefined without an address. */
function unprovenIn(hits: readonly CounterHit[]): number | undefined {
  return hits.find(({ row }) => row.kind === 'count-enrol-address-unproven')?.count
}

/** What a request uses up besides the hits of its budget. */
interface Reservation {
  /** Counts one hit. */
  take(): Awaitable<void>
  /** Takes the hit back that `take` counted. */
  refund(): Awaitable<unknown>
}

/** What one request may cost, counted all or none. Issued together: over a network store that is one round trip. */
function createBudget(store: Store, hits: readonly CounterHit[]) {
  function add(hit: CounterHit, by: number): Awaitable<Refusal | undefined> {
    return andThen(store.increment(hit.key, hit.row.windowMs, by), ({ count, resetInMs }) => {
      const { told } = hit.row
      // Read, it says whether there is room for one more; counted, whether this one had any.
      const isWithin = by === 0 ? count < hit.max : count <= hit.max
      const wait = Math.max(1, Math.ceil(resetInMs))
      const refusal =
        told === undefined || isWithin ? undefined : { ...refused(told.code, wait), limit: told.limit }
      hit.count = count
      if (by > 0) Object.assign(hit, { isTaken: true, refusal })
      return refusal
    })
  }

  const addAll = (some: readonly CounterHit[], by: number) => all(some.map((hit) => add(hit, by)))

  /** Takes back whatever was counted. */
  function undo() {
    const taken = hits.filter(({ isTaken }) => isTaken)
    for (const hit of taken) hit.isTaken = false
    return addAll(taken, -1)
  }

  /** Decided once: its own hit makes a number one that was tried. */
  let isNewNumber: boolean | undefined
  const due = () => hits.filter(({ row, isTaken }) => !isTaken && (isNewNumber || !row.isOfNewNumber))

  return {
    undo,

    /** Asked together with the ledger: refuses an address past its limit, and counts nothing. */
    check(): Awaitable<Refusal | undefined> {
      const first = hits.filter(({ row }) => row.isReadFirst)
      return andThen(addAll(first, 0), (refusals) => refusals.find((refusal) => refusal !== undefined))
    },

    /**
     * Counts what is not counted yet, just before the provider is asked: a refused request costs no budget. Where that
     * fails, what was counted stays so, for another try or `undo`. `also`: what else it costs.
     */
    async take(also?: Reservation): Promise<Refusal | undefined> {
      isNewNumber ??= hits.every(({ row, count }) => !row.isOfNewNumber || !row.isReadFirst || count === 0)
      // A store that throws at once has rejected by now: its deadline sees to that.
      await allEnded<unknown>([...due().map((hit) => add(hit, 1)), also?.take()])
      const refusal = hits.find((hit) => hit.refusal !== undefined)?.refusal
      if (refusal !== undefined) await all([undo(), also?.refund()])
      return refusal
    },

    /** Reads what is not counted yet. */
    look: () => addAll(due(), 0),

    /** Takes back what comes back then, so many times. */
    giveBack(when: RefundRule, times = 1) {
      const back = hits.filter(({ row }) => row.back?.includes(when))
      return addAll(back, -times)
    },
  }
}
