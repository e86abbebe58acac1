import { describe, expect, it, vi } from 'vitest'
import { withStoreDeadline } from '../../src/challenge/domain.js'
import { TwoFactorError } from '../../src/errors.js'
import type { EventBody } from '../../src/events.js'
import { memoryStore } from '../../src/store/memory-store.js'
import { redisStore } from '../../src/store/redis-store.js'
import type { Entry, Store } from '../../src/store/store.js'

const silent = { now: Date.now, emit: () => {} }

describe('a store with a deadline', () => {
  const dead = () => new Promise<never>(() => {})
  const bounded = (store: Partial<Store>, events: EventBody[] = []) =>
    withStoreDeadline({ ...memoryStore(), ...store }, 20, {
      now: () => 0,
      emit: (event) => void events.push(event),
    })

  it('returns synchronously if the store does', () => {
    const store = bounded({})
    expect(store.swap('tf3::grants:k', undefined, { n: 1 }, 1_000)).toMatchObject({ swapped: true })
    expect(store.read('tf3::grants:k')).toMatchObject({ value: { n: 1 } })
    expect(store.read('tf3::grants:nothing')).toBeUndefined()
    expect(store.increment('tf3::count-x:k', 1_000)).toMatchObject({ count: 1 })
  })

  it('returns a native promise if the store has a different kind', async () => {
    const entry = { value: { n: 1 }, version: '1' }
    const foreign = Object.fromEntries([['then', (resolve: (value: unknown) => void) => resolve(entry)]])
    const asked = bounded({ read: () => foreign as unknown as Promise<Entry> }).read('k')
    expect(asked).toBeInstanceOf(Promise)
    expect(await asked).toBe(entry)
  })

  it.each([
    ['hangs', 'no response within 20 ms', dead],
    ['rejects', 'Error', () => Promise.reject(new Error('connection lost'))],
    [
      'throws',
      'OOM',
      () => {
        throw new Error('OOM command not allowed')
      },
    ],
  ])('says so when it %s: %s', async (_, cause, answer) => {
    const events: EventBody[] = []
    const store = bounded({ read: answer, swap: answer, increment: answer }, events)
    const asked = [
      async () => store.read('k'),
      async () => store.swap('k', undefined, {}, 1),
      async () => store.increment('k', 1),
    ]
    for (const ask of asked) {
      await expect(ask()).rejects.toMatchObject({ code: 'store_unavailable', cause: expect.any(Error) })
    }
    expect(events).toEqual([
      { type: 'store.failed', command: 'read', durationMs: 0, cause },
      { type: 'store.failed', command: 'swap', durationMs: 0, cause },
      { type: 'store.failed', command: 'increment', durationMs: 0, cause },
    ])
  })

  it('reports the duration of a failure, never below zero', async () => {
    const durations: unknown[] = []
    for (const ms of [30, -30]) {
      const moments = [1_000, 1_000 + ms]
      const store = { ...memoryStore(), read: async () => Promise.reject(new Error('connection lost')) }
      const asked = withStoreDeadline(store, 20, {
        now: () => moments.shift() ?? Number.NaN,
        emit: (event) => void durations.push('durationMs' in event && event.durationMs),
      }).read('k')
      await expect(asked).rejects.toMatchObject({ code: 'store_unavailable' })
    }
    expect(durations).toEqual([30, 0])
  })

  it('keeps the deadline of a store, and bounds a store that was built on it', async () => {
    const sendCommand = () => new Promise((resolve) => setTimeout(() => resolve('v\n1'), 40))
    const own = redisStore({ sendCommand, timeoutMs: 10_000 })
    expect(await withStoreDeadline(own, 10_000, silent).read('k')).toMatchObject({ value: 1 })
    const hung = redisStore({ sendCommand: dead, timeoutMs: 10_000 })
    // A shorter limit holds as well.
    for (const store of [withStoreDeadline(hung, 10, silent), bounded(hung)]) {
      await expect(store.read('k')).rejects.toMatchObject({ code: 'store_unavailable' })
    }
  })

  it('undoes a count that came too late, once', async () => {
    const amounts: number[] = []
    const held: (() => void)[] = []
    const late = async (by: number) => {
      await new Promise<void>((goOn) => held.push(goOn))
      amounts.push(by)
    }
    const slow = async (_key: string, _windowMs: number, by = 1) => {
      await late(by)
      return { count: 1, resetInMs: 1 }
    }
    const redis = async (_key: string, args: readonly string[]) => {
      await late(Number(args.at(-1)))
      return [1, 1]
    }
    const own = redisStore({ sendCommand: redis, timeoutMs: 20 })
    for (const store of [bounded({ increment: slow }), withStoreDeadline(own, 20, silent), bounded(own)]) {
      for (const by of [2, -3, 0]) await expect(store.increment('k', 1, by)).rejects.toThrow()
      await vi.waitFor(() => {
        for (const goOn of held.splice(0)) goOn()
        expect(amounts).toHaveLength(4)
      })
      expect(amounts.splice(0).sort()).toEqual([-2, -3, 0, 2])
    }
  })

  it('leaves no timer behind', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length
    const before = timers()
    const store = withStoreDeadline({ ...memoryStore(), read: async () => undefined }, 60_000, silent)
    await Promise.all(Array.from({ length: 20 }, () => store.read('k')))
    expect(timers() - before).toBeLessThan(20)
  })

  it('passes on errors of the store', async () => {
    const full = new TwoFactorError('capacity')
    const store = bounded({ read: () => Promise.reject(full) })
    await expect(store.read('k')).rejects.toBe(full)
  })

  it('does not take a blocked process for a dead store', async () => {
    const store = bounded({ read: () => new Promise((resolve) => setTimeout(() => resolve(undefined), 5)) })
    const asked = store.read('k')
    const blockedUntil = performance.now() + 60
    while (performance.now() < blockedUntil);
    expect(await asked).toBeUndefined()
  })

  it('closes the store it was given', async () => {
    let closed = 0
    const close = () => {
      closed += 1
    }
    await bounded({ close }).close?.()
    expect(closed).toBe(1)
    const { close: _, ...unclosable } = memoryStore()
    await withStoreDeadline(unclosable, 20, silent).close?.()
  })
})
