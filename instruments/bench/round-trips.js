// Bar 9, the rest: what a login asks of the store, and how often one request waits for Redis.
import express from 'express'
import { memoryStore } from 'express-two-factor'
import { redisStore } from 'express-two-factor/redis'
import { Redis } from 'ioredis'
import { serve } from './host.js'
import { browser, poolOf } from './load.js'
import { loginWithPackage } from './login-with-package.js'
import { rightCode } from './provider.js'
import { once } from './rounds.js'
import { figure } from './sides.js'
import { openTwoFactor } from './two-factor.js'

/** Commands that are issued together count once. */
const tripsOf = (step, atMost) => ({
  bar: 9,
  what: `round trips to Redis, ${step}`,
  atMost,
  unit: '',
  onRedis: true,
  rounds: once,
  ours: (given) => figure(import.meta.url, 'trips', { ...given, step }),
})

const commandsOf = (store, steps, bounds) => ({
  bar: 9,
  what: `commands of a login to ${store}: ${steps.join(', ')}`,
  ...bounds,
  unit: '',
  rounds: once,
  ours: (given) => figure(import.meta.url, 'commands', { ...given, steps }),
})

export const bars = [
  commandsOf('the memory store', ['start', 'wrong code', 'verify', 'guard'], { atMost: 26 }),
  commandsOf('Redis', ['start', 'verify', 'guard'], { atMost: 20, stretch: 14, onRedis: true }),
  tripsOf('start', 4),
  tripsOf('verify', 5),
  tripsOf('guard', 1),
  tripsOf('start of a phone verification', 5),
]

export async function trips({ provider, redis, step }) {
  const { store, during } = countedRedis(new Redis(redis))
  const steps = await stepsOf(provider, store)
  let counted
  for (const name of steps.keys()) {
    const { longest } = await during(steps.get(name))
    if (name === step) counted = longest
  }
  return counted
}

export async function commands({ provider, redis, steps: asked }) {
  const { store, during } = redis === undefined ? countedMemory() : countedRedis(new Redis(redis))
  const steps = await stepsOf(provider, store)
  let all = 0
  for (const name of asked) all += (await during(steps.get(name))).commands
  return all
}

/** What one person asks for, by name and in this order, of an app that another has been through already. */
async function stepsOf(provider, store) {
  const tf = openTwoFactor(provider, { store, appName: { login: 'Acme', signup: 'Acme signup' } })
  const app = loginWithPackage(tf)
  app.use('/signup/phone', express.json(), tf.phoneVerification().routes())
  const pool = poolOf(await serve(app), 1)

  const person = (index) => {
    const ask = browser(pool)
    return new Map([
      ['start', () => ask('POST', '/login', 201, { user: `u${index}` })],
      ['wrong code', () => ask('POST', '/two-factor/verify', 422, { code: '000000' })],
      ['verify', () => ask('POST', '/two-factor/verify', 200, { code: rightCode })],
      ['guard', () => ask('GET', '/account', 200)],
      [
        'start of a phone verification',
        () => ask('POST', '/signup/phone/start', 201, { phone: `+57301300000${index}` }),
      ],
    ])
  }
  // So that Redis knows the scripts.
  for (const ask of person(1).values()) await ask()
  return person(2)
}

/** A store in memory that tells how many commands a request has issued. */
function countedMemory() {
  const well = memoryStore()
  let commands = 0
  const counted =
    (name) =>
    (...given) => {
      commands += 1
      return well[name](...given)
    }
  async function during(ask) {
    commands = 0
    await ask()
    return { commands }
  }
  const store = { read: counted('read'), swap: counted('swap'), increment: counted('increment') }
  return { store, during }
}

/** A store that tells how many commands a request has issued, and how many of them one after the other. */
function countedRedis(client) {
  let commands = 0
  let longest = 0
  let answered = 0
  async function sendCommand(_key, args) {
    commands += 1
    const trip = answered + 1
    longest = Math.max(longest, trip)
    const reply = await client.call(...args)
    answered = Math.max(answered, trip)
    return reply
  }
  async function during(ask) {
    commands = 0
    longest = 0
    answered = 0
    await ask()
    return { commands, longest }
  }
  return { store: redisStore({ sendCommand }), during }
}
