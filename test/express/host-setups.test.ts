import express, { type Express } from 'express'
import session from 'express-session'
import { describe, expect, it } from 'vitest'
import type { TwoFactor } from '../../src/index.js'
import { baseOptions, type HostOptions, startHost } from './kit.js'

const withSession = (app: Express) =>
  app.use(session({ secret: 's', resave: false, saveUninitialized: false, cookie: { sameSite: 'lax' } }))

describe('a host that parses every body itself', () => {
  const addSession = (app: Express) => {
    withSession(app)
    app.use(express.json(), express.urlencoded({ extended: true }))
  }

  it('signs in with JSON and with forms', async () => {
    const host = await startHost({ addSession })
    const ana = await host.signIn()
    expect((await ana.get('/account')).status).toBe(200)
    const ben = await host.login('ben')
    expect((await ben.submit('/two-factor/start')).status).toBe(303)
    expect((await ben.submit('/two-factor/verify', { code: host.stub.rightCode })).status).toBe(303)
  })

  it.each<[string, string, string, number]>([
    ['a list', 'application/x-www-form-urlencoded', 'code[]=482913', 400],
    ['an object', 'application/x-www-form-urlencoded', 'code[a]=482913', 400],
    ['a field twice', 'application/x-www-form-urlencoded', 'code=482913&code=482913', 400],
    ['an array', 'application/json', '[{"code":"482913"}]', 400],
    ['plain text', 'text/plain', 'code=482913', 415],
  ])('refuses %s without an attempt', async (_name, type, body, status) => {
    const host = await startHost({ addSession })
    const ana = await host.challenged()
    const told = await ana.send('/two-factor/verify', {
      method: 'POST',
      headers: { 'content-type': type },
      body,
    })
    expect(told.status).toBe(status)
    expect(host.stub.checks).toEqual([])
  })

  it.each([express.text({ type: '*/*' }), express.raw({ type: '*/*' })])(
    'as something else refuses',
    async (parser) => {
      const host = await startHost({
        addSession: (app) => {
          withSession(app)
          app.use('/two-factor', parser)
        },
      })
      const ana = await host.login()
      const told = await ana.post('/two-factor/verify', { code: '482913' })
      expect(told.status).toBe(400)
    },
  )
})

describe('limits by address', () => {
  const limits = { sendsPerAddressPer10Min: 2, cooldownMs: [1], sendsPerHour: 100, sendsPerDay: 100 }

  async function sendsFrom(
    host: Awaited<ReturnType<typeof startHost>>,
    addresses: readonly string[],
  ): Promise<number[]> {
    const statuses: number[] = []
    for (const address of addresses) {
      const browser = await host.login()
      host.clock.now += 10
      statuses.push((await browser.post('/two-factor/start', {}, { 'x-forwarded-for': address })).status)
    }
    return statuses
  }

  it('count the address that a trusted proxy tells', async () => {
    const host = await startHost({ options: { limits: { ...limits, sendsPerChallenge: 10 } } })
    host.app.set('trust proxy', 'loopback')
    expect(await sendsFrom(host, ['203.0.113.1', '203.0.113.1', '203.0.113.1', '203.0.113.2'])).toEqual([
      201, 201, 429, 201,
    ])
    expect(await sendsFrom(host, ['2001:db8:1:2::1', '2001:db8:1:2::2', '2001:db8:1:2:3::1'])).toEqual([
      201, 201, 429,
    ])
  })

  it('count a private address ten times as far without `trust proxy`, whatever the headers say', async () => {
    const host = await startHost({ options: { limits: { ...limits, allSendsPerHour: 100 } } })
    const forwarded = Array.from({ length: 12 }, (_, index) => `203.0.113.${index}`)
    expect(new Set(await sendsFrom(host, forwarded))).toEqual(new Set([201]))
    const statuses: number[] = []
    for (let sends = 0; sends < 9; sends += 1) {
      const browser = await host.login()
      host.clock.now += 10
      statuses.push((await browser.post('/two-factor/start', {})).status)
    }
    expect(statuses).toEqual([...Array.from({ length: 8 }, () => 201), 429])
    expect(await sendsFrom(host, ['203.0.113.99'])).toEqual([429])
  })
})

describe('single handlers', () => {
  it("work on paths of the host's choice, with nothing around them", async () => {
    const routes = (app: Express, tf: TwoFactor) => {
      app.post(
        '/a',
        (req, _res, next) => {
          req.session.pendingUserId = 'ana'
          next()
        },
        tf.start({ purpose: 'login' }),
      )
      app.post('/b', tf.verify())
      app.post('/c', tf.resend())
      app.post('/d', tf.cancel())
      app.get('/e', tf.status())
      app.get('/f', tf.requireTwoFactor(), (_req, res) => {
        res.json({})
      })
    }
    const host = await startHost({ routes })
    const ana = host.browser()
    expect((await ana.post('/a', { user: 'ana', password: 'x', purpose: 'anything' })).status).toBe(201)
    expect((await ana.get('/e')).json.challenge.purpose).toBe('login')
    host.clock.now += 60_000
    expect((await ana.post('/c')).status).toBe(200)
    expect((await ana.post('/d')).status).toBe(204)
    host.clock.now += 120_000
    expect((await ana.post('/a', {})).status).toBe(201)
    expect((await ana.post('/b', { code: host.stub.rightCode })).status).toBe(200)
    expect((await ana.get('/f')).status).toBe(200)
  })

  it("of a signup work on paths of the host's choice too", async () => {
    const routes = (app: Express, tf: TwoFactor) => {
      const signup = tf.phoneVerification()
      app.post('/a', signup.start())
      app.post('/b', signup.verify())
      app.post('/c', signup.resend())
      app.post('/d', signup.cancel())
      app.get('/e', signup.status())
    }
    const host = await startHost({ routes })
    const visitor = host.browser()
    expect((await visitor.post('/a', { phone: '+573007654321' })).status).toBe(201)
    expect((await visitor.get('/e')).json.challenge.purpose).toBe('signup')
    host.clock.now += 60_000
    expect((await visitor.post('/c')).status).toBe(200)
    expect((await visitor.post('/b', { code: host.stub.rightCode })).status).toBe(200)
    expect((await visitor.post('/d')).status).toBe(204)
  })

  it('answer in a path and under a mount of their own', async () => {
    const given: HostOptions = {
      options: { path: '/auth/2fa' },
      routes: (app, tf) => app.use('/auth/2fa', tf.routes()),
    }
    const host = await startHost(given)
    const visitor = host.browser()
    expect((await visitor.get('/auth/2fa')).status).toBe(401)
    expect((await visitor.get('/auth/2fa/nothing')).status).toBe(404)
  })
})

describe('close', () => {
  it('closes the client and the default store, never the store of the host', async () => {
    const closed: string[] = []
    const host = await startHost()
    const options = baseOptions(host.stub, host.clock)
    const { memoryStore, twoFactor } = await import('../../src/index.js')
    const store = { ...memoryStore(), close: () => void closed.push('store') }
    const tf = twoFactor({ ...options, store })
    await tf[Symbol.asyncDispose]()
    await tf.close()
    expect(closed).toEqual([])
    await expect(options.provider.balance?.()).rejects.toThrow()
  })
})
