import { createHash } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { memoryStore } from '../../src/store/memory-store.js'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

const minute = 60_000
const tag = (text: string) => createHash('sha256').update(text).digest('base64url')
const keys = Array.from({ length: 200_000 }, (_, i) => `tf3::auth:${tag(`number ${i}`)}`)

/**
 * What makes one call take long: how many entries of a Map a call deletes, and how large a Map it may have
 * to copy. Counted, because wall time on a busy machine says nothing.
 */
function heaviest(calls: number, call: (i: number) => unknown): { deletes: number; map: number } {
  const { delete: remove, set } = Map.prototype
  const most = { deletes: 0, map: 0 }
  let deletes = 0
  Map.prototype.delete = function (key) {
    deletes += 1
    return remove.call(this, key)
  }
  Map.prototype.set = function (key, value) {
    most.map = Math.max(most.map, this.size)
    return set.call(this, key, value)
  }
  try {
    for (let i = 0; i < calls; i += 1) {
      deletes = 0
      call(i)
      most.deletes = Math.max(most.deletes, deletes)
    }
    return most
  } finally {
    Object.assign(Map.prototype, { delete: remove, set })
  }
}

test('no write does more than a handful of work, with 200,000 ledgers that lapse together', () => {
  const clock = { at: 0 }
  const store = memoryStore({ maxLedgers: keys.length, now: () => clock.at })
  const put = (key: string | undefined, i: number) => store.swap(String(key), undefined, i, minute)
  const filling = heaviest(keys.length, (i) => put(keys[i], i))
  expect(filling.deletes).toBe(0)
  expect(filling.map).toBeLessThan(2_048)

  clock.at += minute
  const replacing = heaviest(keys.length / 2, (i) => put(keys[i], i))
  expect(replacing.deletes).toBeLessThanOrEqual(2)
  const adding = heaviest(keys.length / 2, (i) => put(keys[i]?.replace('auth:', 'auth:another-'), i))
  expect(adding.deletes).toBeLessThanOrEqual(130)
  expect(adding.map).toBeLessThan(2_048)
})

test('expired entries are removed by later writes without a sweep', async () => {
  for (const [kind, writes] of [
    ['auth', 1_000],
    ['count-auth-address-sends', 5_000],
  ] as const) {
    const clock = { at: 0 }
    const store = memoryStore({ now: () => clock.at })
    const lapsing = Array.from({ length: 500 }, (_, i) => {
      const value = { failures: i }
      store.swap(`tf3::${kind}:earlier-${i}`, undefined, value, minute)
      return new WeakRef(value)
    })
    clock.at += minute
    for (let i = 0; i < writes; i += 1) store.increment(`tf3::${kind}:later-${i}`, minute)
    await turn()
    collectGarbage()
    expect([kind, ...lapsing.map((value) => value.deref()).filter(Boolean)]).toEqual([kind])
  }
})
