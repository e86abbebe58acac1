import { afterEach, describe, expect, it, vi } from 'vitest'
import { createUpdater, newCommandId, update } from '../../src/challenge/updater.js'
import { TwoFactorError } from '../../src/errors.js'
import { memoryStore } from '../../src/store/memory-store.js'
import type { Store } from '../../src/store/store.js'

const key = 'tf3::grants:k'

afterEach(() => void vi.useRealTimers())

const add = (value: { n: number } | undefined) => {
  const n = (value?.n ?? 0) + 1
  return { outcome: n, put: { value: { n }, ttlMs: 1_000 } }
}

describe('a change of an entry', () => {
  it('is recognised as done when the store reports a swap as failed that had happened', async () => {
    const store = memoryStore()
    const resending: Store = {
      ...store,
      swap(key, version, next, ttlMs) {
        const { entry } = store.swap(key, version, next, ttlMs)
        return { swapped: false, ...(entry === undefined ? {} : { entry }) }
      },
    }
    expect(await update(resending, key, add)).toBe(1)
    expect(store.read(key)).toHaveProperty('value.n', 1)
    // Nor is it taken for the one before, which left its own stamp on what it wrote.
    const keep = (value: { n: number } | undefined) => ({
      ...add(value),
      put: { value: { ...value, n: 2 }, ttlMs: 1 },
    })
    expect(await update(resending, key, keep)).toBe(2)
  })

  it('gives up after 1.5 s on a store that refuses every swap', async () => {
    vi.useFakeTimers()
    let swaps = 0
    const stubborn: Store = {
      ...memoryStore(),
      swap: () => {
        swaps += 1
        return { swapped: false }
      },
    }
    const refused = expect(update(stubborn, key, add)).rejects.toMatchObject({
      code: 'store_unavailable',
      message: 'The store refused every swap.',
    })
    await vi.advanceTimersByTimeAsync(1_500)
    await refused
    const tried = swaps
    await vi.advanceTimersByTimeAsync(10_000)
    expect(swaps).toBe(tried)
  })

  it('calls no store unavailable in which others are always first', async () => {
    vi.useFakeTimers()
    const busy = memoryStore()
    const contended: Store = {
      ...busy,
      async swap(...args) {
        await update(busy, key, add)
        return busy.swap(...args)
      },
    }
    const refused = expect(update(contended, key, add)).rejects.toMatchObject({
      code: 'verification_in_progress',
      status: 409,
    })
    await vi.advanceTimersByTimeAsync(1_500)
    await refused
  })

  it('goes on where others were first a hundred times', async () => {
    const busy = memoryStore()
    let others = 150
    const contended: Store = {
      ...busy,
      async swap(...args) {
        others -= 1
        if (others >= 0) await update(busy, key, add)
        return busy.swap(...args)
      },
    }
    expect(await update(contended, key, add)).toBe(151)
  })

  it.each([
    ['had not been carried out', false, 1],
    ['had been carried out', true, 1],
    ['had been carried out, and was changed by another since', true, 3],
  ])('is made once where the store did not answer a swap that %s', async (_name, reaches, expected) => {
    const store = memoryStore()
    let failures = 2
    const broken: Store = {
      ...store,
      read: (of) => (failures === 1 && failures-- ? Promise.reject(new Error('broken')) : store.read(of)),
      async swap(...args) {
        if (failures < 2) return store.swap(...args)
        failures -= 1
        if (reaches) store.swap(...args)
        if (expected === 3) await update(store, key, add)
        throw new Error('broken')
      },
    }
    // Whoever must not do twice what was done finds out by what stands there.
    expect(await update(broken, key, add)).toBe(expected)
    expect(store.read(key)).toHaveProperty('value.n', expected)
  })

  it.each([
    ['counts once the store vouches for it', 2, 1],
    ['does not count where the store never vouches for it, although it stands there', Infinity, undefined],
  ])('that was carried out %s', async (_name, refusals, expected) => {
    vi.useFakeTimers()
    const store = memoryStore()
    let swaps = 0
    // As a primary that has written it, and has no replica that confirms.
    const unconfirmed: Store = {
      ...store,
      async swap(...args) {
        const result = store.swap(...args)
        swaps += 1
        if (swaps <= refusals) throw new Error('no replica')
        return result
      },
    }
    const told = update(unconfirmed, key, add).catch(() => undefined)
    await vi.advanceTimersByTimeAsync(1_500)
    expect(await told).toBe(expected)
  })

  it('that the store carried out late is vouched for before it counts', async () => {
    const store = memoryStore()
    let late: (() => unknown) | undefined
    let swaps = 0
    const frozen: Store = {
      ...store,
      async swap(...args) {
        swaps += 1
        if (swaps === 1) {
          late = () => store.swap(...args)
          throw new Error('no answer')
        }
        late?.()
        late = undefined
        return store.swap(...args)
      },
    }
    expect(await update(frozen, key, add)).toBe(1)
    // The second found what the first had done meanwhile, and was refused.
    expect(swaps).toBe(3)
  })

  it('is refused by a full store without a retry', async () => {
    let swaps = 0
    const full: Store = {
      ...memoryStore(),
      swap: () => {
        swaps += 1
        return Promise.reject(new TwoFactorError('capacity'))
      },
    }
    await expect(update(full, key, add)).rejects.toMatchObject({ code: 'capacity' })
    expect(swaps).toBe(1)
  })

  it('reports the last failure if the store stays down', async () => {
    vi.useFakeTimers()
    let failures = 0
    const gone: Store = {
      ...memoryStore(),
      swap: () => Promise.reject(new Error('gone')),
      read: () => (failures++ === 0 ? undefined : Promise.reject(new Error(`gone, ${failures} times`))),
    }
    const told = expect(update(gone, key, add)).rejects.toThrow('gone, 16 times')
    await vi.advanceTimersByTimeAsync(1_500)
    await told
  })

  it('has an id that no other has', () => {
    const ids = Array.from({ length: 1_000 }, newCommandId)
    expect(new Set(ids).size).toBe(1_000)
    expect(ids.every((id) => /^[\w-]{13,}$/.test(id))).toBe(true)
  })
})

describe('an entry in the hands of one request', () => {
  const upTo = (most: number) => (value: { n: number } | undefined) =>
    (value?.n ?? 0) < most ? add(value) : { outcome: 0 }

  it('is removed by a command that leaves nothing', async () => {
    const store = memoryStore()
    await update(store, key, add)
    await update(store, key, () => ({ outcome: 'gone', put: { value: undefined, ttlMs: 0 } }))
    expect(store.read(key)).toBeUndefined()
  })

  it('loses no change that others make meanwhile', async () => {
    const store = memoryStore()
    const updater = createUpdater<{ n: number }>(store, key)
    void updater.prefetch()
    expect(await update(store, key, add)).toBe(1)
    expect(await updater.update(add)).toBe(2)
    expect(await update(store, key, add)).toBe(3)
    expect(await updater.update(add)).toBe(4)
  })

  it('refuses because of the current entry, not of an earlier read', async () => {
    const store = memoryStore()
    const updater = createUpdater<{ n: number }>(store, key)
    const removed = async () => store.swap(key, store.read(key)?.version, undefined, 1)
    expect(await updater.update(add)).toBe(1)
    expect(await updater.update(upTo(1))).toBe(0)
    await removed()
    expect(await updater.update(upTo(1))).toBe(1)
    await updater.prefetch()
    await removed()
    expect(await updater.update(upTo(1))).toBe(1)
  })

  it('refuses because of the entry that its swap returned, without another read', async () => {
    const store = memoryStore()
    const read = vi.fn(store.read)
    const updater = createUpdater<{ n: number }>({ ...store, read }, key)
    await updater.prefetch()
    await update(store, key, add)
    expect(await updater.update(upTo(1))).toBe(0)
    expect(read).toHaveBeenCalledTimes(1)
  })

  it('reports a failed early read only to the command that needs it', async () => {
    const failing: Store = { ...memoryStore(), read: () => Promise.reject(new Error('connection lost')) }
    // An unhandled rejection fails the run of the tests.
    void createUpdater(failing, key).prefetch()
    const updater = createUpdater<{ n: number }>(failing, key)
    void updater.prefetch()
    await new Promise((resolve) => setImmediate(resolve))
    await expect(updater.update(add)).rejects.toThrow('connection lost')
  })
})
