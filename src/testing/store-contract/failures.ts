import assert from 'node:assert/strict'
import { hourMs } from '../../lib/time.js'
import type { Cases } from './bench.js'

/** A store that cannot carry out a command rejects: an invented result could admit an attacker. */
export const failureCases: Cases = {
  'an infinite, zero or invalid lifetime is rejected and nothing is written': async ({
    open,
    ledgerKey,
    counterKey,
  }) => {
    const [store, ledger, counter] = [await open(), ledgerKey(), counterKey()]
    for (const ms of [Number.NaN, Number.POSITIVE_INFINITY, 0, -1]) {
      await assert.rejects(store.swap(ledger, undefined, 'kept', ms), `an entry was kept for ${ms} ms`)
      await assert.rejects(store.increment(counter, ms), `a counter was kept for ${ms} ms`)
    }
    assert.equal(await store.read(ledger), undefined)
    assert.equal((await store.increment(counter, hourMs)).count, 1)
  },

  'an amount that is not an integer is rejected and nothing is added': async ({ open, counterKey }) => {
    const [store, key] = [await open(), counterKey()]
    for (const by of [Number.NaN, Number.POSITIVE_INFINITY, 0.5]) {
      await assert.rejects(store.increment(key, hourMs, by), `${by} was added to a counter`)
    }
    assert.equal((await store.increment(key, hourMs)).count, 1)
  },
}

/** For a store whose backend is unreachable. */
export const downCases: Cases = {
  'an unreachable store rejects; it never reports absent, swapped or counted': async (bench) => {
    const store = await bench.open()
    await assert.rejects(store.read(bench.ledgerKey()))
    await assert.rejects(store.swap(bench.ledgerKey(), undefined, 1, hourMs))
    await assert.rejects(store.swap(bench.ledgerKey(), 'a version', undefined, hourMs))
    await assert.rejects(store.increment(bench.counterKey(), hourMs))
    await assert.rejects(store.increment(bench.counterKey(), hourMs, 0))
    await assert.rejects(store.increment(bench.counterKey(), hourMs, -1))
  },
}
