import { randomUUID } from 'node:crypto'
import { type Checks, checkOptions, func } from '../../lib/options.js'
import type { Awaitable } from '../../lib/promises.js'
import type { Store } from '../../store/store.js'
import type { Cases, StoreUnderTest } from './store-contract/bench.js'
import { counterCases } from './store-contract/counters.js'
import { entryCases } from './store-contract/entries.js'
import { downCases, failureCases } from './store-contract/failures.js'
import { lifetimeCases } from './store-contract/lifetimes.js'
import { raceCases } from './store-contract/races.js'

/** Options of `storeContract`. */
export interface StoreContractOptions {
  /** The test function of your runner: `test` of vitest, node:test or Jest, `it` of Mocha. */
  test: (sentence: string, run: () => Promise<void>) => unknown
  /** Creates a store that is ready to use. Two stores with shared entries race against each other. */
  createStore: () => Awaitable<Store>
  /** Lets at least this many milliseconds pass for the store: moves its clock, or sleeps. */
  elapse: (ms: number) => Awaitable<unknown>
  /** Creates a store whose backend is unreachable. Omit it for a store without a backend. */
  createDownStore?: () => Awaitable<Store>
}

const checks: Checks<StoreContractOptions> = {
  test: func('(sentence, run)'),
  createStore: func('() => store'),
  elapse: func('(ms)'),
  createDownStore: func('() => store'),
}

const toPaste = {
  test: 'test, // of your test runner',
  createStore: '() => yourStore(),',
  elapse: '(ms) => sleep(ms),',
}

/**
 * The executable contract of a {@link Store}: one test per sentence, in your runner. Keys are random, so you need not
 * clean up before or after.
 *
 * @throws {TypeError} for a missing or wrong option
 * @example
 * import { test } from 'node:test'
 * import { setTimeout as sleep } from 'node:timers/promises'
 * import { storeContract } from 'express-two-factor/testing'
 *
 * storeContract({ test, createStore: () => postgresStore(pool), elapse: sleep })
 */
export function storeContract(options: StoreContractOptions): void {
  // Without this check, a misspelt createDownStore would silently skip its part of the contract.
  checkOptions('storeContract', options, checks, toPaste)
  const { test, createStore, elapse, createDownStore } = options
  const newKey = (kind: string) => `tf3:contract:${kind}:${randomUUID()}`

  function define(cases: Cases, create: () => Awaitable<Store>): void {
    for (const [sentence, run] of Object.entries(cases)) {
      test(sentence, async () => {
        const opened: Store[] = []
        const open = async () => {
          const store = await create()
          opened.push(store)
          return underTest(store)
        }
        const [ledgerKey, counterKey] = [() => newKey('auth'), () => newKey('count-contract')]
        try {
          await run({
            store: await open(),
            key: ledgerKey(),
            counter: counterKey(),
            open,
            ledgerKey,
            counterKey,
            elapse: async (ms) => void (await elapse(ms)),
          })
        } finally {
          for (const store of opened) await store.close?.()
        }
      })
    }
  }

  for (const cases of [entryCases, lifetimeCases, counterCases, failureCases, raceCases]) {
    define(cases, createStore)
  }
  if (createDownStore !== undefined) define(downCases, createDownStore)
}

const underTest = (store: Store): StoreUnderTest => ({
  read: async (key) => store.read(key),
  swap: async (key, expectedVersion, next, ttlMs) => store.swap(key, expectedVersion, next, ttlMs),
  increment: async (key, windowMs, by) => store.increment(key, windowMs, by),
})
