// Bar 7: what a full store and a locked number cost others.
import { memoryStore } from '../../build/modules/store/memory-store.js'
import { cpuMicros } from './cpu.js'
import { lockedRequests } from './load.js'
import { absolute, ratio } from './rounds.js'
import { cpuPerUnit, figure } from './sides.js'

const entries = 200_000
/** So much room that no garbage is collected in between. */
const roomy = ['--min-semi-space-size=512', '--max-semi-space-size=512']

export const bars = [
  {
    bar: 7,
    what: `longest pause in a store with ${entries.toLocaleString('en')} entries that end`,
    atMost: 5,
    unit: 'ms',
    measure: ({ rounds }) => absolute(rounds, () => figure(import.meta.url, 'longestPause', {}, roomy)),
  },
  {
    bar: 7,
    what: 'refusing a locked number / a bare JSON POST, CPU',
    atMost: 1.25,
    measure({ rounds, provider }) {
      const app = new URL('login-app.js', import.meta.url).href
      const cpu = (path) =>
        cpuPerUnit(app, 'ours', { provider }, lockedRequests('POST', path, 429, { code: '482913' }))
      return ratio(
        rounds,
        () => cpu('/two-factor/verify'),
        () => cpu('/bare'),
      )
    },
  },
]

/** CPU milliseconds of the longest swap with its increment, while all the store holds has ended and as much comes in. */
export function longestPause() {
  let clock = 1_800_000_000_000
  const store = memoryStore({ now: () => clock, maxGrants: entries, maxCounters: entries })
  const write = (generation) => {
    let longest = 0
    for (let index = 0; index < entries; index += 1) {
      const tag = `${generation}-${index}`
      const before = cpuMicros()
      store.swap(`tf1::grants:${tag}`, undefined, { grants: [] }, 60_000)
      store.increment(`tf1::count-auth-session-sends:${tag}`, 60_000)
      longest = Math.max(longest, cpuMicros() - before)
    }
    return longest / 1_000
  }
  write('first')
  clock += 60_000
  globalThis.gc()
  return write('second')
}
