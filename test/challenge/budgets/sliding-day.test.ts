import { describe, expect, it } from 'vitest'
import { createSlidingDay } from '../../../src/challenge/budgets/service-limits.js'
import { memoryStore } from '../../../src/store/memory-store.js'
import type { Store } from '../../../src/store/store.js'
import { seeded } from '../../seeded.js'
import { basisOf, day, hour, minute, mostWithin } from '../kit.js'

const second = 1_000
const max = 40

/** Processes whose clocks differ by so much, on one store, each with a connection that carries one command after the other. */
function open(...skews: readonly number[]) {
  const clock = { at: 500_000 * hour }
  const inner = memoryStore({ now: () => clock.at })
  const asked: number[] = []
  const connect = (): Store => {
    let last: Promise<unknown> = Promise.resolve()
    return {
      ...inner,
      increment(key, windowMs, by = 1) {
        asked.push(by)
        const answer = last
          .then(() => new Promise((resolve) => setImmediate(resolve)))
          .then(() => inner.increment(key, windowMs, by))
        last = answer
        return answer
      },
    }
  }
  const store = connect()
  const processes = [store, ...skews.map(connect)].map((one, index) =>
    createSlidingDay(
      basisOf({ store: one, now: () => clock.at + (skews[index - 1] ?? 0) }),
      'tf2::count-enrol-service-sends:day',
    ),
  )
  const begin = (process: number) => processes[process]?.(max) ?? expect.unreachable()
  /** Says for how long one is refused; undefined for one that has passed. */
  async function send(process = 0, isGivenBack = false): Promise<number | undefined> {
    const count = begin(process)
    const counted = await count(1)
    const isRefused = counted.count > max
    if (isRefused || isGivenBack) await count(-1)
    return isRefused ? counted.resetInMs : undefined
  }
  return { clock, store, asked, begin, send }
}

/** Up to two hours, and every other time to the turn of an hour, or seconds before or after it. */
function elapse(clock: { at: number }, random: (below: number) => number): void {
  clock.at += random(2) === 0 ? random(120) * minute : hour - (clock.at % hour) + (random(10) - 5) * second
}

describe('a day that slides', () => {
  it('never holds more than its limit, over processes whose clocks differ by five seconds', async () => {
    const passed: number[] = []
    for (let seed = 0; seed < 20; seed += 1) {
      const { clock, send } = open(5 * second, 2 * second)
      const random = seeded(seed)
      const moments: number[] = []
      for (let burst = 0; burst < 60; burst += 1) {
        elapse(clock, random)
        const hits = Array.from({ length: random(12) }, async () => {
          const isGivenBack = random(4) === 0
          const refusedFor = await send(random(3), isGivenBack)
          if (refusedFor === undefined && !isGivenBack) moments.push(clock.at)
        })
        await Promise.all(hits)
      }
      passed.push(mostWithin(day - 5 * second, moments))
    }
    expect(Math.max(...passed)).toBe(max)
  })

  it('says to the millisecond when it has room for one', async () => {
    for (let seed = 0; seed < 40; seed += 1) {
      const { clock, send } = open()
      const random = seeded(seed)
      let refusedFor = await send()
      while (refusedFor === undefined) {
        if (random(5) === 0) elapse(clock, random)
        refusedFor = await send(0, random(4) === 0)
      }
      clock.at += refusedFor - 1
      expect(await send()).toBe(1)
      clock.at += 1
      expect(await send()).toBeUndefined()
    }
  })

  it('reads the hours that are over once an hour, and the one before for five seconds', async () => {
    const { clock, asked, send } = open()
    const asks = async () => {
      asked.length = 0
      await Promise.all([send(), send()])
      return [asked.filter((by) => by === 1).length, asked.filter((by) => by === 0).length]
    }
    clock.at += minute
    expect(await asks()).toEqual([2, 24])
    expect(await asks()).toEqual([2, 0])
    clock.at += hour - minute - 5 * second - 1
    expect(await asks()).toEqual([2, 0])
    // Some clock may say that the next hour has begun.
    clock.at += 1
    expect(await asks()).toEqual([2, 2])
    clock.at += 10 * second - 1
    expect(await asks()).toEqual([2, 2])
    clock.at += 1
    expect(await asks()).toEqual([2, 24])
    expect(await asks()).toEqual([2, 0])
  })

  it('gets back what is given back, by a burst or an hour later, and nothing else', async () => {
    const { clock, begin, send } = open()
    await Promise.all(Array.from({ length: 30 }, () => send(0, true)))
    const count = begin(0)
    await count(1)
    clock.at += hour
    await count(-1)
    const burst = await Promise.all(Array.from({ length: 100 }, () => send()))
    expect(burst.filter((wait) => wait === undefined)).toHaveLength(max)
  })

  it('asks again after a read that failed', async () => {
    const { store, send } = open()
    const { increment } = store
    store.increment = async (key, windowMs, by) => {
      if (by === 0) throw new Error('down')
      return increment(key, windowMs, by)
    }
    await expect(send()).rejects.toThrow('down')
    store.increment = increment
    expect(await send()).toBeUndefined()
  })
})
