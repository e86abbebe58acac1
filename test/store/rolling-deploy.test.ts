import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { redisStore } from '../../src/store/redis-store.js'
import type { Json, Store } from '../../src/store/store.js'
import { day, minute } from '../challenge/kit.js'
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

  /** Where the columns of the next version stand in a row of a ledger and of a budget. */
  const [ledgerColumn, budgetColumn, strangers, known] = [6, 7, 3, 5] as const

  type Row = Json[]
  const changed = (row: Row, column: number, value: Json) =>
    Array.from({ length: Math.max(row.length, column + 1) }, (_, at) =>
      at === column ? value : (row[at] ?? null),
    )

  /** The next version: it counts what it writes, in a column of the ledger and one of each budget. */
  function nextVersion(key: string): Store {
    const one = (column: Json | undefined) => Number(column ?? 0) + 1
    return {
      ...store,
      swap(of, version, next, ttlMs) {
        if (of !== key || typeof next !== 'string') return store.swap(of, version, next, ttlMs)
        let row = JSON.parse(next) as Row
        row = changed(row, ledgerColumn, one(row[ledgerColumn]))
        for (const name of [strangers, known]) {
          const budget = row[name]
          if (Array.isArray(budget))
            row = changed(row, name, changed(budget, budgetColumn, one(budget[budgetColumn])))
        }
        return store.swap(of, version, JSON.stringify(row), ttlMs)
      },
    }
  }

  const rowAt = async (key: string) => JSON.parse(String((await store.read(key))?.value)) as Row

  it('write in turns, and lose nothing of each other', async () => {
    const phone = '+573000000011'
    const thisOne = createService({ store: () => store })
    const key = thisOne.keys.ledger('auth', phone as Parameters<typeof thisOne.keys.ledger>[1])
    const nextOne = createService({ store: () => nextVersion(key) })
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

    const state = await thisOne.challenges.numbers.state(phone)
    expect(state).toEqual(await nextOne.challenges.numbers.state(phone))
    expect([state.failures, state.known.failures, typed]).toEqual([6, 6, 12])
    // Nothing of what the next version wrote at each of its eight requests is gone.
    const row = await rowAt(key)
    expect(row[ledgerColumn]).toBe(8)
    expect([row[strangers], row[known]]).toMatchObject([{ [budgetColumn]: 8 }, { [budgetColumn]: 4 }])
  })

  it('read rows of the first build, which have no format number', async () => {
    const phone = '+573000000012'
    const { challenges, store: shared, keys, now, wait } = createService({ store: () => store })
    const key = keys.ledger('auth', phone as Parameters<typeof keys.ledger>[1])
    const at = now() - minute
    const sends = [['send', at, 'sms', null]]
    const old = ['command', at, 9, 9, 0, null, null, sends, Array.from({ length: 9 }, () => at), []]
    await shared.swap(key, undefined, JSON.stringify(old), day)
    expect(await challenges.numbers.state(phone)).toMatchObject({ failures: 9, known: { failures: 0 } })
    await challenges.start({ ...ana, phone, purpose: 'login' })
    expect(await challenges.verify({ ...ana, phone, code: 'wrong' })).toMatchObject({
      retryAfterMs: 15 * minute,
    })
    wait(15 * minute)
    expect(await challenges.numbers.state(phone)).toMatchObject({ failures: 10, locked: false })
    expect((await rowAt(key))[0]).toBe(2)
  })
})
