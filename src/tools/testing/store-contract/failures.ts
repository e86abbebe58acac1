import assert from 'node:assert/strict'
import { hourMs } from '../../../lib/time.js'
import type { Cases } from './bench.js'

/** A store that cannot carry out a command rejects: an invented result could admit an attacker. */
export const failureCases: Cases = {
  'an infinite, zero or invalid lifetime is rejected and nothing is written': async ({
    store,
    key,
    counter,
  }) => {
    for (const ms of [Number.NaN, Number.POSITIVE_INFINITY, 0, -1]) {
      await assert.rejects(store.swap(key, undefined, 'kept', ms), `an entry was kept for ${ms} ms`)
      await assert.rejects(store.increment(counter, ms), `a counter was kept for ${ms} ms`)
    }
    assert.equal(await store.read(key), undefined)
    assert.equal((await store.increment(counter, hourMs)).count, 1)
  },

  'an amount that is not an integer is rejected and nothing is added': async ({ store, counter }) => {
    for (const by of [Number.NaN, Number.POSITIVE_INFINITY, 0.5]) {
      await assert.rejects(store.increment(counter, hourMs, by), `${by} was added to a counter`)
    }
    assert.equal((await store.increment(counter, hourMs)).count, 1)
  },
}

/** Cases for a store whose backend is unreachable. */
export const downCases: Cases = {
  'an unreachable store rejects; it never reports absent, swapped or counted': async ({
    store,
    key,
    counter,
  }) => {
    await assert.rejects(store.read(key))
    await assert.rejects(store.swap(key, undefined, 1, hourMs))
    await assert.rejects(store.swap(key, 'a version', undefined, hourMs))
    await assert.rejects(store.increment(counter, hourMs))
    await assert.rejects(store.increment(counter, hourMs, 0))
    await assert.rejects(store.increment(counter, hourMs, -1))
  },
}
