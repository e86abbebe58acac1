import cluster from 'node:cluster'
import { hash } from 'node:crypto'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { type MemoryStore, memoryStore, openDefaultStore } from '../../src/store/memory-store.js'
import { kinds } from '../../src/store/store.js'

const hour = 3_600_000

const counterKinds = Object.keys(kinds).filter((kind) => kind.startsWith('count-'))

const capacity = expect.objectContaining({ code: 'capacity', status: 503 })

const counterOf = (tag: string | number) => `tf3::count-auth-address-sends:${tag}`

/** How many counters of these are still there. */
const held = (store: MemoryStore, tags: readonly (string | number)[]) =>
  tags.filter((tag) => store.increment(counterOf(tag), hour, 0).count > 0).length

describe('what is full refuses', () => {
  const lasting = Object.keys(kinds).filter((kind) => !counterKinds.includes(kind))

  test.each([...lasting, 'unheard-of', 'constructor'])('%s: a new key, never a known one', (kind) => {
    const store = memoryStore({ maxLedgers: 2, maxGrants: 2 })
    const first = store.swap(`tf3:shop:${kind}:a`, undefined, { failures: 10 }, hour)
    store.swap(`tf3:shop:${kind}:b`, undefined, {}, hour)

    expect(() => store.swap(`tf3:shop:${kind}:c`, undefined, {}, hour)).toThrow(capacity)
    expect(() => store.increment(`tf3:shop:${kind}:d`, hour)).toThrow(capacity)
    expect(store.swap(`tf3:shop:${kind}:a`, first.entry?.version, { failures: 11 }, hour).swapped).toBe(true)
  })

  test('forms: large entries, and no more than a thousand of them', () => {
    const store = memoryStore({ maxGrants: 5_000 })
    const keep = (at: number) => store.swap(`tf3::forms:${at}`, undefined, {}, hour)
    for (let at = 0; at < 1_000; at += 1) keep(at)
    expect(() => keep(1_000)).toThrow(capacity)
  })

  test('and names the full kind, its lane and the option to raise', () => {
    const store = memoryStore({ maxLedgers: 1 })
    store.increment('tf3::enrolment:a', hour)
    expect(() => store.increment('tf3::enrolment:b', hour)).toThrow(
      'the memory store is full of entries of the kind "enrolment" (lane enrol); raise maxLedgers',
    )
  })

  test('no lane, kind or counter takes the room of another', () => {
    const store = memoryStore({ maxLedgers: 1, maxGrants: 1, maxCounters: 1 })
    for (const kind of Object.keys(kinds)) {
      expect(store.swap(`tf3:shop:${kind}:x`, undefined, {}, hour).swapped).toBe(true)
    }
  })

  test('removing makes room, and so does lapsing', () => {
    const clock = { at: 0 }
    const store = memoryStore({ maxLedgers: 1, now: () => clock.at })
    const { entry } = store.swap('tf3::auth:a', undefined, {}, 1_000)
    store.swap('tf3::auth:a', entry?.version, undefined, 1_000)
    expect(store.swap('tf3::auth:b', undefined, {}, 1_000).swapped).toBe(true)
    clock.at += 1_000
    expect(store.swap('tf3::auth:c', undefined, {}, 1_000).swapped).toBe(true)
  })

  test('removing a missing entry makes none', () => {
    const store = memoryStore({ maxLedgers: 1 })
    store.swap('tf3::auth:a', undefined, {}, hour)
    for (let i = 0; i < 3; i += 1) store.swap('tf3::auth:b', undefined, undefined, hour)
    expect(() => store.swap('tf3::auth:b', undefined, {}, hour)).toThrow(capacity)
  })

  test('expired entries among live ones are found when they are needed', () => {
    const clock = { at: 0 }
    const store = memoryStore({ maxLedgers: 10_000, now: () => clock.at })
    const put = (name: string | number, ttlMs: number) =>
      store.swap(`tf3::auth:${name}`, undefined, {}, ttlMs).swapped
    for (let i = 0; i < 10_000; i += 1) put(i, i % 5 === 2 ? 1_000 : hour)
    clock.at += 1_000
    for (let i = 0; i < 250; i += 1) expect(put(`new-${i}`, hour)).toBe(true)
  })

  test('lapsed entries make room in a large store too, one key at a time', () => {
    const clock = { at: 0 }
    const store = memoryStore({ maxLedgers: 20_000, now: () => clock.at })
    const fill = (round: string) => {
      for (let i = 0; i < 20_000; i += 1) store.swap(`tf3::auth:${round}-${i}`, undefined, {}, hour)
    }
    fill('first')
    clock.at += hour
    fill('second')
    expect(() => store.swap('tf3::auth:one-more', undefined, {}, hour)).toThrow(capacity)
  })
})

describe('counters', () => {
  test('are spread evenly: 49,000 of them lose none before they are nearly as many', () => {
    const store = memoryStore({ maxCounters: 49_000 })
    const tags = Array.from({ length: 42_000 }, (_, i) => hash('sha256', String(i), 'base64url'))
    for (const tag of tags) store.increment(counterOf(tag), hour)
    expect(held(store, tags)).toBe(tags.length)
  })

  test('lose the one longest untouched, and none of another kind', () => {
    const store = memoryStore({ maxCounters: 2 })
    store.increment('tf3::count-auth-forms:other', hour)
    for (const tag of ['a', 'b', 'a']) store.increment(counterOf(tag), hour)
    // A look is no touch.
    store.increment(counterOf('b'), hour, 0)
    store.increment(counterOf('c'), hour)
    expect(['a', 'b'].map((tag) => store.increment(counterOf(tag), hour).count)).toEqual([3, 1])
    expect(store.increment('tf3::count-auth-forms:other', hour).count).toBe(2)
  })

  test('under keys of no known shape share their room, and none is lost', () => {
    const store = memoryStore({ maxLedgers: 3, maxCounters: 1 })
    for (const key of ['a', 'b:c', 'tf3:x']) store.increment(key, hour)
    expect(() => store.increment('tf3::other', hour)).toThrow(capacity)
    expect(store.increment('a', hour).count).toBe(2)
  })

  test('a larger store holds about the configured number of counters', () => {
    const store = memoryStore({ maxCounters: 10_000 })
    const tags = Array.from({ length: 30_000 }, (_, index) => index)
    for (const tag of tags) store.increment(counterOf(tag), hour)
    expect(held(store, tags)).toBeGreaterThan(5_000)
    expect(held(store, tags)).toBeLessThan(10_100)
  })

  test('end within their window, also between two milliseconds', () => {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(1_000.7)
    const store = memoryStore()
    for (let i = 0; i < 2; i += 1) {
      expect(store.increment('tf3::count-auth-forms:a', 4_000).resetInMs).toBe(4_000)
    }
    clock.mockRestore()
  })

  test('can be read, swapped and removed like any entry', () => {
    const store = memoryStore()
    const key = 'tf3::count-auth-forms:a'
    store.increment(key, hour)
    const entry = store.read(key)
    expect(entry?.value).toBe(1)
    expect(store.swap(key, entry?.version, undefined, hour)).toEqual({ swapped: true })
    expect(store.read(key)).toBeUndefined()
    store.swap(key, undefined, { not: 'a number' }, hour)
    expect(store.increment(key, hour, 0)).toEqual({ count: 0, resetInMs: hour })
    expect(store.read(key)?.value).toEqual({ not: 'a number' })
    expect(store.increment(key, hour).count).toBe(1)
  })
})

describe('time', () => {
  test('a clock set back by an hour loses nothing and stretches no window', () => {
    const clock = { at: hour }
    const store = memoryStore({ now: () => clock.at })
    store.swap('tf3::auth:a', undefined, 'locked', 1_000)
    store.increment('tf3::count-a:a', 1_000)
    clock.at = 0
    expect(store.read('tf3::auth:a')?.value).toBe('locked')
    expect(store.increment('tf3::count-a:a', 1_000)).toEqual({ count: 2, resetInMs: 1_000 })
    clock.at += 1_000
    expect(store.increment('tf3::count-a:a', 1_000).count).toBe(1)
  })

  test('the default clock is not the wall clock', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 0 })
    try {
      const store = memoryStore()
      store.swap('tf3::auth:a', undefined, 'kept', hour)
      vi.setSystemTime(2 * hour)
      expect(store.read('tf3::auth:a')?.value).toBe('kept')
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('options', () => {
  test.each(['maxLedgers', 'maxGrants', 'maxCounters'])('%s must be an integer, 1 or more', (name) => {
    for (const wrong of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '5', null]) {
      expect(() => memoryStore({ [name]: wrong })).toThrow(
        `memoryStore: ${name} must be an integer, 1 or more`,
      )
    }
  })

  test('now must be a function, where it is given', () => {
    expect(() => memoryStore({ now: 5 } as object)).toThrow('memoryStore: now must be a function')
    expect(memoryStore({ now: undefined } as object).increment('a', hour).count).toBe(1)
  })
})

describe('in a process', () => {
  afterEach(() => vi.unstubAllEnvs())

  /** What the store of an app that passed none warned of. */
  function warned({
    isWorker = false,
    ...environment
  }: { isWorker?: boolean } & Record<string, string | boolean>) {
    vi.stubEnv('NODE_ENV', 'development')
    vi.stubEnv('NODE_APP_INSTANCE', undefined)
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, String(value))
    const before = cluster.isWorker
    Object.assign(cluster, { isWorker })
    const codes: string[] = []
    try {
      void openDefaultStore(undefined, (code) => codes.push(code)).close?.()
      return codes
    } finally {
      Object.assign(cluster, { isWorker: before })
    }
  }

  test.each([
    ['that is alone', {}, []],
    ['that PM2 has started', { NODE_APP_INSTANCE: '0' }, ['TWO_FACTOR_SEVERAL_WORKERS']],
    ['that serves people', { NODE_ENV: 'production' }, ['TWO_FACTOR_MEMORY_STORE']],
    ['of a cluster, while developing', { isWorker: true }, ['TWO_FACTOR_SEVERAL_WORKERS']],
  ])('%s, the store of an app that passed none warns where one is not enough', (_, environment, codes) => {
    expect(warned(environment)).toEqual(codes)
  })

  test('of a cluster that serves people there is none: each would allow its own guesses', () => {
    expect(() => warned({ isWorker: true, NODE_ENV: 'production' })).toThrow('use redisStore')
  })

  test('it ends entries by the clock of the app', () => {
    const clock = { at: 0 }
    const store = openDefaultStore(
      () => clock.at,
      () => {},
    )
    store.swap('tf3::auth:a', undefined, 'kept', 1_000)
    clock.at = 999
    expect(store.read('tf3::auth:a')?.value).toBe('kept')
    clock.at = 1_000
    expect(store.read('tf3::auth:a')).toBeUndefined()
    void store.close?.()
  })
})
