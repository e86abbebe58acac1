import { type Awaitable, all, andThen } from '../../lib/promises.js'
import { clockLeewayMs, hourMs } from '../../lib/time.js'
import type { CounterResult, Store } from '../../store/store.js'
import type { SlidingCount } from './counter-table.js'
import { near } from './service-limits.js'

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
export function createSlidingDay(parts: {
  readonly store: Pick<Store, 'increment'>
  readonly key: string
  readonly now: () => number
}): (max: number) => SlidingCount {
  const { store, key, now } = parts
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
