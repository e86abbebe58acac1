/*
 * Days of logins: two processes of an app on one Redis, in trouble all along. 30 of 100 answers of the provider
 * go wrong, 30 of 100 requests lose a command of the store, and in 30 of 100 rounds Redis itself is in trouble;
 * one app is stopped or killed every few rounds. Between rounds the clock moves on by minutes or hours.
 * `npm run soak:days`; `-- --logins 2000` for fewer, `-- --minutes 10` to stop earlier, `-- --seed 2` for another
 * history.
 */
import { parseArgs } from 'node:util'
import { report } from './report.js'
import { soak } from './soak.js'

const { values } = parseArgs({
  options: {
    logins: { type: 'string', default: '200000' },
    minutes: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
  },
})
const given = Object.fromEntries(
  Object.entries(values).map(([name, text]) => [name, wholeNumber(name, text)]),
)
const told = await soak({ ...given, say: console.log })
process.exitCode = report(told, console.log) ? 0 : 1

function wholeNumber(name, text) {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new TypeError(`--${name} must be a whole number above 0`)
  return Number(text)
}
