import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { blocksOf, read, sectionOf } from '../documents.js'
import { signupAt, startChallenged, startHost, startLoggedIn, startSignedIn } from './kit.js'

describe('a sign-in over JSON', () => {
  it('goes from the refused request over the code to the admitted one', async () => {
    const { host, ana } = await startLoggedIn()

    const refused = await ana.get('/account')
    expect(refused.status).toBe(403)
    expect(refused.headers.get('content-type')).toBe('application/problem+json')
    expect(refused.json).toMatchObject({
      type: 'urn:express-two-factor:second_factor_required',
      status: 403,
      code: 'second_factor_required',
      purpose: 'login',
      maxAgeMs: 43_200_000,
      startUrl: '/two-factor/start',
      requirement: expect.any(String),
    })

    const started = await ana.start()
    expect(started.status).toBe(201)
    expect(started.json).toEqual({
      challenge: {
        id: expect.any(String),
        purpose: 'login',
        channel: 'sms',
        destination: '••••••67',
        expiresAt: '2026-03-01T12:05:00.000Z',
        resendAt: '2026-03-01T12:01:00.000Z',
        attemptsRemaining: 5,
        channels: ['sms', 'call'],
        expiresInMs: 300_000,
        resendInMs: 60_000,
        verifyUrl: '/two-factor/verify',
        resendUrl: '/two-factor/resend',
      },
    })
    expect(started.headers.get('cache-control')).toBe('no-store')
    expect(started.headers.get('vary')).toBe('Accept')
    expect(host.stub.sends).toEqual([
      { path: '/v1/2fa/send-sms', form: { phone: '573001234567', 'app-name': 'Acme' } },
    ])

    const wrong = await ana.verify('000000')
    expect(wrong).toMatchObject({ status: 422, json: { code: 'code_not_accepted', attemptsRemaining: 4 } })

    const before = ana.copy()
    const right = await ana.verify('482-913')
    expect(right.status).toBe(200)
    expect(right.json).toEqual({ verified: true, purpose: 'login', verifiedAt: '2026-03-01T12:00:00.000Z' })
    expect(ana.cookies.get('connect.sid')).not.toBe(before.cookies.get('connect.sid'))

    const admitted = await ana.get('/account')
    expect(admitted.status).toBe(200)
    expect(admitted.json).toEqual({ subject: 'ana', userId: 'ana', basket: 'three apples' })

    expect((await before.get('/account')).status).toBe(401)
  })
})

describe('a challenge in JSON', () => {
  it('contains its lifetime and the wait for a new code, for any clock of the browser', async () => {
    const { host, ana } = await startChallenged({ mount: signupAt('/signup') })
    host.clock.now += 45_000
    const found = (await ana.get('/two-factor')).json.challenge
    expect(found).toMatchObject({ expiresInMs: 255_000, resendInMs: 15_000 })
    host.clock.now += 75_000
    expect((await ana.get('/two-factor')).json.challenge).toMatchObject({ resendInMs: 0 })
    const resent = (await ana.post(found.resendUrl, { channel: 'call' })).json.challenge
    expect(resent).toMatchObject({ channel: 'call', resendInMs: 120_000, expiresInMs: 300_000 })

    const visitor = host.browser()
    const enrolment = (await visitor.post('/signup/start', { phone: '+573001112233' })).json.challenge
    expect(enrolment).toMatchObject({ verifyUrl: '/signup/verify', resendUrl: '/signup/resend' })
  })
})

it('a front end finds in the JSON the members of docs/reference.md', async () => {
  const { host, ana } = await startSignedIn()
  const [challengeBlock = '{}'] = blocksOf(sectionOf(read('docs/reference.md'), 'A challenge'), 'json')
  const [refusalBlock = '{}'] = blocksOf(sectionOf(read('docs/reference.md'), 'Your own front end'), 'json')

  const refused = await ana.post('/transfers', { amount: 5, payee: 'ben' })
  expect(Object.keys(refused.json).sort()).toEqual(Object.keys(JSON.parse(refusalBlock)).sort())
  const started = await ana.post(refused.json.startUrl, { requirement: refused.json.requirement })
  expect(Object.keys(started.json.challenge).sort()).toEqual(
    Object.keys(JSON.parse(challengeBlock).challenge).sort(),
  )
  const { verifyUrl } = started.json.challenge
  expect((await ana.post(verifyUrl, { code: host.stub.rightCode })).status).toBe(200)
  expect((await ana.post('/transfers', { amount: 5, payee: 'ben' })).status).toBe(200)
})

describe('a request that the routes have answered', () => {
  it('is never passed to the next handler, for any response', async () => {
    const reached: string[] = []
    const { host, ana } = await startLoggedIn({
      mount: (app) => {
        app.use('/two-factor', (req, _res, next) => {
          reached.push(`${req.method} ${req.url}`)
          next()
        })
      },
    })
    for (const file of ['page.css', 'page.js']) await ana.get(`/two-factor/${file}`)
    for (const path of ['', '/start', '/resend', '/verify', '/cancel']) {
      for (const browser of [ana, host.browser()]) {
        await browser.post(`/two-factor${path}`, { code: host.stub.rightCode })
        await browser.get(`/two-factor${path}`)
        await browser.open(`/two-factor${path}`)
      }
    }
    expect(reached).toEqual([])
    await ana.get('/two-factor/of-the-host')
    expect(reached).toEqual(['GET /of-the-host'])
    expect(host.errors).toEqual([])
  })
})

describe('a start whose purpose the app has fixed', () => {
  it('takes no other from the request', async () => {
    const { ana } = await startLoggedIn({
      mount: (app, tf) => app.post('/begin', tf.start({ purpose: 'transfer' })),
    })
    expect((await ana.post('/begin', { purpose: 'login' })).json.challenge.purpose).toBe('transfer')
  })
})

describe('a request that was answered before the routes', () => {
  it('has no code sent, because a refused user needs none', async () => {
    const { host, ana } = await startLoggedIn({
      mount: (app, tf) => {
        app.post('/wrong-password', (_req, res, next) => {
          res.status(401).json({ wrong: 'password' })
          next()
        })
        app.post('/wrong-password', tf.start())
      },
    })
    const told = await ana.post('/wrong-password')
    expect([told.status, told.json]).toEqual([401, { wrong: 'password' }])
    // A code that was asked for would have gone out by now.
    await host.signIn('ben')
    expect(host.stub.sends.map(({ form }) => form.phone)).toEqual(['573007654321'])
    expect(host.errors).toEqual([])
  })
})

describe('routes at the root of the site', () => {
  it('lead to a page that is there', async () => {
    const host = await startHost({ mount: (app, tf) => app.use(tf.phoneVerification().routes()) })
    const visitor = request.agent(host.url)
    const sent = await visitor.post('/start').accept('html').type('form').send({ phone: '+573001112233' })
    expect([sent.status, sent.headers.location]).toEqual([303, expect.stringMatching(/^\/(\?|$)/)])
    await visitor.get(String(sent.headers.location)).accept('html').expect(200)
  })
})
