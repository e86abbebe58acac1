import { describe, expect, it, vi } from 'vitest'
import { createKeys } from '../../src/challenge/keys.js'
import { createSecrets } from '../../src/challenge/secrets.js'
import { selfTest } from '../../src/challenge/self-test.js'
import { memoryStore } from '../../src/store/memory-store.js'
import type { Finding } from '../../src/store/store.js'

const parts = {
  balance: async () => ({ credits: 1 }),
  store: memoryStore(),
  inspect: async (): Promise<readonly Finding[]> => [],
  keys: createKeys('', createSecrets(['a secret of thirty-two bytes or more'])),
  now: Date.now,
}
const codes = async (changes: Partial<typeof parts>) =>
  (await selfTest({ ...parts, ...changes })).findings.map(({ code }) => code)

function fails(): never {
  throw new Error('down')
}

describe('the self-test', () => {
  it('finds nothing wrong with what is well, twice', async () => {
    expect(await selfTest(parts)).toEqual({ ok: true, findings: [] })
    expect(await selfTest(parts)).toEqual({ ok: true, findings: [] })
  })

  it('says when no credits are left, and nothing when the account does not tell', async () => {
    expect(await codes({ balance: async () => ({ credits: 0 }) })).toEqual(['no_credits'])
    expect(await codes({ balance: async () => ({}) as { credits: number } })).toEqual([])
  })

  it('says when the provider or the store fails, whatever it throws', async () => {
    expect(await codes({ balance: () => Promise.reject('refused') })).toEqual(['provider_failed'])
    const store = { ...parts.store, read: () => Promise.reject(new Error('down')) }
    expect(await codes({ store: store as never })).toEqual(['store_failed'])
  })

  it('says when the store writes over what stands, or forgets', async () => {
    const careless = { ...parts.store, swap: () => ({ swapped: true }) }
    expect(await codes({ store: careless })).toEqual(['store_unfit'])
  })

  it('hands on what the store finds, and says when it finds nothing out', async () => {
    const finding = { code: 'store_evicts', message: 'm', fix: 'f' }
    expect(await codes({ inspect: async () => [finding] })).toEqual(['store_evicts'])
    expect(await codes({ inspect: async () => fails() })).toEqual(['store_not_inspected'])
    expect(await codes({ inspect: fails })).toEqual(['store_not_inspected'])
  })

  it('ends when an inspection does not', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    const asked = codes({ inspect: () => new Promise(() => {}) })
    await vi.advanceTimersByTimeAsync(5_000)
    vi.useRealTimers()
    expect(await asked).toEqual(['store_not_inspected'])
  })

  it('says when the clock cannot be asked', async () => {
    expect(await codes({ now: fails })).toEqual(['clock_failed'])
  })

  it('says when the clock is not that of the machine', async () => {
    expect(await codes({ now: () => Date.now() - 6_000 })).toEqual(['clock_differs'])
    expect(await codes({ now: () => Date.now() + 4_000 })).toEqual([])
  })
})
