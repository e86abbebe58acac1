import assert from 'node:assert/strict'
import { hourMs } from '../../../lib/time.js'
import type { Json } from '../../../store/store.js'
import { type Cases, equalData } from './bench.js'

const values: readonly Json[] = [
  null,
  true,
  false,
  0,
  -1.5,
  Number.MAX_SAFE_INTEGER,
  1e-7,
  '',
  '1',
  'line\nbreak, "quotes", back\\slash, ñ, 漢, 🙂',
  [],
  {},
  [[], {}, null, [1, '2']],
  { sends: [], challenge: { id: 'x', void: true }, at: 1_763_600_000_000, 'odd key:\n': null },
  'x'.repeat(20_000),
]

/** Cases on the effect of a swap on one entry. */
export const entryCases: Cases = {
  'a key that was never written is absent': async ({ store, key }) => {
    assert.equal(await store.read(key), undefined)
  },

  'a read returns exactly the stored value, with the version that the swap returned': async ({
    store,
    ledgerKey,
  }) => {
    for (const value of values) {
      const key = ledgerKey()
      const { swapped, entry } = await store.swap(key, undefined, value, hourMs)
      assert.equal(swapped, true)
      assert.equal(typeof entry?.version, 'string')
      equalData(entry?.value, value)
      equalData(await store.read(key), entry)
    }
  },

  'an undefined member is treated as absent': async ({ store, key }) => {
    await store.swap(key, undefined, { attempts: 1, bound: undefined }, hourMs)
    const value = (await store.read(key))?.value as { attempts?: number; bound?: string }
    assert.equal(value.attempts, 1)
    assert.equal(value.bound, undefined)
  },

  'creating an existing entry changes nothing and returns that entry': async ({ store, key }) => {
    const { entry } = await store.swap(key, undefined, { by: 'first' }, hourMs)
    equalData(await store.swap(key, undefined, { by: 'second' }, hourMs), { swapped: false, entry })
    equalData(await store.read(key), entry)
  },

  'replacing needs the current version': async ({ store, key }) => {
    const first = await store.swap(key, undefined, 1, hourMs)
    const second = await store.swap(key, first.entry?.version, 2, hourMs)
    assert.equal(second.swapped, true)
    assert.equal(second.entry?.value, 2)
    const late = await store.swap(key, first.entry?.version, 3, hourMs)
    equalData(late, { swapped: false, entry: second.entry })
    equalData(await store.read(key), second.entry)
  },

  'a version of an absent entry replaces nothing': async ({ store, key, ledgerKey }) => {
    const { entry } = await store.swap(ledgerKey(), undefined, 1, hourMs)
    const late = await store.swap(key, entry?.version, 2, hourMs)
    assert.equal(late.swapped, false)
    assert.equal(late.entry, undefined)
    assert.equal(await store.read(key), undefined)
  },

  'removing needs the current version': async ({ store, key }) => {
    const first = await store.swap(key, undefined, 1, hourMs)
    const second = await store.swap(key, first.entry?.version, 2, hourMs)
    for (const wrong of [undefined, first.entry?.version]) {
      const refused = await store.swap(key, wrong, undefined, hourMs)
      equalData(refused, { swapped: false, entry: second.entry })
    }
    const removed = await store.swap(key, second.entry?.version, undefined, 0)
    assert.equal(removed.swapped, true, 'a removal needs no lifetime')
    assert.equal(removed.entry, undefined)
    assert.equal(await store.read(key), undefined)
  },

  'removing an absent entry, as absent, succeeds': async ({ store, key }) => {
    assert.equal((await store.swap(key, undefined, undefined, hourMs)).swapped, true)
    assert.equal(await store.read(key), undefined)
  },

  'a version never repeats, not even for the same value or after a removal': async ({ store, key }) => {
    const seen = new Set<string | undefined>()
    for (let life = 0; life < 3; life += 1) {
      let version: string | undefined
      for (let write = 0; write < 3; write += 1) {
        version = (await store.swap(key, version, 'same', hourMs)).entry?.version
        assert.equal(seen.has(version), false, `version ${version} was used before`)
        seen.add(version)
      }
      await store.swap(key, version, undefined, hourMs)
    }
    await store.swap(key, undefined, 'same', hourMs)
    for (const old of seen) assert.equal((await store.swap(key, old, 'late', hourMs)).swapped, false)
  },

  'a stored value does not change with the objects that were written or read': async ({ store, key }) => {
    const mine = { challenge: { attempts: 1 }, sends: [1] }
    const meddle = (value: unknown) => {
      // A store may freeze its values or return copies, as long as the change stays invisible.
      try {
        Object.assign((value as typeof mine).challenge, { attempts: 0 })
      } catch {}
      try {
        ;(value as typeof mine).sends.push(2)
      } catch {}
    }
    const { entry } = await store.swap(key, undefined, mine, hourMs)
    for (const live of [mine, entry?.value, (await store.read(key))?.value]) meddle(live)
    meddle((await store.swap(key, undefined, 0, hourMs)).entry?.value)
    equalData((await store.read(key))?.value, { challenge: { attempts: 1 }, sends: [1] })
  },

  'an entry that was read does not change when its key is written again': async ({ store, key }) => {
    const created = await store.swap(key, undefined, { attempts: 1 }, hourMs)
    const refused = await store.swap(key, undefined, { attempts: 0 }, hourMs)
    const held = [created.entry, refused.entry, await store.read(key)]
    const contents = () =>
      held.map((entry) => structuredClone({ value: entry?.value, version: entry?.version }))
    const before = contents()
    await store.swap(key, created.entry?.version, { attempts: 2 }, hourMs)
    // Lost update: with a version that belongs to the key, an earlier reader would undo this attempt.
    equalData(contents(), before)
  },

  'keys that look alike are different keys': async ({ store, key }) => {
    const alike = [
      `${key}a`,
      `${key}A`,
      `${key}a `,
      `${key}_`,
      `${key}%`,
      `${key}-`,
      key.replace('contract', 'other'),
    ]
    for (const other of alike) assert.equal((await store.swap(other, undefined, other, hourMs)).swapped, true)
    for (const other of alike) assert.equal((await store.read(other))?.value, other)
    assert.equal(await store.read(key), undefined)
  },
}
