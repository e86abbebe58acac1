import { createClient } from 'redis'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { redisStore } from '../../src/store/redis-store.js'
import { twoFactor } from '../../src/two-factor.js'
import { patientMs, type RedisServer, startRedis, withoutRedis } from './redis-server.js'

/** What the inspection script answers, with the clock of Redis ahead of ours by so many milliseconds. */
function node({
  id = 'a',
  port = '6379',
  version = '7.2.4',
  eviction = 'noeviction',
  role = 'master',
  replicas = '1',
  leadMs = 0,
} = {}) {
  const time = Date.now() + leadMs
  return [
    id,
    port,
    version,
    eviction,
    role,
    replicas,
    `${Math.floor(time / 1_000)}`,
    `${(time % 1_000) * 1_000}`,
  ]
}

const inspect = (options: object, ...nodes: ReturnType<typeof node>[]) => {
  let asked = 0
  const sendCommand = async () => nodes[asked++ % nodes.length]
  return redisStore({ sendCommand, ...options }).inspect?.()
}

describe('inspecting Redis', () => {
  test.each([
    {},
    { version: '6.2.0' },
    { version: '6.10.1' },
    { version: '10.0.0' },
    { leadMs: 2_000 },
    { replicas: '0' },
  ])('finds nothing wrong with %j', async (change) => {
    expect(await inspect({}, node(change))).toEqual([])
  })

  test.each<[Parameters<typeof node>[0], string, string, object?]>([
    [{ role: 'slave' }, 'store_read_only', 'is a replica'],
    [{ version: '5.0.14' }, 'store_too_old', 'has version 5.0.14'],
    [{ version: '6.1.240' }, 'store_too_old', 'has version 6.1.240'],
    [{ leadMs: 60_000 }, 'store_clock', 'has a clock 60.0 s ahead of this machine'],
    [{ leadMs: -5_000 }, 'store_clock', 'has a clock -5.0 s ahead of this machine'],
    [{ eviction: 'allkeys-lfu' }, 'store_evicts', 'may evict live records: maxmemory-policy is allkeys-lfu'],
    [
      { replicas: '0' },
      'store_unreplicated',
      'has no replica, so strict refuses every change',
      { strict: true },
    ],
  ])('finds what is wrong with %j: %s', async (change, code, message, options = {}) => {
    const finding = { code, message: `Redis on port 6379 ${message}`, fix: expect.any(String) }
    expect(await inspect(options, node(change))).toEqual([finding])
  })

  // A full Redis that must not evict refuses every sign-in.
  test('advises more memory before the policy, when Redis may evict live records', async () => {
    const [finding] = (await inspect({}, node({ eviction: 'allkeys-lru' }))) ?? []
    expect(finding?.fix).toMatch(/maxmemory first.*maxmemory-policy to noeviction/)
  })

  test('names each node of a cluster once', async () => {
    const findings = await inspect(
      {},
      node({ id: 'a', port: '7000', eviction: 'allkeys-lru' }),
      node({ id: 'b', port: '7001' }),
      node({ id: 'c', port: '7002', eviction: 'allkeys-lru' }),
    )
    expect(findings?.map(({ message }) => message.slice(0, 18))).toEqual([
      'Redis on port 7000',
      'Redis on port 7002',
    ])
  })

  test.each([
    [
      'refuses',
      () => Promise.reject(new Error('NOAUTH Authentication required.')),
      'NOAUTH Authentication required.',
    ],
    ['does not answer', () => new Promise(() => {}), 'no response within 20 ms'],
    ['fails with what is no error', () => Promise.reject('odd'), 'odd'],
  ])('finds a server that %s', async (_, sendCommand, why) => {
    const message = `Redis cannot be used: ${why}`
    expect(await inspect({ sendCommand, timeoutMs: 20 })).toMatchObject([
      { code: 'store_unreachable', message },
    ])
  })
})

describe.skipIf(withoutRedis)('inspecting a real Redis', () => {
  let server: RedisServer
  let client: ReturnType<typeof createClient>
  beforeAll(async () => {
    server = await startRedis()
    client = createClient({ url: server.url })
    await client.connect()
  })
  afterEach(() => vi.restoreAllMocks())
  afterAll(async () => {
    client.destroy()
    await server.kill()
  })

  test('finds nothing, then its eviction policy, then that its clock is not ours', async () => {
    const store = redisStore({ client, timeoutMs: patientMs })
    expect(await store.inspect?.()).toEqual([])

    await server.ask('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lfu')
    expect(await store.inspect?.()).toMatchObject([{ code: 'store_evicts' }])
    await server.ask('CONFIG', 'SET', 'maxmemory-policy', 'noeviction')

    const real = Date.now
    vi.spyOn(Date, 'now').mockImplementation(() => real() - 3_600_000)
    expect(await store.inspect?.()).toMatchObject([
      {
        code: 'store_clock',
        message: `Redis on port ${server.port} has a clock 3600.0 s ahead of this machine`,
      },
    ])
  })

  test('finds nothing for a user who may use only the keys of the namespace', async () => {
    const commands = '+eval +evalsha +get +getex +set +del +exists +incrby +pttl +pexpire +info +time'.split(
      ' ',
    )
    await server.ask('ACL', 'SETUSER', 'shop', 'on', '>password', '~tf3:shop:*', ...commands)
    const limited = createClient({ url: server.url, username: 'shop', password: 'password' })
    await limited.connect()
    const tf = twoFactor({
      provider: { sendCode: async () => ({ result: 'sent' }), checkCode: async () => 'approved' },
      appName: 'Acme',
      secret: 'a secret of thirty-two bytes or more',
      countries: ['CO'],
      namespace: 'shop',
      subject: () => undefined,
      phone: () => undefined,
      store: redisStore({ client: limited, timeoutMs: patientMs }),
    })
    const { findings } = await tf.selfTest()
    expect(findings.filter(({ code }) => code.startsWith('store'))).toEqual([])
    await tf.close()
    limited.destroy()
    expect(await server.ask('DBSIZE')).toBe(0)
  })
})
