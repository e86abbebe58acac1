import { createClient } from 'redis'
import { expect, it, onTestFinished } from 'vitest'
import { redisStore } from '../../src/store/redis-store.js'
import { startHost } from '../express/kit.js'
import { startRedis, until, withoutRedis } from '../store/redis-server.js'

/** A swap is tried again for 1.5 s. */
const triedForMs = 1_400

it.skipIf(withoutRedis).each([
  { what: 'is full', strict: false, cause: 'OOM' },
  { what: 'has no replica, as `strict` requires,', strict: true, cause: 'no replica has confirmed' },
])('a Redis that $what refuses only changes', async ({ strict, cause }) => {
  const server = await startRedis()
  const replica = strict ? await startRedis('--replicaof', `127.0.0.1 ${server.port}`) : undefined
  const client = createClient({ url: server.url, disableOfflineQueue: true }).on('error', () => {})
  await client.connect()
  onTestFinished(async () => {
    client.destroy()
    await replica?.kill()
    await server.kill()
  })
  if (strict) await until(async () => Number(await client.sendCommand(['WAIT', '1', '100'])) === 1)
  const host = await startHost({ options: { store: redisStore({ client, strict }) }, listens: true })
  const ana = await host.signIn('ana')
  const ben = await host.login('ben')
  await ben.start()
  const again = await host.login('ana')
  const eventsBefore = host.events.length
  const [sends, checks] = [host.stub.sends.length, host.stub.checks.length]

  if (replica) await replica.kill()
  else await server.ask('CONFIG', 'SET', 'maxmemory', '1')
  const refusedMs = async (ask: () => Promise<{ readonly refusal: unknown }>) => {
    const startedAt = performance.now()
    expect((await ask()).refusal).toEqual([503, 'store_unavailable'])
    return performance.now() - startedAt
  }
  const startMs = await refusedMs(() => again.start())
  // A full Redis cannot count the address either, and that is not tried again.
  if (strict) expect(startMs).toBeGreaterThan(triedForMs)
  else expect(startMs).toBeLessThan(triedForMs)
  expect(await refusedMs(() => ben.verify(host.stub.rightCode))).toBeGreaterThan(triedForMs)
  expect((await ana.get('/account')).status).toBe(200)
  expect([host.stub.sends.length, host.stub.checks.length]).toEqual([sends, checks])
  const failed = host.events.slice(eventsBefore).filter(({ type }) => type === 'store.failed')
  expect(failed.map((event) => Object(event).cause)).toContain(cause)

  if (strict) return
  await server.ask('CONFIG', 'SET', 'maxmemory', '0')
  expect((await ben.verify(host.stub.rightCode)).status).toBe(200)
})
