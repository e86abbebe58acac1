// Bar 7: what a full store and a locked number cost others.
import { setFlagsFromString } from 'node:v8'
import { memoryStore } from 'express-two-factor'
import { cpuMicros } from './cpu.js'
import { lockedRequests } from './load.js'
import { figure, loginCpu } from './sides.js'

/** So much room that no garbage is collected in between, and no threads whose CPU would count as a pause. */
const roomy = ['--min-semi-space-size=2048', '--max-semi-space-size=2048', '--single-threaded']

const longestPause = (what, name, entries) => ({
  bar: 7,
  what: `longest pause with ${entries.toLocaleString('en')} ${what} that end`,
  atMost: 5,
  stretch: 1,
  unit: 'ms',
  // A million takes a minute.
  rounds: (asked) => Math.min(asked, 3),
  ours: () => figure(import.meta.url, name, { entries }, roomy),
})

const refused = (path) => (given) =>
  loginCpu('ours', given, lockedRequests('POST', path, 429, { code: '482913' }))

export const bars = [
  longestPause('grants and counters', 'pauseOfGrants', 200_000),
  longestPause('ledgers', 'pauseOfLedgers', 1_000_000),
  {
    bar: 7,
    what: 'refusing a locked number / a bare JSON POST, CPU',
    atMost: 1.2,
    stretch: 1.1,
    ours: refused('/two-factor/verify'),
    theirs: refused('/bare'),
  },
]

export function pauseOfGrants({ entries }) {
  const { store, longestWrite } = ending({ maxGrants: entries, maxCounters: entries })
  return longestWrite(entries, (tag) => {
    store.swap(`tf3::grants:${tag}`, undefined, { grants: [] }, lifetimeMs)
    store.increment(`tf3::count-auth-address-sends:${tag}`, lifetimeMs)
  })
}

export function pauseOfLedgers({ entries }) {
  const { store, longestWrite } = ending({ maxLedgers: entries })
  return longestWrite(entries, (tag) =>
    store.swap(`tf3::auth:${tag}`, undefined, { command: tag, ledger: '[2]' }, lifetimeMs),
  )
}

const lifetimeMs = 60_000

/** CPU milliseconds of the longest write, while all the store holds has ended and as much comes in. */
function ending(capacities) {
  let clock = 1_800_000_000_000
  const store = memoryStore({ now: () => clock, ...capacities })
  function longestOf(generation, entries, write) {
    let longest = 0
    for (let index = 0; index < entries; index += 1) {
      const tag = `${generation}-${index}`
      const before = cpuMicros()
      write(tag)
      longest = Math.max(longest, cpuMicros() - before)
    }
    return longest / 1_000
  }
  return {
    store,
    longestWrite(entries, write) {
      longestOf('first', entries, write)
      clock += lifetimeMs
      globalThis.gc()
      // On its only thread V8 would compile for 5 to 8 ms what it begins to run often.
      setFlagsFromString('--no-opt')
      return longestOf('second', entries, write)
    },
  }
}
