// Fills a memory store with ledgers, each with a sent challenge, in a process of its own, whose heap holds
// nothing else. Arguments: the folder of the compiled package, and how many ledgers.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const [, , dir, count] = process.argv
const load = (path) => import(pathToFileURL(join(dir, path)).href)
const { createLedgers } = await load('challenge/ledgers.js')
const { start, settleSend } = await load('challenge/ledger-sends.js')
const { newCommandId } = await load('challenge/change.js')
const { createKeys, fingerprint } = await load('challenge/keys.js')
const { createSecrets } = await load('challenge/secrets.js')
const { memoryStore } = await load('store/memory-store.js')

const minute = 60_000
const limits = {
  attemptsPerChallenge: 5,
  failuresBeforeLock: 10,
  lockMs: 15 * minute,
  failuresBeforeDisable: 100,
  codeLifetimeMs: 10 * minute,
  cooldownMs: [minute],
  sendsPerChallenge: 3,
  sendsPerHour: 5,
  sendsPerDay: 10,
  callsPerHour: 2,
  callsPerDay: 4,
  allSendsPerHour: 20,
  allSendsPerDay: 50,
  leaseMs: 10_000,
}
const keys = createKeys('', createSecrets(['a secret of at least thirty-two bytes']))
const keyOf = (index) => keys.ledger('auth', `+57300${1_000_000 + index}`)

function used() {
  global.gc()
  const { heapUsed, external, arrayBuffers } = process.memoryUsage()
  return heapUsed + external + arrayBuffers
}

const ledgers = (store) => createLedgers({ store, now: Date.now, emit() {} })

async function fill(ledgers, count) {
  for (let index = 0; index < count; index += 1) {
    const binding = { session: fingerprint(`s${index}`), subject: fingerprint(`u${index}`), purpose: 'login' }
    const order = { sendId: newCommandId(), challengeId: randomUUID(), binding, channel: 'sms' }
    const sent = { result: 'sent', lifetimeMs: 10 * minute }
    const held = ledgers.hold(keyOf(index), limits)
    await held.run((ledger, now) => start(ledger, order, now, limits))
    await held.run((ledger, now) => settleSend(ledger, order.sendId, sent, now, limits))
  }
}

// Compiled code and interned strings are no part of a ledger.
await fill(ledgers(memoryStore()), 5_000)
const empty = used()
const full = ledgers(memoryStore({ maxLedgers: Number(count) }))
await fill(full, Number(count))
const bytes = (used() - empty) / Number(count)
let live = 0
for (let index = 0; index < Number(count); index += 1) {
  if ((await full.read(keyOf(index))).ledger.challenge?.attempts === 0) live += 1
}
console.log(JSON.stringify({ bytes, live }))
