import { describe, expect, it } from 'vitest'
import { createKeys } from '../../../src/challenge/keys.js'
import { createReceipts, receiptLeaseMs } from '../../../src/challenge/proofs/recovery-receipts.js'
import { createSecrets } from '../../../src/challenge/secrets.js'
import { memoryStore } from '../../../src/store/memory-store.js'
import type { Store } from '../../../src/store/store.js'
import { minute } from '../kit.js'

/** Receipts of a store that can be told to refuse every write. */
function setUp() {
  const clock = { now: 1_000_000 }
  const state = { refuses: false }
  const well = memoryStore({ now: () => clock.now })
  let swaps = 0
  const swap: Store['swap'] = (...args) => {
    swaps += 1
    if (state.refuses) throw new Error('down')
    const [, , , ttlMs] = args
    if (!(ttlMs > 0)) throw new TypeError('ttlMs')
    return well.swap(...args)
  }
  const keys = createKeys('', createSecrets(['a secret of thirty-two bytes or more']))
  const open = () => createReceipts({ store: { ...well, swap }, keys, now: () => clock.now })
  const [receipts, others] = [open(), open()]
  const receipt = (hash: string, session = 's1') => receipts({ subject: 'ana', session, hash })
  /** The same receipt in another process. */
  const elsewhere = (hash: string, session = 's1') => others({ subject: 'ana', session, hash })
  /** The host has removed the code, and the session may finish. */
  async function use(hash: string, epoch?: string) {
    const used = receipt(hash)
    await used.find(epoch)
    await used.begin('new', epoch)
    await used.markUsed()
    await used.reopen('s1')
  }
  /** The host has removed the code, and the store takes no note of it. */
  async function spend(hash: string) {
    const used = receipt(hash)
    await used.find(undefined)
    await used.begin('new', undefined)
    state.refuses = true
    await used.markUsed()
    state.refuses = false
  }
  const kept = (hash: string) => well.read(keys.recovery({ subject: 'ana', session: 's1', hash }))
  return { clock, state, receipt, elsewhere, spend, use, kept, swaps: () => swaps }
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

  it('is known to every process when the store takes note of it, for ten minutes and no longer', async () => {
    const { clock, elsewhere, use, kept } = setUp()
    await use('h1')
    clock.now += 10 * minute - 1
    expect(await elsewhere('h1').find(undefined)).toBe('used')
    clock.now += 1
    expect(await elsewhere('h1').find(undefined)).toBe('new')
    expect(kept('h1')).toBeUndefined()
  })

  it('ends after ten minutes where only this process remembers it, too', async () => {
    const { clock, receipt, spend } = setUp()
    await spend('h1')
    clock.now += 10 * minute - 1
    expect(await receipt('h1').find(undefined)).toBe('used')
    clock.now += 1
    expect(await receipt('h1').find(undefined)).toBe('new')
  })

  it('is not prolonged by those who try to finish, and begins anew where the code was not used', async () => {
    const { clock, receipt, use } = setUp()
    await use('h1')
    await receipt('h2').begin('new', undefined)
    clock.now += 9 * minute
    const finishing = receipt('h1')
    expect(await finishing.begin('used', undefined)).toBe(true)
    await finishing.reopen('s1')
    const again = receipt('h2')
    await again.begin('new', undefined)
    await again.markUsed()
    await again.reopen('s1')
    clock.now += minute
    expect(await receipt('h1').find(undefined)).toBe('new')
    clock.now += 9 * minute - 1
    expect(await receipt('h2').find(undefined)).toBe('used')
  })

  it('lets nobody finish after a logout or a password reset that came later', async () => {
    const { receipt, use } = setUp()
    await use('h1')
    expect(await receipt('h1').find('later')).toBe('new')
    await use('h2', 'before')
    expect(await receipt('h2').find('before')).toBe('used')
    // A revocation that has lapsed is none that came later.
    expect(await receipt('h2').find(undefined)).toBe('used')
  })

  it('is in the hands of one request at a time, also where the store had not taken note of it', async () => {
    const { clock, receipt, spend } = setUp()
    await spend('h1')
    expect(await receipt('h1').begin('new', undefined)).toBe(false)
    clock.now += receiptLeaseMs
    const [one, other] = [receipt('h1'), receipt('h1')]
    expect(await one.find(undefined)).toBe('used')
    expect(await other.find(undefined)).toBe('used')
    expect(await one.begin('used', undefined)).toBe(true)
    expect(await other.begin('used', undefined)).toBe(false)
    expect(await receipt('h1').find(undefined)).toBe('busy')
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
    const { state, receipt, spend, kept, swaps } = setUp()
    await receipt('h1').end()
    expect(swaps()).toBe(0)
    await spend('h1')
    state.refuses = true
    await receipt('h1').end()
    state.refuses = false
    await receipt('h1').end()
    expect(await receipt('h1').find(undefined)).toBe('new')
    expect(kept('h1')).toBeUndefined()
  })
})
