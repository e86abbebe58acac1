// Bar 3: one decision on a ledger in memory: read, decide, swap.

import { cpuOf } from './cpu.js'
import {
  bindingOf,
  fill,
  findFactor,
  keyOf,
  ledgersOf,
  limits,
  memoryStore,
  reserve,
  settle,
} from './sent-challenges.js'
import { figure } from './sides.js'

const numbers = 20_000

export const bars = [
  {
    bar: 3,
    what: 'one ledger decision in memory, CPU',
    atMost: 4,
    stretch: 2,
    unit: 'µs',
    ours: () => figure(import.meta.url, 'decision'),
  },
]

/** Half of them reserve an attempt, half settle it with a wrong code. */
export async function decision() {
  const ledgers = ledgersOf(memoryStore())
  await fill(ledgers, numbers)
  const people = Array.from({ length: numbers }, (_, index) => ({
    key: keyOf(index),
    binding: bindingOf(index),
  }))
  let tried = 0
  const cost = await cpuOf(numbers, async (index) => {
    const { key, binding } = people[index]
    const id = `attempt ${index}`
    // A code that was judged before is not judged again.
    const code = `tag of code ${tried++}`
    const factor = findFactor(index)
    const attempt = { id, displayed: { purpose: 'login' }, factor, code, ...binding }
    const updater = ledgers(key, limits)
    const reserved = await updater.run((view) => {
      // As the record of the number says: no other account has a later code.
      const lastSends = { [factor]: view.ledger.sends.map(({ id }) => id) }
      return reserve(view, { ...attempt, lastSends })
    })
    if (reserved.outcome.outcome !== 'reserved') throw new Error(reserved.outcome.outcome)
    await updater.run((view) => settle(view, attempt, 'rejected'))
  })
  return cost / 2
}
