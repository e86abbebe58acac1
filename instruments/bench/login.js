// Bars 4 and 5: whole logins over HTTP.
import { logins } from './load.js'
import { loginCpu } from './sides.js'

/** CPU of our login over that of another app, both of which hold so many ledgers or challenges already. */
const toOther = (other, load, ledgers = 0) => {
  const side = (name) => (given) => loginCpu(name, { ...given, ledgers }, logins(load))
  return { ours: side('ours'), theirs: side(other) }
}

/** What is larger takes longer to become fast. */
const warm = { warmUp: 5_000 }

const against = (other, side, atMost, stretch, load = warm) => ({
  bar: 4,
  what: `whole login / ${other}, CPU`,
  atMost,
  stretch,
  ...toOther(side, load),
})

// Six times the same: what is compared with itself need not run as long.
const short = { warmUp: 1_000, units: 500 }
const usual = toOther('byHand', short)

/** The same elsewhere, as a multiple of what it is with 64 at once and no other ledgers. */
const elsewhere = (what, atOnce, ledgers) => ({
  bar: 5,
  what: `the same ${what} / at 64, none live`,
  atMost: 1.1,
  ...toOther('byHand', { ...short, atOnce }, ledgers),
  multipleOf: usual,
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
