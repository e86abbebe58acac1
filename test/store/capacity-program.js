// Fills a memory store with ledgers, each with a sent challenge, in a process of its own, whose heap holds
// nothing else. Arguments: the folder of the compiled package, and how many ledgers.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { sentChallenges } from './sent-challenges.js'

const [, , dir, count] = process.argv
const { memoryStore } = await import(pathToFileURL(join(dir, 'store/memory-store.js')).href)
const { limits, fill, keyOf, ledgersOf } = await sentChallenges(dir)

function used() {
  global.gc()
  const { heapUsed, external, arrayBuffers } = process.memoryUsage()
  return heapUsed + external + arrayBuffers
}

// Compiled code and interned strings are no part of a ledger.
await fill(ledgersOf(memoryStore()), 5_000)
const empty = used()
const full = ledgersOf(memoryStore({ maxLedgers: Number(count) }))
await fill(full, Number(count))
const bytes = (used() - empty) / Number(count)
let live = 0
for (let index = 0; index < Number(count); index += 1) {
  if ((await full(keyOf(index), limits).read()).ledger.strangers.challenge?.attempts === 0) live += 1
}
console.log(JSON.stringify({ bytes, live }))
