import { describe, expect, test } from 'vitest'
import { type MemoryStore, memoryStore } from '../../src/store/memory-store.js'
import type { Store } from '../../src/store/store.js'
import { type StoreContractOptions, storeContract } from '../../src/tools/testing/store-contract.js'
import { breaks, failOpen } from './broken-stores.js'

/** Runs the contract without a test runner; gives the sentences that do not hold. */
async function violations(options: Omit<StoreContractOptions, 'test'>): Promise<string[]> {
  const cases: [string, () => Promise<void>][] = []
  storeContract({ ...options, test: (sentence, run) => cases.push([sentence, run]) })
  const violated: string[] = []
  for (const [sentence, run] of cases) {
    await run().catch((error: Error) => {
      violated.push(sentence)
      // Whoever writes a store has to see what is wrong with it.
      expect(error.message).not.toBe('')
    })
  }
  return violated
}

/** A clock, and the way to move it. */
function movedByHand() {
  const clock = { at: 0 }
  const elapse = (ms: number) => {
    clock.at += ms
  }
  return { now: () => clock.at, elapse }
}

describe('the memory store keeps the contract', () => {
  const { now, elapse } = movedByHand()
  storeContract({ test, createStore: () => memoryStore({ now }), elapse })
})

const down: Store = {
  read: () => Promise.reject(new Error('down')),
  swap: () => Promise.reject(new Error('down')),
  increment: () => Promise.reject(new Error('down')),
}

/** Stores that share their entries, each with this change. */
function changed(change: (store: MemoryStore, now: () => number) => Partial<Store> = () => ({})) {
  const { now, elapse } = movedByHand()
  const shared = memoryStore({ now })
  return { createStore: () => ({ ...shared, ...change(shared, now) }), elapse }
}

test('a store that rejects when its backend is down violates nothing', async () => {
  expect(await violations({ ...changed(), createDownStore: () => down })).toEqual([])
})

describe('the contract finds a store that', () => {
  test.each(Object.entries(breaks))('%s', async (_name, { found, also = [], of }) => {
    expect(await violations(changed(of))).toEqual(expect.arrayContaining([found, ...also]))
  })

  test.each(Object.entries(failOpen))('%s when its backend is down', async (_name, verbs) => {
    expect(await violations({ ...changed(), createDownStore: () => ({ ...down, ...verbs }) })).toEqual([
      'an unreachable store rejects; it never reports absent, swapped or counted',
    ])
  })

  test('shares its counters but not its entries', async () => {
    const { now, elapse } = movedByHand()
    const counters = memoryStore({ now })
    const createStore = () => ({ ...memoryStore({ now }), increment: counters.increment })
    expect(await violations({ createStore, elapse })).toContain(
      'a client immediately reads the writes of another client',
    )
  })
})

test('every store that a case has opened is closed, also where the case fails', async () => {
  let open = 0
  const counted = (store: Store): Store => {
    open += 1
    return {
      ...store,
      close: () => {
        open -= 1
      },
    }
  }
  const { now, elapse } = movedByHand()
  await violations({ createStore: () => counted(memoryStore({ now })), elapse })
  await violations({ createStore: () => counted(down), elapse })
  expect(open).toBe(0)
})
