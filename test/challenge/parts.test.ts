import { describe, expect, it } from 'vitest'
import { createKeys, hashId } from '../../src/challenge/keys.js'
import { type BoundFields, createBoundHash } from '../../src/challenge/proofs/bound.js'
import { createPurposes } from '../../src/challenge/purposes.js'
import { createSecrets } from '../../src/challenge/secrets.js'
import { withStoreDeadline } from '../../src/challenge/store-deadline.js'
import { createUpdater, newCommandId, update } from '../../src/challenge/updater.js'
import { TwoFactorError } from '../../src/errors.js'
import type { TwoFactorEvent } from '../../src/events.js'
import type { PhoneNumber } from '../../src/phone-number.js'
import { memoryStore } from '../../src/store/memory-store.js'
import type { Entry, Store } from '../../src/store/store.js'

const older = 'an older secret of thirty-two bytes.'
const newer = 'a newer secret of thirty-two bytes..'

describe('rotated secrets', () => {
  it('move no ledger: tags are made with the last one', () => {
    const before = createSecrets([older])
    const after = createSecrets([newer, older])
    expect(after.tag('number-tag', '+57300')).toBe(before.tag('number-tag', '+57300'))
    expect(after.tag('number-tag', '+57300')).not.toBe(after.tag('code-tag', '+57300'))
    expect(after.tag('number-tag', '+57300')).not.toBe(after.tag('number-tag', '+57301'))
  })

  it('derive the same keys for ever: others would lose every ledger, token and record', () => {
    const secrets = createSecrets([older])
    expect([
      secrets.tag('number-tag', '+573001234567'),
      secrets.tag('code-tag', '+573001234567 123456'),
      secrets.tag('bound-tag', 'text'),
      secrets.open('enrolment', 'jwXI9T1JhYPHF0ffxVkCUIwFL7VgQMi8Ic3P7K8H35_pts4RNs0PprU', 'session-1'),
    ]).toEqual([
      'CTgyK696nlAtW_srGyajg-BAhddLjz72giGNi5t4jPM',
      'YW4pfSsfKlmAFJ2TZEDbPjFn0j-sx2nYbiB2p09fIFU',
      'Vr25jRM_ZA2tCrmSpFbEJzy1G6806mipuFvupVarlVo',
      '+573001234567',
    ])
  })

  it('still open what older ones sealed, and seal with the first', () => {
    const before = createSecrets([older])
    const after = createSecrets([newer, older])
    expect(after.open('enrolment', before.seal('enrolment', '+57300', 'ctx'), 'ctx')).toBe('+57300')
    expect(before.open('enrolment', after.seal('enrolment', '+57300', 'ctx'), 'ctx')).toBeUndefined()
  })

  it('open nothing under another context, nothing changed and nothing too short', () => {
    const secrets = createSecrets([older])
    const sealed = secrets.seal('enrolment', '+57300', 'session-1')
    expect(secrets.seal('enrolment', '+57300', 'session-1')).not.toBe(sealed)
    expect(secrets.open('enrolment', sealed, 'session-2')).toBeUndefined()
    expect(secrets.open('enrolment', `${sealed.slice(0, -2)}AA`, 'session-1')).toBeUndefined()
    expect(secrets.open('enrolment', 'AAAA', 'session-1')).toBeUndefined()
    expect(secrets.open('enrolment', secrets.seal('enrolment', '', 'c'), 'c')).toBe('')
  })
})

describe('keys', () => {
  it('hold nothing readable and differ by namespace, kind and person', () => {
    const secrets = createSecrets([older])
    const keys = createKeys('shop', secrets)
    const phone = '+573001234567' as PhoneNumber
    const all = [
      keys.ledger('auth', phone),
      keys.ledger('enrol', phone),
      keys.grants('ana'),
      keys.devices('ana'),
      keys.tally('auth', 'ana'),
      keys.tally('enrol', 'ana'),
      keys.enrolment('session-1'),
      keys.counter('count-auth-subject-sends', hashId('ana')),
      createKeys('', secrets).grants('ana'),
    ]
    expect(new Set(all).size).toBe(all.length)
    expect(all.join()).not.toMatch(/573001234567|ana\b|session-1/)
    expect(keys.grants('ana')).toMatch(/^tf1:shop:grants:[\w-]{43}$/)
    expect(createKeys('', secrets).ledger('auth', phone)).toMatch(/^tf1::auth:[\w-]{43}$/)
  })

  it('of a number are made once, per lane, while it comes back', () => {
    const secrets = createSecrets([older])
    const made: string[] = []
    const tag: typeof secrets.tag = (use, text) => {
      made.push(text)
      return secrets.tag(use, text)
    }
    const keys = createKeys('', { ...secrets, tag })
    const phones = ['+573001234567', '+573001234568'] as PhoneNumber[]
    const ask = () => phones.flatMap((phone) => [keys.ledger('auth', phone), keys.ledger('enrol', phone)])
    const first = ask()
    expect(new Set(first).size).toBe(4)
    expect(ask()).toEqual(first)
    expect(made).toHaveLength(4)
    // A flood of other numbers drives them out, and changes nothing else.
    for (let other = 0; other < 1_000; other += 1) keys.ledger('auth', `+57301${other}` as PhoneNumber)
    expect(ask()).toEqual(first)
    expect(made.filter((text) => text === phones[0])).toHaveLength(3)
  })

  it('name their kind, by which a store keeps them apart', () => {
    const keys = createKeys('', createSecrets([older]))
    const all = [
      keys.ledger('enrol', '+573001234567' as PhoneNumber),
      keys.grants('ana'),
      keys.devices('ana'),
      keys.enrolment('session-1'),
      keys.tally('enrol', 'ana'),
      keys.counter('count-enrol-numbers', 'whom'),
    ]
    expect(all.map((key) => key.split(':')[2])).toEqual([
      'enrol',
      'grants',
      'devices',
      'enrolment',
      'enrol-tally',
      'count-enrol-numbers',
    ])
  })

  it('remember fingerprints without mixing them up', () => {
    const first = hashId('session-0')
    for (let session = 0; session < 3_000; session += 1) hashId(`session-${session}`)
    expect(hashId('session-0')).toBe(first)
    expect(hashId('session-1')).not.toBe(first)
  })
})

describe('bound fields', () => {
  const hashBound = createBoundHash(createSecrets([older]), '')

  it('hash the same whatever the order of their members', () => {
    expect(hashBound({ amount: 100, to: { name: 'a', ids: [1, '2', null, true] } })).toBe(
      hashBound({ to: { ids: [1, '2', null, true], name: 'a' }, amount: 100 }),
    )
    expect(hashBound(Object.assign(Object.create(null), { amount: 100 }))).toBe(hashBound({ amount: 100 }))
  })

  it('hash the same in every process and version', () => {
    expect(hashBound({ payee: 'ACME', amount: 100 })).toBe('Gkov2Sc8j9dAGzaHTIOinJJLx2ocQ6xY8baSxD0Bsqo')
  })

  it('hash otherwise under another secret and in another namespace, so that no one finds them by trying', () => {
    const fields = { payee: 'ACME', amount: 100 }
    const elsewhere = [
      createBoundHash(createSecrets([newer]), ''),
      createBoundHash(createSecrets([older]), 'tenant'),
    ].map((hash) => hash(fields))
    expect(new Set([hashBound(fields), ...elsewhere]).size).toBe(3)
    // A rotation ends no grant.
    expect(createBoundHash(createSecrets([newer, older]), '')(fields)).toBe(hashBound(fields))
  })

  it('are refused as an invalid request when they are nested more than 32 deep or in a circle', () => {
    const nested = (depth: number): BoundFields => (depth === 1 ? {} : { a: nested(depth - 1) })
    expect(hashBound(nested(32))).toEqual(expect.any(String))
    const circle: Record<string, unknown> = {}
    circle.round = [circle]
    for (const fields of [nested(33), nested(5_000), circle]) {
      expect(() => hashBound(fields as BoundFields)).toThrow(
        expect.objectContaining({ code: 'invalid_request', message: 'More than 32 levels of nesting.' }),
      )
    }
  })

  it.each([
    [{ amount: 100 }, { amount: '100' }],
    [{ amount: 100 }, { amount: 101 }],
    [{ list: [1, 2] }, { list: [2, 1] }],
    [{ list: [1, 2] }, { list: [12] }],
    [{ a: 'b' }, { a: 'b', c: null }],
    [{ a: '1,"b":2' }, { a: '1', b: 2 }],
    [{ a: 0 }, { a: false }],
    [{}, { a: {} }],
  ])('tell %j from %j', (left, right) => {
    expect(hashBound(left)).not.toBe(hashBound(right))
  })

  it.each([
    [undefined, 'bind is undefined'],
    [[1], 'bind is Array'],
    [{ amount: undefined }, 'bind.amount is undefined'],
    [{ amount: Number.NaN }, 'bind.amount is NaN'],
    [{ amount: Number.POSITIVE_INFINITY }, 'bind.amount is Infinity'],
    [{ at: new Date(0) }, 'bind.at is Date'],
    [{ list: [{ to: Promise.resolve() }] }, 'bind.list[0].to is Promise'],
    // biome-ignore lint/suspicious/noSparseArray: a hole must be found, not passed over
    [{ list: [1, , 2] }, 'bind.list[1] is undefined'],
    [{ big: 1n }, 'bind.big is bigint'],
    [{ f: () => 1 }, 'bind.f is function'],
    [null, 'bind is object'],
    [Object.create(Object.create(null)), 'bind is object'],
  ])('refuse %o and name the member', (fields, message) => {
    expect(() => hashBound(fields as never)).toThrow(TypeError)
    expect(() => hashBound(fields as never)).toThrow(message)
  })
})

describe('purposes', () => {
  const usual = (name: string) => ({
    name,
    maxAgeMs: 10,
    once: false,
    channels: ['sms'] as const,
    trustedDevice: false,
    browserStartable: true,
  })
  const login = { ...usual('login'), trustedDevice: true }

  it('are known when configured, or brought along by a guard', () => {
    const purposes = createPurposes([login], usual)
    expect(purposes.find('transfer')).toBeUndefined()
    expect(purposes.forGuard('transfer')).toEqual(usual('transfer'))
    expect(purposes.find('transfer')).toEqual(usual('transfer'))
    expect(purposes.forGuard('login')).toBe(login)
    expect(purposes.all()).toEqual([login, usual('transfer')])
  })

  it('keep grants for the longest age that a guard accepts', () => {
    const purposes = createPurposes([login], usual)
    expect(purposes.grantLifetimeMs('login')).toBe(10)
    purposes.accept('login', 20)
    purposes.accept('login', 5)
    expect(purposes.grantLifetimeMs('login')).toBe(20)
    expect(purposes.grantLifetimeMs('unknown')).toBe(0)
  })

  it('of a phone verification are taken from the options, but none of sign-in or of a guard', () => {
    const purposes = createPurposes([login, { ...usual('signup'), channels: ['call'] }], usual)
    expect(purposes.forEnrolment('signup')).toMatchObject({ channels: ['call'], browserStartable: false })
    expect(purposes.find('signup')).toMatchObject({ browserStartable: false })
    expect(purposes.forEnrolment('change-number')).toMatchObject({ browserStartable: false })
    expect(() => purposes.forEnrolment('login')).toThrow(TypeError)
    purposes.forGuard('transfer')
    purposes.accept('transfer', 10)
    expect(() => purposes.forEnrolment('transfer')).toThrow(
      'purpose "transfer" belongs to sign-in or a step-up',
    )
  })
})

describe('a change of an entry', () => {
  const count = (value: { n: number } | undefined) => {
    const n = (value?.n ?? 0) + 1
    return { outcome: n, put: { value: { n }, ttlMs: 1_000 } }
  }

  it('loses no update among many at once', async () => {
    const store = memoryStore()
    await Promise.all(Array.from({ length: 90 }, () => update(store, 'tf1::grants:k', count)))
    expect(store.read('tf1::grants:k')).toHaveProperty('value.n', 90)
  })

  it('is recognised as done when the store reports a swap as failed that had happened', async () => {
    const store = memoryStore()
    const resending: Store = {
      ...store,
      swap(key, version, next, ttlMs) {
        const { entry } = store.swap(key, version, next, ttlMs)
        return { swapped: false, ...(entry === undefined ? {} : { entry }) }
      },
    }
    expect(await update(resending, 'tf1::grants:k', count)).toBe(1)
    expect(store.read('tf1::grants:k')).toHaveProperty('value.n', 1)
    // Nor is it taken for the one before, which left its own stamp on what it wrote.
    const keep = (value: { n: number } | undefined) => ({
      ...count(value),
      put: { value: { ...value, n: 2 }, ttlMs: 1 },
    })
    expect(await update(resending, 'tf1::grants:k', keep)).toBe(2)
  })

  it('gives up on a store that refuses every swap', async () => {
    let swaps = 0
    const stubborn: Store = {
      ...memoryStore(),
      swap: () => {
        swaps += 1
        return { swapped: false }
      },
    }
    await expect(update(stubborn, 'tf1::grants:k', count)).rejects.toMatchObject({
      code: 'store_unavailable',
      message: 'The store refused every swap.',
    })
    expect(swaps).toBe(100)
  })

  it('has an id that no other has', () => {
    const ids = Array.from({ length: 1_000 }, newCommandId)
    expect(new Set(ids).size).toBe(1_000)
    expect(ids.every((id) => /^[\w-]{13,}$/.test(id))).toBe(true)
  })
})

describe('an entry in the hands of one request', () => {
  const key = 'tf1::grants:k'
  const add = (value: { n: number } | undefined) => {
    const n = (value?.n ?? 0) + 1
    return { outcome: n, put: { value: { n }, ttlMs: 1_000 } }
  }
  const upTo = (most: number) => (value: { n: number } | undefined) =>
    (value?.n ?? 0) < most ? add(value) : { outcome: 0 }

  it('is read together with something else, which begins at once', async () => {
    const store = memoryStore()
    const { readWith, update: run } = createUpdater<{ n: number }>(store, key)
    expect(await readWith(Promise.resolve('beside'))).toBe('beside')
    expect(await run(add)).toBe(1)
  })

  it('is read once by a command that refuses right after', async () => {
    let reads = 0
    const inner = memoryStore()
    const store: Store = {
      ...inner,
      read(name) {
        reads += 1
        return inner.read(name)
      },
    }
    const { readWith, preview, update: run } = createUpdater<{ n: number }>(store, key)
    await readWith(Promise.resolve())
    expect(await preview(upTo(0))).toBe(0)
    expect(await run(upTo(0))).toBe(0)
    expect(reads).toBe(1)
    // Another command may be refused by what has changed since.
    expect(await run(upTo(0))).toBe(0)
    expect(reads).toBe(2)
  })

  it('is not changed by a preview', async () => {
    const store = memoryStore()
    expect(await createUpdater<{ n: number }>(store, key).preview(add)).toBe(1)
    expect(store.read(key)).toBeUndefined()
  })

  it('is removed by a command that leaves nothing', async () => {
    const store = memoryStore()
    await update(store, key, add)
    await update(store, key, () => ({ outcome: 'gone', put: { value: undefined, ttlMs: 0 } }))
    expect(store.read(key)).toBeUndefined()
  })

  it('leaves no rejection behind when the read and what is beside it both fail', async () => {
    const lost: unknown[] = []
    const note = (reason: unknown) => void lost.push(reason)
    process.on('unhandledRejection', note)
    const throwing: Store = {
      ...memoryStore(),
      read: () => {
        throw new Error('connection lost')
      },
    }
    const { readWith } = createUpdater<{ n: number }>(throwing, key)
    await expect(readWith(Promise.reject(new Error('connection lost, too')))).rejects.toThrow(
      'connection lost',
    )
    await new Promise((resolve) => setImmediate(resolve))
    process.off('unhandledRejection', note)
    expect(lost).toEqual([])
  })

  /** A store that notes what it is asked. */
  function noting() {
    const store = memoryStore()
    const asked: string[] = []
    const noted: Store = {
      ...store,
      read: (of) => {
        asked.push('read')
        return store.read(of)
      },
      swap: (...args) => {
        asked.push('swap')
        return store.swap(...args)
      },
    }
    return { store: noted, asked }
  }

  it('is read once for all commands, ahead if wished', async () => {
    const { store, asked } = noting()
    const updater = createUpdater<{ n: number }>(store, key)
    void updater.prefetch()
    expect(asked).toEqual(['read'])
    expect(await updater.update(add)).toBe(1)
    expect(await updater.update(add)).toBe(2)
    expect(asked).toEqual(['read', 'swap', 'swap'])
  })

  it('is not read again for a command that changes nothing, unless it was seen before', async () => {
    const { store, asked } = noting()
    const updater = createUpdater<{ n: number }>(store, key)
    expect(await updater.update(upTo(0))).toBe(0)
    expect(asked).toEqual(['read'])
    void updater.prefetch()
    expect(await updater.update(upTo(0))).toBe(0)
    expect(asked).toEqual(['read', 'read', 'read'])
  })

  it('loses no change that others make meanwhile', async () => {
    const { store, asked } = noting()
    const updater = createUpdater<{ n: number }>(store, key)
    expect(await updater.update(add)).toBe(1)
    expect(await update(store, key, add)).toBe(2)
    expect(await updater.update(add)).toBe(3)
    expect(asked).toEqual(['read', 'swap', 'read', 'swap', 'swap', 'swap'])
  })

  it('refuses for what is so now, not for what was read before', async () => {
    const { store } = noting()
    const updater = createUpdater<{ n: number }>(store, key)
    expect(await updater.update(add)).toBe(1)
    expect(await updater.update(upTo(1))).toBe(0)
    const { version } = (await store.read(key)) ?? {}
    await store.swap(key, version, undefined, 1)
    expect(await updater.update(upTo(1))).toBe(1)
  })

  it('tells a failure to read ahead to the command that needs it, and to nobody else', async () => {
    const lost: unknown[] = []
    const note = (reason: unknown) => void lost.push(reason)
    process.on('unhandledRejection', note)
    const failing: Store = { ...memoryStore(), read: () => Promise.reject(new Error('connection lost')) }
    void createUpdater(failing, key).prefetch()
    const updater = createUpdater<{ n: number }>(failing, key)
    void updater.prefetch()
    await new Promise((resolve) => setImmediate(resolve))
    await expect(updater.update(add)).rejects.toThrow('connection lost')
    process.off('unhandledRejection', note)
    expect(lost).toEqual([])
  })
})

describe('a store with a deadline', () => {
  const dead = () => new Promise<never>(() => {})
  const bounded = (store: Partial<Store>, events: TwoFactorEvent[] = []) =>
    withStoreDeadline({ ...memoryStore(), ...store }, 20, (event) => void events.push(event))

  it('answers at once where the store does', () => {
    const store = bounded({})
    expect(store.swap('tf1::grants:k', undefined, { n: 1 }, 1_000)).toMatchObject({ swapped: true })
    expect(store.read('tf1::grants:k')).toMatchObject({ value: { n: 1 } })
    expect(store.read('tf1::grants:nothing')).toBeUndefined()
    expect(store.increment('tf1::count-x:k', 1_000)).toMatchObject({ count: 1 })
  })

  it('answers later where the store does', async () => {
    const inner = memoryStore()
    const store = bounded({ increment: async (key, windowMs) => inner.increment(key, windowMs) })
    expect(await store.increment('tf1::count-x:k', 1_000)).toMatchObject({ count: 1 })
  })

  it('answers with a promise of our own where the store has one of another make', async () => {
    const entry = { value: { n: 1 }, version: '1' }
    const foreign = Object.fromEntries([['then', (resolve: (value: unknown) => void) => resolve(entry)]])
    const asked = bounded({ read: () => foreign as unknown as Promise<Entry> }).read('k')
    expect(asked).toBeInstanceOf(Promise)
    expect(await asked).toBe(entry)
  })

  it.each([
    ['hangs', dead],
    ['rejects', () => Promise.reject(new Error('connection lost'))],
    [
      'throws',
      () => {
        throw new Error('connection lost')
      },
    ],
  ])('says so when it %s', async (_, answer) => {
    const events: TwoFactorEvent[] = []
    const store = bounded({ read: answer, swap: answer, increment: answer }, events)
    const asked = [
      async () => store.read('k'),
      async () => store.swap('k', undefined, {}, 1),
      async () => store.increment('k', 1),
    ]
    for (const ask of asked) {
      await expect(ask()).rejects.toMatchObject({ code: 'store_unavailable', status: 503 })
    }
    expect(events).toEqual([
      { type: 'store.failed', command: 'read' },
      { type: 'store.failed', command: 'swap' },
      { type: 'store.failed', command: 'increment' },
    ])
  })

  it('says what went wrong inside', async () => {
    await expect(bounded({ read: dead }).read('k')).rejects.toMatchObject({
      message: 'The store did not answer.',
      cause: { message: 'no answer within 20 ms' },
    })
  })

  it('leaves no timer behind', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length
    const before = timers()
    const store = withStoreDeadline({ ...memoryStore(), read: async () => undefined }, 60_000, () => {})
    await Promise.all(Array.from({ length: 20 }, () => store.read('k')))
    expect(timers() - before).toBeLessThan(20)
  })

  it('passes on what the store itself has to say', async () => {
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
    await withStoreDeadline(unclosable, 20, () => {}).close?.()
  })
})
