import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { PersonReport, SignupsReport } from '../../../src/challenge/operator/inspection.js'
import { enough } from '../../in-full.js'
import { challenged, newcomer, signedIn } from '../../many/people.js'
import { type Instance, startInstance, type Told } from '../../many/processes.js'
import { redisStores } from '../../many/redis-stores.js'
import { type ProviderStub, startProviderStub } from '../../provider-stub.js'
import { until, withoutRedis } from '../../store/redis-server.js'
import { run, runInTerminal, withoutTerminal } from './program.js'

const secret = 'a secret of thirty-two bytes or more'
const namespace = ['--namespace', 'shop']
const hour = 3_600_000

/** Sign-ups under way at once, at each process. */
const visitors = enough(20, { inFull: 60 })

/** What the program prints as JSON of an account, with what was asked. */
type Seen = PersonReport & {
  readonly unlocked?: boolean
  readonly revoked?: boolean
  readonly failure?: { readonly code: string }
}

describe.skipIf(withoutRedis).each(Object.entries(redisStores))(
  'beside two processes that serve on %s',
  (_name, { start, clientNames }) => {
    let redis: { readonly redisPorts: readonly number[]; stop(): Promise<void> }
    let stub: ProviderStub
    let apps: readonly Instance[]
    let app: Instance
    let env: NodeJS.ProcessEnv
    beforeAll(async () => {
      stub = await startProviderStub()
      redis = await start()
      const limits = {
        failuresBeforeLock: 3,
        enrolSendsPerAddressPer10Min: false,
        enrolSendsPerAddressPerDay: false,
        serviceSendsPerMinute: 100_000,
        serviceEnrolSendsPerHour: 100_000,
        serviceEnrolSendsPerDay: 100_000,
      } as const
      const { redisPorts } = redis
      const setting = { provider: stub.baseUrl, redisPorts, storeTimeoutMs: 5_000, limits, namespace: 'shop' }
      const [first, second] = clientNames
      app = await startInstance({ ...setting, clientName: first })
      apps = [app, await startInstance({ ...setting, clientName: second })]
      env = { REDIS_URL: `redis://127.0.0.1:${redisPorts[0]}`, TWO_FACTOR_SECRET: secret }
    })
    // The apps store their record within about a second.
    let hasRecord = false
    beforeEach(async () => {
      if (!hasRecord) await until(async () => (await ask('nobody')).failure === undefined)
      hasRecord = true
    })
    afterAll(async () => {
      await Promise.all((apps ?? []).map((one) => one.end()))
      await redis?.stop()
      await stub?.close()
    })

    const person = (account: string, ...args: string[]) =>
      run(['person', account, ...namespace, ...args], env)

    async function ask(account: string, ...args: string[]): Promise<Seen> {
      const program = person(account, ...args, '--json')
      await program.exitCode
      return JSON.parse(program.out())
    }

    /** Somebody whom three wrong codes have locked out. */
    async function lockedOut() {
      const ana = await challenged(app)
      for (const code of ['111111', '222222', '333333']) await ana.verify(code)
      expect((await ana.verify(stub.rightCode)).body.code).toBe('account_locked')
      return { ana, account: ana.token.split('.')[0] ?? '' }
    }

    it('shows who is locked out, for how long and why, by the limits of the app', async () => {
      const { account } = await lockedOut()
      const seen = await ask(account)
      expect(seen.lockedForMs).toBeGreaterThan(14 * 60_000)
      expect(seen).toMatchObject({ judged: 3, sessions: 0, codes: [{ channel: 'sms', state: 'sent' }] })
      const program = person(account)
      expect(await program.exitCode).toBe(0)
      expect(program.out()).toMatch(
        /^The account \d+\n\n {2}Locked +for 15 min: 3 wrong codes since the last success\n {2}Next +code in 15 min \(locked\), attempt in 15 min \(locked\)\n {2}Codes +1 in the last day\n +\S+ \S+ UTC sms: sent, not entered\n/,
      )
    })

    it('lets an account start again while the app serves', async () => {
      const { ana, account } = await lockedOut()
      expect(await ask(account, '--unlock')).toMatchObject({ unlocked: true, lockedForMs: 0, judged: 0 })
      expect((await ana.verify(stub.rightCode)).status).toBe(200)
      expect(await ask(account)).toMatchObject({ sessions: 1, codes: [{ state: 'entered' }] })
    })

    it('ends all data of an account', async () => {
      const ana = await signedIn(app, stub)
      const account = ana.token.split('.')[0] ?? ''
      expect((await ana.account()).status).toBe(200)
      expect(await ask(account, '--revoke', '--yes')).toMatchObject({ revoked: true, sessions: 0 })
      expect((await ana.account()).status).toBe(401)
    })

    it.skipIf(withoutTerminal)('asks before it ends anything', async () => {
      const ana = await signedIn(app, stub)
      const account = ana.token.split('.')[0] ?? ''
      for (const [answer, code, status] of [
        ['no', 1, 200],
        ['yes', 0, 401],
      ] as const) {
        const program = runInTerminal(['person', account, '--revoke', ...namespace], env)
        await program.saying(`Revoke everything of ${account}`)
        program.type(`${answer}\r`)
        expect(await program.exitCode).toBe(code)
        expect((await ana.account()).status).toBe(status)
      }
    })

    it('reads a number as an account with the option', async () => {
      await newcomer(app, '+573001239999.laptop').start()
      expect(await ask('+573001239999')).toMatchObject({ isKnown: false })
      expect(await ask('+573001239999', '--account', '--unlock')).toMatchObject({
        unlocked: true,
        isKnown: true,
      })
    })

    async function signups(...args: string[]) {
      const program = run(['signups', ...args, ...namespace, '--json'], env)
      const code = await program.exitCode
      return { code, seen: JSON.parse(program.out() || '{}') as SignupsReport }
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

    describe('a pause of sign-ups', () => {
      // They hear of the end of a pause with a sign-up.
      beforeEach(async () => {
        await signups('--resume')
        for (const one of apps) expect((await signUp(one)).status).toBe(201)
        for (const one of apps) await told(one)
      })

      it('stops a flood in all processes, and shows users the wait', async () => {
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

      it('does not affect sign-ins and pending codes, and ends by a command', async () => {
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

      it('ends after its time', async () => {
        await signups('--pause', '2s')
        for (const app of apps) expect((await signUp(app)).body.code).toBe('sending_paused')
        await sleep(2_000)
        for (const app of apps) await until(async () => (await signUp(app)).status === 201)
      })
    })
  },
)

it('express-two-factor person explains the fix without Redis', async () => {
  const env = { TWO_FACTOR_SECRET: secret, REDIS_URL: 'redis://127.0.0.1:9' }
  const program = run(['person', 'ana'], env)
  expect(await program.exitCode).toBe(1)
  expect(program.err()).toMatch(/cannot be used: .*ECONNREFUSED.*\n +Fix: start it/)
})
