import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ProviderStub, startProviderStub } from '../provider-stub.js'
import { migrateSlot, type RedisClusterServer, startRedisCluster } from '../store/redis-cluster-server.js'
import { type RedisServer, until, withoutRedis } from '../store/redis-server.js'
import { expectSound, expectUnavailable, expectWell, storeTimeoutMs } from './expectations.js'
import { challenged, newcomer, type Person } from './people.js'
import { guess, type Instance, type Setting, startInstance } from './processes.js'

let stub: ProviderStub
beforeAll(async () => {
  if (!withoutRedis) stub = await startProviderStub()
})
afterAll(() => stub?.close())

describe.skipIf(withoutRedis)('apps on a cluster', () => {
  let cluster: RedisClusterServer
  let instances: readonly [Instance, Instance]
  beforeAll(async () => {
    cluster = await startRedisCluster({ withReplicas: true })
    const start = (clientName: Setting['clientName']) =>
      startInstance({
        provider: stub.baseUrl,
        clientName,
        redisPorts: cluster.primaries.map(({ port }) => port),
        storeTimeoutMs,
      })
    instances = await Promise.all([start('cluster of redis'), start('cluster of ioredis')])
  })
  afterAll(async () => {
    await Promise.all((instances ?? []).map((instance) => instance.end()))
    await cluster?.stop()
  })

  const known = new Set<unknown>()

  /** Somebody with a challenge, and where its ledger is: the only one that was not there before. */
  async function located(instance: Instance): Promise<{ person: Person; key: string; home: RedisServer }> {
    const person = await challenged(instance)
    for (const home of cluster.primaries) {
      for (const key of (await home.ask('KEYS', '*:auth:*')) as string[]) {
        if (known.has(key)) continue
        known.add(key)
        return { person, key, home }
      }
    }
    throw new Error('the ledger is nowhere')
  }

  it('judge no more than five codes of a number whose slot moves', async () => {
    const { person, key, home } = await located(instances[0])
    const checks = stub.checks.length
    const codes = Array.from({ length: 2_000 }, (_, i) => `wrong${i}`)
    const guessing = guess(instances, [person.token], codes)
    for (const to of cluster.primaries.filter((node) => node !== home)) {
      await migrateSlot(key, home, to)
      await sleep(50)
      await migrateSlot(key, to, home)
      await sleep(50)
    }
    for (const status of Object.keys(await guessing)) expect(['409', '422', '429', '503']).toContain(status)
    // All 2,000 may have met a slot under way or another's attempt. What they left is spent in peace, each time by
    // another code: the same wrong one again costs nothing.
    for (let i = 0; i < 5; i += 1) await person.verify(`late${i}`)
    expect(stub.checks.length - checks).toBeLessThanOrEqual(5)
    expect((await person.verify(stub.rightCode)).body.code).toBe('attempts_exhausted')
  })

  it('answer 503 for those whose primary is gone, and know of all spent attempts once its replica took over', async () => {
    const { person, home } = await located(instances[0])
    const here = [person, newcomer(instances[1], person.token)]
    for (const code of ['wrong1', 'wrong2', 'wrong3']) expect((await person.verify(code)).status).toBe(422)
    await until(async () => {
      const replication = String(await home.ask('INFO', 'replication'))
      const [, offset] = replication.match(/master_repl_offset:(\d+)/) ?? []
      return replication.includes(`offset=${offset},`)
    })
    await home.kill()
    for (const through of here) expectUnavailable(await through.status(), 'status')
    for (const through of here) {
      await until(async () => (await through.status()).status === 200)
      expect((await through.status()).body.challenge).toMatchObject({ attemptsRemaining: 2 })
    }
    for (const each of instances) {
      await expectWell(each, stub)
      expect(each.isAlive()).toBe(true)
    }
    await expectSound([...cluster.primaries.filter((node) => node !== home), ...cluster.replicas])
  })
})
