import { describe, expect, it } from 'vitest'
import { createKeys } from '../../../src/challenge/keys.js'
import { createReceipts, receiptLeaseMs } from '../../../src/challenge/proofs/recovery-receipts.js'
import { createSecrets } from '../../../src/challenge/secrets.js'
import { memoryStore } from '../../../src/store/memory-store.js'
import type { Store } from '../../../src/store/store.js'

/** Receipts of a store that can be told to refuse every write. */
function setUp() {
  const clock = { now: 1_000_000 }
  const state = { refuses: false }
  const well = memoryStore({ now: () => clock.now })
  const swap: Store['swap'] = (...args) => {
    if (state.refuses) throw new Error('down')
    return well.swap(...args)
  }
  const keys = createKeys('', createSecrets(['a secret of thirty-two bytes or more']))
  const receipts = createReceipts({ store: { ...well, swap }, keys, now: () => clock.now })
  const receipt = (hash: string, session = 's1') => receipts({ subject: 'ana', session, hash })
  /** The host has removed the code, and the store takes no note of it. */
  async function spend(hash: string) {
    const used = receipt(hash)
    await used.find(undefined)
    await used.begin('new', undefined)
    state.refuses = true
    await used.markUsed()
    state.refuses = false
  }
  return { clock, state, receipt, spend }
}

describe('the receipt of a recovery code', () => {
  it('is remembered by the process when the store takes no note of it', async () => {
    const { clock, receipt, spend } = setUp()
    await spend('h1')
    expect(await receipt('h1').find(undefined)).toBe('busy')
    clock.now += receiptLeaseMs
    expect(await receipt('h1').find(undefined)).toBe('used')
    expect(await receipt('h1', 's2').find(undefined)).toBe('new')
  })

  it('gives way to a thousand others that the store did not take either', async () => {
    const { clock, receipt, spend } = setUp()
    for (let index = 0; index <= 1_000; index += 1) await spend(`h${index}`)
    clock.now += receiptLeaseMs
    expect(await receipt('h0').find(undefined)).toBe('new')
    expect(await receipt('h1').find(undefined)).toBe('used')
    expect(await receipt('h1000').find(undefined)).toBe('used')
  })

  it('lets the session finish under the id that it has, renewed or not', async () => {
    const { receipt } = setUp()
    for (const session of ['s1', 's2']) {
      const used = receipt(session)
      await used.find(undefined)
      await used.begin('new', undefined)
      await used.markUsed()
      await used.reopen(session)
      expect(await receipt(session, session).find(undefined)).toBe('used')
    }
    expect(await receipt('s2').find(undefined)).toBe('new')
  })

  it('ends whether or not there is one, and whether or not the store is well', async () => {
    const { state, receipt, spend } = setUp()
    await receipt('h1').end()
    await spend('h1')
    state.refuses = true
    await receipt('h1').end()
    state.refuses = false
    await receipt('h1').end()
    expect(await receipt('h1').find(undefined)).toBe('new')
  })
})
