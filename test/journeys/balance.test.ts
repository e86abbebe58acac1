import { createClient as createRedis } from 'redis'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createClient, type TwoFactorEvent, twoFactor } from '../../src/index.js'
import { startSandbox } from '../../src/sandbox/index.js'
import { redisStore } from '../../src/store/redis-store.js'
import { startRedis, withoutRedis } from '../store/redis-server.js'

const everyMs = 500
/** For what happens by itself, sooner or later. */
const patienceMs = 30_000

async function openProcesses(count: number) {
  const sandbox = await startSandbox()
  const server = await startRedis()
  const redis = createRedis({ url: server.url })
  await redis.connect()
  const events: TwoFactorEvent[] = []
  const processes = Array.from({ length: count }, () =>
    twoFactor({
      provider: createClient({ baseUrl: sandbox.baseUrl, ...sandbox.credentials }),
      appName: 'Acme',
      approvedStatuses: sandbox.approvedStatuses,
      secret: 'a secret of thirty-two bytes or more',
      countries: ['CO'],
      subject: () => undefined,
      phone: () => undefined,
      // Under the load of the whole suite a deadline of 250 ms would tell of the machine.
      store: redisStore({ client: redis, timeoutMs: 30_000 }),
      limits: { storeTimeoutMs: 30_000 },
      balance: { everyMs },
      onEvent: (event) => events.push(event),
    }),
  )
  onTestFinished(async () => {
    await Promise.all(processes.map((process) => process.close()))
    redis.destroy()
    await server.kill()
    await sandbox.close()
  })
  const told = () => events.map(({ type }) => type).filter((type) => type.startsWith('balance.'))
  return { sandbox, server, processes, told }
}

it.skipIf(withoutRedis)('eight processes on one Redis ask the account once per interval', async () => {
  const startedAt = performance.now()
  const { sandbox, processes, told } = await openProcesses(8)
  const asked = () => sandbox.requests.count('balance')
  await vi.waitFor(() => expect(asked()).toBeGreaterThan(6), patienceMs)
  const times = asked()
  const intervals = (performance.now() - startedAt) / everyMs
  console.log(`eight processes asked ${times} times in ${intervals.toFixed(1)} intervals`)
  expect(times).toBeLessThanOrEqual(intervals + 1)

  await Promise.all(processes.map((process) => process.close()))
  const before = asked()
  await new Promise((resolve) => setTimeout(resolve, 2 * everyMs))
  expect(asked()).toBe(before)
  // Asked after its end, the client would have failed.
  expect(told()).toEqual([])
})

it.skipIf(withoutRedis)('an account that runs dry stops no more than it must', async () => {
  const { sandbox, server, processes, told } = await openProcesses(3)
  await vi.waitFor(() => expect(sandbox.requests.count('balance')).toBeGreaterThan(0), patienceMs)
  const start = (index: number) =>
    processes[index % 3]?.challenges
      .start({
        subject: `${index}`,
        session: `${index}`,
        phone: `+57300${1_000_000 + index}`,
        purpose: 'login',
      })
      .catch(({ code }: { code: string }) => ({ outcome: 'failed', code }))

  sandbox.account.setCredits(0)
  expect(await start(0)).toMatchObject({ code: 'delivery_failed' })
  await vi.waitFor(() => expect(told()).toEqual(['balance.empty']), patienceMs)
  await vi.waitFor(
    async () => expect(await server.ask('GET', await balanceKey(server))).toContain('paused'),
    patienceMs,
  )
  // The one start in 30 seconds that tries.
  expect(await start(1)).toMatchObject({ code: 'delivery_failed' })
  for (const index of [2, 3, 4]) {
    expect(await start(index)).toMatchObject({ code: 'sending_paused', limit: 'balance' })
  }

  sandbox.account.setCredits(500)
  // 30 seconds later.
  await server.ask('DEL', ...(await keysOf(server, '*count-balance-probes*')))
  expect(await start(2)).toMatchObject({ outcome: 'started' })
  await vi.waitFor(async () => expect(await start(3)).toMatchObject({ outcome: 'started' }), patienceMs)
  await vi.waitFor(() => expect(told()).toEqual(['balance.empty', 'balance.recovered']), patienceMs)
})

type Server = Awaited<ReturnType<typeof startRedis>>

const keysOf = async (server: Server, pattern: string) => (await server.ask('KEYS', pattern)) as string[]
const balanceKey = async (server: Server) => (await keysOf(server, '*:balance:*'))[0] ?? ''
