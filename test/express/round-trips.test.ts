import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { signupAt, startHost, storeThrough } from './kit.js'

/** A store that is far away: commands that start together travel together. */
function farStore() {
  const state = { roundTrips: 0 }
  let flight: Promise<unknown> | undefined
  const store = storeThrough(async (_command, key, work) => {
    // Written in the background.
    if (key.includes(':deployment:')) return work()
    flight ??= sleep(30).then(() => {
      flight = undefined
      state.roundTrips += 1
    })
    await flight
    return work()
  })
  return { state, store }
}

it('a send takes four round trips to the store, a check five, a guard one, and at a sign-up five and eleven', async () => {
  const { state, store } = farStore()
  const host = await startHost({ options: { store }, mount: signupAt('/phone') })
  await host.tf.ready()
  const ana = await host.login()
  const visitor = host.browser()
  const tripsOf = async (ask: () => Promise<{ readonly status: number }>) => {
    await sleep(80)
    state.roundTrips = 0
    const { status } = await ask()
    return [status, state.roundTrips]
  }
  const phone = '+573009998877'
  expect({
    send: await tripsOf(() => ana.start()),
    check: await tripsOf(() => ana.verify(host.stub.rightCode)),
    guard: await tripsOf(() => ana.get('/account')),
    'send at a sign-up': await tripsOf(() => visitor.post('/phone/start', { phone })),
    'check at a sign-up': await tripsOf(() => visitor.post('/phone/verify', { code: host.stub.rightCode })),
  }).toEqual({
    send: [201, 4],
    check: [200, 5],
    guard: [200, 1],
    'send at a sign-up': [201, 5],
    'check at a sign-up': [200, 11],
  })
})
