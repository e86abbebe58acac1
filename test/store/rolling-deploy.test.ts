import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { redisStore } from '../../src/store/redis-store.js'
import type { Json, Store } from '../../src/store/store.js'
import { minute } from '../challenge/kit.js'
import { ana, createService } from '../challenge/service.js'
import { type RedisServer, startRedis, withoutRedis } from './redis-server.js'

describe.skipIf(withoutRedis)('two versions on one Redis', () => {
  let server: RedisServer
  let redis: Redis
  let store: Store
  beforeAll(async () => {
    server = await startRedis()
    redis = new Redis(server.port)
    store = redisStore({ client: redis, timeoutMs: 10_000 })
  })
  afterAll(async () => {
    redis?.disconnect()
    await server?.kill()
  })

  type Written = { writes?: number } & Record<string, Json>

  /** The next version: it counts what it writes, in the ledger and in each budget. */
  function nextVersion(key: string): Store {
    const counted = (value: Json | undefined) => {
      const members = value as Written
      return { ...members, writes: (members.writes ?? 0) + 1 }
    }
    return {
      ...store,
      swap(of, version, next, ttlMs) {
        if (of !== key || next === undefined) return store.swap(of, version, next, ttlMs)
        const ledger = counted(next) as Written
        const { stranger, known } = ledger
        const sides = { stranger: counted(stranger), known: counted(known) }
        return store.swap(of, version, { ...ledger, ...sides }, ttlMs)
      },
    }
  }

  it('write in turns, and lose nothing of each other', async () => {
    const phone = '+573000000011'
    const limits = { storeTimeoutMs: 10_000 }
    const thisOne = createService({ limits, store: () => store })
    const key = thisOne.keys.account('ana')
    const nextOne = createService({ limits, store: () => nextVersion(key) })
    const versions = [thisOne, nextOne]
    const wait = (ms: number) => {
      for (const version of versions) version.wait(ms)
    }
    for (const { provider } of versions) provider.check = () => 'rejected'

    let typed = 0
    for (const knownBrowser of [false, true]) {
      const who = { ...ana, phone, knownBrowser }
      for (let turn = 0; turn < 3; turn += 1) {
        const [one = thisOne, other = nextOne] = turn % 2 === 0 ? versions : versions.toReversed()
        expect(await one.challenges.start({ ...who, purpose: 'login' })).toMatchObject({ outcome: 'started' })
        for (const { challenges } of [one, other, other, one].slice(0, turn === 0 ? 4 : 1)) {
          typed += 1
          expect(await challenges.verify({ ...who, code: `wrong${typed}` })).toMatchObject({
            outcome: 'rejected',
          })
        }
        wait(10 * minute)
      }
    }

    const state = await thisOne.challenges.subjects.state('ana')
    expect(state).toEqual(await nextOne.challenges.subjects.state('ana'))
    expect([state.judged, typed]).toEqual([12, 12])
    // Nothing of what the next version wrote at each of its sixteen swaps is gone.
    expect((await store.read(key))?.value).toMatchObject({
      writes: 16,
      stranger: { writes: 16 },
      known: { writes: 16 },
    })
  })
})
