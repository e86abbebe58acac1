import { describe, expect, onTestFinished, vi } from 'vitest'
import { hashId } from '../../../src/challenge/keys.js'
import type { PhoneNumber } from '../../../src/phone-number.js'
import { memoryStore } from '../../../src/store/memory-store.js'
import { kindOf, kinds, type Store } from '../../../src/store/store.js'
import { hour, minute } from '../kit.js'
import { ana, createService, it, keysCounted, person, purposeIn, rightCode } from '../service.js'

/** Requests alone: what is told, and what is usual, is read beside them. */
const none = { run: () => {}, after: () => {}, close: () => {} }

const phones = (count: number) => Array.from({ length: count }, (_, index) => `+57300${1_000_000 + index}`)
/** Somebody who signs up. */
const oneSignup = (index: number, more: object = {}) => ({
  ...person(index),
  lane: 'enrol' as const,
  purpose: 'signup',
  ...more,
})

/** Runs all at once and says how they were answered. */
async function answers(requests: readonly Promise<{ outcome: string; code?: string; limit?: string }>[]) {
  const tally: Record<string, number> = {}
  for (const { outcome, code, limit } of await Promise.all(requests)) {
    const answer = [outcome, code, limit].filter(Boolean).join(' ')
    tally[answer] = (tally[answer] ?? 0) + 1
  }
  return tally
}

describe('sends at once', () => {
  it.each([
    ['auth', { sendsPerAddressPer10Min: 7 }],
    ['enrol', { enrolSendsPerAddressPer10Min: 7 }],
  ] as const)('from one address stop at the limit of the %s lane', async (lane, limits) => {
    const { challenges, provider } = createService({ limits })
    const requests = Array.from({ length: 50 }, (_, index) =>
      challenges.start({ ...person(index), lane, purpose: purposeIn(lane), address: '203.0.113.7' }),
    )
    expect(await answers(requests)).toEqual({ started: 7, 'refused send_limit address': 43 })
    expect(provider.sends).toHaveLength(7)
  })

  it('of one session stop at three numbers that nobody has proven', async () => {
    const { challenges, provider } = createService()
    const requests = Array.from({ length: 50 }, (_, index) =>
      challenges.start(oneSignup(index, { session: 'one', anonymous: true })),
    )
    expect(await answers(requests)).toEqual({ started: 3, 'refused send_limit session': 47 })
    expect(provider.sends).toHaveLength(3)
  })

  it('of the whole service stop at its limit, without one lane starving the other', async () => {
    const { challenges, wait } = createService({ limits: { serviceSendsPerMinute: 10 } })
    const signups = Array.from({ length: 30 }, (_, index) => challenges.start(oneSignup(index)))
    expect(await answers(signups)).toEqual({ started: 10, 'refused sending_paused service': 20 })
    expect(await challenges.start(person(0))).toMatchObject({ outcome: 'started' })
    wait(minute)
    expect(await challenges.start(oneSignup(40))).toMatchObject({
      outcome: 'started',
    })
  })

  it('that an address or a session is refused use up nothing of the whole service', async () => {
    const { challenges } = createService({
      limits: { serviceSendsPerMinute: 10, sendsPerAddressPer10Min: 1, numbersPerSessionPerDay: 1 },
    })
    const refused = async (order: (index: number) => Parameters<typeof challenges.start>[0]) => {
      for (let index = 10; index < 40; index += 1) {
        expect(await challenges.start(order(index))).toMatchObject({ code: 'send_limit' })
      }
    }
    const address = '203.0.113.7'
    await challenges.start({ ...person(0), address })
    await refused((index) => ({ ...person(index), address }))
    expect(await challenges.start(person(50))).toMatchObject({ outcome: 'started' })
    await challenges.start(oneSignup(0, { session: 'one' }))
    await refused((index) => oneSignup(index, { session: 'one' }))
    expect(await challenges.start(oneSignup(50))).toMatchObject({ outcome: 'started' })
  })

  it('of all sign-ups stop at the limits of an hour and of a day, told to the operator', async () => {
    const { challenges, provider, wait, events } = createService({
      limits: { serviceEnrolSendsPerHour: 10, serviceEnrolSendsPerDay: 15 },
    })
    const signups = (from: number) =>
      Array.from({ length: 30 }, (_, index) => challenges.start(oneSignup(from + index)))
    expect(await answers(signups(0))).toEqual({ started: 10, 'refused sending_paused service': 20 })
    expect(events).toContainEqual({
      type: 'request.refused',
      command: 'start',
      code: 'sending_paused',
      lane: 'enrol',
      subject: 'person-29',
      limit: 'service',
    })
    wait(hour)
    expect(await answers(signups(100))).toEqual({ started: 5, 'refused sending_paused service': 25 })
    const late = oneSignup(200)
    expect(await challenges.start(late)).toMatchObject({ retryAfterMs: 23 * hour })
    expect(await challenges.start(person(201))).toMatchObject({ outcome: 'started' })
    expect(provider.sends).toHaveLength(16)
    wait(23 * hour)
    expect(await challenges.start(late)).toMatchObject({ outcome: 'started' })
  })

  it('count a number of a session once', async () => {
    const { challenges, wait } = createService({ limits: { numbersPerSessionPerDay: 1 } })
    const order = oneSignup(0)
    for (let sends = 0; sends < 3; sends += 1) {
      expect(await challenges.start(order)).toMatchObject({ outcome: 'started' })
      wait(hour)
    }
  })

  it('that are refused take no number back that the session had before', async () => {
    const { challenges, wait } = createService({
      limits: { numbersPerSessionPerDay: 1, serviceEnrolSendsPerHour: 1 },
    })
    const order = oneSignup(0)
    await challenges.start(order)
    wait(minute)
    expect(await challenges.start(order)).toMatchObject({ limit: 'service' })
    wait(hour)
    const other = { ...order, phone: phones(2)[1] ?? '' }
    expect(await challenges.start(other)).toMatchObject({
      limit: 'session',
      retryAfterMs: 23 * hour - minute,
    })
  })

  it('of one session refuse a fourth number that nobody has proven however often it is tried', async () => {
    const { challenges, provider, wait } = createService()
    const order = (index: number) => oneSignup(index, { session: 'one' })
    for (let index = 0; index < 10; index += 1) {
      for (let tries = 0; tries < 3; tries += 1) await challenges.start(order(index))
    }
    expect(provider.sends).toHaveLength(3)
    wait(hour)
    expect(await challenges.start(order(9))).toMatchObject({ limit: 'session', retryAfterMs: 23 * hour })
    wait(23 * hour)
    expect(await challenges.start(order(9))).toMatchObject({ outcome: 'started' })
  })

  it('that a counter refuses give the session its number back, and no other', async () => {
    const { challenges, store, keys, wait } = createService({
      limits: { numbersPerSessionPerDay: 2, serviceSendsPerMinute: 1 },
    })
    const start = (index: number, session = 'one') => challenges.start(oneSignup(index, { session }))
    const numbersOf = (session: string) => store.read(keys.counter('count-enrol-numbers', hashId(session)))
    expect(await start(0)).toMatchObject({ outcome: 'started' })
    expect(await start(1)).toMatchObject({ limit: 'service' })
    expect(await start(2, 'two')).toMatchObject({ limit: 'service' })
    wait(minute)
    expect(numbersOf('two')).toBeUndefined()
    expect(await start(3)).toMatchObject({ outcome: 'started' })
    wait(minute)
    expect(await start(1)).toMatchObject({ limit: 'session' })
    expect(numbersOf('one')).toMatchObject({ value: 2 })
  })

  it('that a counter refuses leave nothing behind', async () => {
    const { challenges, store } = createService({ limits: { serviceSendsPerMinute: 0 } })
    const keys = keysCounted(store)
    const swap = store.swap.bind(store)
    store.swap = (key, ...more) => {
      keys.push(key)
      return swap(key, ...more)
    }
    for (let index = 0; index < 20; index += 1) {
      const order = { ...person(index), address: `203.0.113.${index}` }
      await challenges.start({ ...order, lane: 'enrol', purpose: 'signup' })
      await challenges.start(order)
    }
    expect(new Set(keys).size).toBeGreaterThan(100)
    expect([...new Set(keys)].filter((key) => store.read(key) !== undefined)).toEqual([])
  })

  it('that the provider refuses cost nobody an hour or a day, however many they are', async () => {
    for (const result of ['failed', 'misconfigured', 'not-sent'] as const) {
      const { challenges, provider, wait } = createService({
        limits: { serviceEnrolSendsPerHour: 1, serviceEnrolSendsPerDay: 1 },
      })
      const order = (index: number) => ({ ...ana, phone: phones(3)[index] ?? '', lane: 'enrol' as const })
      provider.send = () => ({ result })
      for (const index of [0, 1]) {
        await expect(challenges.start({ ...order(index), purpose: 'signup' })).rejects.toThrow()
        wait(1)
      }
      provider.send = () => ({ result: 'sent' })
      expect(await challenges.start({ ...order(2), purpose: 'signup' })).toMatchObject({ outcome: 'started' })
    }
  })

  it('whose session cannot be kept cost neither an hour nor a day, the address’s neither', async () => {
    const { challenges, provider } = createService({
      limits: { serviceEnrolSendsPerDay: 1, enrolSendsPerAddressPerDay: 1 },
    })
    const order = { ...ana, lane: 'enrol' as const, purpose: 'signup', address: '203.0.113.7' }
    const onPassed = async () => Promise.reject(new Error('the session store is down'))
    for (let turn = 0; turn < 3; turn += 1) {
      await expect(challenges.start({ ...order, onPassed })).rejects.toThrow('the session store is down')
    }
    expect(provider.sends).toHaveLength(0)
    expect(await challenges.start(order)).toMatchObject({ outcome: 'started' })
  })

  it.each(['count-country-sent', 'count-enrol-service-sends'])(
    'whose %s cannot be counted cost nothing of what could be',
    async (kind) => {
      const { challenges, provider, store } = createService({ limits: { serviceEnrolSendsPerHour: 1 } })
      const order = { ...ana, lane: 'enrol' as const, purpose: 'signup' }
      const { increment } = store
      const fails = (key: string, by = 1) => by > 0 && key.includes(`:${kind}:`) && !key.includes(':hour')
      store.increment = (key, windowMs, by) => {
        if (fails(key, by)) throw new Error('down')
        return increment(key, windowMs, by)
      }
      vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] })
      onTestFinished(() => void vi.useRealTimers())
      const refused = expect(challenges.start(order)).rejects.toMatchObject({ code: 'store_unavailable' })
      await vi.advanceTimersByTimeAsync(1_500)
      await refused
      expect(provider.sends).toEqual([])
      store.increment = increment
      expect(await challenges.start(order)).toMatchObject({ outcome: 'started' })
    },
  )

  it('that the ledger refuses cost nobody’s budget, the address’s neither', async () => {
    const { challenges, wait } = createService({ limits: { sendsPerAddressPer10Min: 10 } })
    await challenges.start({ ...ana, purpose: 'login', address: '203.0.113.7' })
    for (let clicks = 0; clicks < 40; clicks += 1) {
      await challenges.start({ ...ana, purpose: 'transfer', address: '203.0.113.7' })
    }
    wait(minute)
    expect(await challenges.start({ ...ana, purpose: 'login' })).toMatchObject({ outcome: 'started' })
    const burst = Array.from({ length: 20 }, (_, index) =>
      challenges.start({ ...person(index + 100), address: '203.0.113.7' }),
    )
    expect(await answers(burst)).toEqual({ started: 9, 'refused send_limit address': 11 })
  })

  it('are not counted by address where that is switched off or nobody knows it', async () => {
    const { challenges } = createService({ limits: { sendsPerAddressPer10Min: false } })
    const off = Array.from({ length: 250 }, (_, index) =>
      challenges.start({ ...person(index), address: '203.0.113.7' }),
    )
    expect(await answers(off)).toEqual({ started: 250 })
    const unknown = createService({ limits: { sendsPerAddressPer10Min: 1 } })
    const requests = Array.from({ length: 3 }, (_, index) => unknown.challenges.start(person(index)))
    expect(await answers(requests)).toEqual({ started: 3 })
  })
})

describe('what a counter asks of the store', () => {
  /** A service whose counters answer a turn later, and the kinds that were asked together. */
  function watched() {
    const asked: string[][] = [[]]
    const service = createService({
      background: none,
      commands: (well) => ({
        async increment(key, windowMs, by) {
          asked.at(-1)?.push(`${by === 0 ? 'read' : 'add'} ${key.split(':')[2]}`)
          await new Promise((resolve) => setImmediate(resolve))
          if (asked.at(-1)?.length !== 0) asked.push([])
          return well.increment(key, windowMs, by)
        },
      }),
    })
    return { ...service, asked: () => asked.filter((kinds) => kinds.length > 0).map((kinds) => kinds.sort()) }
  }

  it('is under a name for each budget and lane, and goes out together', async () => {
    const { challenges, wait, asked } = watched()
    const address = '2001:db8::1'
    await challenges.start({ ...ana, purpose: 'login', address })
    await challenges.verify({ ...ana, code: 'wrong1', address })
    wait(minute)
    await challenges.start({ ...ana, lane: 'enrol', purpose: 'signup', address })
    expect(asked()).toEqual([
      ['read count-auth-address-sends'],
      [
        'add count-auth-address-sends',
        'add count-auth-service-sends',
        'add number-sends',
        'add number-sends',
      ],
      ['read number-sends'],
      ['add number-wrong'],
      [
        ...Array(4).fill('read count-country-approved'),
        ...Array(2).fill('read count-country-sent'),
        'read count-enrol-address-sends',
        'read count-enrol-address-unproven',
        'read count-enrol-tried',
      ],
      [
        ...Array(4).fill('add count-country-sent'),
        'add count-enrol-address-sends',
        'add count-enrol-address-unproven',
        'add count-enrol-numbers',
        ...Array(3).fill('add count-enrol-service-sends'),
        'add count-enrol-tried',
      ],
    ])
  })

  it('is nothing about its country when somebody signs in', async () => {
    const { challenges, asked } = watched()
    await challenges.start({ ...ana, purpose: 'login' })
    expect(await challenges.verify({ ...ana, code: rightCode })).toMatchObject({ outcome: 'approved' })
    expect(asked().flat()).not.toContainEqual(expect.stringContaining('country'))
  })

  it('is under the tag of whoever is counted', async () => {
    const { challenges, store, keys, wait } = createService({ background: none })
    const asked = keysCounted(store)
    for (const lane of ['auth', 'enrol'] as const) {
      await challenges.start({ ...ana, lane, purpose: purposeIn(lane) })
      await challenges.verify({ ...ana, lane, code: 'wrong1' })
    }
    wait(hour)
    await challenges.start(oneSignup(2))
    const number = keys.number(ana.phone as PhoneNumber)
    expect([...new Set(asked)].sort()).toEqual(
      [
        keys.counter('count-auth-service-sends', 'minute'),
        ...['day', 'hour'].map((span) => keys.counter('number-sends', `${span}.${number}`)),
        keys.counter('number-wrong', `day.${number}`),
        ...[ana, person(2)].flatMap(({ session, phone }) => [
          keys.counter(
            'count-enrol-tried',
            hashId(`${session} ${keys.enrolled(keys.number(phone as PhoneNumber))}`),
          ),
          keys.counter('count-enrol-numbers', hashId(session)),
        ]),
        ...['minute', 'hour', 'day'].map((span) => keys.counter('count-enrol-service-sends', span)),
        ...['2027-01-15T08', '2027-01-15T09', '2027-01-15'].flatMap((window) => [
          keys.counter('count-country-sent', `CO.${window}`),
          keys.counter('count-country-approved', `CO.${window}`),
          keys.counter('count-country-sent', `all.${window}`),
          keys.counter('count-country-approved', `all.${window}`),
        ]),
      ].sort(),
    )
  })

  it('is under no readable address', async () => {
    const { challenges, store } = createService()
    const keys = keysCounted(store)
    await challenges.start({ ...person(0), address: '2001:db8::1' })
    await challenges.start({ ...person(1), address: '203.0.113.7' })
    expect(keys.filter((key) => key.includes('count-auth-address-sends'))).toHaveLength(4)
    expect(keys.join()).not.toMatch(/2001|203\.0/)
  })

  it('is of a kind that belongs to its lane', async () => {
    const kept = memoryStore()
    const written: Record<'auth' | 'enrol', Set<string>> = { auth: new Set(), enrol: new Set() }
    for (const lane of ['auth', 'enrol'] as const) {
      const note = (key: string) => void written[lane].add(key.split(':')[2] ?? '')
      const store: Store = {
        read: kept.read,
        swap(key, ...rest) {
          note(key)
          return kept.swap(key, ...rest)
        },
        increment(key, ...rest) {
          note(key)
          return kept.increment(key, ...rest)
        },
      }
      const { challenges } = createService({ store: () => store })
      const who = { ...ana, lane, address: '203.0.113.7' }
      await challenges.start({ ...who, purpose: purposeIn(lane) })
      await challenges.verify({ ...who, code: 'wrong1' })
    }
    for (const lane of ['auth', 'enrol'] as const) {
      expect(written[lane].size).toBeGreaterThan(3)
      for (const kind of written[lane]) expect([kind, kindOf(kind).lane]).toEqual([kind, lane])
      expect([...written[lane]].filter((kind) => !Object.hasOwn(kinds, kind))).toEqual([])
    }
  })
})
