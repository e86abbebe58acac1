// Bars 4 and 5: whole logins over HTTP.
import { logins } from './load.js'
import { ratio } from './rounds.js'
import { cpuPerUnit } from './sides.js'

const app = new URL('login-app.js', import.meta.url).href

/** CPU of our login over that of another app, both of which hold so many ledgers or challenges already. */
const toOther = ({ rounds, provider }, side, load, ledgers = 0) =>
  ratio(
    rounds,
    () => cpuPerUnit(app, 'ours', { provider, ledgers }, logins(load)),
    () => cpuPerUnit(app, side, { provider, ledgers }, logins(load)),
  )

/** What is larger takes longer to become fast. */
const warm = { warmUp: 5_000 }

const against = (other, side, atMost, stretch, load = warm) => ({
  bar: 4,
  what: `whole login / ${other}, CPU`,
  atMost,
  stretch,
  measure: (bench) => toOther(bench, side, load),
})

// Six times the same: what is compared with itself need not run as long.
const short = { warmUp: 1_000, units: 500 }
let usual

/** The same elsewhere, as a multiple of what it is with 64 at once and no other ledgers. */
const elsewhere = (what, atOnce, ledgers) => ({
  bar: 5,
  what: `the same ${what} / at 64, none live`,
  atMost: 1.1,
  async measure(bench) {
    usual ??= toOther(bench, 'byHand', short)
    const { median: base } = await usual
    const { median, lowest, highest } = await toOther(bench, 'byHand', { ...short, atOnce }, ledgers)
    return { median: median / base, lowest: lowest / base, highest: highest / base }
  },
})

export const bars = [
  against('by hand on undici', 'byHand', 1.5, 1.4),
  against('the same after 1,000 logins', 'byHand', 1.65, undefined, { warmUp: 1_000 }),
  against('by hand with limits and a lock', 'protectedByHand', 1.27, 1.15),
  against('by hand on a verify SDK', 'bySdk', 1),
  against('on better-auth with its phone plugin', 'onBetterAuth', 0.6),
  elsewhere('with 1 at once', 1, 0),
  elsewhere('with 512 at once', 512, 0),
  elsewhere('with 1,000 live ledgers', 64, 1_000),
  elsewhere('with 100,000 live ledgers', 64, 100_000),
  elsewhere('with 1,000,000 live ledgers', 64, 1_000_000),
]
