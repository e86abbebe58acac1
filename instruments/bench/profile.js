// Where the CPU goes, of a login beside one by hand and of a refusal beside a bare route: `npm run bench -- --profile`.
import { Session } from 'node:inspector/promises'
import { lockedRequests, logins } from './load.js'
import { byHand, ours } from './login-app.js'
import { figure } from './sides.js'

const intervalMicros = 250
const own = 'this package'
const apps = { ours, byHand }
const lockedOut = (path) => lockedRequests('POST', path, 429, { code: '482913' })
const loads = { login: logins(), refusal: lockedOut('/two-factor/verify'), bare: lockedOut('/bare') }

export async function printProfiles(provider) {
  await printBoth('a login', 'by hand', [
    { side: 'ours', load: 'login', provider },
    { side: 'byHand', load: 'login', provider },
  ])
  await printBoth('the refusal of a locked number', 'a bare route', [
    { side: 'ours', load: 'refusal', provider },
    { side: 'ours', load: 'bare', provider },
  ])
}

/** Prints both sides place by place, and what would be left if our own functions cost nothing. */
async function printBoth(what, other, [ours, others]) {
  const our = await figure(import.meta.url, 'microsByPlace', ours)
  const their = await figure(import.meta.url, 'microsByPlace', others)
  const difference = (factor) => (our[factor] ?? 0) - (their[factor] ?? 0)
  const total = (micros) => Object.values(micros).reduce((sum, one) => sum + one, 0)
  const factors = Object.keys({ ...our, ...their }).sort((a, b) => difference(b) - difference(a))
  const line = (...cells) => console.log(cells.map((cell) => String(cell).padStart(14)).join(''))

  console.log(`Microseconds of CPU of ${what}, by place:\n`)
  line('ours', other, 'more', '')
  for (const factor of factors.filter((one) => Math.abs(difference(one)) >= 1)) {
    line(...[our[factor] ?? 0, their[factor] ?? 0, difference(factor)].map(Math.round), `  ${factor}`)
  }
  const times = (micros) => (micros / total(their)).toFixed(2)
  console.log(`\nAll together ${times(total(our))} times ${other}.`)
  console.log(`If the functions of this package cost nothing: ${times(total(our) - our[own])} times.\n`)
}

/** In a process of its own, whose load comes from another one. */
export async function microsByPlace({ side, load, provider }) {
  const { warmUp, units } = loads[load]
  const profiled = 3 * units
  const port = await apps[side]({ provider })
  const runLoad = (generation, count) => figure(import.meta.url, 'run', { load, port, generation, count })
  await runLoad(0, warmUp)
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: intervalMicros })
  await session.post('Profiler.start')
  await runLoad(1, profiled)
  const { profile } = await session.post('Profiler.stop')
  return summed(profile, profiled)
}

/** People of one generation meet none of another. */
export async function run({ load, port, generation, count }) {
  await loads[load].start(port, generation)(count)
  return count
}

function summed({ nodes, samples, timeDeltas }, units) {
  const placeOfNode = new Map(nodes.map(({ id, callFrame }) => [id, findFactor(callFrame)]))
  const micros = {}
  samples.forEach((id, index) => {
    const factor = placeOfNode.get(id)
    if (factor !== '(idle)') micros[factor] = (micros[factor] ?? 0) + timeDeltas[index] / units
  })
  return micros
}

function findFactor({ url, functionName }) {
  const [, inPackages] = url.split(/.*\/node_modules\//)
  if (inPackages !== undefined) return inPackages.split('/', inPackages.startsWith('@') ? 2 : 1).join('/')
  if (url.startsWith('node:')) return 'Node.js'
  if (url.includes('/dist/')) return own
  if (url !== '') return 'the app'
  return functionName.startsWith('(') ? functionName : `${functionName || 'anonymous'} of V8 or Node.js`
}
