// How many promises and timers one login makes, in the process of the app: by itself it says little about CPU, but
// what has grown shows here first.
import { createHook } from 'node:async_hooks'
import { logins } from './load.js'
import { byHand, ours } from './login-app.js'
import { absolute } from './rounds.js'
import { figure } from './sides.js'

const units = 200
const apps = { ours, byHand }
const counted = { promises: 'PROMISE', timers: 'Timeout' }

const of = (kind, side, what) => ({
  bar: 4,
  what: `${kind} of ${what}`,
  unit: '',
  measure: ({ provider }) => absolute(1, () => figure(import.meta.url, 'perLogin', { kind, side, provider })),
})

export const bars = [
  of('promises', 'ours', 'a login'),
  of('promises', 'byHand', 'a login by hand'),
  of('timers', 'ours', 'a login'),
  of('timers', 'byHand', 'a login by hand'),
]

export async function perLogin({ kind, side, provider }) {
  const port = await apps[side]({ provider })
  const load = (generation) => figure(import.meta.url, 'run', { port, generation })
  await load(0)
  let made = 0
  const hook = createHook({
    init(_id, type) {
      if (type === counted[kind]) made += 1
    },
  }).enable()
  await load(1)
  hook.disable()
  return made / units
}

/** From another process, whose promises are its own. */
export async function run({ port, generation }) {
  await logins().start(port, generation)(units)
  return units
}
