import { memoryStore } from 'express-two-factor'
import { fill, keyOf, ledgersOf } from './sent-challenges.js'

/** A memory store that holds so many ledgers of other people already. */
export async function crowdedStore(ledgers) {
  const store = memoryStore({ maxLedgers: ledgers + 100_000 })
  if (ledgers === 0) return store
  await fill(ledgersOf(store), Math.min(ledgers, 1_000))
  // To make each by its commands would take longer than the logins that are measured.
  for (let index = 1_000; index < ledgers; index += 1) {
    const { value } = store.read(keyOf(index % 1_000))
    const key = `tf3::auth:${index.toString(36).padStart(43, 'x')}`
    store.swap(key, undefined, JSON.parse(JSON.stringify(value)), 600_000)
  }
  // What the crowd left behind is not to be cleared away while logins are measured.
  globalThis.gc()
  return store
}
