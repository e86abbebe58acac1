import { describe, expect, it } from 'vitest'
import { redisStore } from '../../src/store/redis-store.js'
import { startHost } from '../express/kit.js'
import { patientMs, startConnectedRedis, withoutRedis } from '../store/redis-server.js'

/** An app whose Redis has room for little more, and evicts. */
async function startApp() {
  const { server, client } = await startConnectedRedis()
  const info = async (section: string, name: string) =>
    Number(new RegExp(`${name}:(\\d+)`).exec(String(await client.sendCommand(['INFO', section])))?.[1])
  const config = (name: string, value: string) => server.ask('CONFIG', 'SET', name, value)
  const host = await startHost({
    options: { store: redisStore({ client, timeoutMs: patientMs }) },
    listens: true,
  })
  await config('maxmemory-policy', 'allkeys-lru')
  await config('maxmemory', String((await info('memory', 'used_memory')) + 1_000_000))
  let written = 0
  /** Another app of this Redis writes until this is so, or Redis refuses. */
  async function fillUntil(isEnough: () => Promise<boolean>, bytes = 20_000): Promise<void> {
    while (!(await isEnough())) {
      written += 1
      await client.sendCommand(['SET', `other:${written}`, 'x'.repeat(bytes)])
    }
  }
  return { host, client, config, evicted: () => info('stats', 'evicted_keys'), fillUntil }
}

describe.skipIf(withoutRedis)('a Redis that evicts', () => {
  it('gives an account new guesses once it has evicted its record, and counts this in evicted_keys', async () => {
    const { host, client, config, evicted, fillUntil } = await startApp()
    const ana = await host.challenged()
    const { rightCode } = host.stub
    for (const code of ['111111', '222222', '333333', '444444', '555555']) await ana.verify(code)
    expect((await ana.verify(rightCode)).refusal).toEqual([429, 'attempts_exhausted'])
    expect(await evicted()).toBe(0)

    await fillUntil(async () => (await client.keys('tf3::auth:*')).length === 0)
    expect(await evicted()).toBeGreaterThan(0)
    expect((await ana.verify(rightCode)).refusal).toEqual([410, 'challenge_gone'])
    // Otherwise Redis may evict the new record at once: within a second, all keys are equally old to it.
    await config('maxmemory', '100mb')
    expect((await ana.start()).json.challenge).toMatchObject({ attemptsRemaining: 5 })
    for (const code of ['666666', '777777', '888888']) expect((await ana.verify(code)).status).toBe(422)
    expect(host.stub.checks).toHaveLength(8)
  })

  it('refuses every sign-in if it stops evicting before it gets more memory, and none if it gets the memory first', async () => {
    const { host, config, evicted, fillUntil } = await startApp()
    await fillUntil(async () => (await evicted()) > 0)
    const ben = await host.challenged('ben')
    const start = async () => (await (await host.login()).start()).refusal

    await config('maxmemory-policy', 'noeviction')
    for (const bytes of [20_000, 100]) {
      await expect(fillUntil(async () => false, bytes)).rejects.toThrow('OOM')
    }
    expect(await start()).toEqual([503, 'store_unavailable'])
    expect((await ben.verify(host.stub.rightCode)).refusal).toEqual([503, 'store_unavailable'])
    expect(host.events).toContainEqual(expect.objectContaining({ type: 'store.failed', cause: 'OOM' }))

    await config('maxmemory-policy', 'allkeys-lru')
    await config('maxmemory', '100mb')
    expect((await start())[0]).toBe(201)
    await config('maxmemory-policy', 'noeviction')
    host.clock.now += 60_000
    expect((await start())[0]).toBe(201)
    expect((await host.tf.selfTest()).findings.map(({ code }) => code)).not.toContain('store_evicts')
  })
})
