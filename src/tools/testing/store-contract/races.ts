import assert from 'node:assert/strict'
import { hourMs } from '../../../lib/time.js'
import type { Json } from '../../../store/store.js'
import { type Bench, type Cases, equalData, type StoreUnderTest } from './bench.js'

const parallel = 50

/** Alternates between two stores if they share their entries, as two processes would. Otherwise uses one store. */
async function racers({ store, open, counterKey }: Bench): Promise<(turn: number) => StoreUnderTest> {
  const [other, probe] = [await open(), counterKey()]
  await store.increment(probe, hourMs)
  const shared = (await other.increment(probe, hourMs)).count === 2
  return (turn) => (shared && turn % 2 === 1 ? other : store)
}

const all = <Result>(start: (turn: number) => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: parallel }, (_, turn) => start(turn)))

/** Cases that every limit on guesses depends on. */
export const raceCases: Cases = {
  'of many parallel creations of one entry, one succeeds, and the others return it': async (bench) => {
    const [store, { key }] = [await racers(bench), bench]
    const results = await all((turn) => store(turn).swap(key, undefined, { turn }, hourMs))
    const won = results.filter(({ swapped }) => swapped)
    assert.equal(won.length, 1, `${won.length} of ${parallel} created the same entry`)
    for (const { entry } of results) equalData(entry, won[0]?.entry)
    for (const turn of [0, 1]) equalData(await store(turn).read(key), won[0]?.entry)
  },

  'of many parallel replacements or removals of one version, one succeeds': async (bench) => {
    const [store, { key }] = [await racers(bench), bench]
    const { entry } = await store(0).swap(key, undefined, 'start', hourMs)
    const next = (turn: number): Json | undefined => (turn % 3 === 0 ? undefined : { turn })
    const results = await all((turn) => store(turn).swap(key, entry?.version, next(turn), hourMs))
    const won = results.filter(({ swapped }) => swapped)
    assert.equal(won.length, 1, `${won.length} of ${parallel} replaced the same version`)
    for (const turn of [0, 1]) equalData(await store(turn).read(key), won[0]?.entry)
  },

  'of many parallel removals of one entry, one succeeds': async (bench) => {
    const [store, { key }] = [await racers(bench), bench]
    const { entry } = await store(0).swap(key, undefined, 'a grant for one use', hourMs)
    const results = await all((turn) => store(turn).swap(key, entry?.version, undefined, hourMs))
    const taken = results.filter(({ swapped }) => swapped).length
    assert.equal(taken, 1, `${taken} of ${parallel} took the same entry`)
  },

  'no change is lost when each is decided on the entry that made the swap fail': async (bench) => {
    const [store, { key }] = [await racers(bench), bench]
    const writers = 8
    const writes = 5
    const write = async (turn: number) => {
      let entry = await store(turn).read(key)
      // Each failed swap means that another swap succeeded, so more tries than writes are never needed.
      for (let [done, tries] = [0, 0]; done < writes && tries < writers * writes; tries += 1) {
        const result = await store(turn).swap(key, entry?.version, Number(entry?.value ?? 0) + 1, hourMs)
        entry = result.entry
        if (result.swapped) done += 1
      }
    }
    await Promise.all(Array.from({ length: writers }, (_, turn) => write(turn)))
    assert.equal((await store(0).read(key))?.value, writers * writes)
  },

  'a client immediately reads the writes of another client': async (bench) => {
    const [store, { key }] = [await racers(bench), bench]
    let version: string | undefined
    for (let turn = 0; turn < 10; turn += 1) {
      const { swapped, entry } = await store(turn).swap(key, version, turn, hourMs)
      assert.equal(swapped, true)
      equalData(await store(turn + 1).read(key), entry)
      version = entry?.version
    }
  },

  'no hit of a counter is lost or counted twice': async (bench) => {
    const [store, { counter }] = [await racers(bench), bench]
    const results = await all((turn) => store(turn).increment(counter, hourMs))
    const counts = results.map(({ count }) => count).sort((a, b) => a - b)
    equalData(
      counts,
      Array.from({ length: parallel }, (_, i) => i + 1),
    )
  },

  'no hit is lost during parallel refunds': async (bench) => {
    const [store, { counter }] = [await racers(bench), bench]
    await store(0).increment(counter, hourMs, parallel)
    await all((turn) => store(turn).increment(counter, hourMs, turn % 5 === 0 ? -1 : 1))
    assert.equal((await store(1).increment(counter, hourMs, 0)).count, parallel + (parallel * 3) / 5)
  },
}
