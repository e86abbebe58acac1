import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { PersonSeen } from '../../../src/challenge/desk.js'
import { challenged, newcomer, signedIn } from '../../many/people.js'
import { type Instance, type Setting, startInstance } from '../../many/processes.js'
import { redisStores } from '../../many/redis-stores.js'
import { type ProviderStub, startProviderStub } from '../../provider-stub.js'
import { until, withoutRedis } from '../../store/redis-server.js'
import { run, runInTerminal, withoutTerminal } from './program.js'

const secret = 'a secret of thirty-two bytes or more'
const namespace = 'shop'

/** What the program prints as JSON, with what was asked. */
type Told = PersonSeen & {
  readonly enabled?: boolean
  readonly revoked?: boolean
  readonly failure?: { readonly code: string }
}

describe.skipIf(withoutRedis).each(Object.entries(redisStores))(
  'express-two-factor person beside a process that serves on %s',
  (_name, { start, clientNames: [clientName] }) => {
    let redis: { readonly redisPorts: readonly number[]; stop(): Promise<void> }
    let stub: ProviderStub
    let app: Instance
    let env: NodeJS.ProcessEnv
    beforeAll(async () => {
      stub = await startProviderStub()
      redis = await start()
      const setting: Setting = {
        ...{ provider: stub.baseUrl, clientName, redisPorts: redis.redisPorts, storeTimeoutMs: 5_000 },
        limits: { failuresBeforeLock: 3 },
        namespace,
      }
      app = await startInstance(setting)
      const [port] = redis.redisPorts
      env = { REDIS_URL: `redis://127.0.0.1:${port}`, TWO_FACTOR_SECRET: secret }
    })
    // It leaves word of itself within a second or so.
    beforeEach(() => until(async () => (await ask('nobody')).failure === undefined))
    afterAll(async () => {
      await app?.end()
      await redis?.stop()
      await stub?.close()
    })

    const person = ([account = '', ...args]: readonly string[], more: NodeJS.ProcessEnv = {}) =>
      run(['person', account, '--namespace', namespace, ...args], { ...env, ...more })

    async function ask(account: string, ...args: string[]): Promise<Told> {
      const program = person([account, ...args, '--json'])
      await program.exitCode
      return JSON.parse(program.out())
    }

    /** Somebody whom three wrong codes have locked out. */
    async function lockedOut() {
      const ana = await challenged(app)
      for (const code of ['111111', '222222', '333333']) await ana.verify(code)
      expect((await ana.verify(stub.rightCode)).body.code).toBe('phone_locked')
      return { ana, account: ana.token.split('.')[0] ?? '' }
    }

    it('shows who is locked out, for how long and why, by the limits of the app', async () => {
      const { account } = await lockedOut()
      const seen = await ask(account)
      expect(seen.lockedForMs).toBeGreaterThan(14 * 60_000)
      expect(seen).toMatchObject({ judged: 3, sessions: 0, codes: [{ channel: 'sms', state: 'sent' }] })
      const program = person([account])
      expect(await program.exitCode).toBe(0)
      expect(program.out()).toMatch(
        /^The account \d+\n\n {2}Locked +for 15 min: 3 wrong codes since the last success\n {2}Next +code in 15 min \(locked\), try in 15 min \(locked\)\n {2}Codes +1 in the last day\n +\S+ \S+ UTC sms: sent, not entered\n/,
      )
    })

    it('lets an account begin anew while the app serves', async () => {
      const { ana, account } = await lockedOut()
      expect(await ask(account, '--enable')).toMatchObject({ enabled: true, lockedForMs: 0, judged: 0 })
      expect((await ana.verify(stub.rightCode)).status).toBe(200)
      expect(await ask(account)).toMatchObject({ sessions: 1, codes: [{ state: 'entered' }] })
    })

    it('ends all that an account has', async () => {
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
        const program = runInTerminal(['person', account, '--revoke', '--namespace', namespace], env)
        await program.saying(`End all that ${account} has`)
        program.type(`${answer}\r`)
        expect(await program.exitCode).toBe(code)
        expect((await ana.account()).status).toBe(status)
      }
    })

    it('takes a number for the name of an account where it is told to', async () => {
      const person = newcomer(app, '+573001239999.laptop')
      await person.start()
      expect(await ask('+573001239999')).toMatchObject({ isKnown: false })
      expect(await ask('+573001239999', '--account', '--enable')).toMatchObject({
        enabled: true,
        isKnown: true,
      })
    })
  },
)

it('express-two-factor person says what to do where no Redis runs', async () => {
  const env = { TWO_FACTOR_SECRET: secret, REDIS_URL: 'redis://127.0.0.1:9' }
  const program = run(['person', 'ana'], env)
  expect(await program.exitCode).toBe(1)
  expect(program.err()).toMatch(/cannot be used: .*ECONNREFUSED.*\n +Fix: start it/)
})
