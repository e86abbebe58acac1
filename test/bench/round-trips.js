// Bar 9, the rest: how often one request waits for Redis. Commands that are issued together count once.
import express from 'express'
import { redisStore } from 'express-two-factor/redis'
import { Redis } from 'ioredis'
import { serve } from './host.js'
import { browser, poolOf } from './load.js'
import { loginWithPackage } from './login-with-package.js'
import { rightCode } from './provider.js'
import { once } from './rounds.js'
import { figure } from './sides.js'
import { openTwoFactor } from './two-factor.js'

const tripsOf = (step, atMost) => ({
  bar: 9,
  what: `round trips to Redis, ${step}`,
  atMost,
  unit: '',
  onRedis: true,
  rounds: once,
  ours: (given) => figure(import.meta.url, 'trips', { ...given, step }),
})

export const bars = [
  tripsOf('start', 4),
  tripsOf('verify', 5),
  tripsOf('guard', 1),
  tripsOf('start of a phone verification', 5),
]

export async function trips({ provider, redis, step }) {
  const { store, during } = countedStore(new Redis(redis))
  const tf = openTwoFactor(provider, { store, appName: { login: 'Acme', signup: 'Acme signup' } })
  const app = loginWithPackage(tf)
  app.use('/signup/phone', express.json(), tf.phoneVerification().routes())
  const pool = poolOf(await serve(app), 1)

  const person = (index) => {
    const ask = browser(pool)
    return {
      start: () => ask('POST', '/login', 201, { user: `u${index}` }),
      verify: () => ask('POST', '/two-factor/verify', 200, { code: rightCode }),
      guard: () => ask('GET', '/account', 200),
      'start of a phone verification': () =>
        ask('POST', '/signup/phone/start', 201, { phone: `+57301300000${index}` }),
    }
  }
  // Once through everything, so that Redis knows the scripts.
  for (const ask of Object.values(person(1))) await ask()

  const steps = person(2)
  let counted
  for (const [name, ask] of Object.entries(steps)) {
    const count = await during(ask)
    if (name === step) counted = count
  }
  return counted
}

/** A store that tells how many commands one after the other a request has waited for. */
function countedStore(client) {
  let longest = 0
  let answered = 0
  async function sendCommand(_key, args) {
    const trip = answered + 1
    longest = Math.max(longest, trip)
    const reply = await client.call(...args)
    answered = Math.max(answered, trip)
    return reply
  }
  async function during(ask) {
    longest = 0
    answered = 0
    await ask()
    return longest
  }
  return { store: redisStore({ sendCommand }), during }
}
