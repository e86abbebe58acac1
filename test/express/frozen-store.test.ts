import { createClient } from 'redis'
import { expect, it, onTestFinished } from 'vitest'
import type { TwoFactorOptions } from '../../src/index.js'
import { redisStore } from '../../src/store/redis-store.js'
import { figure } from '../prove/figure.js'
import { startRedis, withoutRedis } from '../store/redis-server.js'
import type { Answer, Browser } from './browser.js'
import { gate, type Host, type HostOptions, signupAt, startHost, withTokens } from './kit.js'

/** Never waited for: a frozen Redis is given up at once, and one that is well may take its time on a busy machine. */
const storeTimeoutMs = 60_000

/** A host whose Redis freezes just before it is sent the command of this number, counted from `arm` on. */
async function freezingHost(given: HostOptions) {
  const server = await startRedis()
  const client = createClient({ url: server.url })
  await client.connect()
  onTestFinished(async () => {
    client.destroy()
    await server.kill()
  })
  const under = new Set<Promise<unknown>>()
  let left = 0
  let frozen = gate()
  const sendCommand = (_key: string, args: string[]) => {
    left -= 1
    if (left === 0) {
      server.freeze()
      frozen.open()
    }
    const reply = client.sendCommand(args)
    under.add(reply)
    reply.catch(() => undefined)
    // What was sent just before has no answer either.
    const none = frozen.opened.then(() => Promise.reject(new Error('no response')))
    return Promise.race([reply, none])
  }
  const options: Partial<TwoFactorOptions> = {
    ...given.options,
    store: redisStore({ sendCommand, timeoutMs: storeTimeoutMs }),
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
      frozen = gate()
      server.thaw()
      await Promise.allSettled(under)
    },
  }
}

interface SetUp extends HostOptions {
  /** Where codes are sent and checked. */
  readonly at: string
  /** What success leads to. */
  readonly wanted: (browser: Browser) => Promise<Answer>
  /** The least number of commands that a verify sends. */
  readonly commands: number
  /** In place of the password: who comes says so in each request. */
  readonly comes?: (host: Host, user: string) => Browser
}

// Address, ledger, grants, tally, settle, grant.
const signIn = { at: '/two-factor', wanted: (browser: Browser) => browser.get('/account'), commands: 6 }
const byToken = withTokens({ subject: (req) => req.headers.authorization?.split(' ')[1] })

const setUps: Readonly<Record<string, SetUp>> = {
  'express-session': signIn,
  'bearer tokens': {
    ...signIn,
    ...byToken,
    comes: (host, user) => host.browser({ authorization: `Bearer ${user}` }),
  },
  // Enrolment, address, ledger, settle, the record under its new id, proof.
  'a phone verification': {
    at: '/phone',
    wanted: (browser) => browser.post('/signup'),
    commands: 6,
    mount: signupAt('/phone'),
    options: { limits: { enrolSendsPerAddressPer10Min: false }, subject: () => undefined },
  },
}

/** All of it with one set-up: a verify for each of its commands, before which Redis freezes. */
async function freezeAtEach(name: string, setUp: SetUp): Promise<void> {
  const { comes, at, wanted, commands } = setUp
  const { host, arm, thaw } = await freezingHost(setUp)
  // Everybody is approved, so that only Redis refuses.
  host.stub.answerCheck = () => ({ json: { status: 'verified' } })
  const start = async (user: number) => {
    const browser = comes?.(host, `u${user}`) ?? (await host.login(`u${user}`))
    const phone = `+57300${String(user).padStart(7, '0')}`
    expect((await browser.post(`${at}/start`, { phone })).status).toBe(201)
    return browser
  }
  // Redis knows the scripts from here on.
  const first = await start(0)
  expect((await first.post(`${at}/verify`, { code: '111111' })).status).toBe(200)

  const statuses: number[] = []
  for (let command = 1; statuses.at(-1) !== 200 && command < 30; command += 1) {
    const browser = await start(command)
    const old = browser.copy()
    arm(command)
    const { status } = await browser.post(`${at}/verify`, { code: `${100_000 + command}` })
    await thaw()
    statuses.push(status)
    const admitted = [await wanted(browser), await wanted(old)].map((told) => told.status < 400)
    const right = status === 200 ? [200, true] : [503, false]
    expect([name, command, status, admitted[0]]).toEqual([name, command, ...right])
    if (status !== 200) expect([name, command, admitted[1]]).toEqual([name, command, false])
  }
  expect(statuses.length, name).toBeGreaterThanOrEqual(commands)
  expect(statuses.at(-1)).toBe(200)
  figure(17, `0 admitted after a Redis that froze at any of ${statuses.length} commands`)
}

it.skipIf(withoutRedis)(
  'a Redis that freezes at any command of a verify and thaws leaves nothing behind a refusal',
  // Each on a Redis of its own, at once: nearly all of it is waiting.
  () => Promise.all(Object.entries(setUps).map(([name, setUp]) => freezeAtEach(name, setUp))),
)
