// Bar 2: what a guard costs that lets pass, in process and over the wire.
import { cpuOf } from './cpu.js'
import { signedInRequests } from './load.js'
import { foreign } from './packages.js'
import { figure, loginCpu } from './sides.js'
import { openTwoFactor } from './two-factor.js'

const passes = 200_000
const people = 200

const requested = (path) => (given) => loginCpu('ours', given, signedInRequests('GET', path, 200))

export const bars = [
  {
    bar: 2,
    what: 'guard that lets pass / express-rate-limit, CPU in process',
    atMost: 0.2,
    stretch: 0.06,
    ours: (given) => figure(import.meta.url, 'guard', given),
    theirs: () => figure(import.meta.url, 'rateLimit'),
  },
  {
    bar: 2,
    what: 'guarded request / unguarded one, CPU over the wire',
    atMost: 1.06,
    stretch: 1.03,
    ours: requested('/account'),
    theirs: requested('/open'),
  },
]

export async function guard({ provider }) {
  const tf = openTwoFactor(provider)
  const passing = Array.from({ length: people }, (_, index) => ({
    session: { id: `session-${index}`, userId: `u${index}`, regenerate() {} },
  }))
  for (const { session } of passing) {
    await tf.grants.write({ subject: session.userId, session: session.id, purpose: 'login' })
  }
  return pass(tf.requireTwoFactor(), passing)
}

export function rateLimit() {
  const { rateLimit } = foreign('express-rate-limit')
  const passing = Array.from({ length: people }, (_, index) => ({
    ip: `10.0.0.${index}`,
    headers: {},
    app: { get() {} },
  }))
  // Its checks of the app want a real one.
  return pass(rateLimit({ windowMs: 600_000, limit: 1_000_000_000, validate: false }), passing)
}

async function pass(middleware, requests) {
  let passed = 0
  const res = { setHeader() {} }
  const next = (error) => {
    if (error !== undefined) throw error
    passed += 1
  }
  const cost = await cpuOf(passes, (index) => middleware(requests[index % people], res, next))
  if (passed !== 2 * passes) throw new Error('not everybody passed')
  return cost
}
