import { allEnded } from '../../lib/promises.js'
import type { Store } from '../../store/store.js'
import { type Refusal, refused } from '../commands.js'
import type { SendResult } from '../exchange/code-provider.js'
import type { DomainServices } from '../keys.js'
import { isUndelivered } from '../ledger/sends.js'
import type { Limits } from '../limits.js'
import {
  type CounterHit,
  type CounterRow,
  counterTable,
  type RateLimitKeys,
  type RefundRule,
} from './counter-table.js'
import { timesBehindProxy } from './networks.js'
import type { SendLimit } from './send-limits.js'
import type { ServiceLimits } from './service-limits.js'
import type { SignupGuard } from './signup-guard.js'
import type { SignupPause } from './signup-pause.js'

export type Counters = ReturnType<typeof createCounters>

/** The rate limits of one send. */
export type SendRateLimits = ReturnType<Counters['forSend']>

/** Creates the rate limits of sends beyond those of account and number. */
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
      const times = counted.proxied && row.problem?.limit === 'address' ? timesBehindProxy : 1
      const key = keys.counter(row.kind, tag)
      hits.push({ row, key, max: row.max * times, isTaken: false, refusal: undefined, count: 0 })
    }
    return hits
  }

  return {
    forSend(counted: RateLimitKeys) {
      const { lane } = counted
      const hits = hitsOf(counted, rows[lane].sends)
      const requestLimits = createRequestLimits(store, hits)
      const country = lane === 'enrol' ? signups.forSend(counted.country) : undefined
      const pause = lane === 'enrol' ? parts.pause : undefined
      let isAsked = false
      const question = createRequestLimits(
        store,
        hits.filter(({ row }) => rows[lane].questions.includes(row)),
      )
      /**
       * Refunds a send that delivered nothing: hourly and daily limits are refunded, limits per minute are not, and the
       * daily limit of an address only if no request was sent.
       */
      const refund = (result: SendResult['result']) =>
        Promise.all([requestLimits.refund(result === 'not-sent' ? result : 'refused'), country?.refund()])
      const withdraw = () => Promise.all([requestLimits.refund('withdrawn'), refund('not-sent')])
      const limit: SendLimit = {
        async consume() {
          // Checked again, because `beforeSend` may take long.
          const paused = isAsked ? await pause?.refusal() : undefined
          if (paused !== undefined) {
            await Promise.allSettled([requestLimits.rollBack()])
            return paused
          }
          const over = await requestLimits.consume(country)
          for (const { row, refusal } of hits) {
            if (refusal?.retryAfterMs && row.problem?.service) {
              service.close(lane, row.problem.service, refusal.retryAfterMs)
            }
          }
          if (over !== undefined) return over
          const late = country?.settle(unprovenIn(hits))
          if (late !== undefined) await withdraw()
          return late
        },
        read: () => Promise.all([requestLimits.read(), country?.readSends()]),
        rollBack: () => Promise.all([requestLimits.rollBack(), country?.refund()]),
        withdraw,
        settle: async (sent) => (isUndelivered(sent) ? refund(sent.result) : undefined),
      }
      return {
        ...limit,
        async check(): Promise<Refusal | undefined> {
          const [paused, over] = await Promise.all([pause?.refusal(), requestLimits.check(), country?.read()])
          return paused ?? over
        },
        /**
         * Returns whether the sign-ups of this country look like SMS pumping, from what `check` read. `isHeard`:
         * `beforeSend` is informed.
         */
        suspected: (isHeard: boolean) => country?.suspected(unprovenIn(hits), isHeard),
        /** Hits that a call of `beforeSend` uses before `consume`. They are refunded if nothing is sent. */
        question: {
          consume: () => {
            isAsked = true
            return question.consume()
          },
          refund: () => Promise.allSettled([question.rollBack()]),
        },
      }
    },

    /** Refunds the codes of a number that a sign-up has verified. Does nothing for a number on file. */
    async refundSignup(counted: RateLimitKeys, sends: number): Promise<void> {
      if (counted.lane === 'auth') return
      const wasted = createRequestLimits(store, hitsOf(counted, rows.enrol.sends))
      await Promise.all([signups.approved(counted.country), wasted.refund('proven', sends)])
    },
  }
}

/** Returns the last known count, or undefined without an address. */
function unprovenIn(hits: readonly CounterHit[]): number | undefined {
  return hits.find(({ row }) => row.kind === 'count-enrol-address-unproven')?.count
}

/** A limit that a request consumes beyond its own counters. */
interface Reservation {
  /** Counts one hit. */
  consume(): Promise<void>
  /** Refunds the hit of `consume`. */
  refund(): Promise<unknown>
}

/**
 * Creates the limits of one request, of which all or none are counted. Commands start together, which is one round trip
 * to a network store.
 */
function createRequestLimits(store: Store, hits: readonly CounterHit[]) {
  async function add(hit: CounterHit, by: number): Promise<Refusal | undefined> {
    const { count, resetInMs } = await store.increment(hit.key, hit.row.windowMs, by)
    const { problem } = hit.row
    // A read must leave room for one more; a count includes this one.
    const isWithin = by === 0 ? count < hit.max : count <= hit.max
    const wait = Math.max(1, Math.ceil(resetInMs))
    const refusal =
      problem === undefined || isWithin ? undefined : { ...refused(problem.code, wait), limit: problem.limit }
    hit.count = count
    if (by > 0) Object.assign(hit, { isTaken: true, refusal })
    return refusal
  }

  const addAll = (some: readonly CounterHit[], by: number) => Promise.all(some.map((hit) => add(hit, by)))

  /** Rolls back everything that was counted. */
  function rollBack() {
    const taken = hits.filter(({ isTaken }) => isTaken)
    for (const hit of taken) hit.isTaken = false
    return addAll(taken, -1)
  }

  /** Decided once, because its own hit makes a number known. */
  let isNewNumber: boolean | undefined
  const due = () => hits.filter(({ row, isTaken }) => !isTaken && (isNewNumber || !row.isOfNewNumber))

  return {
    rollBack,

    /** Refuses an address beyond its limit and counts nothing. It runs together with the read of the ledger. */
    async check(): Promise<Refusal | undefined> {
      const refusals = await addAll(
        hits.filter(({ row }) => row.isReadFirst),
        0,
      )
      return refusals.find((refusal) => refusal !== undefined)
    },

    /**
     * Counts the remaining hits just before the request to the provider, so that a refused request consumes no
     * limit. After a failure, counted hits stay for another attempt or `rollBack`. `also` is a further limit.
     */
    async consume(also?: Reservation): Promise<Refusal | undefined> {
      isNewNumber ??= hits.every(({ row, count }) => !row.isOfNewNumber || !row.isReadFirst || count === 0)
      await allEnded<unknown>([...due().map((hit) => add(hit, 1)), also?.consume()])
      const refusal = hits.find((hit) => hit.refusal !== undefined)?.refusal
      if (refusal !== undefined) await Promise.all([rollBack(), also?.refund()])
      return refusal
    },

    /** Reads the counters that were not counted yet. */
    read: () => addAll(due(), 0),

    /** Refunds the hits of this rule, `times` times. */
    refund(when: RefundRule, times = 1) {
      const refunded = hits.filter(({ row }) => row.refundedWhen?.includes(when))
      return addAll(refunded, -times)
    },
  }
}
