import session, { MemoryStore } from 'express-session'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { twoFactor } from '../../src/index.js'
import { baseOptions, gate, ok, sessionIdOf, startChallenged, startHost } from './kit.js'

// What docs/sessions.md advises against, and what happens without the advice.

describe('a slow response from before the renewal of the session', () => {
  it.each([
    [true, 401],
    [false, 200],
  ])('with rolling: %s leaves the user with %d', async (rolling, status) => {
    const [arrived, held] = [gate(), gate()]
    const { host, ana } = await startChallenged({
      addSession: (app) =>
        app.use(
          session({
            secret: 's',
            rolling,
            resave: false,
            saveUninitialized: false,
            cookie: { sameSite: 'lax' },
          }),
        ),
      mount: (app) => {
        app.get('/slow', async (_req, res) => {
          arrived.open()
          await held.opened
          res.json({})
        })
      },
    })
    const slow = ana.get('/slow')
    await arrived.opened
    expect((await ana.verify(host.stub.rightCode)).status).toBe(200)
    expect((await ana.get('/account')).status).toBe(200)
    held.open()
    await slow
    expect((await ana.get('/account')).status).toBe(status)
  })
})

describe('a function or a session store of the app that hangs', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] }))
  afterEach(() => void vi.useRealTimers())

  it.each(['phone', 'the session store'])('is waited for without a deadline: %s', async (what) => {
    const held = gate()
    let hangs = false
    const sessionStore = new MemoryStore()
    const get = sessionStore.get.bind(sessionStore)
    sessionStore.get = (id, done) => {
      if (!hangs || what === 'phone') get(id, done)
      else void held.opened.then(() => get(id, done))
    }
    const host = await startHost({
      sessionStore,
      options: {
        async phone() {
          if (hangs && what === 'phone') await held.opened
          return '+573001234567'
        },
      },
    })
    const ana = await host.login()
    hangs = true
    let status: number | undefined
    const started = ana.start().then((answer) => {
      status = answer.status
    })
    for (let minutes = 0; minutes < 10; minutes += 1) await vi.advanceTimersByTimeAsync(60_000)
    expect(status).toBeUndefined()
    held.open()
    await started
    expect(status).toBe(201)
  })
})

it('a second twoFactor() of a session loses its grants when the first one renews the session', async () => {
  const host = await startHost()
  const second = twoFactor({ ...baseOptions(host.stub, host.clock), namespace: 'second' })
  onTestFinished(() => second.close())
  host.app.get('/second', second.requireTwoFactor(), ok)
  const ana = await host.signIn()
  const signedIn = { subject: 'ana', session: sessionIdOf(ana), purpose: 'login', method: 'password' }
  await second.grants.write(signedIn)
  expect((await ana.get('/second')).status).toBe(200)
  host.clock.now += 60_000
  expect((await host.confirm(ana)).status).toBe(200)
  expect((await ana.get('/account')).status).toBe(200)
  expect((await ana.get('/second')).status).toBe(403)
})
