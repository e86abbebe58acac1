// Measures what this package costs against what one would have without it, and prints one table: `npm run bench`.
// For some bars only, and with more or fewer rounds than eight: `npm run bench -- 4 9 --rounds 3`.
// Instead of bars, where the CPU of logins and refusals goes: `npm run bench -- --profile`.
import { loadavg } from 'node:os'
import { exit, version } from 'node:process'
import { parseArgs } from 'node:util'
import { install } from '../../test/packages/projects.js'
import * as client from './client.js'
import * as coldStart from './cold-start.js'
import * as guard from './guard.js'
import * as housekeeping from './housekeeping.js'
import * as ledger from './ledger.js'
import * as login from './login.js'
import * as memory from './memory.js'
import { dependencies, folder } from './packages.js'
import { printProfiles } from './profile.js'
import { startProvider } from './provider.js'
import * as redis from './redis.js'
import { withoutRedis } from './redis-server.js'
import * as roundTrips from './round-trips.js'
import { measure } from './rounds.js'
import * as startUp from './start-up.js'
import { print, verdict } from './table.js'
import * as weight from './weight.js'

const { values, positionals } = parseArgs({
  options: { rounds: { type: 'string', default: '8' }, profile: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const rounds = Number(values.rounds)
const asked = positionals.map(Number)
const groups = [client, guard, ledger, login, memory, housekeeping, startUp, coldStart]
const bars = [...groups, redis, roundTrips, weight]
  .flatMap((group) => group.bars)
  .filter(({ bar }) => asked.length === 0 || asked.includes(bar))
if (bars.length === 0 || !(rounds >= 1)) {
  console.error('There are bars 1 to 10 and at least one round: npm run bench -- 4 6 --rounds 3')
  exit(1)
}

const started = performance.now()
install(folder, { dependencies })
const { origin: provider } = await startProvider()

if (values.profile) {
  await printProfiles(provider)
  exit()
}

const rows = []
for (const bar of bars) {
  const reason = bar.onRedis && withoutRedis()
  if (reason) console.log(`bar ${bar.bar} skipped: ${reason}`)
  else rows.push(verdict(bar, await measure(bar, { rounds, provider })))
}
print(rows)
const seconds = Math.round((performance.now() - started) / 1_000)
console.log(
  `Node ${version}, ${rounds} rounds, ${seconds} s, load of the machine ${loadavg()[0].toFixed(1)}.`,
)
exit()
