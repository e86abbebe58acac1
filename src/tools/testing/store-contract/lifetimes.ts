import assert from 'node:assert/strict'
import { hourMs } from '../../../lib/time.js'
import { type Cases, equalData } from './bench.js'

/**
 * Cases on the end of an entry. Times are short enough to sleep through without a movable clock, and long enough for a
 * slow store.
 */
export const lifetimeCases: Cases = {
  'an entry exists until its lifetime has passed, and is then absent': async ({ store, key, elapse }) => {
    const { entry } = await store.swap(key, undefined, 'kept', 4_000)
    await elapse(1_000)
    equalData(await store.read(key), entry)
    await elapse(3_000)
    assert.equal(await store.read(key), undefined)
  },

  'an expired entry does not block a new one': async ({ store, key, elapse }) => {
    const { entry } = await store.swap(key, undefined, 'old', 1_000)
    await elapse(1_000)
    const late = await store.swap(key, entry?.version, 'late', hourMs)
    assert.equal(late.swapped, false)
    assert.equal(late.entry, undefined)
    const next = await store.swap(key, undefined, 'new', hourMs)
    assert.equal(next.swapped, true)
    assert.notEqual(next.entry?.version, entry?.version)
    equalData(await store.read(key), next.entry)
  },

  'neither a read nor a failed swap extends a lifetime': async ({ store, key, elapse }) => {
    await store.swap(key, undefined, 'kept', 4_000)
    await elapse(1_000)
    await store.read(key)
    await store.swap(key, undefined, 'refused', hourMs)
    await store.swap(key, 'no such version', 'refused', hourMs)
    await store.swap(key, 'no such version', undefined, hourMs)
    await elapse(3_000)
    assert.equal(await store.read(key), undefined)
  },

  'a swap sets its own lifetime, longer or shorter': async ({ store, key: longer, ledgerKey, elapse }) => {
    const shorter = ledgerKey()
    const short = await store.swap(longer, undefined, 1, 4_000)
    const long = await store.swap(shorter, undefined, 1, hourMs)
    await store.swap(longer, short.entry?.version, 2, hourMs)
    await store.swap(shorter, long.entry?.version, 2, 1_000)
    await elapse(4_000)
    assert.equal((await store.read(longer))?.value, 2)
    assert.equal(await store.read(shorter), undefined)
  },

  'a lifetime of a year is accepted': async ({ store, key, elapse }) => {
    const { entry } = await store.swap(key, undefined, 'disabled', 365 * 24 * hourMs)
    await elapse(1_000)
    equalData(await store.read(key), entry)
    await store.swap(key, entry?.version, undefined, hourMs)
  },
}
