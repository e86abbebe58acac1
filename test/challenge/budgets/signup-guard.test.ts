import { describe, expect, it } from 'vitest'
import type { Suspicion } from '../../../src/challenge/commands.js'
import { memoryStore } from '../../../src/store/memory-store.js'
import { redisStore } from '../../../src/store/redis-store.js'
import type { Store } from '../../../src/store/store.js'
import { redisOfFile } from '../../express/redis.js'
import { withoutRedis } from '../../store/redis-server.js'
import { day, hour, refusal, unboundedService } from '../kit.js'
import { createService, keysCounted, rightCode, type ServiceOptions, visitor } from '../service.js'
import { foreign, numberOf } from './traffic.js'

const createGuarded = (options: ServiceOptions = {}) =>
  createService({ limits: unboundedService, signupGuard: { mode: 'enforce' }, ...options })
type Service = ReturnType<typeof createService>

async function signUp({ challenges }: Service, index: number): Promise<string> {
  const started = await challenges.start(visitor(index))
  if (started.outcome === 'started') await challenges.verify({ ...visitor(index), code: rightCode })
  return started.outcome
}

async function pump({ challenges }: Service, count: number, first = 0) {
  const outcomes = []
  for (let index = first; index < first + count; index += 1) {
    outcomes.push(await challenges.start(visitor(index)))
  }
  return outcomes
}

const spendEvents = ({ events }: Service) => events.filter(({ type }) => type.startsWith('spend.'))

describe('a country whose sign-ups nobody completes', () => {
  it('gets 30 codes an hour and 100 a day, then 503 until the window ends', async () => {
    const service = createGuarded()
    const sentIn: number[] = []
    for (let elapsed = 0; elapsed < 5; elapsed += 1) {
      const before = service.provider.sends.length
      const last = (await pump(service, 200, elapsed * 1_000)).at(-1)
      expect(last).toMatchObject({ outcome: 'refused', code: 'sending_paused', limit: 'country' })
      sentIn.push(service.provider.sends.length - before)
      service.wait(hour)
    }
    expect(sentIn).toEqual([30, 30, 30, 10, 0])
  })

  it('is told how long the hour, or the day, still lasts', async () => {
    const service = createGuarded({ signupGuard: { mode: 'enforce', unprovenPerDay: 31 } })
    const untilHour = hour - (service.now() % hour)
    expect((await pump(service, 31)).at(-1)).toMatchObject({ retryAfterMs: untilHour })
    service.wait(untilHour)
    expect((await pump(service, 2, 100)).at(-1)).toMatchObject({ retryAfterMs: day - (service.now() % day) })
  })

  it('keeps no sign-in and no other country from a code', async () => {
    const service = createGuarded()
    await pump(service, 31)
    const { challenges } = service
    const ana = { subject: 'ana', session: 'ana', phone: '+573009999999', purpose: 'login' }
    expect(await challenges.start(ana)).toMatchObject({ outcome: 'started' })
    const mexican = { ...visitor(5_000), phone: '+525512345678' }
    expect(await challenges.start(mexican)).toMatchObject({ outcome: 'started' })
  })

  it('that is not watched is counted nowhere: not when a send is refused, and not when one is proven', async () => {
    const service = createGuarded({ signupGuard: { mode: 'enforce', countries: ['MX'] } })
    const { send } = service.provider
    const counted = keysCounted(service.store)
    service.provider.send = () => ({ result: 'failed' })
    await expect(service.challenges.start(visitor(1))).rejects.toMatchObject({ code: 'delivery_failed' })
    service.provider.send = send
    expect(await signUp(service, 2)).toBe('started')
    expect(counted.length).toBeGreaterThan(0)
    expect(counted.filter((key) => key.includes('count-country'))).toEqual([])
  })

  it('is not asked again for a code that is on its way', async () => {
    const service = createGuarded()
    await pump(service, 31)
    expect(await service.challenges.start(visitor(3))).toMatchObject({ outcome: 'already-sent' })
  })

  it('is refunded what the provider refused to send', async () => {
    const service = createGuarded()
    service.provider.send = () => ({ result: 'failed' })
    for (let index = 0; index < 60; index += 1) await service.challenges.start(visitor(index)).catch(() => {})
    expect(spendEvents(service)).toEqual([])
    service.provider.send = () => ({ result: 'sent' })
    expect(await service.challenges.start(visitor(100))).toMatchObject({ outcome: 'started' })
  })
})

/** From an address of a network of its own. */
const from = (index: number, network: number) => ({ ...visitor(index), address: `203.0.${network}.1` })

describe('a country that is pumped from few networks', () => {
  it('is closed to networks that have an unproven send that day, until they prove it, and to no others', async () => {
    const service = createGuarded()
    const { challenges } = service
    for (let index = 0; index < 31; index += 1) await challenges.start(from(index, index % 3))
    expect(service.provider.sends).toHaveLength(30)
    const paused = { code: 'sending_paused', limit: 'country' }
    expect(await challenges.start(from(40, 1))).toMatchObject(paused)
    expect(await challenges.start(from(41, 50))).toMatchObject({ outcome: 'started' })
    expect(await challenges.start(from(42, 50))).toMatchObject(paused)
    const proven = await challenges.verify({ ...from(41, 50), code: rightCode })
    expect(proven).toMatchObject({ outcome: 'approved' })
    expect(await challenges.start(from(42, 50))).toMatchObject({ outcome: 'started' })
  })

  it('is closed to whoever comes without an address, which may be anybody', async () => {
    const service = createGuarded()
    for (let index = 0; index < 30; index += 1) await service.challenges.start(from(index, index))
    expect(await service.challenges.start(visitor(40))).toMatchObject({ code: 'sending_paused' })
  })

  it.each([0, 30])(
    'with %i unproven ones gives a burst from one network the code that it gives to one of them',
    async (had) => {
      const service = createGuarded({
        signupGuard: { mode: 'enforce', unprovenPerHour: Math.max(had, 1) },
        // All of the burst fit: those that are refused late must take nothing of it.
        limits: { ...unboundedService, enrolSendsPerAddressPerDay: 12 },
      })
      await pump(service, had, 1_000)
      const burst = Array.from({ length: 12 }, (_, index) => service.challenges.start(from(index, 50)))
      const outcomes = await Promise.all(burst)
      expect(service.provider.sends).toHaveLength(had + 1)
      expect(outcomes.filter((one) => 'limit' in one && one.limit === 'country')).toHaveLength(11)
      service.wait(hour)
      expect(await service.challenges.start(from(20, 50))).toMatchObject({ outcome: 'started' })
    },
  )
})

describe('the counts', () => {
  it('are those of the codes that have left, from however few networks', async () => {
    const service = createGuarded({ signupGuard: { mode: 'observe' } })
    for (let index = 0; index < 160; index += 1) await service.challenges.start(from(index, index % 8))
    expect(service.provider.sends).toHaveLength(160)
    expect(service.signups.suspected()).toEqual([
      { country: 'CO', sent: 160, approved: 0 },
      { country: 'all', sent: 160, approved: 0 },
    ])
  })

  it('hold nothing of the starts that were refused', async () => {
    const service = createGuarded()
    await Promise.all(Array.from({ length: 60 }, (_, index) => service.challenges.start(visitor(index))))
    await service.challenges.start(from(100, 1))
    expect(service.provider.sends).toHaveLength(31)
    expect(service.signups.suspected()).toEqual([{ country: 'CO', sent: 31, approved: 0 }])
  })
})

describe('sign-ups of which most are completed', () => {
  it('are never refused, however many', async () => {
    const service = createGuarded()
    for (let index = 0; index < 300; index += 1) {
      if (index % 10 < 7) expect(await signUp(service, index)).toBe('started')
      else expect((await pump(service, 1, index))[0]).toMatchObject({ outcome: 'started' })
    }
    expect(spendEvents(service)).toEqual([])
  })

  it('let twice as many go unproven as are proven, and no more', async () => {
    const service = createGuarded()
    for (let index = 0; index < 40; index += 1) await signUp(service, index)
    const outcomes = await pump(service, 200, 1_000)
    expect(outcomes.filter(({ outcome }) => outcome === 'started')).toHaveLength(80)
  })
})

describe('the events', () => {
  it.each(['observe', 'enforce'] as const)(
    'come once for each window when the guard is to %s',
    async (mode) => {
      const service = createGuarded({ signupGuard: { mode } })
      await pump(service, 40)
      // Proofs that come in all the same open the hour, and are no word that all is well.
      for (let index = 0; index < 30; index += 1) {
        await service.challenges.verify({ ...visitor(index), code: rightCode })
      }
      await pump(service, 200, 1_000)
      const shown = spendEvents(service).map((event) => ({ ...event, sent: undefined, approved: undefined }))
      expect(shown).toEqual([
        { type: 'spend.suspected', country: 'CO', window: 'hour' },
        ...(mode === 'observe'
          ? [
              { type: 'spend.suspected', country: 'CO', window: 'day' },
              { type: 'spend.suspected', country: 'all', window: 'hour' },
            ]
          : []),
      ])
      expect(spendEvents(service)[0]).toMatchObject({ sent: 30, approved: 0 })
    },
  )

  const suspected = { type: 'spend.suspected', country: 'CO', window: 'hour', sent: 30, approved: 0 }
  const cleared = { type: 'spend.cleared', country: 'CO', window: 'hour', sent: 0, approved: 0 }
  const mexican = (index: number) => ({ ...visitor(5_000 + index), phone: `+5255123456${10 + index}` })

  it('say that it is over when an hour has passed without it, with the next sign-up of any country', async () => {
    const service = createGuarded()
    await pump(service, 31)
    service.wait(hour)
    await pump(service, 2, 100)
    service.wait(hour - 1)
    await service.challenges.start(mexican(0))
    expect(spendEvents(service)).toEqual([suspected])
    service.wait(1)
    await Promise.all([1, 2, 3].map((index) => service.challenges.start(mexican(index))))
    expect(spendEvents(service)).toEqual([suspected, cleared])
    await pump(service, 31, 200)
    expect(spendEvents(service)).toHaveLength(3)
  })

  it('say so of a day when another one has passed', async () => {
    const service = createGuarded({ signupGuard: { mode: 'enforce', unprovenPerDay: 20 } })
    service.wait(day - (service.now() % day))
    await pump(service, 20)
    const inDay = { country: 'CO', window: 'day' }
    expect(spendEvents(service)).toEqual([{ type: 'spend.suspected', ...inDay, sent: 20, approved: 0 }])
    service.wait(2 * day - 1)
    await service.challenges.start(mexican(0))
    expect(spendEvents(service)).toHaveLength(1)
    service.wait(1)
    await service.challenges.start(mexican(1))
    expect(spendEvents(service).slice(1)).toEqual([{ type: 'spend.cleared', ...inDay, sent: 0, approved: 0 }])
  })

  it('come from each process that has seen it, also where it has only refused', async () => {
    const store = memoryStore({ now: () => 0 })
    const both = [createGuarded({ store: () => store }), createGuarded({ store: () => store })] as const
    await pump(both[0], 31)
    await pump(both[1], 1, 100)
    for (const each of both) each.wait(2 * hour)
    for (const [index, each] of both.entries()) await each.challenges.start(mexican(index))
    const told = ['spend.suspected', 'spend.cleared']
    expect(both.map((each) => spendEvents(each).map(({ type }) => type))).toEqual([told, told])
  })

  it('come once an hour while a pump goes on, and none says that it is over', async () => {
    const service = createGuarded({ signupGuard: { mode: 'enforce', unprovenPerDay: 1_000 } })
    for (let passed = 0; passed < 5; passed += 1) {
      await pump(service, 40, passed * 100)
      service.wait(hour)
    }
    expect(spendEvents(service)).toEqual(Array.from({ length: 5 }, () => suspected))
  })

  it('that are lost keep nobody from a code, and are told later', async () => {
    const service = createGuarded()
    await pump(service, 30)
    service.wait(2 * hour)
    const { increment } = service.store
    service.store.increment = (key, ...more) => {
      if (key.includes('country-approved:CO')) throw new Error('down')
      return increment(key, ...more)
    }
    expect(await service.challenges.start(mexican(0))).toMatchObject({ outcome: 'started' })
    expect(spendEvents(service)).toEqual([suspected])
    service.store.increment = increment
    await service.challenges.start(mexican(1))
    expect(spendEvents(service)).toEqual([suspected, cleared])
  })
})

describe('a pump that is spread over countries', () => {
  const spread = async (service: Service, each: number) => {
    const outcomes = []
    for (let index = 0; index < each; index += 1) {
      for (const country of foreign.slice(0, 40)) {
        const who = { ...visitor(0), subject: `${country}${index}`, session: `${country}${index}` }
        outcomes.push(await service.challenges.start({ ...who, phone: numberOf(country, index) }))
      }
    }
    return outcomes
  }

  it('is told by the sum, with five times the floors, and refuses nobody', async () => {
    const service = createGuarded({ countries: 'any' })
    const outcomes = await spread(service, 13)
    expect(outcomes.filter(({ outcome }) => outcome !== 'started')).toEqual([])
    const sum = { type: 'spend.suspected', country: 'all', approved: 0 }
    expect(spendEvents(service)).toEqual([
      { ...sum, window: 'hour', sent: 150 },
      { ...sum, window: 'day', sent: 500 },
    ])
    expect(service.signups.suspected()).toEqual([{ country: 'all', sent: 520, approved: 0 }])
  })

  it('is not told where as many people enter their codes', async () => {
    const service = createGuarded({ countries: 'any' })
    for (let index = 0; index < 90; index += 1) await signUp(service, index)
    await spread(service, 4)
    expect(spendEvents(service)).toEqual([])
  })
})

describe('what a process knows to be suspected', () => {
  it('is what the last sign-up has shown, until the window ends', async () => {
    const service = createGuarded({ signupGuard: { mode: 'observe' } })
    const { signups } = service
    const prove = (index: number) => service.challenges.verify({ ...visitor(index), code: rightCode })
    await pump(service, 29)
    expect(signups.suspected()).toEqual([])
    await pump(service, 2, 29)
    await prove(0)
    await pump(service, 1, 31)
    expect(signups.suspected()).toEqual([{ country: 'CO', sent: 32, approved: 1 }])
    await prove(1)
    await prove(2)
    await pump(service, 1, 32)
    expect(signups.suspected()).toEqual([{ country: 'CO', sent: 33, approved: 3 }])
    await prove(3)
    await prove(4)
    await pump(service, 1, 33)
    expect(signups.suspected()).toEqual([])
    await pump(service, 1, 34)
    service.wait(hour - (service.now() % hour) - 1)
    expect(signups.suspected()).toEqual([{ country: 'CO', sent: 35, approved: 5 }])
    service.wait(1)
    expect(signups.suspected()).toEqual([])
  })

  it('is the hour of a country, or its day', async () => {
    const service = createGuarded({ signupGuard: { mode: 'observe' } })
    const { signups } = service
    await pump(service, 105)
    expect(signups.suspected()).toEqual([{ country: 'CO', sent: 105, approved: 0 }])
    service.wait(hour)
    expect(signups.suspected()).toEqual([])
    await pump(service, 1, 1_000)
    expect(signups.suspected()).toEqual([{ country: 'CO', sent: 106, approved: 0 }])
  })
})

describe('beforeSend', () => {
  it('is told what looks suspicious, and lets through whom it trusts', async () => {
    const service = createGuarded()
    await pump(service, 30)
    const told: (Suspicion | undefined)[] = []
    const beforeSend = ({ suspicion }: { suspicion?: Suspicion | undefined }) => {
      told.push(suspicion)
      return told.length > 1
    }
    const start = (index: number) => service.challenges.start({ ...visitor(index), beforeSend })
    expect(await start(100)).toMatchObject(refusal('send_refused'))
    expect(await start(101)).toMatchObject({ outcome: 'started' })
    expect(told).toEqual([
      { country: 'CO', sent: 30, approved: 0 },
      { country: 'CO', sent: 30, approved: 0 },
    ])
  })

  it.each(['observe', 'enforce'] as const)(
    'is told of a day whose hour is quiet, in mode %s',
    async (mode) => {
      const service = createGuarded({ signupGuard: { mode, unprovenPerDay: 31 } })
      await pump(service, 30)
      service.wait(hour)
      await pump(service, 1, 30)
      const told: (Suspicion | undefined)[] = []
      const beforeSend = ({ suspicion }: { suspicion?: Suspicion | undefined }) => told.push(suspicion) > 0
      const outcome = await service.challenges.start({ ...visitor(100), beforeSend })
      expect(told).toEqual([{ country: 'CO', sent: 31, approved: 0 }])
      expect(outcome).toMatchObject({ outcome: 'started' })
    },
  )

  it('lets no burst through that it was asked about before there was a suspicion', async () => {
    const service = createGuarded({ signupGuard: { mode: 'enforce', unprovenPerHour: 3 } })
    const told: (Suspicion | undefined)[] = []
    const beforeSend = async ({ suspicion }: { suspicion?: Suspicion | undefined }) =>
      told.push(suspicion) > 0
    const start = (index: number) => service.challenges.start({ ...visitor(index), beforeSend })
    const outcomes = await Promise.all(Array.from({ length: 8 }, (_, index) => start(index)))
    expect(outcomes.filter(({ outcome }) => outcome === 'started')).toHaveLength(3)
    expect(outcomes.filter((one) => 'limit' in one && one.limit === 'country')).toHaveLength(5)
    expect(told).toEqual(Array.from({ length: 8 }, () => undefined))
    expect(await start(9)).toMatchObject({ outcome: 'started' })
    expect(told.at(-1)).toEqual({ country: 'CO', sent: 3, approved: 0 })
  })

  it('is told nothing while nothing is suspected, and nothing at a sign-in', async () => {
    const service = createGuarded()
    const asked: object[] = []
    const beforeSend = (send: object) => asked.push(send) > 0
    await service.challenges.start({ ...visitor(1), beforeSend })
    await pump(service, 29, 10)
    await service.challenges.start({ ...visitor(2), lane: 'auth', purpose: 'login', beforeSend })
    expect(asked.map((send) => 'suspicion' in send)).toEqual([false, false])
  })
})

const redis = redisOfFile()
const stores: readonly (readonly [string, () => Promise<Store>])[] = [
  ['memory', async () => memoryStore()],
  [
    'Redis',
    async () => {
      await redis.client.flushAll()
      // Under the load of the whole suite a deadline of 250 ms would tell of the machine.
      return redisStore({ client: redis.client, timeoutMs: 5_000 })
    },
  ],
]

describe.each(stores)('200 sign-ups at once on %s', (name, create) => {
  it.skipIf(name === 'Redis' && withoutRedis)('get 30 codes, and one event', async () => {
    const store = await create()
    const limits = { ...unboundedService, storeTimeoutMs: 5_000 }
    const service = createGuarded({ limits, store: () => store })
    const outcomes = await Promise.all(Array.from({ length: 200 }, (_, index) => pump(service, 1, index)))
    expect(service.provider.sends).toHaveLength(30)
    const paused = outcomes.flat().filter((one) => 'code' in one && one.code === 'sending_paused')
    expect(paused).toHaveLength(170)
    expect(spendEvents(service)).toHaveLength(1)
  })

  it.skipIf(name === 'Redis' && withoutRedis)('of whom most enter their code all get one', async () => {
    const store = await create()
    const limits = { ...unboundedService, storeTimeoutMs: 5_000 }
    const service = createGuarded({ limits, store: () => store, signupGuard: { mode: 'enforce' } })
    // Those before them have shown what to expect of this country.
    for (let index = 0; index < 120; index += 1) await signUp(service, 1_000 + index)
    const outcomes = await Promise.all(Array.from({ length: 200 }, (_, index) => signUp(service, index)))
    expect(outcomes.filter((outcome) => outcome !== 'started')).toEqual([])
    expect(spendEvents(service)).toEqual([])
  })
})
