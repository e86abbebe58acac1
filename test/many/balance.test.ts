import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { startSandbox } from '../../src/tools/sandbox/index.js'
import { startRedis, withoutRedis } from '../store/redis-server.js'
import { startInstance } from './processes.js'

const processes = 4
const patience = { timeout: 60_000, interval: 50 }

/** Processes of an app on one Redis and one account, every second one by the other client library. */
async function open(everyMs: number) {
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
  return { instances, asked: () => sandbox.requests.count('balance') }
}

describe.skipIf(withoutRedis)(`${processes} processes on one Redis`, () => {
  it('ask the account once per interval, however many of them are killed', async () => {
    const everyMs = 500
    const startedAt = performance.now()
    const { instances, asked } = await open(everyMs)
    const funds = () => Promise.all(instances.map((instance) => instance.ask('GET', '/funds', '')))
    await vi.waitFor(() => expect(asked()).toBeGreaterThan(6), patience)
    expect((await funds()).flatMap(({ body }) => body.told)).toEqual([])
    await Promise.all(instances.slice(1).map((instance) => instance.end()))
    const alone = asked()
    await vi.waitFor(() => expect(asked() - alone).toBeGreaterThan(3), patience)
    const times = asked()
    // The account may have been asked since before the first process started.
    const intervals = (performance.now() - startedAt) / everyMs
    console.log(`${processes} processes asked ${times} times in ${intervals.toFixed(1)} intervals`)
    expect(times).toBeLessThanOrEqual(intervals + 1)
    expect((await instances[0]?.ask('GET', '/funds', ''))?.body).toMatchObject({
      condition: 'ok',
      isPaused: false,
    })
  })
})
