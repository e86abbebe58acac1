import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { startSandbox } from '../../src/sandbox/index.js'
import { startRedis, withoutRedis } from '../store/redis-server.js'
import { newcomer } from './people.js'
import { type Instance, startInstance } from './processes.js'

const processes = 4
const patience = { timeout: 60_000, interval: 50 }

/** Processes of an app on one Redis and one account, every second one by the other client library. */
async function open(everyMs: number) {
  const startedAt = performance.now()
  const sandbox = await startSandbox({ credentials: { client: 41, key: 'k' } })
  const redis = await startRedis()
  const instances = await Promise.all(
    Array.from({ length: processes }, (_, index) =>
      startInstance({
        provider: sandbox.baseUrl,
        clientName: index % 2 === 0 ? 'redis' : 'ioredis',
        redisPorts: [redis.port],
        // Under load a deadline of 250 ms would tell of the machine.
        storeTimeoutMs: 30_000,
        balance: { everyMs },
      }),
    ),
  )
  onTestFinished(async () => {
    await Promise.all(instances.map((instance) => instance.end()))
    await redis.kill()
    await sandbox.close()
  })
  const asked = () => sandbox.requests.count('balance')
  await vi.waitFor(() => expect(asked()).toBeGreaterThan(0), patience)
  const at = (index: number): Instance => {
    const instance = instances[index % processes]
    if (instance === undefined) throw new Error('at least one process')
    return instance
  }
  const funds = () => Promise.all(instances.map((instance) => instance.ask('GET', '/funds', '')))
  return {
    sandbox,
    instances,
    asked,
    at,
    /** How many intervals the account may have been asked in by now, from before the first process started. */
    intervals: () => (performance.now() - startedAt) / everyMs,
    sends: () => sandbox.requests.count('sendSmsCode'),
    /** Events of the balance, over all processes, by name. */
    told: async () => (await funds()).flatMap(({ body }) => body.told).sort(),
    isPaused: async () => {
      const [key = ''] = (await redis.ask('KEYS', '*:balance:*')) as string[]
      return String(await redis.ask('GET', key)).includes('"paused"')
    },
  }
}

describe.skipIf(withoutRedis)(`${processes} processes on one Redis`, () => {
  it('ask the account once per interval, however many of them are killed', async () => {
    const everyMs = 500
    const { asked, at, instances, intervals, told } = await open(everyMs)
    await vi.waitFor(() => expect(asked()).toBeGreaterThan(6), patience)
    expect(await told()).toEqual([])
    await Promise.all(instances.slice(1).map((instance) => instance.end()))
    const alone = asked()
    await vi.waitFor(() => expect(asked() - alone).toBeGreaterThan(3), patience)
    const times = asked()
    console.log(`${processes} processes asked ${times} times in ${intervals().toFixed(1)} intervals`)
    expect(times).toBeLessThanOrEqual(intervals() + 1)
    expect((await at(0).ask('GET', '/funds', '')).body).toMatchObject({ condition: 'ok', isPaused: false })
  })

  it('send at the first start after the recharge, before anybody has looked at the account', async () => {
    const { sandbox, asked, at, told, sends, isPaused } = await open(300_000)
    sandbox.account.setCredits(0)
    expect((await newcomer(at(0)).start()).status).toBe(502)
    await vi.waitFor(async () => expect(await told()).toEqual(['balance.empty']), patience)
    await vi.waitFor(async () => expect(await isPaused()).toBe(true), patience)

    sandbox.account.setCredits(500)
    const [looks, sent] = [asked(), sends()]
    // At a process that was never refused itself.
    expect((await newcomer(at(1)).start()).status).toBe(201)
    await vi.waitFor(async () => expect(await isPaused()).toBe(false), patience)
    for (let index = 0; index < processes; index += 1) {
      expect((await newcomer(at(index)).start()).status).toBe(201)
    }
    expect([asked(), sends()]).toEqual([looks, sent + 1 + processes])
  })
})
