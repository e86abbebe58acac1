import type { LimitName } from '../../events.js'
import type { Store } from '../../store/store.js'
import { type Refusal, refused } from '../commands.js'

/** Something that a request uses up, refundable when it fails. */
export interface Allowance {
  /** Counts one hit, unless that exceeds the limit, however many hits are parallel. */
  take(): Promise<Refusal | undefined>
  /** Takes the hit back that `take` counted. */
  refund(): Promise<unknown>
}

/** A counter in the store and what it allows. */
export interface Limited {
  readonly key: string
  readonly max: number
  readonly windowMs: number
  readonly code: 'send_limit' | 'sending_paused' | 'attempts_exhausted'
  /** What is counted, for the operator. */
  readonly limit: LimitName
}

export type CounterStore = Pick<Store, 'increment'>

/** What was read, and the refusal of one more hit. */
export interface CounterReading {
  readonly count: number
  readonly resetInMs: number
  readonly refusal?: Refusal
}

export interface Counter extends Allowance {
  /** Reads it and counts nothing. */
  check(): Promise<CounterReading>
  refund(times?: number): Promise<unknown>
  /** As it was read or counted last; 0 before. */
  readonly count: number
}

export function counter(store: CounterStore, { key, max, windowMs, code, limit }: Limited): Counter {
  const refusal = (resetInMs: number): Refusal => ({
    ...refused(code, Math.max(1, Math.ceil(resetInMs))),
    limit,
  })
  let last = 0
  const refund = async (times = 1) => store.increment(key, windowMs, -times)
  return {
    get count() {
      return last
    },
    async check() {
      const read = await store.increment(key, windowMs, 0)
      last = read.count
      return read.count < max ? read : { ...read, refusal: refusal(read.resetInMs) }
    },
    async take() {
      const { count, resetInMs } = await store.increment(key, windowMs)
      last = count
      if (count <= max) return undefined
      await refund()
      return refusal(resetInMs)
    },
    refund,
  }
}

/** Several at once, all or none. Issued together: over a network store they cost one round trip. */
export function together(allowances: readonly Allowance[]): Allowance {
  const refund = (taken: readonly Allowance[]) => Promise.all(taken.map((allowance) => allowance.refund()))
  return {
    async take() {
      const results = await Promise.allSettled(allowances.map((allowance) => allowance.take()))
      const taken = allowances.filter((_, index) => {
        const result = results[index]
        return result?.status === 'fulfilled' && result.value === undefined
      })
      if (taken.length === allowances.length) return undefined
      await refund(taken)
      const refusals = results.map((result) => {
        if (result.status === 'rejected') throw result.reason
        return result.value
      })
      return refusals.find((refusal) => refusal !== undefined)
    },
    refund: () => refund(allowances),
  }
}
