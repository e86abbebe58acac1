// Fills a memory store with ledgers, each with a sent challenge, in a process of its own, whose heap holds
// nothing else. Argument: how many ledgers.
import { fill, keyOf, ledgersOf, limits, memoryStore } from './sent-challenges.js'

const [, , count] = process.argv

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
  if ((await full(keyOf(index), limits).read()).ledger.challenge?.attempts.unknown === 0) live += 1
}
console.log(JSON.stringify({ bytes, live }))
