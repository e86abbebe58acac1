// Where the CPU of a login goes, on this package and by hand: `npm run bench -- --profile`.
import { Session } from 'node:inspector/promises'
import { logins } from './load.js'
import { byHand, ours } from './login-app.js'
import { figure } from './sides.js'

const warmUp = 3_000
const profiled = 3_000
const intervalMicros = 250
const own = 'this package'
const apps = { ours, byHand }

/** Prints both sides place by place, and what would be left if our own functions cost nothing. */
export async function printProfile(provider) {
  const profileOf = (side) => figure(import.meta.url, 'microsByPlace', { side, provider })
  const our = await profileOf('ours')
  const their = await profileOf('byHand')
  const difference = (place) => (our[place] ?? 0) - (their[place] ?? 0)
  const total = (micros) => Object.values(micros).reduce((sum, one) => sum + one, 0)
  const places = Object.keys({ ...our, ...their }).sort((a, b) => difference(b) - difference(a))
  const line = (...cells) => console.log(cells.map((cell) => String(cell).padStart(12)).join(''))

  console.log('Microseconds of CPU a login, by place:\n')
  line('ours', 'by hand', 'more', '')
  for (const place of places.filter((one) => Math.abs(difference(one)) >= 1)) {
    line(...[our[place] ?? 0, their[place] ?? 0, difference(place)].map(Math.round), `  ${place}`)
  }
  const times = (micros) => (micros / total(their)).toFixed(2)
  console.log(`\nAll together ${times(total(our))} times by hand.`)
  console.log(`If the functions of this package cost nothing: ${times(total(our) - our[own])} times.`)
}

/** In a process of its own, whose load comes from another one. */
export async function microsByPlace({ side, provider }) {
  const port = await apps[side]({ provider })
  const load = (generation, count) => figure(import.meta.url, 'logIn', { port, generation, count })
  await load(0, warmUp)
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: intervalMicros })
  await session.post('Profiler.start')
  await load(1, profiled)
  const { profile } = await session.post('Profiler.stop')
  return summed(profile)
}

/** People of one generation meet none of another. */
export async function logIn({ port, generation, count }) {
  await logins().start(port, generation)(count)
  return count
}

function summed({ nodes, samples, timeDeltas }) {
  const placeOfNode = new Map(nodes.map(({ id, callFrame }) => [id, placeOf(callFrame)]))
  const micros = {}
  samples.forEach((id, index) => {
    const place = placeOfNode.get(id)
    if (place !== '(idle)') micros[place] = (micros[place] ?? 0) + timeDeltas[index] / profiled
  })
  return micros
}

function placeOf({ url, functionName }) {
  const [, inPackages] = url.split(/.*\/node_modules\//)
  if (inPackages !== undefined) return inPackages.split('/', inPackages.startsWith('@') ? 2 : 1).join('/')
  if (url.startsWith('node:')) return 'Node.js'
  if (url.includes('/dist/')) return own
  if (url !== '') return 'the app'
  return functionName.startsWith('(') ? functionName : `${functionName || 'anonymous'} of V8 or Node.js`
}
