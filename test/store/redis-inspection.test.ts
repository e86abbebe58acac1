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

const said = async (...nodes: ReturnType<typeof node>[]) => {
  let asked = 0
  const sendCommand = async () => nodes[asked++ % nodes.length]
  return redisStore({ sendCommand }).inspect?.()
}

describe('inspecting Redis', () => {
  test('finds nothing wrong where nothing is', async () => {
    expect(await said(node())).toEqual([])
    for (const version of ['6.2.0', '6.10.1', '8.0.2', '10.0.0'])
      expect(await said(node({ version }))).toEqual([])
  })

  test('finds a replica, and a server too old to be asked', async () => {
    expect(await said(node({ role: 'slave' }))).toMatchObject([{ code: 'store_read_only' }])
    for (const version of ['5.0.14', '6.0.20', '6.1.240']) {
      expect(await said(node({ version }))).toMatchObject([
        { code: 'store_too_old', message: `Redis on port 6379 has version ${version}` },
      ])
    }
  })

  test('finds clocks that are apart, in either direction', async () => {
    for (const [leadMs, seconds] of [
      [60_000, '60.0'],
      [-5_000, '-5.0'],
    ] as const) {
      expect(await said(node({ leadMs }))).toMatchObject([
        { code: 'store_clock', message: `Redis on port 6379 has a clock ${seconds} s ahead of this machine` },
      ])
    }
    expect(await said(node({ leadMs: 2_000 }))).toEqual([])
  })

  test('names each node of a cluster once', async () => {
    const findings = await said(
      node({ id: 'a', port: '7000', eviction: 'allkeys-lru' }),
      node({ id: 'b', port: '7001' }),
      node({ id: 'c', port: '7002', eviction: 'allkeys-lru' }),
    )
    expect(findings?.map(({ message }) => message.slice(0, 18))).toEqual([
      'Redis on port 7000',
      'Redis on port 7002',
    ])
  })

  test('finds a server that refuses or does not answer', async () => {
    const refusing = redisStore({
      sendCommand: () => Promise.reject(new Error('NOAUTH Authentication required.')),
    })
    expect(await refusing.inspect?.()).toMatchObject([
      { code: 'store_unreachable', message: 'Redis cannot be used: NOAUTH Authentication required.' },
    ])
    const silent = redisStore({ sendCommand: () => new Promise(() => {}), timeoutMs: 20 })
    expect(await silent.inspect?.()).toMatchObject([
      { code: 'store_unreachable', message: 'Redis cannot be used: no response within 20 ms' },
    ])
    const odd = redisStore({ sendCommand: () => Promise.reject('odd') })
    expect(await odd.inspect?.()).toMatchObject([{ message: 'Redis cannot be used: odd' }])
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

  test('finds that strict has no replica to wait for', async () => {
    expect(await redisStore({ client, strict: true, timeoutMs: patientMs }).inspect?.()).toMatchObject([
      { code: 'store_unreplicated' },
    ])
  })

  test('finds nothing for a user who may use the keys of the namespace alone', async () => {
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
  })

  test('leaves no key behind', async () => {
    expect(await server.ask('DBSIZE')).toBe(0)
  })
})
