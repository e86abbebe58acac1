import { describe, expect, onTestFinished, vi } from 'vitest'
import { hashId } from '../../../src/challenge/keys.js'
import { memoryStore } from '../../../src/store/memory-store.js'
import { entryKindOf, kinds } from '../../../src/store/store.js'
import { hour, minute } from '../kit.js'
import { ana, createService, it, keysCounted, person, purposeIn, rightCode, visitor } from '../service.js'

const signingUp = { ...ana, lane: 'enrol', purpose: 'signup' } as const
const address = '203.0.113.7'

/** Runs so many at once and says how they were answered. */
async function atOnce(
  count: number,
  request: (index: number) => Promise<{ outcome: string; code?: string; limit?: string }>,
) {
  const tally: Record<string, number> = {}
  const told = await Promise.all(Array.from({ length: count }, (_, index) => request(index)))
  for (const { outcome, code, limit } of told) {
    const answer = [outcome, code, limit].filter(Boolean).join(' ')
    tally[answer] = (tally[answer] ?? 0) + 1
  }
  return tally
}

describe('sends', () => {
  it.each([
    ['auth', { sendsPerAddressPer10Min: 7 }],
    ['enrol', { enrolSendsPerAddressPer10Min: 7 }],
  ] as const)('in parallel from one address stop at the limit of the %s lane', async (lane, limits) => {
    const { challenges, provider } = createService({ limits })
    const start = (index: number) =>
      challenges.start({ ...person(index), lane, purpose: purposeIn(lane), address })
    expect(await atOnce(50, start)).toEqual({ started: 7, 'refused send_limit address': 43 })
    expect(provider.sends).toHaveLength(7)
  })

  it('are not counted by address if that limit is off or the address is unknown', async () => {
    const off = createService({ limits: { sendsPerAddressPer10Min: false } })
    const startOff = (index: number) => off.challenges.start({ ...person(index), address })
    expect(await atOnce(250, startOff)).toEqual({ started: 250 })
    const unknown = createService({ limits: { sendsPerAddressPer10Min: 1 } })
    const startUnknown = (index: number) => unknown.challenges.start(person(index))
    expect(await atOnce(3, startUnknown)).toEqual({ started: 3 })
  })

  it('of one session stop at three unverified numbers a day', async () => {
    const { challenges, provider, wait } = createService()
    const start = (index: number) => challenges.start({ ...visitor(index), session: 'one' })
    expect(await atOnce(50, start)).toEqual({ started: 3, 'refused send_limit session': 47 })
    for (let tries = 0; tries < 3; tries += 1) await start(49)
    expect(provider.sends).toHaveLength(3)
    wait(hour)
    expect(await start(49)).toMatchObject({ limit: 'session', retryAfterMs: 23 * hour })
    wait(23 * hour)
    expect(await start(49)).toMatchObject({ outcome: 'started' })
  })

  it('count a number of a session once', async () => {
    const { challenges, wait } = createService({ limits: { numbersPerSessionPerDay: 1 } })
    for (let sends = 0; sends < 3; sends += 1) {
      expect(await challenges.start(visitor(0))).toMatchObject({ outcome: 'started' })
      wait(hour)
    }
  })

  it('of the whole service stop at its limit, and neither lane blocks the second one', async () => {
    const { challenges, wait } = createService({ limits: { serviceSendsPerMinute: 10 } })
    const start = (index: number) => challenges.start(visitor(index))
    expect(await atOnce(30, start)).toEqual({ started: 10, 'refused sending_paused service': 20 })
    expect(await challenges.start(person(0))).toMatchObject({ outcome: 'started' })
    wait(minute)
    expect(await start(40)).toMatchObject({ outcome: 'started' })
  })

  it('of all sign-ups stop at the limits of an hour and of a day, with an event for the operator', async () => {
    const { challenges, provider, wait, events } = createService({
      limits: { serviceEnrolSendsPerHour: 10, serviceEnrolSendsPerDay: 15 },
    })
    const signUps = (from: number) => atOnce(30, (index) => challenges.start(visitor(from + index)))
    expect(await signUps(0)).toEqual({ started: 10, 'refused sending_paused service': 20 })
    expect(events).toContainEqual({
      type: 'request.refused',
      command: 'start',
      code: 'sending_paused',
      lane: 'enrol',
      subject: 'visitor-29',
      limit: 'service',
    })
    wait(hour)
    expect(await signUps(100)).toEqual({ started: 5, 'refused sending_paused service': 25 })
    expect(await challenges.start(visitor(200))).toMatchObject({ retryAfterMs: 23 * hour })
    expect(await challenges.start(person(201))).toMatchObject({ outcome: 'started' })
    expect(provider.sends).toHaveLength(16)
    wait(23 * hour)
    expect(await challenges.start(visitor(200))).toMatchObject({ outcome: 'started' })
  })
})

describe('sends that are refused', () => {
  it('by an address or a session use up nothing of the whole service', async () => {
    const { challenges } = createService({
      limits: { serviceSendsPerMinute: 10, sendsPerAddressPer10Min: 1, numbersPerSessionPerDay: 1 },
    })
    const orders = [
      (index: number) => ({ ...person(index), address }),
      (index: number) => ({ ...visitor(index), session: 'one' }),
    ]
    for (const order of orders) {
      const start = (index: number) => challenges.start(order(index))
      expect(await start(0)).toMatchObject({ outcome: 'started' })
      for (let index = 10; index < 40; index += 1) {
        expect(await start(index)).toMatchObject({ code: 'send_limit' })
      }
    }
    expect(await challenges.start(person(50))).toMatchObject({ outcome: 'started' })
    expect(await challenges.start(visitor(50))).toMatchObject({ outcome: 'started' })
  })

  it('by a number use up nothing of the whole service: at once, and one after the other', async () => {
    const { challenges } = createService({ limits: { serviceSendsPerMinute: 10, allSendsPerHour: 2 } })
    // Accounts of an attacker with one number.
    const start = (index: number) =>
      challenges.start({ ...person(index), phone: '+573009999999', knownBrowser: true })
    expect(await atOnce(8, start)).toEqual({ started: 2, 'refused send_limit': 6 })
    for (let index = 8; index < 40; index += 1) {
      expect(await start(index)).toMatchObject({ code: 'send_limit' })
    }
    expect(await atOnce(12, (index) => challenges.start(person(100 + index)))).toEqual({
      started: 8,
      'refused sending_paused service': 4,
    })
  })

  it('by a counter give the session its number back, and no other', async () => {
    const { challenges, store, keys, wait } = createService({
      limits: { numbersPerSessionPerDay: 2, serviceSendsPerMinute: 1 },
    })
    const start = (index: number, session = 'one') => challenges.start({ ...visitor(index), session })
    const numbersOf = (session: string) => store.read(keys.counter('count-enrol-numbers', hashId(session)))
    expect(await start(0)).toMatchObject({ outcome: 'started' })
    expect(await start(1)).toMatchObject({ limit: 'service' })
    expect(await start(2, 'two')).toMatchObject({ limit: 'service' })
    wait(minute)
    expect(numbersOf('two')).toBeUndefined()
    expect(await start(3)).toMatchObject({ outcome: 'started' })
    // A number that the session had before is not one of those.
    expect(await start(0)).toMatchObject({ limit: 'service' })
    wait(minute)
    expect(await start(1)).toMatchObject({ limit: 'session' })
    expect(numbersOf('one')).toMatchObject({ value: 2 })
  })

  it('by a counter leave nothing behind', async () => {
    const { challenges, store } = createService({ limits: { serviceSendsPerMinute: 0 } })
    const keys = keysCounted(store)
    const swap = store.swap.bind(store)
    store.swap = (key, ...more) => {
      keys.push(key)
      return swap(key, ...more)
    }
    for (let index = 0; index < 20; index += 1) {
      await challenges.start({ ...visitor(index), address: `203.0.113.${index}` })
      await challenges.start({ ...person(index), address: `203.0.113.${index}` })
    }
    expect(new Set(keys).size).toBeGreaterThan(100)
    expect([...new Set(keys)].filter((key) => store.read(key) !== undefined)).toEqual([])
  })

  it.each(['failed', 'misconfigured', 'not-sent'] as const)(
    'by the provider use no limit of an hour or a day: %s',
    async (result) => {
      const { challenges, provider, wait } = createService({
        limits: { serviceEnrolSendsPerHour: 1, serviceEnrolSendsPerDay: 1 },
      })
      provider.send = () => ({ result })
      for (const index of [0, 1]) {
        await expect(challenges.start(visitor(index))).rejects.toThrow()
        wait(1)
      }
      provider.send = () => ({ result: 'sent' })
      expect(await challenges.start(visitor(2))).toMatchObject({ outcome: 'started' })
    },
  )

  it('since their session cannot be kept cost neither an hour nor a day, the address’s neither', async () => {
    const { challenges, provider } = createService({
      limits: { serviceEnrolSendsPerDay: 1, enrolSendsPerAddressPerDay: 1 },
    })
    const onPassed = async () => Promise.reject(new Error('the session store is down'))
    for (let turn = 0; turn < 3; turn += 1) {
      const start = challenges.start({ ...signingUp, address, onPassed })
      await expect(start).rejects.toThrow('the session store is down')
    }
    expect(provider.sends).toHaveLength(0)
    expect(await challenges.start({ ...signingUp, address })).toMatchObject({ outcome: 'started' })
  })

  it.each(['count-country-sent', 'count-enrol-service-sends'])(
    'because their %s cannot be counted use no limit',
    async (kind) => {
      const { challenges, provider, store } = createService({ limits: { serviceEnrolSendsPerHour: 1 } })
      const { increment } = store
      const fails = (key: string, by = 1) => by > 0 && key.includes(`:${kind}:`) && !key.includes(':hour')
      store.increment = (key, windowMs, by) => {
        if (fails(key, by)) throw new Error('down')
        return increment(key, windowMs, by)
      }
      vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] })
      onTestFinished(() => void vi.useRealTimers())
      const refused = expect(challenges.start(signingUp)).rejects.toMatchObject({ code: 'store_unavailable' })
      await vi.advanceTimersByTimeAsync(1_500)
      await refused
      expect(provider.sends).toEqual([])
      store.increment = increment
      expect(await challenges.start(signingUp)).toMatchObject({ outcome: 'started' })
    },
  )
})

describe('what a counter asks of the store', () => {
  it('is under no readable address', async () => {
    const { challenges, store } = createService()
    const keys = keysCounted(store)
    await challenges.start({ ...person(0), address: '2001:db8::1' })
    await challenges.start({ ...person(1), address })
    expect(keys.filter((key) => key.includes('count-auth-address-sends'))).toHaveLength(4)
    expect(keys.join()).not.toMatch(/2001|203\.0/)
  })

  it('does not include a country at a sign-in', async () => {
    const { challenges, store } = createService()
    const keys = keysCounted(store)
    await challenges.start({ ...ana, purpose: 'login' })
    expect(await challenges.verify({ ...ana, code: rightCode })).toMatchObject({ outcome: 'approved' })
    expect(keys).not.toContainEqual(expect.stringContaining('country'))
  })

  it.each(['auth', 'enrol'] as const)('is of a kind that belongs to its lane: %s', async (lane) => {
    const store = memoryStore()
    const written = new Set<string>()
    const noted =
      <Args extends unknown[], Result>(run: (key: string, ...args: Args) => Result) =>
      (key: string, ...args: Args) => {
        written.add(key.split(':')[2] ?? '')
        return run(key, ...args)
      }
    const { challenges } = createService({
      store: () => ({ read: store.read, swap: noted(store.swap), increment: noted(store.increment) }),
    })
    await challenges.start({ ...ana, lane, address, purpose: purposeIn(lane) })
    await challenges.verify({ ...ana, lane, address, code: 'wrong1' })
    expect(written.size).toBeGreaterThan(3)
    for (const kind of written) expect([kind, entryKindOf(kind).lane]).toEqual([kind, lane])
    expect([...written].filter((kind) => !Object.hasOwn(kinds, kind))).toEqual([])
  })
})
