import type { ServiceLimit } from '../../events.js'
import { type Awaitable, all, andThen } from '../../lib/promises.js'
import { clockLeewayMs, hourMs } from '../../lib/time.js'
import type { CounterResult } from '../../store/store.js'
import type { Basis } from '../keys.js'
import type { Lane } from '../limits.js'
import type { Hit, SlidingCount } from './counter-table.js'

// The limits of the whole service: how it is told that one nears or closes, and how the day of all sign-ups is counted.

/** A limit of the whole service that has little left, or nothing. */
export interface LimitState {
  readonly limit: ServiceLimit
  /** Whose sends it counts: `auth` of numbers on file, `enrol` of sign-ups. */
  readonly lane: Lane
  /** `near`: four fifths are used. `closed`: nothing is left, and starts are refused. */
  readonly state: 'near' | 'closed'
  /** When that ends unless more is sent, in milliseconds since 1970. */
  readonly endsAt: number
}

export type ServiceLimits = ReturnType<typeof createServiceLimits>

/** What part of a limit is used when it nears. */
export const near = 0.8

/**
 * Tells that a limit of the whole service nears, closes and opens again: otherwise a launch day that is refused
 * leaves no trace but one event for each person.
 */
export function createServiceLimits({ store, keys, now, emit }: Basis) {
  /** By lane and limit, which bounds them. */
  const seen = new Map<string, LimitState>()

  /** Once per window over all processes: whoever counts the first emits it. */
  async function tell(type: 'near' | 'closed' | 'opened', lane: Lane, limit: ServiceLimit, windowMs: number) {
    const key = keys.counter(`count-${lane}-service-told`, `${limit}.${type}`)
    const { count } = await store.increment(key, Math.max(1, windowMs))
    if (count === 1) emit({ type: `limit.${type}`, limit, lane })
  }

  async function noteHit(lane: Lane, limit: ServiceLimit, hit: Hit, isRefused: boolean): Promise<void> {
    const { count, max, resetInMs, row } = hit
    const name = `${lane} ${limit}`
    const at = now()
    const last = seen.get(name)
    const running = last !== undefined && at < last.endsAt ? last.state : undefined
    const isNear = count >= near * max
    // A limit that was raised opens before its time.
    if (running === 'closed' && isNear) return
    const state = isRefused && count >= max ? 'closed' : isNear ? 'near' : undefined
    if (state === undefined) seen.delete(name)
    else seen.set(name, { limit, lane, state, endsAt: at + resetInMs })
    if (last?.state === 'closed' && state !== 'closed') {
      // One that slides may close again within the hour, and open when the next has begun.
      await tell('opened', lane, limit, row.slides ? hourMs - (at % hourMs) : row.windowMs)
    } else if (state !== undefined && state !== running) await tell(state, lane, limit, resetInMs)
  }

  return {
    /** What one send has counted, and whether it was refused. Nobody waits for it, and it never rejects. */
    note(lane: Lane, hits: readonly Hit[], isRefused: boolean): void {
      for (const hit of hits) {
        const limit = hit.row.told?.service
        // An event that is lost must not keep a code from being sent.
        if (limit !== undefined) noteHit(lane, limit, hit, isRefused).catch(() => undefined)
      }
    },
    /** What this process knows of the windows that run. From memory. */
    states: (): readonly LimitState[] => [...seen.values()].filter(({ endsAt }) => now() < endsAt),
  }
}

/** So many hours of the clock before the one that runs: with it they hold the last 24 hours at any minute. */
const earlierHours = 24
/** Each is read for 25 hours from its beginning, by clocks that may differ. */
const keptMs = (earlierHours + 2) * hourMs

/** What one hour of the clock has had. */
interface Slice {
  /** Since 1970. */
  readonly hour: number
  readonly count: number
}

/**
 * Counts 24 hours that slide, by hours of the clock: a window that starts anew would let twice its limit through
 * around its end. A hit costs one increment. What the hours that are over hold is read once an hour, all together, and
 * remembered: they only lose what comes back, so that what is remembered is never too little.
 *
 * An hour is over once no clock that is right says otherwise: those of two processes may differ by `clockLeewayMs`.
 * That long before and after the turn, the hour on its other side is read with each hit. It is asked once the hit is
 * counted, so that of two processes on both sides the later sees what the other has counted.
 */
export function createSlidingDay({ store, now }: Basis, key: string): (max: number) => SlidingCount {
  const keyOf = (hour: number) => `${key}.${hour}`
  /** The hours before the first that may not be over. */
  let over: { readonly before: number; readonly slices: Awaitable<readonly Slice[]> } | undefined

  const read = (hour: number): Awaitable<Slice> =>
    andThen(store.increment(keyOf(hour), keptMs, 0), ({ count }) => ({ hour, count }))

  function slicesBefore(hour: number): Awaitable<readonly Slice[]> {
    if (over?.before === hour) return over.slices
    const slices = all(Array.from({ length: earlierHours }, (_, index) => read(hour - earlierHours + index)))
    over = { before: hour, slices }
    // After a read that failed the next send asks again.
    if (slices instanceof Promise) slices.catch(() => (over = undefined))
    return slices
  }

  function add(at: number, hour: number, max: number): Awaitable<CounterResult> {
    const [first, last] = [hourAt(at - clockLeewayMs), hourAt(at + clockLeewayMs)]
    const counted = andThen(store.increment(keyOf(hour), keptMs), ({ count }) => ({ hour, count }))
    const open = [...new Set([first, hour, last])].map((one) => (one === hour ? counted : read(one)))
    return andThen(all([slicesBefore(first), all(open)]), ([earlier, running]) => {
      const slices = [...earlier, ...running].filter((slice) => slice.hour >= hour - earlierHours)
      const count = slices.reduce((sum, slice) => sum + slice.count, 0)
      return { count, resetInMs: untilFewerThan(count > max ? max + 1 : near * max, slices, at) }
    })
  }

  return (max) => {
    let hour = 0
    let counted: CounterResult = { count: 0, resetInMs: 0 }
    return (by) => {
      if (by < 0) {
        const { count, resetInMs } = counted
        return andThen(store.increment(keyOf(hour), keptMs, by), () => ({ count: count + by, resetInMs }))
      }
      const at = now()
      hour = hourAt(at)
      return andThen(add(at, hour, max), (result) => (counted = result))
    }
  }
}

const hourAt = (at: number) => Math.floor(at / hourMs)

/** When the newest hour has left with which there are so many. What is refused in parallel counts along: never too soon. */
function untilFewerThan(most: number, slices: readonly Slice[], at: number): number {
  let count = 0
  const last = slices.findLast((slice) => {
    count += slice.count
    return count >= most
  })
  return last === undefined ? 0 : (last.hour + earlierHours + 1) * hourMs - at
}
