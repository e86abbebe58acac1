import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { Redis } from 'ioredis'
import { createClient } from 'redis'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createKeys, createSecrets } from '../../src/challenge/keys.js'
import { redisStore } from '../../src/store/redis-store.js'
import { startHost } from '../express/kit.js'
import { figure } from '../prove/figure.js'
import { patientMs, type RedisServer, startRedis, until, withoutRedis } from '../store/redis-server.js'

/** What becomes of the command in flight as the connection breaks, and for how long there is none. */
const moments = {
  'before Redis has it': { reaches: false, outageMs: 0 },
  'once Redis has carried it out': { reaches: true, outageMs: 0 },
  'for 200 ms, before Redis has it': { reaches: false, outageMs: 200 },
  'for 200 ms, once Redis has carried it out': { reaches: true, outageMs: 200 },
} as const

/** What every key begins with, in this namespace as in any other. */
const [ofOurs = 'tf'] = createKeys('', createSecrets(['a secret of thirty-two bytes or more']))
  .account('ana')
  .split(':')

/** The two clients, each as it comes and as an app sets it up that fails fast. */
const clients = {
  redis: (port: number) => nodeRedis(port, {}),
  'redis without an offline queue': (port: number) => nodeRedis(port, { disableOfflineQueue: true }),
  ioredis: (port: number) => ioRedis(port, {}),
  'ioredis without an offline queue': (port: number) =>
    ioRedis(port, {
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
    }),
} as const

/** Copies of one client: to make each anew, with all its commands, took a third of the suite. */
const madeOnce = createClient()

async function nodeRedis(port: number, options: object) {
  const client = madeOnce.duplicate({ socket: { host: '127.0.0.1', port }, ...options }).on('error', () => {})
  await client.connect()
  return { client, end: () => client.destroy() }
}

async function ioRedis(port: number, options: object) {
  const client = new Redis(port, options).on('error', () => {})
  await new Promise((ready) => client.once('ready', ready))
  return { client, end: () => client.disconnect() }
}

interface Break {
  /** Whether Redis gets the command that is in flight. */
  readonly reaches: boolean
  /** For how long nobody can connect, in milliseconds. */
  readonly outageMs: number
  /** What it is about; by default a ledger. */
  readonly about?: string
  /** How many such commands go through before. */
  readonly after?: number
}

/** A way to this Redis that can be broken, once. */
async function breakable(server: RedisServer) {
  let armed: Break | undefined
  let passed = 0
  let downUntil = 0
  const sockets = new Set<Socket>()
  const relay = createServer((near) => {
    if (performance.now() < downUntil) {
      near.destroy()
      return
    }
    const far = connect(server.port, '127.0.0.1')
    const end = () => {
      near.destroy()
      far.destroy()
    }
    for (const socket of [near, far]) sockets.add(socket.on('error', end).on('close', end))
    let isBroken = false
    near.on('data', (chunk) => {
      const how = armed
      const { about = ':auth:', after = 0 } = how ?? {}
      if (how === undefined || !chunk.includes(about) || passed++ !== after) return far.write(chunk)
      armed = undefined
      isBroken = true
      downUntil = performance.now() + how.outageMs
      if (!how.reaches) return end()
      far.write(chunk)
    })
    far.on('data', (chunk) => (isBroken ? end() : near.write(chunk)))
  })
  await new Promise<void>((listens) => relay.listen(0, '127.0.0.1', listens))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    relay.close()
  })
  const { port } = relay.address() as AddressInfo
  return {
    port,
    breakOnce(how: Break) {
      armed = how
      passed = 0
    },
    hasBroken: () => armed === undefined,
  }
}

const steps = ['start', 'resend', 'verify'] as const
/** One more than the commands of a step. On a busy machine a client repeats some. */
const runsAtOnce = 6

describe.skipIf(withoutRedis).each(Object.entries(clients))(
  'a connection of %s that breaks',
  (name, connected) => {
    let server: RedisServer
    let hosts = 0
    beforeAll(async () => {
      server = await startRedis()
    })
    afterAll(() => server?.kill())

    async function hostThrough() {
      const line = await breakable(server)
      const { client, end } = await connected(line.port)
      const store = redisStore({ client, timeoutMs: patientMs })
      hosts += 1
      const host = await startHost({ options: { store, namespace: `n${hosts}` }, listens: true })
      onTestFinished(end)
      return { line, host }
    }

    /** Hardly any of the time is spent on work: most of it is waiting for a client to connect again. */
    const atEachMoment = (run: (how: Break) => Promise<void>) => Promise.all(Object.values(moments).map(run))

    it('during the verdict loses no correct code, and emits one event', async () => {
      await atEachMoment(async (how) => {
        const { line, host } = await hostThrough()
        const ana = await host.challenged()
        host.whileChecked(() => line.breakOnce(how))
        expect((await ana.verify(host.stub.rightCode)).status).toBe(200)
        expect(line.hasBroken()).toBe(true)
        expect((await ana.get('/account')).status).toBe(200)
        expect(host.events.filter(({ type }) => type === 'challenge.approved')).toHaveLength(1)
      })
    })

    it('as the verdict comes counts a wrong code once', async () => {
      await atEachMoment(async (how) => {
        const { line, host } = await hostThrough()
        const ana = await host.challenged()
        host.whileChecked(() => line.breakOnce(how))
        expect((await ana.verify('000000')).json).toMatchObject({ attemptsRemaining: 4 })
        expect(line.hasBroken()).toBe(true)
        host.whileChecked(() => undefined)
        expect((await ana.verify('000001')).json).toMatchObject({ attemptsRemaining: 3 })
        expect((await ana.verify(host.stub.rightCode)).status).toBe(200)
      })
    })

    it('as a code has gone out leaves that code good', async () => {
      await atEachMoment(async (how) => {
        const { line, host } = await hostThrough()
        const ana = await host.login()
        const { answerSend } = host.stub
        host.stub.answerSend = async (request) => {
          line.breakOnce(how)
          return answerSend(request)
        }
        expect((await ana.start()).status).toBe(201)
        expect(line.hasBroken()).toBe(true)
        expect((await ana.verify(host.stub.rightCode)).status).toBe(200)
      })
    })

    /** A step with a break after so many commands, and whoever is told to try again does so. */
    async function brokenAfter(after: number, step: (typeof steps)[number], how: Break) {
      const { line, host } = await hostThrough()
      const ana = await host.login()
      const told: string[] = []
      const press = {
        start: () => ana.start(),
        resend: () => ana.post('/two-factor/resend', {}),
        verify: () => ana.verify(host.stub.rightCode),
      }
      /** At a resend with the code that came before. */
      async function pressed(button: keyof typeof press): Promise<number> {
        let answer = await press[button]()
        if (answer.status === 503) told.push(answer.json.code)
        await until(async () => {
          if (answer.status === 503) answer = await press[button === 'resend' ? 'verify' : button]()
          return answer.status !== 503
        })
        return answer.status
      }
      if (step !== 'start') await ana.start()
      if (step === 'resend') host.clock.now += 60_000
      line.breakOnce({ ...how, about: ofOurs, after })
      const statuses = [await pressed(step)]
      const isBroken = line.hasBroken()
      if (step !== 'verify' && host.stub.checks.length === 0) statuses.push(await pressed('verify'))
      expect([after, statuses.at(-1), host.stub.checks.length]).toEqual([after, 200, 1])
      expect(host.stub.sends.length).toBeLessThanOrEqual(step === 'resend' ? 2 : 1)
      if (isBroken) expect((await ana.get('/account')).status).toBe(200)
      return { isBroken, told }
    }

    const cases = steps.flatMap((step) =>
      Object.entries(moments).map(([moment, how]) => ({ step, moment, how })),
    )
    it.each(cases)('$moment, at any command of a $step, loses no code', async ({ step, moment, how }) => {
      const runs: Awaited<ReturnType<typeof brokenAfter>>[] = []
      // Until the last run is not disturbed at all: then each command was.
      do {
        const later = Array.from({ length: runsAtOnce }, (_, index) => runs.length + index)
        runs.push(...(await Promise.all(later.map((after) => brokenAfter(after, step, how)))))
      } while (runs.at(-1)?.isBroken)
      const commands = runs.filter(({ isBroken }) => isBroken).length
      expect(commands).toBeGreaterThan(3)
      const told = runs.flatMap((run) => run.told)
      expect(told.filter((code) => code !== 'store_unavailable')).toEqual([])
      figure(
        26,
        `${name}, a connection that breaks ${moment}, at each of ${commands} commands of a ${step}: ${commands} in, ${told.length} of them told to try again`,
      )
    })
  },
)
