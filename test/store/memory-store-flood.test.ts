import { expect, test } from 'vitest'
import { memoryStore } from '../../src/store/memory-store.js'

const hour = 3_600_000

test('a locked number stays locked under a flood of 20 times the capacity', () => {
  const store = memoryStore({ maxLedgers: 10_000 })
  store.swap('tf1::auth:locked', undefined, { lockedUntil: 1 }, hour)
  let refused = 0
  for (let i = 0; i < 200_000; i += 1) {
    try {
      store.swap(`tf1::auth:flood-${i}`, undefined, {}, hour)
    } catch {
      refused += 1
    }
  }
  expect(refused).toBe(190_001)
  expect(store.read('tf1::auth:locked')?.value).toEqual({ lockedUntil: 1 })
})
