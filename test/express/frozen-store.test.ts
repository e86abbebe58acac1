import type { Express, Request } from 'express'
import { createClient } from 'redis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TwoFactorOptions, tokenSession } from '../../src/index.js'
import { redisStore } from '../../src/store/redis-store.js'
import { type RedisServer, startRedis, withoutRedis } from '../store/redis-server.js'
import type { Browser } from './browser.js'
import { type Host, type HostOptions, startHost } from './kit.js'

let server: RedisServer
let client: ReturnType<typeof createClient>
beforeAll(async () => {
  if (withoutRedis) return
  server = await startRedis()
  client = createClient({ url: server.url })
  await client.connect()
})
afterAll(async () => {
  client?.destroy()
  await server?.kill()
})

/** A host whose Redis freezes just before it is sent the command of this number, counted from `arm` on. */
async function freezingHost(given: HostOptions) {
  await server.ask('FLUSHALL')
  const under = new Set<Promise<unknown>>()
  let left = 0
  const sendCommand = (_key: string, args: string[]) => {
    left -= 1
    if (left === 0) server.freeze()
    const reply = client.sendCommand(args)
    under.add(reply)
    reply.catch(() => undefined)
    return reply
  }
  const options: Partial<TwoFactorOptions> = {
    ...given.options,
    store: redisStore({ sendCommand }),
    phone: (_req, subject) => `+57300${subject.slice(1).padStart(7, '0')}`,
  }
  const host = await startHost({ ...given, options })
  return {
    host,
    arm(command: number) {
      left = command
    },
    /** Whatever Redis was sent while it was frozen has been executed. */
    async thaw() {
      left = 0
      server.thaw()
      await Promise.allSettled(under)
    },
  }
}

interface SetUp extends HostOptions {
  login(host: Host, user: string): Promise<Browser>
}
const tokenOf = (req: Request) => req.headers.authorization?.split(' ')[1]
const setUps: Readonly<Record<string, SetUp>> = {
  'express-session': { login: (host, user) => host.login(user) },
  'bearer tokens': {
    login: async (host, user) =>
      Object.assign(host.browser(), { always: { authorization: `Bearer ${user}` } }),
    addSession: () => undefined,
    routes: (app: Express, tf) => {
      app.use('/two-factor', tf.routes())
      app.get('/account', tf.requireTwoFactor(), (_req, res) => void res.json({}))
    },
    options: { session: tokenSession(tokenOf), subject: tokenOf, onVerified: () => undefined },
  },
}

describe.skipIf(withoutRedis).for(Object.entries(setUps))('with %s', ([, setUp]) => {
  it('a Redis that freezes at any command of a verify and thaws leaves no grant behind a refusal', async () => {
    const { host, arm, thaw } = await freezingHost(setUp)
    // Everybody is approved, so that only Redis refuses.
    host.stub.answerCheck = () => ({ json: { status: 'verified' } })
    // Redis knows the scripts from here on.
    const first = await setUp.login(host, 'u0')
    await first.post('/two-factor/start', {})
    expect((await first.post('/two-factor/verify', { code: '111111' })).status).toBe(200)

    const statuses: number[] = []
    for (let command = 1; statuses.at(-1) !== 200 && command < 30; command += 1) {
      const browser = await setUp.login(host, `u${command}`)
      expect((await browser.post('/two-factor/start', {})).status).toBe(201)
      const old = browser.copy()
      arm(command)
      const { status } = await browser.post('/two-factor/verify', { code: `${100_000 + command}` })
      await thaw()
      statuses.push(status)
      const admitted = [await browser.get('/account'), await old.get('/account')].map((told) => told.status)
      if (status === 200) continue
      expect([command, status]).toEqual([command, 503])
      expect([command, ...admitted.map((told) => told < 400)]).toEqual([command, false, false])
    }
    // As many as a verify sends: address, ledger, grants, devices, two tallies, settle, grant, device.
    expect(statuses.length).toBeGreaterThanOrEqual(8)
    expect(statuses.at(-1)).toBe(200)
  })
})
