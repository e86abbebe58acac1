import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryStore } from '../../src/store/memory-store.js'
import { redisStore } from '../../src/store/redis-store.js'
import type { Store } from '../../src/store/store.js'
import { ana, createService } from '../challenge/service.js'
import { type RedisServer, startRedis, withoutRedis } from '../store/redis-server.js'

const times = <T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)))

const stranger = (index: number) => ({ ...ana, session: `stranger-${index}` })
const known = { ...ana, session: 'known', knownBrowser: true }

/** A busy machine that answers late would hold the attacker back, too. */
const timeoutMs = 10_000

let server: RedisServer
let redis: Redis
beforeAll(async () => {
  if (withoutRedis) return
  server = await startRedis()
  redis = new Redis(server.port)
})
afterAll(async () => {
  redis?.disconnect()
  await server?.kill()
})

const stores: Readonly<Record<string, (now: () => number) => Store>> = {
  memory: (now) => memoryStore({ now }),
  ...(!withoutRedis && { Redis: () => redisStore({ client: redis, timeoutMs }) }),
}

describe.each(Object.entries(stores))('a known browser and strangers at once, on %s,', (_, store) => {
  /** The code that went out last is right; the number is one that no other test has used. */
  function setUp(phone: string) {
    const service = createService({ store })
    const { provider } = service
    const rightCode = () => `code-${provider.sends.length}`
    provider.check = (code) => (code === rightCode() ? 'approved' : 'rejected')
    const checksOf = (whose: string) => provider.checks.filter(({ code }) => code.startsWith(whose)).length
    return {
      ...service,
      rightCode,
      checksOf,
      start: (who: typeof ana) => service.challenges.start({ ...who, phone, purpose: 'login' }),
      verify: (who: typeof ana, code: string) => service.challenges.verify({ ...who, phone, code }),
    }
  }

  it('have five checks per budget for 1,000 wrong codes over 100 sessions of strangers', async () => {
    const { start, verify, checksOf, provider } = setUp('+573000000002')
    await times(100, (index) => start(stranger(index)))
    const guess = (round: number) => times(100, (index) => verify(stranger(index), `s${round}-${index}`))
    for (let round = 0; round < 5; round += 1) await guess(round)
    expect(checksOf('s')).toBe(5)
    expect(await start(known)).toMatchObject({ outcome: 'started' })
    for (let round = 5; round < 10; round += 1) {
      await Promise.all([guess(round), times(10, (index) => verify(known, `k${round}-${index}`))])
    }
    expect(checksOf('s')).toBe(5)
    expect(checksOf('k')).toBe(5)
    expect(provider.checks).toHaveLength(10)
  })

  it('see exactly one success for 500 right codes while strangers guess', async () => {
    const { start, verify, rightCode, provider } = setUp('+573000000003')
    await times(50, (index) => start(stranger(index)))
    expect(await start(known)).toMatchObject({ outcome: 'started' })
    const code = rightCode()
    const [mine, theirs] = await Promise.all([
      times(500, () => verify(known, code)),
      times(500, (index) => verify(stranger(index % 50), index % 3 === 0 ? code : `wrong${index}`)),
    ])
    expect(mine.filter(({ outcome }) => outcome === 'approved')).toHaveLength(1)
    expect(theirs.filter(({ outcome }) => outcome === 'approved')).toEqual([])
    expect(provider.checks).toHaveLength(1)
  })
})
