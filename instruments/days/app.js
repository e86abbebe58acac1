/*
 * One instance of an app, as a process of its own on a Redis that it shares. In 30 of 100 requests one command
 * of the store fails. Told to stop, it closes what it opened and is left to end by itself.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { once } from 'node:events'
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises'
import express from 'express'
import { createClient, providerCodes, tokenSession, twoFactor } from 'express-two-factor'
import { redisStore } from 'express-two-factor/redis'
import { seeded } from '../../test/seeded.js'
import { phoneOf, providerTimeoutMs } from './people.js'
import { oneOf } from './random.js'
import { connect } from './redis-clients.js'

const { provider, redisPort, clientName, aheadMs, seed } = JSON.parse(process.argv[2])
const random = seeded(seed)
let ahead = aheadMs
const lateMs = 300

const client = await connect[clientName](redisPort)
const faults = { refused: 0, lost: 0, late: 0, stalled: 0 }
let requests = 0
const late = new Set()
const struck = new AsyncLocalStorage()

/** Past the deadline of the store, and carried out all the same. */
async function sendLate(args) {
  await wait(lateMs)
  await client.send(args)
}

async function sendCommand(_key, args) {
  const fate = struck.getStore()
  if (fate === undefined || --fate.commandsLeft !== 0) return client.send(args)
  const kind = oneOf(random, Object.keys(faults))
  faults[kind] += 1
  if (kind === 'late') {
    const sending = sendLate(args).catch(() => {})
    late.add(sending)
    await sending.finally(() => late.delete(sending))
  }
  if (kind === 'stalled') return new Promise(() => {})
  if (kind === 'lost') await client.send(args)
  throw new Error(`the connection was ${kind}`)
}

// A token names a subject and its login: `Bearer 1000017.s204`.
const tokenOf = (req) => (req.get('authorization') ?? '').replace(/^Bearer /, '').split('.')
const noLimit = 1_000_000_000
const tf = twoFactor({
  provider: providerCodes({
    client: createClient({ baseUrl: provider, client: 41, key: 'k', timeoutMs: providerTimeoutMs }),
    approvedStatuses: ['verified'],
  }),
  appName: 'Acme',
  secret: 'a secret of thirty-two bytes or more',
  countries: ['CO'],
  store: redisStore({ sendCommand }),
  session: tokenSession((req) => tokenOf(req)[1]),
  subject: (req) => tokenOf(req)[0] || undefined,
  phone: (_req, subject) => phoneOf(subject),
  // Everybody comes from one address, and a day lasts a few minutes: the ledgers alone hold people back.
  limits: {
    sendsPerAddressPer10Min: false,
    serviceSendsPerMinute: noLimit,
  },
  now: () => Date.now() + ahead,
  // Whoever listens is told of every outage; without a listener there would be warnings.
  onEvent: () => {},
})

const app = express()
/** How many commands of the store a request takes, about. */
const commandsOf = { '/two-factor/start': 4, '/two-factor/verify': 7 }
app.use(({ path }, _res, next) => {
  requests += 1
  // Some end before the command that is to fail: 30 of 100 are struck.
  const fate = random(100) < 40 ? { commandsLeft: 1 + random(commandsOf[path] ?? 1) } : undefined
  struck.run(fate, next)
})
app.use('/two-factor', tf.routes())
app.get('/account', tf.requireTwoFactor(), (_req, res) => res.json({}))
const server = app.listen(0, '127.0.0.1')
server.keepAliveTimeout = 120_000
await once(server, 'listening')

process.on('message', async ({ command, ms }) => {
  if (command === 'pass') ahead += ms
  if (command === 'measure') {
    globalThis.gc()
    process.send({ heap: process.memoryUsage().heapUsed, faults, requests })
  }
  if (command === 'stop') {
    // Provider and store are asked up to the end: whatever a question leaves behind is still there.
    await tf.selfTest()
    await tf.close()
    await Promise.all(late)
    await client.close()
    server.close()
    server.closeAllConnections()
    // What was closed is gone once the loop has turned.
    for (let turns = 0; turns < 3; turns += 1) await turn()
    // The pipes to the parent process stay until the process ends.
    const handles = process.getActiveResourcesInfo().filter((kind) => !/Pipe|TTY/.test(kind))
    process.send({ handles, faults, requests })
    process.disconnect()
  }
})
process.send({ port: server.address().port })
