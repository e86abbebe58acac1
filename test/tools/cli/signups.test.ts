import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { SignupsSeen } from '../../../src/challenge/desk.js'
import { enough } from '../../in-full.js'
import { signedIn } from '../../many/people.js'
import { type Instance, startInstance, type Told } from '../../many/processes.js'
import { redisStores } from '../../many/redis-stores.js'
import { type ProviderStub, startProviderStub } from '../../provider-stub.js'
import { until, withoutRedis } from '../../store/redis-server.js'
import { run } from './program.js'

const secret = 'a secret of thirty-two bytes or more'
const hour = 3_600_000

/** Sign-ups under way at once, at each process. */
const visitors = enough(20, { inFull: 60 })

describe.skipIf(withoutRedis).each(Object.entries(redisStores))(
  'express-two-factor signups beside two processes that serve on %s',
  (_name, { start, clientNames }) => {
    let redis: { readonly redisPorts: readonly number[]; stop(): Promise<void> }
    let stub: ProviderStub
    let apps: readonly Instance[]
    let env: NodeJS.ProcessEnv
    beforeAll(async () => {
      stub = await startProviderStub()
      redis = await start()
      const setting = { provider: stub.baseUrl, redisPorts: redis.redisPorts, storeTimeoutMs: 5_000 }
      const limits = {
        enrolSendsPerAddressPer10Min: false,
        enrolSendsPerAddressPerDay: false,
        serviceSendsPerMinute: 100_000,
        serviceEnrolSendsPerHour: 100_000,
        serviceEnrolSendsPerDay: 100_000,
      } as const
      apps = await Promise.all(
        clientNames.map((clientName) => startInstance({ ...setting, limits, clientName })),
      )
      const [port] = redis.redisPorts
      env = { REDIS_URL: `redis://127.0.0.1:${port}`, TWO_FACTOR_SECRET: secret }
    })
    afterAll(async () => {
      await Promise.all((apps ?? []).map((app) => app.end()))
      await redis?.stop()
      await stub?.close()
    })
    // They leave word of themselves within a second or so, and hear of the end of a pause with a sign-up.
    beforeEach(async () => {
      await until(async () => (await signups('--resume')).code === 0)
      for (const app of apps) expect((await signUp(app)).status).toBe(201)
      for (const app of apps) await told(app)
    })

    async function signups(...args: string[]) {
      const program = run(['signups', ...args, '--json'], env)
      const code = await program.exitCode
      return { code, seen: JSON.parse(program.out() || '{}') as SignupsSeen }
    }

    let last = 0

    /** A visitor with a number of their own. */
    function signUp(app: Instance): Promise<Told> {
      last += 1
      const phone = `+57301${String(last).padStart(7, '0')}`
      return app.ask('POST', '/signup/start', `visitor${last}.session${last}`, { phone })
    }

    /** What a process says of itself, and the pauses that it has told since it was asked before. */
    async function told(app: Instance) {
      const { body } = await app.ask('GET', '/told', 'nobody.nowhere')
      const { health, events } = body as {
        readonly health: { readonly limits: readonly { readonly limit: string; readonly endsAt: number }[] }
        readonly events: readonly { readonly type: string; readonly limit?: string }[]
      }
      return { limits: health.limits, closed: events.filter(({ type }) => type === 'limit.closed') }
    }

    it('stops a flood in all processes at once, and tells people when to come back', async () => {
      let isPumping = true
      let isPaused = false
      const late: Told[] = []
      const pump = async (app: Instance) => {
        while (isPumping) {
          const begunAfter = isPaused
          const answer = await signUp(app)
          if (begunAfter) late.push(answer)
        }
      }
      const pumping = apps.flatMap((app) => Array.from({ length: visitors }, () => pump(app)))
      await until(() => stub.sends.length > 2 * visitors)
      expect(await signups('--pause', '2h')).toMatchObject({ code: 0 })
      isPaused = true
      await until(() => late.length > 4 * visitors)
      isPumping = false
      await Promise.all(pumping)

      const reasons = new Set(late.map(({ status, body }) => `${status} ${body.code}`))
      expect([...reasons]).toEqual(['503 sending_paused'])
      for (const { body } of late) expect(Number(body.retryAfterMs)).toBeGreaterThan(1.9 * hour)
      const { length } = stub.sends
      for (const app of apps) expect((await signUp(app)).status).toBe(503)
      expect(stub.sends).toHaveLength(length)
      for (const app of apps) {
        const { limits, closed } = await told(app)
        expect(closed).toEqual([expect.objectContaining({ limit: 'pause', lane: 'enrol' })])
        expect(limits).toEqual([expect.objectContaining({ limit: 'pause', lane: 'enrol' })])
        expect(Math.abs((limits[0]?.endsAt ?? 0) - Date.now() - 2 * hour)).toBeLessThan(60_000)
      }
    })

    it('lets sign-ins and codes on their way go on, and ends when it is told to', async () => {
      const [app] = apps
      if (app === undefined) throw new Error('no process')
      const visitor = 'bea.laptop'
      expect((await app.ask('POST', '/signup/start', visitor, { phone: '+573020000001' })).status).toBe(201)
      await signups('--pause', '2h')
      await signedIn(app, stub)
      const proven = await app.ask('POST', '/signup/verify', visitor, { code: stub.rightCode })
      expect(proven.status).toBe(200)
      expect((await signups('--state')).seen.pausedForMs).toBeGreaterThan(hour)
      expect((await signups('--resume')).seen.pausedForMs).toBe(0)
      for (const one of apps) expect((await signUp(one)).status).toBe(201)
      for (const one of apps) expect((await told(one)).limits).toEqual([])
    })

    it('ends by itself', async () => {
      await signups('--pause', '2s')
      for (const app of apps) expect((await signUp(app)).body.code).toBe('sending_paused')
      await sleep(2_000)
      for (const app of apps) await until(async () => (await signUp(app)).status === 201)
    })
  },
)
