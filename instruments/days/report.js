import { growth, withinAllowances } from './bounds.js'

/** A leak of a hundred bytes for each login would be 8 MiB in 80,000 of them. */
const maxGrowth = 8 * 2 ** 20

/** Prints the figures and what they had to be. Returns whether all of it held. */
export function report(told, say) {
  say('')
  for (const line of figures(told)) say(line)
  say('')
  const results = [...aboutLogins(told), ...withinAllowances(told.numbers), ...aboutProcesses(told)]
  for (const { what, found, holds } of results) say(`${holds ? 'holds ' : 'BROKEN'}  ${what}: ${found}`)
  return results.every(({ holds }) => holds)
}

function figures(told) {
  const { logins, succeeded, tookMs, livedMs, exchanges, faults, requests, storeFaults } = told
  const listed = (counts) =>
    Object.entries(counts)
      .map(([what, times]) => `${times} ${what}`)
      .join(', ')
  const sum = (counts) => Object.values(counts).reduce((total, times) => total + times, 0)
  const share = (counts, all) => `${Math.round((100 * sum(counts)) / all)} % of them with a fault`
  const days = (livedMs / 86_400_000).toFixed(1)
  return [
    `${logins} logins in ${Math.round(tookMs / 1_000)} s and ${days} days, ${succeeded} succeeded`,
    `provider: ${exchanges} exchanges, ${share(faults, exchanges)}: ${listed(faults)}`,
    `store: ${requests} requests, ${share(storeFaults, requests)}: ${listed(storeFaults)}`,
    `Redis: ${listed(told.troubles) || 'no trouble'}`,
    `second app: ${listed(told.restarts)}`,
  ]
}

function aboutLogins(told) {
  const none = (what, found) => ({ what, found, holds: found === 0 })
  return [
    { what: 'logins asked for', found: `${told.logins} of ${told.asked}`, holds: told.logins === told.asked },
    // Where the machine is busy as well, most logins end at a deadline. Without any success nothing was tried.
    { what: 'logins that succeeded', found: told.succeeded, holds: told.succeeded > told.logins / 50 },
    none('let in without an approved verdict', told.letInWithoutVerdict),
    none('let in twice by one code', told.letInTwice),
    none('let in after an answer that said no', told.letInLater),
    // A success whose last command of the store failed costs another login: that is safe, and must be rare.
    // In a hundred logins three are still chance.
    {
      what: 'kept out after an answer that said yes',
      found: told.keptOut,
      holds: told.keptOut <= 3 + told.succeeded / 100,
    },
  ]
}

function aboutProcesses({ heap, handles, neverEnded }) {
  // The first quarter fills caches and lets the engine compile.
  const settled = heap.slice(Math.floor(heap.length / 4))
  const grown = growth(settled)
  const mib = (bytes) => (bytes / 2 ** 20).toFixed(1)
  const [first, last] = [settled[0].heap, settled.at(-1).heap]
  return [
    {
      what: 'heap after collection',
      found: `${mib(first)} to ${mib(last)} MiB, slope times span ${mib(grown)} MiB`,
      holds: grown <= maxGrowth,
    },
    {
      what: 'handles open after close()',
      found: handles.length === 0 ? 'none' : handles.join(', '),
      holds: handles.length === 0,
    },
    { what: 'processes that did not end by themselves', found: neverEnded, holds: neverEnded === 0 },
  ]
}
