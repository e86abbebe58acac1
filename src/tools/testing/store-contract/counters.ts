import assert from 'node:assert/strict'
import { hourMs, minuteMs } from '../../../lib/time.js'
import { type Cases, equalData } from './bench.js'

/** Cases on the count of a counter, and on its restart. */
export const counterCases: Cases = {
  'a counter counts from 1, separately for each key': async ({ store, counter, counterKey }) => {
    for (const expected of [1, 2, 3]) {
      const { count, resetInMs } = await store.increment(counter, hourMs)
      assert.equal(count, expected)
      assert.ok(resetInMs > hourMs - minuteMs && resetInMs <= hourMs, `the window ends in ${resetInMs} ms`)
    }
    assert.equal((await store.increment(counterKey(), hourMs)).count, 1)
  },

  'a window starts at its first hit and is not extended by later hits': async ({
    store,
    counter,
    elapse,
  }) => {
    await store.increment(counter, 4_000)
    await elapse(1_000)
    const late = await store.increment(counter, 4_000)
    assert.equal(late.count, 2)
    assert.ok(late.resetInMs > 0 && late.resetInMs <= 3_001, `the window ends in ${late.resetInMs} ms`)
    await elapse(3_000)
    assert.equal((await store.increment(counter, 4_000)).count, 1)
  },

  'a later hit with a longer window does not extend the window': async ({ store, counter, elapse }) => {
    await store.increment(counter, 4_000)
    const { resetInMs } = await store.increment(counter, hourMs)
    assert.ok(resetInMs <= 4_000, `the window ends in ${resetInMs} ms`)
    await elapse(4_000)
    assert.equal((await store.increment(counter, 4_000)).count, 1)
  },

  'a window of a day counts like a window of a second': async ({ store, counter }) => {
    const { resetInMs } = await store.increment(counter, 24 * hourMs)
    assert.ok(resetInMs > 23 * hourMs, `the window ends in ${resetInMs} ms`)
    assert.equal((await store.increment(counter, 24 * hourMs)).count, 2)
  },

  'adding 0 reads a counter and starts no window': async ({ store, counter, elapse }) => {
    equalData(await store.increment(counter, 4_000, 0), { count: 0, resetInMs: 4_000 })
    await elapse(1_000)
    assert.ok((await store.increment(counter, 4_000)).resetInMs > 3_500, 'a read started the window')
    const { count, resetInMs } = await store.increment(counter, hourMs, 0)
    assert.equal(count, 1)
    assert.ok(resetInMs <= 4_000, `the window ends in ${resetInMs} ms`)
    assert.equal((await store.increment(counter, 4_000)).count, 2)
  },

  'several hits are added at once and refunded, within the current window': async ({
    store,
    counter,
    elapse,
  }) => {
    assert.equal((await store.increment(counter, minuteMs, 5)).count, 5)
    await elapse(1_000)
    const { count, resetInMs } = await store.increment(counter, minuteMs, -2)
    assert.equal(count, 3)
    assert.ok(resetInMs <= minuteMs - 999, `the window ends in ${resetInMs} ms`)
    assert.equal((await store.increment(counter, minuteMs)).count, 4)
  },

  'a count never falls below 0, so that a double refund admits no further hit': async ({
    store,
    counter,
  }) => {
    assert.equal((await store.increment(counter, hourMs, -1)).count, 0)
    assert.equal((await store.increment(counter, hourMs)).count, 1)
    assert.equal((await store.increment(counter, hourMs, -3)).count, 0)
    assert.equal(await store.read(counter), undefined)
    assert.equal((await store.increment(counter, hourMs)).count, 1)
  },
}
