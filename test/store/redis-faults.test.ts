import { randomUUID } from 'node:crypto'
import type { Request } from 'express'
import { Redis } from 'ioredis'
import { createClient, createSentinel } from 'redis'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type RedisClient, redisStore } from '../../src/store/redis-store.js'
import type { Store } from '../../src/store/store.js'
import { twoFactor } from '../../src/two-factor.js'
import {
  patientMs,
  type RedisServer,
  startRedis,
  startSentinel,
  until,
  withoutRedis,
} from './redis-server.js'

const hour = 3_600_000
const unavailable = expect.objectContaining({ code: 'store_unavailable', status: 503 })

type Connect = (server: RedisServer) => Promise<{ client: RedisClient; end: () => unknown }>

/** The others are those of the apps in `many/faults`. */
const clients: Record<string, Connect> = {
  'redis as it comes': async ({ url }) => {
    const client = await createClient({ url })
      .on('error', () => {})
      .connect()
    return { client, end: () => client.destroy() }
  },
  'ioredis without an offline queue': async ({ port }) => {
    const client = new Redis(port, {
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
    })
    client.on('error', () => {})
    await new Promise((ready) => client.once('ready', ready))
    return { client, end: () => client.disconnect() }
  },
}

/** Every verb is refused as unavailable: a server that is frozen or gone tells no more than that. */
async function expectUnavailable(store: Store): Promise<void> {
  const questions = {
    read: () => store.read('tf3::auth:known'),
    create: () => store.swap(`tf3::auth:fresh-${randomUUID()}`, undefined, {}, hour),
    increment: () => store.increment('tf3::count-a:known', hour),
  }
  for (const [verb, ask] of Object.entries(questions)) {
    await expect(Promise.resolve(ask()), verb).rejects.toEqual(unavailable)
  }
}

describe.skipIf(withoutRedis).each(Object.entries(clients))('through %s', (_name, connect) => {
  test('a frozen server is unavailable, and its late writes appear afterwards', async () => {
    const server = await startRedis()
    const { client, end } = await connect(server)
    const store = redisStore({ client, timeoutMs: patientMs })
    await store.swap('tf3::auth:known', undefined, { attempts: 1 }, hour)
    await store.increment('tf3::count-a:known', hour)
    const prompt = redisStore({ client })

    server.freeze()
    await expectUnavailable(prompt)
    const late = prompt.swap('tf3::auth:late', undefined, { command: 'mine' }, hour)
    await expect(late).rejects.toEqual(unavailable)
    server.thaw()
    await until(() => prompt.read('tf3::auth:known'))
    expect((await store.read('tf3::auth:late'))?.value).toEqual({ command: 'mine' })
    expect(await store.read('tf3::auth:known')).toMatchObject({ value: { attempts: 1 } })
    expect((await store.increment('tf3::count-a:known', hour)).count).toBeGreaterThanOrEqual(2)
    await end()
    await server.kill()
  })
})

async function startReplica(primary: RedisServer): Promise<RedisServer> {
  const replica = await startRedis('--replicaof', '127.0.0.1', `${primary.port}`)
  await until(async () => String(await primary.ask('INFO', 'replication')).includes('state=online'))
  return replica
}

describe.skipIf(withoutRedis)('strict', () => {
  let primary: RedisServer
  let replica: RedisServer
  beforeAll(async () => {
    primary = await startRedis()
    replica = await startReplica(primary)
  })
  afterAll(() => Promise.all([primary.kill(), replica.kill()]))

  test.each(['redis', 'ioredis'])('through %s, a swap counts only once a replica has it', async (name) => {
    const node = createClient({ url: primary.url }).on('error', () => {})
    await node.connect()
    const io = new Redis(primary.port).on('error', () => {})
    const client = name === 'redis' ? node : io
    const strict = redisStore({ client, strict: true, timeoutMs: patientMs })
    const key = `tf3::auth:${name}`

    const first = await strict.swap(key, undefined, { command: 'one' }, hour)
    expect(await replica.ask('GET', key)).toBe(`${first.entry?.version}\n{"command":"one"}`)

    replica.freeze()
    const hurried = redisStore({ client, strict: true, timeoutMs: 2_000 })
    await expect(hurried.swap(key, first.entry?.version, { command: 'two' }, hour)).rejects.toEqual(
      unavailable,
    )
    replica.thaw()
    // It had happened all the same: the caller finds its own id in what stands there.
    const refused = await strict.swap(key, first.entry?.version, { command: 'two again' }, hour)
    expect(refused).toMatchObject({ swapped: false, entry: { value: { command: 'two' } } })
    void node.destroy()
    io.disconnect()
  })
})

describe.skipIf(withoutRedis)('a sign-in on a strict store', () => {
  const ana = { subject: 'ana', phone: '+573001234567', session: 's', purpose: 'login' }

  /** An app that has sent a code when its replica stands still, until `onUnconfirmed` lets it go on. */
  async function withoutReplica(onUnconfirmed: (replica: RedisServer) => void = () => undefined) {
    const primary = await startRedis()
    const replica = await startReplica(primary)
    const client = await createClient({ url: primary.url })
      .on('error', () => {})
      .connect()
    const sendCommand = async (_key: string, args: string[]) => {
      const reply = await client.sendCommand(args)
      if (args[0] === 'wait' && Number(reply) === 0) onUnconfirmed(replica)
      return reply
    }
    const sendCode = vi.fn(async () => ({ result: 'sent' as const }))
    const checkCode = vi.fn(async () => 'approved' as const)
    const causes = new Set<string | undefined>()
    const { challenges, grants, close } = twoFactor({
      provider: { sendCode, checkCode },
      appName: 'Bank',
      secret: 'a secret of at least thirty-two bytes',
      countries: ['CO'],
      subject: () => ana.subject,
      phone: () => ana.phone,
      session: { id: () => ana.session, regenerate: () => undefined },
      store: redisStore({ sendCommand, strict: true, timeoutMs: 1_000 }),
      onEvent: (event) => event.type === 'store.failed' && causes.add(event.cause),
    })
    const end = async () => {
      await close()
      client.destroy()
      await Promise.all([primary.kill(), replica.kill()])
    }
    await grants.write({ ...ana, method: 'password' })
    const started = await challenges.start(ana)
    if (started.outcome !== 'started') throw new Error(started.outcome)
    const challenge = started.challenge.id
    replica.freeze()
    const verify = () => challenges.verify({ ...ana, code: '482913', challenge })
    const readGrant = () => grants.read({} as Request, 'login')
    return { challenges, verify, readGrant, sendCode, checkCode, causes, [Symbol.asyncDispose]: end }
  }

  test('fails while no replica confirms its writes', async () => {
    await using app = await withoutReplica()
    const startedAt = performance.now()
    await expect(app.verify()).rejects.toEqual(unavailable)
    expect(performance.now() - startedAt).toBeGreaterThan(1_400)
    // Nothing is written for a grant that exists.
    expect(await app.readGrant()).toMatchObject({ method: 'password' })
    await expect(app.challenges.start({ ...ana, subject: 'ben' })).rejects.toEqual(unavailable)
    expect([app.sendCode, app.checkCode].map((asked) => asked.mock.calls.length)).toEqual([1, 0])
    expect(app.causes).toEqual(new Set(['no replica has confirmed']))
  })

  test('costs no code where the replica confirms a moment later', async () => {
    await using app = await withoutReplica((replica) => replica.thaw())
    expect(await app.verify()).toMatchObject({ outcome: 'approved' })
    expect(app.causes.size).toBe(1)
  })
})

describe.skipIf(withoutRedis)('behind Sentinel', () => {
  test('the replica that is promoted knows every swap that counted, and both clients find it', async () => {
    const primary = await startRedis()
    const replica = await startReplica(primary)
    const sentinel = await startSentinel(primary)
    await until(async () =>
      JSON.stringify(await sentinel.ask('SENTINEL', 'REPLICAS', 'main')).includes(`${replica.port}`),
    )
    const node = createSentinel({
      name: 'main',
      sentinelRootNodes: [{ host: '127.0.0.1', port: sentinel.port }],
    })
    await node.on('error', () => {}).connect()
    const io = new Redis({ sentinels: [{ host: '127.0.0.1', port: sentinel.port }], name: 'main' })
    io.on('error', () => {})
    const stores = [node, io].map((client) => redisStore({ client, strict: true, timeoutMs: patientMs }))

    const write = async (store: Store, key: string) => {
      let last = await store.swap(key, undefined, { attempts: 0 }, hour)
      for (let attempts = 1; attempts < 50; attempts += 1) {
        last = await store.swap(key, last.entry?.version, { attempts }, hour)
      }
      return last.entry
    }
    const entries = await Promise.all(stores.map((store, i) => write(store, `tf3::auth:${i}`)))
    await primary.kill()
    for (const [i, store] of stores.entries()) {
      await until(() => store.read(`tf3::auth:${i}`))
      expect(await store.read(`tf3::auth:${i}`)).toEqual(entries[i])
    }
    void node.destroy()
    io.disconnect()
    await Promise.all([sentinel.kill(), replica.kill()])
  })
})
