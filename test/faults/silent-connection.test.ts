import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { RedisStore } from 'connect-redis'
import { Redis } from 'ioredis'
import { createClient } from 'redis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { storeCause } from '../../src/challenge/store-cause.js'
import { redisStore } from '../../src/store/redis-store.js'
import { redisRows } from '../../src/tools/cli/redis-check.js'
import { type RedisServer, startRedis, until, withoutRedis } from '../store/redis-server.js'

/** A proxy that passes every byte on until it is silent: then it accepts connections and discards what arrives. */
async function startProxy(target: number, atEnd: (close: () => void) => void) {
  let isSilent = false
  const sockets = new Set<Socket>()
  const fronts = new Set<Socket>()
  let accepted = 0
  const server = createServer((front) => {
    accepted += 1
    fronts.add(front)
    front.on('close', () => fronts.delete(front))
    const isDiscarded = isSilent
    const back = connect(target, '127.0.0.1')
    for (const socket of [front, back]) {
      sockets.add(socket)
      socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    }
    let silenced = isDiscarded
    silencers.add(() => {
      silenced = true
    })
    front.on('data', (bytes) => void (silenced || back.write(bytes))).on('end', () => silenced || back.end())
    back.on('data', (bytes) => void (silenced || front.write(bytes))).on('end', () => silenced || front.end())
  })
  const silencers = new Set<() => void>()
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  atEnd(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    /** Connections that are open stay silent for ever; later ones until `speak`. */
    silence() {
      isSilent = true
      for (const silence of silencers) silence()
    },
    speak() {
      isSilent = false
    },
    /** Ends every connection; later ones are silent. */
    breakOff() {
      isSilent = true
      for (const socket of sockets) socket.resetAndDestroy()
    },
    accepted: () => accepted,
    open: () => fronts.size,
  }
}

/** The two recipes of docs/deployment.md. */
const recipes = {
  async redis(url: string) {
    const client = createClient({ url, disableOfflineQueue: true }).on('error', () => {})
    await client.connect()
    return { client, end: () => client.destroy() }
  },
  async ioredis(url: string) {
    const client = new Redis(url, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      autoResendUnfulfilledCommands: false,
      socketTimeout: 5_000,
      retryStrategy: () => 1_000,
    }).on('error', () => {})
    await new Promise((ready) => client.once('ready', ready))
    return { client, end: () => client.disconnect() }
  },
} as const

describe.skipIf(withoutRedis).concurrent('a Redis connection that is open and returns nothing', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await startRedis()
  })
  afterAll(() => server.kill())

  const cases = (['redis', 'ioredis'] as const).flatMap((name) =>
    [0, 7_000].map((outageMs) => [name, outageMs] as const),
  )
  it.for(cases)(
    'is replaced within ten seconds through %s, after %d ms of silent new ones',
    { timeout: 40_000 },
    async ([name, outageMs], { onTestFinished }) => {
      const proxy = await startProxy(server.port, onTestFinished)
      const { client, end } = await recipes[name](proxy.url)
      onTestFinished(() => void end())
      const store = redisStore({ client })
      expect(await store.read('tf3::auth:ana')).toBeUndefined()

      proxy.silence()
      const spokeAt = Date.now() + outageMs
      setTimeout(proxy.speak, outageMs)
      const causes = new Set<string>()
      // Requests go on all the time: what is written must not count as a sign of life.
      const isBack = async () =>
        Promise.resolve(store.read('tf3::auth:ana')).then(
          () => true,
          (error: unknown) => {
            causes.add(storeCause(error))
            return false
          },
        )
      while (!(await isBack())) {
        expect(Date.now() - spokeAt).toBeLessThan(10_000)
        await sleep(100)
      }
      expect([...causes]).toContain('no response within 250 ms')
      if (outageMs > 0) expect([...causes]).toContain('no response to a new connection')
      expect([...causes]).not.toContain('unknown')
    },
  )

  const breaks = (['redis', 'ioredis'] as const).flatMap((name) =>
    [1, 8].map((count) => [name, count] as const),
  )
  it.for(breaks)(
    'is replaced within ten seconds through %s if the client opened it itself, after break %d',
    { timeout: 60_000 },
    async ([name, count], { onTestFinished }) => {
      const proxy = await startProxy(server.port, onTestFinished)
      const { client, end } = await recipes[name](proxy.url)
      onTestFinished(() => void end())
      const store = redisStore({ client })
      expect(await store.read('tf3::auth:ana')).toBeUndefined()

      for (let before = 1; before <= count; before += 1) {
        proxy.breakOff()
        await until(() => proxy.accepted() > before)
      }
      // The handshake of the last connection gets no response any more.
      proxy.speak()
      const spokeAt = Date.now()
      const isBack = () =>
        Promise.resolve(store.read('tf3::auth:ana')).then(
          () => true,
          () => false,
        )
      while (!(await isBack())) {
        expect(Date.now() - spokeAt).toBeLessThan(10_000)
        await sleep(100)
      }
      expect(Date.now() - spokeAt).toBeGreaterThan(3_000)
      expect(proxy.open()).toBe(1)
    },
  )

  it.for(['redis', 'ioredis'] as const)(
    'is replaced within ten seconds through %s while only the sessions of express-session use it',
    { timeout: 40_000 },
    async (name, { onTestFinished }) => {
      const proxy = await startProxy(server.port, onTestFinished)
      const { client, end } = await recipes[name](proxy.url)
      onTestFinished(() => void end())
      expect(await redisStore({ client }).read('tf3::auth:ana')).toBeUndefined()

      const sessions = new RedisStore({ client: client as ReturnType<typeof createClient> })
      const isBack = () => new Promise((done) => void sessions.get('sid', (error) => done(!error)))
      proxy.silence()
      proxy.speak()
      const endsAt = Date.now() + 10_000
      const isReplaced = async () => {
        while (!(await isBack()) && Date.now() < endsAt) await sleep(100)
        return Date.now() < endsAt
      }
      expect(await Promise.race([isReplaced(), sleep(10_000, false)])).toBe(true)
    },
  )

  it('is named by the doctor', async ({ onTestFinished }) => {
    const proxy = await startProxy(server.port, onTestFinished)
    proxy.silence()
    const load = (name: string) => (name === 'redis' ? { createClient } : undefined)
    expect(await redisRows(proxy.url, load)).toMatchObject([{ found: 'wrong', code: 'redis_silent' }])
  })

  it('is not replaced once its owner has closed the client', async ({ onTestFinished }) => {
    const proxy = await startProxy(server.port, onTestFinished)
    const { client } = await recipes.redis(proxy.url)
    const store = redisStore({ client })
    proxy.silence()
    await expect(Promise.resolve(store.read('tf3::auth:ana'))).rejects.toThrow()
    client.destroy()
    await sleep(6_500)
    expect(client.isOpen).toBe(false)
  }, 20_000)
})
