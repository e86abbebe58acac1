import express, { type RequestHandler } from 'express'
import { describe, expect, it } from 'vitest'
import { createClient, type TwoFactorEvent, twoFactor } from '../../src/index.js'
import { startProviderStub } from '../provider-stub.js'
import { baseOptions, phones, startHost } from './kit.js'

describe('factories of a phone verification', () => {
  it('refuse to be handed over uncalled', async () => {
    const host = await startHost({
      mount: (app, tf) => {
        const signup = tf.phoneVerification()
        for (const name of ['routes', 'start', 'resend', 'verify', 'cancel', 'status'] as const) {
          app.use(`/uncalled/${name}`, signup[name] as unknown as RequestHandler)
        }
      },
    })
    for (const name of ['routes', 'start', 'resend', 'verify', 'cancel', 'status']) {
      expect((await host.browser().get(`/uncalled/${name}`)).status).toBe(500)
      expect(String(host.errors.at(-1))).toContain(`pass ${name}(), not ${name}`)
    }
  })
})

describe('routes at the root of the site', () => {
  it('lead to a page that is there', async () => {
    const host = await startHost({ mount: (app, tf) => app.use(tf.phoneVerification().routes()) })
    const sent = await fetch(`${host.url}/start`, {
      method: 'POST',
      headers: { Accept: 'text/html', 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'phone=%2B573001112233',
      redirect: 'manual',
    })
    expect(sent.status).toBe(303)
    const cookie = sent.headers.get('set-cookie') ?? ''
    const page = await fetch(new URL(sent.headers.get('location') ?? '', host.url), {
      headers: { Accept: 'text/html', Cookie: cookie.split(';')[0] ?? '' },
    })
    expect(page.status).toBe(200)
    expect(sent.headers.get('location')).toMatch(/^\/(\?|$)/)
  })
})

describe('a purpose from the options', () => {
  it('gives a phone verification its channels', async () => {
    const host = await startHost({
      options: { purposes: { login: {}, signup: { channels: ['call'] } } },
      mount: (app, tf) => app.use('/signup', tf.phoneVerification().routes()),
    })
    const visitor = host.browser()
    const start = await visitor.post('/signup/start', { phone: '+573001112233' })
    expect(start.json.challenge).toMatchObject({ channel: 'call', channels: ['call'] })
    const sms = await visitor.post('/signup/start', { phone: '+573001112234', channel: 'sms' })
    expect(sms.status).toBe(400)
  })

  it('of a phone verification starts nothing in the lane of sign-in', async () => {
    const host = await startHost({ mount: (_app, tf) => void tf.phoneVerification() })
    const command = { subject: 'ana', phone: phones.ana ?? '', session: 's', purpose: 'signup' }
    expect(await host.tf.challenges.start(command)).toMatchObject({ code: 'invalid_request' })
    await expect(host.tf.grants.write({ subject: 'ana', session: 's', purpose: 'signup' })).rejects.toThrow(
      TypeError,
    )
    expect(host.stub.sends).toHaveLength(0)
  })
})

describe('what the host reads', () => {
  it('of a grant is what the guard admits with', async () => {
    const hour = 3_600_000
    const host = await startHost({
      mount: (app, tf) => {
        app.get('/pay', tf.requireTwoFactor({ purpose: 'pay', maxAgeMs: hour }), (_req, res) => {
          res.json({})
        })
        app.get('/grant', async (req, res) => {
          res.json({ granted: (await tf.grants.read(req, 'pay')) !== undefined })
        })
      },
    })
    const ana = await host.signIn()
    await ana.post('/two-factor/start', { purpose: 'pay' })
    await ana.post('/two-factor/verify', { code: host.stub.rightCode })
    for (const [afterMs, granted] of [
      [10 * 60_000, true],
      [hour, false],
    ] as const) {
      host.clock.now += afterMs
      expect((await ana.get('/pay')).status).toBe(granted ? 200 : 403)
      expect((await ana.get('/grant')).json).toEqual({ granted })
    }
  })

  it('of a session that could not be renewed is an event', async () => {
    const events: TwoFactorEvent[] = []
    const host = await startHost({
      options: {
        onEvent: (event) => events.push(event),
        session: { id: () => 'never renewed', rotate: () => undefined },
      },
    })
    const ana = await host.login()
    await ana.post('/two-factor/start', {})
    const verify = await ana.post('/two-factor/verify', { code: host.stub.rightCode })
    expect(verify.json).toMatchObject({ status: 503, code: 'session_unavailable' })
    expect(events.map(({ type }) => type)).toContain('session.failed')
  })
})

describe('a check under way', () => {
  it('holds the number for the shorter of both deadlines and two seconds', async () => {
    const stub = await startProviderStub()
    const provider = createClient({ baseUrl: stub.baseUrl, client: 41, key: 'k', timeoutMs: 1_000 })
    const clock = { now: Date.now() }
    await using tf = twoFactor({ ...baseOptions(stub, clock), provider })
    const who = { subject: 'ana', session: 's', phone: phones.ana ?? '' }
    await tf.challenges.start({ ...who, purpose: 'login' })
    const both = await Promise.all([
      tf.challenges.verify({ ...who, code: '000001' }),
      tf.challenges.verify({ ...who, code: '000002' }),
    ])
    await stub.close()
    expect(both).toContainEqual({
      outcome: 'refused',
      code: 'verification_in_progress',
      retryAfterMs: 3_000,
    })
  })
})

describe('a host that throws behind the guard', () => {
  it('is answered, also where the guard had to wait', async () => {
    const host = await startHost({
      mount: (app, tf) => {
        const guard = tf.requireTwoFactor({ once: true })
        app.get('/once', (req, res, next) => {
          guard(req, res, (error) => {
            if (error !== undefined) return next(error)
            throw new Error('behind the guard')
          })
        })
      },
    })
    const ana = await host.signIn()
    const told = await ana.get('/once')
    expect(told).toMatchObject({ status: 500, json: { host: 'behind the guard' } })
  })
})

describe('the port that a proxy adds', () => {
  it('makes no other site of ours', async () => {
    const host = await startHost({
      routes: (app, tf) => {
        app.use(express.json())
        app.use('/two-factor', tf.routes())
      },
    })
    const { port } = new URL(host.url)
    const start = (headers: Record<string, string>) =>
      fetch(`http://127.0.0.1:${port}/two-factor/start`, { method: 'POST', headers })
    expect(
      (await start({ 'X-Forwarded-Host': 'app.example:443', Origin: 'https://app.example' })).status,
    ).toBe(403)
    host.app.set('trust proxy', 1)
    const ours = { 'X-Forwarded-Host': 'app.example:443', 'X-Forwarded-Proto': 'https' }
    expect((await start({ ...ours, Origin: 'https://app.example' })).status).toBe(401)
    expect((await start({ ...ours, Origin: 'https://other.example' })).status).toBe(403)
  })
})
