import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { redisStore } from '../../src/store/redis-store.js'
import type { Browser } from '../express/browser.js'
import { startHost } from '../express/kit.js'
import { redisOfFile } from '../express/redis.js'
import { withoutRedis } from '../store/redis-server.js'

const redis = redisOfFile()

/** A host on Redis, and how often a request of it waits for Redis: what is asked together is waited for once. */
async function countedHost() {
  let trips = 0
  let answered = 0
  let pending = 0
  const sendCommand = async (_key: string, args: string[]) => {
    const trip = answered + 1
    trips = Math.max(trips, trip)
    pending += 1
    try {
      return await redis.client.sendCommand(args)
    } finally {
      pending -= 1
      answered = Math.max(answered, trip)
    }
  }
  /** Until what the request before has left to be done is done. */
  async function quiet(): Promise<void> {
    do await sleep(20)
    while (pending > 0)
  }
  await redis.server.ask('FLUSHALL')
  const host = await startHost({ options: { store: redisStore({ sendCommand }) } })
  // Once through everything, so that Redis knows the scripts.
  await host.signIn('ben')
  return {
    ...host,
    async trips(ask: () => Promise<{ status: number }>): Promise<[status: number, trips: number]> {
      await quiet()
      answered = 0
      trips = 0
      const { status } = await ask()
      return [status, trips]
    },
  }
}

describe.skipIf(withoutRedis)('round trips to Redis', () => {
  const verify = (browser: Browser, code: string) => () => browser.verify(code)

  it('are four for a start, five for a verify and one for a guard', async () => {
    const host = await countedHost()
    const ana = await host.login()
    expect(await host.trips(() => ana.start())).toEqual([201, 4])
    expect(await host.trips(verify(ana, 'wrong1'))).toEqual([422, 4])
    expect(await host.trips(verify(ana, host.stub.rightCode))).toEqual([200, 5])
    expect(await host.trips(() => ana.get('/account'))).toEqual([200, 1])
  })

  it('are one for whatever is refused', async () => {
    const host = await countedHost()
    const ana = await host.login()
    expect(await host.trips(verify(ana, '482913'))).toEqual([410, 1])
    expect(await host.trips(() => ana.get('/account'))).toEqual([403, 1])
    await ana.start()
    expect(await host.trips(() => ana.start())).toEqual([200, 1])
    expect(await host.trips(() => ana.post('/two-factor/resend', {}))).toEqual([429, 1])
  })
})
