// Measures what this package costs against what one would have without it, and prints one table.
// `npm run bench`, or for some bars only `npm run bench -- 4 6`. BENCH_ROUNDS sets how often each is measured.
import { loadavg } from 'node:os'
import { argv, exit, version } from 'node:process'
import * as client from './client.js'
import * as guard from './guard.js'
import * as housekeeping from './housekeeping.js'
import * as ledger from './ledger.js'
import * as login from './login.js'
import * as memory from './memory.js'
import { installPackages } from './packages.js'
import { startProvider } from './provider.js'
import * as redis from './redis.js'
import * as startUp from './start-up.js'
import { print, verdict } from './table.js'
import * as weight from './weight.js'

const groups = [client, guard, ledger, login, memory, housekeeping, startUp, redis, weight]
const asked = argv.slice(2).map(Number)
const bars = groups
  .flatMap((group) => group.bars)
  .filter(({ bar }) => asked.length === 0 || asked.includes(bar))
if (bars.length === 0) {
  console.error('There are bars 1 to 10: npm run bench -- 4 6')
  exit(1)
}

const rounds = Number(process.env.BENCH_ROUNDS ?? 8)
const started = performance.now()
installPackages()
const { origin: provider } = await startProvider()

const rows = []
for (const bar of bars) {
  const reason = bar.without?.()
  if (reason) console.log(`bar ${bar.bar} skipped: ${reason}`)
  else rows.push(verdict(bar, await bar.measure({ rounds, provider })))
}
print(rows)
const seconds = Math.round((performance.now() - started) / 1_000)
console.log(
  `Node ${version}, ${rounds} rounds, ${seconds} s, load of the machine ${loadavg()[0].toFixed(1)}.`,
)
console.log('The round trips of bar 9 are counted by test/many/round-trips.test.ts.')
exit()
