// Bars 4 and 5: whole logins over HTTP.
import { logins } from './load.js'
import { ratio } from './rounds.js'
import { cpuPerUnit } from './sides.js'

const app = new URL('login-app.js', import.meta.url).href

/** CPU of our login over that of the one by hand, in apps that hold so many ledgers or challenges already. */
const toByHand = ({ rounds, provider }, atOnce, ledgers) =>
  ratio(
    rounds,
    () => cpuPerUnit(app, 'ours', { provider, ledgers }, logins(atOnce)),
    () => cpuPerUnit(app, 'byHand', { provider, ledgers }, logins(atOnce)),
  )

let usual
const usually = (bench) => {
  usual ??= toByHand(bench, 64, 0)
  return usual
}

/** The same elsewhere, as a multiple of what it usually is. */
const elsewhere = (what, atOnce, ledgers) => ({
  bar: 5,
  what: `bar 4 ${what} / with 64 at once and none`,
  atMost: 1.1,
  async measure(bench) {
    const { median: base } = await usually(bench)
    const { median, lowest, highest } = await toByHand(bench, atOnce, ledgers)
    return { median: median / base, lowest: lowest / base, highest: highest / base }
  },
})

export const bars = [
  {
    bar: 4,
    what: 'whole login / by hand on undici, CPU',
    atMost: 1.08,
    measure: usually,
  },
  {
    bar: 4,
    what: 'logins per CPU second / by hand on a verify SDK',
    atLeast: 1.6,
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
