import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../../src/store/memory-store.js'
import { patientMs, redisOfFile } from '../../express/redis.js'
import { enough } from '../../in-full.js'
import { figure } from '../../prove/figure.js'
import { withoutRedis } from '../../store/redis-server.js'
import { minute, unboundedService } from '../kit.js'
import { visitor as anonymous, createService, person, rightCode } from '../service.js'

type Service = ReturnType<typeof createService>

/** As many as the store of the test has room for. */
const crowd = enough(2_000, { inFull: 100_000 })
const room = { maxLedgers: crowd, maxGrants: crowd, maxCounters: crowd }
const atOnce = 100
const visitor = (index: number) => ({
  ...anonymous(index),
  address: `198.${18 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`,
})

/** Anonymous visitors start a sign-up each, type one wrong code and leave. */
async function signUp({ challenges, provider }: Service, visitors: number) {
  const outcomes: Record<string, number> = {}
  for (let first = 0; first < visitors; first += atOnce) {
    const typed = Array.from({ length: atOnce }, async (_, index) => {
      const who = visitor(first + index)
      await challenges.start(who)
      const { outcome } = await challenges.verify({ ...who, code: 'wrong' })
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
    })
    await Promise.all(typed)
    provider.sends.length = 0
    provider.checks.length = 0
  }
  return outcomes
}

async function signInsOf100({ challenges }: Service) {
  const outcomes = await Promise.all(
    Array.from({ length: 100 }, async (_, index) => {
      const who = { ...person(500_000 + index), address: `203.0.113.${index}` }
      await challenges.start(who)
      return challenges.verify({ ...who, code: rightCode })
    }),
  )
  return outcomes.filter(({ outcome }) => outcome === 'approved').length
}

const redis = redisOfFile()

describe('a crowd of anonymous sign-ups with a wrong code each keeps none of 100 people from signing in', () => {
  it('as large as the room of the store', async () => {
    const store = (now: () => number) => memoryStore({ now, ...room })
    const service = createService({ limits: unboundedService, store })
    expect(await signUp(service, crowd)).toEqual({ rejected: crowd })
    expect(await signInsOf100(service)).toBe(100)
    figure(12, `100 of 100 people signed in after ${crowd.toLocaleString('en')} sign-ups`)
  })

  it.skipIf(withoutRedis)('of hundreds, over Redis', async () => {
    const limits = { ...unboundedService, storeTimeoutMs: patientMs }
    const service = createService({ limits, store: redis.onRedis })
    expect(await signUp(service, 400)).toEqual({ rejected: 400 })
    expect(await signInsOf100(service)).toBe(100)
  })
})

it('one IPv6 /48 with as many sessions as it likes causes no more unproven sends a day than one address', async () => {
  const { challenges, provider, wait } = createService()
  for (let elapsed = 0; elapsed < 24 * 60; elapsed += 10) {
    let refusals = 0
    for (let session = 0; refusals < 5; session += 1) {
      // Each session in the next of its 256 networks /56.
      const subnet = (session % 256) * 256 + (session >> 8)
      const address = `2001:db8:1:${subnet.toString(16)}::1`
      const { outcome } = await challenges.start({ ...visitor(elapsed * 1_000 + session), address })
      refusals = outcome === 'refused' ? refusals + 1 : 0
    }
    wait(10 * minute)
  }
  figure(15, `${provider.sends.length} sends a day at most from one IPv6 /48`)
  expect(provider.sends).toHaveLength(150)
})
