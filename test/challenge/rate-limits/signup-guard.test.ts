import { describe, expect, it } from 'vitest'
import type { Suspicion } from '../../../src/challenge/commands.js'
import { redisOfFile } from '../../express/redis.js'
import { day, hour, refusal, unboundedService } from '../kit.js'
import { createService, keysCounted, rightCode, type ServiceOptions, visitor } from '../service.js'
import { foreign, numberOf } from './traffic.js'

/** One that refuses what looks pumped, unless it is told to observe. */
const createGuarded = ({ signupGuard, ...options }: ServiceOptions = {}) =>
  createService({ limits: unboundedService, signupGuard: { mode: 'enforce', ...signupGuard }, ...options })
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
const paused = { outcome: 'refused', code: 'sending_paused', limit: 'country' }
const started = { outcome: 'started' }
const mexican = (index: number) => ({ ...visitor(5_000 + index), phone: `+5255123456${10 + index}` })

describe('a country whose sign-ups nobody completes', () => {
  it('gets 30 codes an hour and 100 a day, then 503 until the window ends', async () => {
    const service = createGuarded()
    const sentIn: number[] = []
    for (let elapsed = 0; elapsed < 5; elapsed += 1) {
      const before = service.provider.sends.length
      const last = (await pump(service, 120, elapsed * 1_000)).at(-1)
      sentIn.push(service.provider.sends.length - before)
      const window = elapsed < 3 ? hour : day
      expect(last).toMatchObject({ ...paused, retryAfterMs: window - (service.now() % window) })
      service.wait(hour)
    }
    expect(sentIn).toEqual([30, 30, 30, 10, 0])
  })

  it('keeps no sign-in and no other country from a code', async () => {
    const service = createGuarded()
    await pump(service, 31)
    const ana = { subject: 'ana', session: 'ana', phone: '+573009999999', purpose: 'login' }
    expect(await service.challenges.start(ana)).toMatchObject(started)
    expect(await service.challenges.start(mexican(0))).toMatchObject(started)
  })

  it('that is not watched is counted nowhere: not when a send is refused, and not when one is proven', async () => {
    const service = createGuarded({ signupGuard: { countries: ['MX'] } })
    const { send } = service.provider
    const counted = keysCounted(service.store)
    service.provider.send = () => ({ result: 'failed' })
    await expect(service.challenges.start(visitor(1))).rejects.toMatchObject({ code: 'delivery_failed' })
    service.provider.send = send
    expect(await signUp(service, 2)).toBe('started')
    expect(counted.length).toBeGreaterThan(0)
    expect(counted.filter((key) => key.includes('count-country'))).toEqual([])
  })

  it('refunds sends that the provider refused', async () => {
    const service = createGuarded()
    service.provider.send = () => ({ result: 'failed' })
    for (let index = 0; index < 60; index += 1) await service.challenges.start(visitor(index)).catch(() => {})
    expect(spendEvents(service)).toEqual([])
    service.provider.send = () => ({ result: 'sent' })
    expect(await service.challenges.start(visitor(100))).toMatchObject(started)
  })

  it('has its suspicion counted without the starts that were refused', async () => {
    const service = createGuarded()
    await Promise.all(Array.from({ length: 60 }, (_, index) => service.challenges.start(visitor(index))))
    await service.challenges.start(from(100, 1))
    expect(service.provider.sends).toHaveLength(31)
    expect(service.signups.suspected()).toEqual([{ country: 'CO', sent: 31, approved: 0 }])
  })

  it('may have twice as many go unproven as are proven, and no more', async () => {
    const service = createGuarded()
    for (let index = 0; index < 40; index += 1) await signUp(service, index)
    const outcomes = await pump(service, 100, 1_000)
    expect(outcomes.filter(({ outcome }) => outcome === 'started')).toHaveLength(80)
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
    expect(await challenges.start(from(40, 1))).toMatchObject(paused)
    expect(await challenges.start(from(41, 50))).toMatchObject(started)
    expect(await challenges.start(from(42, 50))).toMatchObject(paused)
    const proven = await challenges.verify({ ...from(41, 50), code: rightCode })
    expect(proven).toMatchObject({ outcome: 'approved' })
    expect(await challenges.start(from(42, 50))).toMatchObject(started)
  })

  it('refuses requests without an address, which may come from any network', async () => {
    const service = createGuarded()
    for (let index = 0; index < 30; index += 1) await service.challenges.start(from(index, index))
    expect(await service.challenges.start(visitor(40))).toMatchObject(paused)
  })

  it.each([0, 30])('with %i unverified sends gives one code to a burst from one network', async (had) => {
    const service = createGuarded({
      signupGuard: { unprovenPerHour: Math.max(had, 1) },
      // All of the burst fit: those that are refused late must take nothing of it.
      limits: { ...unboundedService, enrolSendsPerAddressPerDay: 12 },
    })
    await pump(service, had, 1_000)
    const burst = Array.from({ length: 12 }, (_, index) => service.challenges.start(from(index, 50)))
    const outcomes = await Promise.all(burst)
    expect(service.provider.sends).toHaveLength(had + 1)
    expect(outcomes.filter((one) => 'limit' in one && one.limit === 'country')).toHaveLength(11)
    service.wait(hour)
    expect(await service.challenges.start(from(20, 50))).toMatchObject(started)
  })
})

describe('the events', () => {
  it('come once for each window, also where the guard only observes', async () => {
    const service = createGuarded({ signupGuard: { mode: 'observe' } })
    await pump(service, 40)
    // Proofs that come in all the same open the hour, and are no word that all is well.
    for (let index = 0; index < 30; index += 1) {
      await service.challenges.verify({ ...visitor(index), code: rightCode })
    }
    await pump(service, 200, 1_000)
    expect(spendEvents(service)).toEqual([
      { type: 'spend.suspected', country: 'CO', window: 'hour', sent: 30, approved: 0 },
      { type: 'spend.suspected', country: 'CO', window: 'day', sent: 130, approved: 30 },
      { type: 'spend.suspected', country: 'all', window: 'hour', sent: 180, approved: 30 },
    ])
  })

  it.each([
    ['hour', hour, {}, 30],
    ['day', day, { unprovenPerDay: 20 }, 20],
  ] as const)('report its end after the next %s with the next sign-up of any country', async (...row) => {
    const [window, windowMs, signupGuard, sent] = row
    const service = createGuarded({ signupGuard })
    service.wait(day - (service.now() % day))
    await pump(service, 31)
    const told = { country: 'CO', window }
    const suspected = { type: 'spend.suspected', ...told, sent, approved: 0 }
    service.wait(2 * windowMs - 1)
    await service.challenges.start(mexican(0))
    expect(spendEvents(service)).toEqual([suspected])
    service.wait(1)
    await Promise.all([1, 2, 3].map((index) => service.challenges.start(mexican(index))))
    const cleared = { type: 'spend.cleared', ...told, sent: 0, approved: 0 }
    expect(spendEvents(service)).toEqual([suspected, cleared])
    // A pump that goes on is told anew.
    await pump(service, 31, 200)
    expect(spendEvents(service)).toHaveLength(3)
  })

  it('that are lost prevent no code and are emitted later', async () => {
    const service = createGuarded()
    await pump(service, 30)
    service.wait(2 * hour)
    const { increment } = service.store
    service.store.increment = (key, ...more) => {
      if (key.includes('country-approved:CO')) throw new Error('down')
      return increment(key, ...more)
    }
    const types = () => spendEvents(service).map(({ type }) => type)
    expect(await service.challenges.start(mexican(0))).toMatchObject(started)
    expect(types()).toEqual(['spend.suspected'])
    service.store.increment = increment
    await service.challenges.start(mexican(1))
    expect(types()).toEqual(['spend.suspected', 'spend.cleared'])
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

  it('is reported by the sum, with five times the floors, and refuses no sign-up', async () => {
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

  it('is not reported if as many people enter their codes', async () => {
    const service = createGuarded({ countries: 'any' })
    for (let index = 0; index < 90; index += 1) await signUp(service, index)
    await spread(service, 4)
    expect(spendEvents(service)).toEqual([])
  })
})

it('a process knows the suspicions of the last sign-up until the hour or the day ends', async () => {
  const service = createGuarded({ signupGuard: { mode: 'observe' } })
  const suspected = () => service.signups.suspected()
  const prove = async (indices: readonly number[]) => {
    for (const index of indices) await service.challenges.verify({ ...visitor(index), code: rightCode })
  }
  await pump(service, 29)
  expect(suspected()).toEqual([])
  await pump(service, 3, 29)
  await prove([0, 1])
  await pump(service, 1, 32)
  expect(suspected()).toEqual([{ country: 'CO', sent: 33, approved: 2 }])
  await prove([2, 3, 4])
  await pump(service, 1, 33)
  expect(suspected()).toEqual([])
  await pump(service, 71, 34)
  service.wait(hour - (service.now() % hour) - 1)
  expect(suspected()).toEqual([{ country: 'CO', sent: 105, approved: 5 }])
  service.wait(1)
  expect(suspected()).toEqual([])
  // The hour is quiet, the day is not.
  await pump(service, 1, 1_000)
  expect(suspected()).toEqual([{ country: 'CO', sent: 106, approved: 5 }])
})

describe('beforeSend', () => {
  /** What it was told, of so many sends. */
  function hearing(allows = (_heard: number) => true) {
    const told: (Suspicion | undefined)[] = []
    const beforeSend = async ({ suspicion }: { suspicion?: Suspicion | undefined }) => {
      told.push(suspicion)
      return allows(told.length)
    }
    return { told, beforeSend }
  }

  it('receives the suspicion and may permit the send', async () => {
    const service = createGuarded()
    await pump(service, 30)
    const { told, beforeSend } = hearing((heard) => heard > 1)
    const start = (index: number) => service.challenges.start({ ...visitor(index), beforeSend })
    expect(await start(100)).toMatchObject(refusal('send_refused'))
    expect(await start(101)).toMatchObject(started)
    expect(told).toEqual(Array(2).fill({ country: 'CO', sent: 30, approved: 0 }))
  })

  it('lets no burst through that it was asked about before there was a suspicion', async () => {
    const service = createGuarded({ signupGuard: { unprovenPerHour: 3 } })
    const { told, beforeSend } = hearing()
    const start = (index: number) => service.challenges.start({ ...visitor(index), beforeSend })
    const outcomes = await Promise.all(Array.from({ length: 8 }, (_, index) => start(index)))
    expect(outcomes.filter(({ outcome }) => outcome === 'started')).toHaveLength(3)
    expect(outcomes.filter((one) => 'limit' in one && one.limit === 'country')).toHaveLength(5)
    expect(told).toEqual(Array(8).fill(undefined))
    expect(await start(9)).toMatchObject(started)
    expect(told.at(-1)).toEqual({ country: 'CO', sent: 3, approved: 0 })
  })

  it('receives no suspicion without one, and none at a sign-in', async () => {
    const service = createGuarded()
    const asked: object[] = []
    const beforeSend = (send: object) => asked.push(send) > 0
    await service.challenges.start({ ...visitor(1), beforeSend })
    await pump(service, 29, 10)
    await service.challenges.start({ ...visitor(2), lane: 'auth', purpose: 'login', beforeSend })
    expect(asked.map((send) => 'suspicion' in send)).toEqual([false, false])
  })
})

describe.each(Object.entries(redisOfFile().stores))('200 sign-ups at once %s', (_, create) => {
  it('get 30 codes, and one event', async () => {
    const limits = { ...unboundedService, storeTimeoutMs: 5_000 }
    const service = createGuarded({ limits, store: () => create() })
    const outcomes = await Promise.all(Array.from({ length: 200 }, (_, index) => pump(service, 1, index)))
    expect(service.provider.sends).toHaveLength(30)
    const refused = outcomes.flat().filter((one) => 'code' in one && one.code === 'sending_paused')
    expect(refused).toHaveLength(170)
    expect(spendEvents(service)).toHaveLength(1)
  })
})
