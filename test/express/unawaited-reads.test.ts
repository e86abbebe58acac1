import { setImmediate as turn } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Answer, Browser } from './browser.js'
import {
  type Host,
  ok,
  phones,
  signupAt,
  startHost,
  startLoggedIn,
  startSignedIn,
  storeThrough,
} from './kit.js'

const lost: unknown[] = []
const note = (reason: unknown) => void lost.push(reason)
beforeAll(() => void process.on('unhandledRejection', note))
afterAll(() => void process.off('unhandledRejection', note))
beforeEach(() => void lost.splice(0))

const routes = {
  start: (browser) => browser.start(),
  resend: (browser) => browser.post('/two-factor/resend', {}),
  verify: (browser) => browser.verify('482913'),
  cancel: (browser) => browser.post('/two-factor/cancel'),
  status: (browser) => browser.get('/two-factor'),
  'the start of a phone verification': (browser) => browser.post('/phone/start', { phone: '+573009999999' }),
} satisfies Record<string, (browser: Browser) => Promise<Answer>>

/**
 * Somebody in a known browser whose revocations, devices and numbers under way can no longer be read. They
 * are asked for before or together with what is decided on, and a request that is refused early waits for none of them.
 */
async function setUp() {
  const state = { fails: false, failures: 0, phoneOf: (subject: string) => phones[subject] }
  const store = storeThrough((command, key, work) => {
    if (!state.fails || command !== 'read' || !/:(grants|devices|enrolment):/.test(key)) return work()
    return turn().then(() => {
      state.failures += 1
      throw new Error('connection lost')
    })
  })
  const limits = { sendsPerAddressPer10Min: 1 }
  const options = { store, limits, phone: (_req: unknown, subject: string) => state.phoneOf(subject) }
  const { host, ana } = await startSignedIn({ options, mount: signupAt('/phone') })
  return { host, ana, state }
}

type State = Awaited<ReturnType<typeof setUp>>['state']

const refusedEarly: Readonly<Record<string, (host: Host, state: State, ana: Browser) => unknown>> = {
  'no number is on file': (_host, state) => {
    state.phoneOf = () => undefined
  },
  'the number on file is none': (_host, state) => {
    state.phoneOf = () => 'none'
  },
  'the host throws': (_host, state) => {
    state.phoneOf = () => {
      throw new Error('database down')
    }
  },
  'the address may have no more codes': () => undefined,
  'nothing refuses before': (host) => {
    host.clock.now += 600_000
  },
}

describe('a store that can no longer read what a request goes by', () => {
  it.each(
    Object.keys(refusedEarly).flatMap((why) => Object.keys(routes).map((route) => [route, why] as const)),
  )('ends no process at %s when %s', async (route, why) => {
    const { host, ana, state } = await setUp()
    await refusedEarly[why]?.(host, state, ana)
    state.fails = true
    await routes[route as keyof typeof routes](ana)
    // A rejection that nobody handles is reported after the turn it falls in.
    for (let turns = 0; turns < 5; turns += 1) await turn()
    if (route !== 'the start of a phone verification') expect(state.failures).toBeGreaterThan(0)
    expect(lost).toEqual([])
  })
})

it('leaves no lost rejection on a page without an accepted factor', async () => {
  const state = { fails: false }
  const store = storeThrough((command, key, work) => {
    if (!state.fails || command !== 'read' || !key.includes(':grants:')) return work()
    return turn().then(() => {
      throw new Error('connection lost')
    })
  })
  const { ana } = await startLoggedIn({
    options: { store },
    mount: (app, tf) => app.get('/key', tf.requireTwoFactor({ purpose: 'key', methods: ['passkey'] }), ok),
  })
  const { requirement } = (await ana.get('/key')).json
  state.fails = true
  expect((await ana.open(`/two-factor?requirement=${encodeURIComponent(requirement)}`)).status).toBe(503)
  await turn()
  expect(lost).toEqual([])
})

it('leaves no lost rejection if reading the stored factors fails twice, now and later', async () => {
  const later = async () => {
    await turn()
    throw new Error('database down')
  }
  const atOnce = () => {
    throw new Error('no cache')
  }
  for (const [phone, secretOf] of [
    [later, atOnce],
    [atOnce, later],
    [async () => 42 as never, atOnce],
  ] as const) {
    const host = await startHost({ options: { phone, authenticator: { secretOf, issuer: 'Acme' } } })
    const ana = await host.login()
    expect((await ana.start()).status).toBe(500)
    for (let turns = 0; turns < 5; turns += 1) await turn()
    expect(lost).toEqual([])
  }
})
