// Bars 4 and 5: whole logins over HTTP.
import { logins } from './load.js'
import { ratio } from './rounds.js'
import { cpuPerUnit } from './sides.js'

const app = new URL('login-app.js', import.meta.url).href

/** CPU of our login over that of the one by hand, in apps that hold so many ledgers or challenges already. */
const toByHand = ({ rounds, provider }, load, ledgers) =>
  ratio(
    rounds,
    () => cpuPerUnit(app, 'ours', { provider, ledgers }, logins(load)),
    () => cpuPerUnit(app, 'byHand', { provider, ledgers }, logins(load)),
  )

// Six times the same: what is compared with itself need not run as long.
const short = { warmUp: 1_000, units: 500 }
let usual

/** The same elsewhere, as a multiple of what it is with 64 at once and no other ledgers. */
const elsewhere = (what, atOnce, ledgers) => ({
  bar: 5,
  what: `the same ${what} / at 64, none live`,
  atMost: 1.1,
  async measure(bench) {
    usual ??= toByHand(bench, short, 0)
    const { median: base } = await usual
    const { median, lowest, highest } = await toByHand(bench, { ...short, atOnce }, ledgers)
    return { median: median / base, lowest: lowest / base, highest: highest / base }
  },
})

export const bars = [
  {
    bar: 4,
    what: 'whole login / by hand on undici, CPU',
    atMost: 1.2,
    stretch: 1.08,
    measure: (bench) => toByHand(bench, {}, 0),
  },
  {
    bar: 4,
    what: 'logins per CPU second / by hand on a verify SDK',
    atLeast: 1.35,
    stretch: 1.6,
    measure: ({ rounds, provider }) =>
      ratio(
        rounds,
        () => cpuPerUnit(app, 'bySdk', { provider }, logins()),
        () => cpuPerUnit(app, 'ours', { provider }, logins()),
      ),
  },
  elsewhere('with 1 at once', 1, 0),
  elsewhere('with 512 at once', 512, 0),
  elsewhere('with 1,000 live ledgers', 64, 1_000),
  elsewhere('with 100,000 live ledgers', 64, 100_000),
  elsewhere('with 1,000,000 live ledgers', 64, 1_000_000),
]
