import type { Express, RequestHandler } from 'express'
import { describe, expect, it } from 'vitest'
import {
  memoryStore,
  type TwoFactor,
  type TwoFactorError,
  type TwoFactorEvent,
  type TwoFactorOptions,
  tokenSession,
} from '../../src/index.js'
import type { Browser } from './browser.js'
import { type HostOptions, phones, startHost } from './kit.js'

const signupRoutes = (app: Express, tf: TwoFactor) => {
  const signup = tf.phoneVerification()
  app.use('/signup/phone', signup.routes())
  app.post('/signup', async (req, res, next) => {
    try {
      res.json(await signup.redeem(req))
    } catch (error) {
      res.status((error as TwoFactorError).status ?? 500)
      next(error)
    }
  })
}

async function prove(visitor: Browser, phone: string, code: string): Promise<void> {
  expect((await visitor.post('/signup/phone/start', { phone })).status).toBe(201)
  expect((await visitor.post('/signup/phone/verify', { code })).status).toBe(200)
}

describe('a signup', () => {
  it('proves a number that an anonymous visitor typed, and hands it out once', async () => {
    const host = await startHost({ mount: signupRoutes })
    const visitor = host.browser()
    expect((await visitor.get('/signup/phone')).json).toEqual({ challenge: null })

    const started = await visitor.post('/signup/phone/start', { phone: '300 765 4321', country: 'co' })
    expect(started.status).toBe(201)
    expect(started.json.challenge).toMatchObject({ purpose: 'signup', destination: '••••••21' })
    expect(host.stub.sends.map(({ form }) => form)).toEqual([
      { phone: '573007654321', 'app-name': 'Acme signup' },
    ])
    expect((await visitor.get('/signup/phone')).json.challenge.destination).toBe('••••••21')

    expect((await visitor.post('/signup')).status).toBe(500)
    const old = visitor.copy()
    const verified = await visitor.post('/signup/phone/verify', { code: host.stub.rightCode })
    expect(verified.json).toEqual({
      verified: true,
      purpose: 'signup',
      verifiedAt: '2026-03-01T12:00:00.000Z',
    })

    expect((await old.post('/signup')).status).toBe(500)
    const redeemed = await Promise.all([
      visitor.post('/signup'),
      visitor.post('/signup'),
      visitor.post('/signup'),
    ])
    expect(redeemed.filter(({ status }) => status === 200).map(({ json }) => json)).toEqual([
      { phone: '+573007654321', verifiedAt: 1_772_366_400_000 },
    ])
    expect((host.errors[0] as TwoFactorError).code).toBe('second_factor_required')
  })

  it.each([
    ['+57 300 765-4321', undefined],
    ['0057 300 765 4321', undefined],
    ['(300) 7654321', 'CO'],
    ['+57.300.765.4321', 'MX'],
    ['３００７６５４３２１', 'CO'],
  ])('reads %s with country %s', async (phone, country) => {
    const host = await startHost({ mount: signupRoutes })
    const visitor = host.browser()
    await visitor.post('/signup/phone/start', { phone, ...(country && { country }) })
    expect(host.stub.sends.map(({ form }) => form.phone)).toEqual(['573007654321'])
  })

  it('needs no country code where there is one country, but at sign-up alone', async () => {
    const host = await startHost({
      mount: signupRoutes,
      options: { countries: ['CO'], phone: () => '300 765 4321' },
    })
    const ana = await host.login()
    expect((await ana.post('/signup/phone/start', { phone: '300 765 4321' })).status).toBe(201)
    expect((await ana.post('/two-factor/start', {})).json.code).toBe('destination_not_allowed')
    const several = await startHost({ mount: signupRoutes })
    const told = await several.browser().post('/signup/phone/start', { phone: '300 765 4321' })
    expect([told.status, told.json.code]).toEqual([400, 'invalid_request'])
    expect(host.stub.sends.map(({ form }) => form.phone)).toEqual(['573007654321'])
  })

  it.each<[string, unknown, number, string]>([
    ['no number', undefined, 400, 'invalid_request'],
    ['no text', 573007654321, 400, 'invalid_request'],
    ['letters', 'call me', 400, 'invalid_request'],
    ['two numbers', '+573007654321,+573001234567', 400, 'invalid_request'],
    ['an extension', '+573007654321 x5', 400, 'invalid_request'],
    ['a country off the list', '+4915112345678', 403, 'destination_not_allowed'],
    ['a fixed line', '+576015551234', 403, 'destination_not_allowed'],
  ])('refuses %s', async (_name, phone, status, code) => {
    const host = await startHost({ mount: signupRoutes })
    const visitor = host.browser()
    const told = await visitor.post('/signup/phone/start', { phone })
    expect(told.status).toBe(status)
    expect(told.json.code).toBe(code)
    if (phone === undefined) expect(told.json.detail).toBe('phone is missing.')
    expect(host.stub.sends).toEqual([])
  })

  it('counts an anonymous visitor by the session, and an account that changes its number by its name', async () => {
    const counted: string[] = []
    const subjects: string[] = []
    const plain = memoryStore()
    const store: typeof plain = {
      ...plain,
      increment(key, ...rest) {
        counted.push(key)
        return plain.increment(key, ...rest)
      },
    }
    const beforeSend: TwoFactorOptions['beforeSend'] = (_req, { subject }) => subjects.push(subject) > 0
    const host = await startHost({ mount: signupRoutes, options: { store, beforeSend } })
    const bySubject = () => counted.splice(0).filter((key) => key.includes(':count-enrol-subject-sends:'))
    for (const phone of ['+573007654321', '+573007654322']) {
      await host.browser().post('/signup/phone/start', { phone })
      expect(bySubject()).toEqual([])
    }
    const ana = await host.login()
    await ana.post('/signup/phone/start', { phone: '+573007654323' })
    expect(bySubject()).toHaveLength(1)
    expect(subjects).toEqual([
      expect.stringMatching(/^visitor [\w-]+$/),
      expect.stringMatching(/^visitor [\w-]+$/),
      'ana',
    ])
    expect(new Set(subjects).size).toBe(3)
  })

  it('lets the number be changed before it is proven, three times a day', async () => {
    const host = await startHost({ mount: signupRoutes })
    const visitor = host.browser()
    await visitor.post('/signup/phone/start', { phone: '+573007654321' })
    const first = host.stub.rightCode
    expect((await visitor.post('/signup/phone/start', { phone: '+573005555555' })).status).toBe(201)
    expect((await visitor.get('/signup/phone')).json.challenge.destination).toBe('••••••55')
    // The first number's code does not prove the second.
    expect((await visitor.post('/signup/phone/verify', { code: first })).status).toBe(422)
    expect((await visitor.post('/signup/phone/start', { phone: '+573006666666' })).status).toBe(201)
    expect((await visitor.post('/signup/phone/start', { phone: '+573008888888' })).json.code).toBe(
      'send_limit',
    )
    // The refused one changed nothing.
    expect((await visitor.post('/signup/phone/verify', { code: host.stub.rightCode })).status).toBe(200)
    expect((await visitor.post('/signup')).json.phone).toBe('+573006666666')
  })

  it('goes on when a sign-in renews the session in the middle', async () => {
    const host = await startHost({ mount: signupRoutes })
    const ana = await host.login()
    await prove(ana, '+573007654321', '482913')
    const old = ana.copy()
    await ana.post('/two-factor/start', {})
    await ana.post('/two-factor/verify', { code: host.stub.rightCode })
    expect((await old.post('/signup')).status).toBe(500)
    expect((await ana.post('/signup')).json.phone).toBe('+573007654321')
  })

  it.each([
    ['an anonymous visitor', false],
    ['somebody who gave a password', true],
  ])('is under way still when a sign-in renews the session of %s', async (_name, known) => {
    const host = await startHost({ mount: signupRoutes })
    const ana = known ? await host.login() : host.browser()
    expect((await ana.post('/signup/phone/start', { phone: '+573007654321' })).status).toBe(201)
    if (!known) await ana.post('/login', { user: 'ana' })
    const old = ana.copy()
    await ana.post('/two-factor/start', {})
    expect((await ana.post('/two-factor/verify', { code: host.stub.rightCode })).status).toBe(200)

    const code = host.stub.rightCode
    expect((await old.post('/signup/phone/verify', { code })).status).toBe(410)
    expect((await ana.get('/signup/phone')).json.challenge.destination).toBe('••••••21')
    expect((await ana.post('/signup/phone/verify', { code })).status).toBe(200)
    expect((await ana.post('/signup')).json.phone).toBe('+573007654321')
  })

  it.each<[string, number, HostOptions]>([
    ['a session that is renewed', 2, {}],
    [
      'a bearer token, whose session keeps its id',
      0,
      {
        addSession: () => undefined,
        options: { session: tokenSession((req) => req.headers.authorization), subject: () => 'ana' },
        routes: (app, tf) => void app.use('/two-factor', tf.routes()),
      },
    ],
  ])('is moved once by a sign-in with %s: %i writes', async (_name, writes, given) => {
    const plain = memoryStore()
    const written: string[] = []
    const store: typeof plain = {
      ...plain,
      swap(key, ...rest) {
        if (key.includes(':enrolment:')) written.push(key)
        return plain.swap(key, ...rest)
      },
    }
    const onVerified = () => undefined
    const host = await startHost({
      ...given,
      options: { ...given.options, store, onVerified },
      mount: signupRoutes,
    })
    const always = { authorization: 'Bearer ana' }
    const ana = given.routes ? Object.assign(host.browser(), { always }) : await host.login()
    await ana.post('/signup/phone/start', { phone: '+573007654321' })
    await ana.post('/two-factor/start', {})
    written.length = 0
    expect((await ana.post('/two-factor/verify', { code: host.stub.rightCode })).status).toBe(200)
    expect(written).toHaveLength(writes)
    expect((await ana.post('/signup/phone/verify', { code: host.stub.rightCode })).status).toBe(200)
  })

  it('is not proven when it ended while the code was checked', async () => {
    const host = await startHost({ mount: signupRoutes })
    const visitor = host.browser()
    await visitor.post('/signup/phone/start', { phone: '+573007654321' })
    const { answerCheck } = host.stub
    host.stub.answerCheck = (request) => {
      host.clock.now += 30 * 60_000
      return answerCheck(request)
    }
    const told = await visitor.post('/signup/phone/verify', { code: host.stub.rightCode })
    expect([told.status, told.json.code]).toEqual([410, 'challenge_gone'])
    expect((await visitor.post('/signup')).status).toBe(500)
  })

  it('leaves the grants of a bearer token where they are', async () => {
    const plain = memoryStore()
    const written: string[] = []
    const store: typeof plain = {
      ...plain,
      swap(key, ...rest) {
        if (key.includes(':grants:')) written.push(key)
        return plain.swap(key, ...rest)
      },
    }
    const host = await startHost({
      addSession: () => undefined,
      options: { store, session: tokenSession((req) => req.headers.authorization), subject: () => 'ana' },
      routes: signupRoutes,
    })
    const ana = Object.assign(host.browser(), { always: { authorization: 'Bearer ana' } })
    await host.tf.grants.write({ subject: 'ana', session: 'Bearer ana', purpose: 'login' })
    written.length = 0
    await prove(ana, '+573007654321', '482913')
    expect(written).toEqual([])
  })

  it('belongs to nobody who still has the session id from before', async () => {
    const host = await startHost({
      options: {
        session: {
          id: (req) => req.get('x-session'),
          rotate: (req) => {
            req.headers['x-session'] = 'after'
          },
        },
        subject: () => 'ana',
        onVerified: () => undefined,
      },
      mount: signupRoutes,
    })
    const signup = (session: string, path: string, body?: object) =>
      host.browser().post(`/signup/phone/${path}`, body, { 'x-session': session })
    await signup('before', 'start', { phone: '+573007654321' })
    await host.browser().post('/two-factor/start', {}, { 'x-session': 'before' })
    const { rightCode } = host.stub
    await host.browser().post('/two-factor/verify', { code: rightCode }, { 'x-session': 'before' })

    // To start for the same number gives no hold on the challenge that has moved.
    const again = await signup('before', 'start', { phone: '+573007654321' })
    expect(again.json.code).toBe('resend_too_soon')
    expect((await signup('before', 'cancel')).status).toBe(204)
    expect((await signup('after', 'resend')).json.code).toBe('resend_too_soon')
  })

  it('answers two starts at once with one challenge', async () => {
    const host = await startHost({ mount: signupRoutes })
    const visitor = host.browser()
    // A session, and nobody in it.
    await visitor.post('/login', {})
    const phone = '+573007654321'
    const told = await Promise.all(
      ['/signup/phone/start', '/signup/phone/start'].map((path) => visitor.post(path, { phone })),
    )
    expect(told.map(({ status }) => status).sort()).toEqual([200, 201])
    expect(host.stub.sends).toHaveLength(1)
  })

  it('opens no guarded route, and its purpose cannot be started at sign-in', async () => {
    const host = await startHost({ mount: signupRoutes })
    const ana = await host.login()
    expect((await ana.post('/two-factor/start', { purpose: 'signup' })).status).toBe(400)
    await prove(ana, '+573001234567', '482913')
    expect((await ana.get('/account')).status).toBe(403)
  })

  it('is proven by the routes of its own purpose alone', async () => {
    const appName = { login: 'Acme', signup: 'Acme signup', move: 'Acme move' }
    const host = await startHost({
      options: { appName },
      mount: (app, tf) => {
        signupRoutes(app, tf)
        app.use('/move', tf.phoneVerification({ purpose: 'move' }).routes())
      },
    })
    const visitor = host.browser()
    await visitor.post('/signup/phone/start', { phone: '+573007654321' })
    expect((await visitor.get('/move')).json).toEqual({ challenge: null })
    expect((await visitor.post('/move/verify', { code: host.stub.rightCode })).status).toBe(410)
    expect(host.stub.checks).toEqual([])
  })

  it('knows no requirements', async () => {
    const host = await startHost({ mount: signupRoutes })
    const ana = await host.login()
    const { requirement } = (await ana.get('/account')).json
    expect((await ana.get(`/signup/phone?requirement=${requirement}`)).status).toBe(400)
  })

  it('tells nothing where there is nothing', async () => {
    const host = await startHost({ mount: signupRoutes })
    const visitor = host.browser()
    expect((await visitor.post('/signup/phone/verify', { code: '482913' })).status).toBe(410)
    expect((await visitor.post('/signup/phone/resend')).status).toBe(410)
    expect((await visitor.post('/signup/phone/cancel')).status).toBe(204)
    expect(host.stub.checks).toEqual([])
  })

  it('works with forms from the number to the way back', async () => {
    const host = await startHost({ mount: signupRoutes })
    const visitor = host.browser()
    const page = await visitor.open('/signup/phone?returnTo=/welcome')
    expect(page.status).toBe(200)
    expect(page.text).toContain('action="/signup/phone/start"')
    expect(page.text).toContain('autocomplete="tel')

    const mistyped = await visitor.submit('/signup/phone/start', {
      phone: 'call <me>',
      country: 'CO',
      returnTo: '/welcome',
    })
    expect(mistyped.status).toBe(400)
    expect(mistyped.text).toContain('value="call &lt;me&gt;"')

    const started = await visitor.submit('/signup/phone/start', {
      phone: '3007654321',
      country: 'CO',
      returnTo: '/welcome',
    })
    expect(started.status).toBe(303)
    expect(started.headers.get('location')).toBe('/signup/phone?returnTo=%2Fwelcome')
    const code = await visitor.open('/signup/phone?returnTo=%2Fwelcome')
    expect(code.text).toContain('action="/signup/phone/verify"')
    const right = await visitor.submit('/signup/phone/verify', {
      code: host.stub.rightCode,
      returnTo: '/welcome',
    })
    expect(right.headers.get('location')).toBe('/welcome')
  })
})

describe('the names of the lanes', () => {
  it('may not be shared between a signup and a sign-in', async () => {
    const same = await startHost({ options: { appName: { login: 'Acme', signup: 'Acme' } } })
    expect(() => same.tf.phoneVerification()).toThrow('the provider would mix their codes')
    const one = await startHost({ options: { appName: 'Acme' } })
    expect(() => one.tf.phoneVerification()).toThrow(
      'phoneVerification: set appName.signup to a name not used for sign-in',
    )
    const late = await startHost({
      options: { appName: { login: 'Acme', signup: 'New', transfer: 'New' } },
      routes: () => undefined,
    })
    late.tf.phoneVerification()
    expect(() => late.tf.requireTwoFactor({ purpose: 'transfer' })).toThrow(
      'the provider would mix their codes',
    )
    expect(() => late.tf.phoneVerification({ purpose: 'login' })).toThrow(
      'purpose "login" belongs to sign-in',
    )
    expect(() => late.tf.requireTwoFactor({ purpose: 'signup' })).toThrow('use redeem()')
  })
})

describe('a purpose from the options', () => {
  it('gives a phone verification its channels', async () => {
    const host = await startHost({
      options: { purposes: { login: {}, transfer: {}, signup: { channels: ['call'] } } },
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

describe('factories of a phone verification', () => {
  const names = ['routes', 'start', 'resend', 'verify', 'cancel', 'status', 'requireProof'] as const
  it('refuse to be handed over uncalled', async () => {
    const host = await startHost({
      mount: (app, tf) => {
        const signup = tf.phoneVerification()
        for (const name of names) {
          app.use(`/uncalled/${name}`, signup[name] as unknown as RequestHandler)
        }
      },
    })
    for (const name of names) {
      expect((await host.browser().get(`/uncalled/${name}`)).status).toBe(500)
      expect(String(host.errors.at(-1))).toContain(`pass ${name}(), not ${name}`)
    }
  })
})

describe('a change of number', () => {
  const failing = () => {
    throw new Error('The directory is down.')
  }

  it.each<[string, string | undefined, (() => string | undefined) | undefined, object[]]>([
    ['with both numbers masked', 'ana', undefined, [{ before: '••••••67', after: '••••••21' }]],
    ['not where the number is on file already', 'ben', undefined, []],
    ['without the old one where there was none', 'ana', () => undefined, [{ after: '••••••21' }]],
    ['without one that cannot be read', 'ana', () => 'none yet', [{ after: '••••••21' }]],
    ['whatever the host throws', 'ana', failing, [{ after: '••••••21' }]],
    ['not at a signup, where nobody has a number yet', undefined, undefined, []],
  ])('is told, once, when the host takes it over: %s', async (_name, user, phone, told) => {
    let phoneOf = (subject: string) => phones[subject]
    const events: TwoFactorEvent[] = []
    const options: Partial<TwoFactorOptions> = {
      phone: (_req, subject) => phoneOf(subject),
      onEvent: (event) => events.push(event),
    }
    const host = await startHost({ mount: signupRoutes, options })
    const visitor = user === undefined ? host.browser() : await host.signIn(user)
    await visitor.post('/signup/phone/start', { phone: phones.ben })
    await visitor.post('/signup/phone/verify', { code: host.stub.rightCode })
    expect(events.filter(({ type }) => type === 'factor.changed')).toEqual([])
    if (phone !== undefined) phoneOf = phone
    const taken = await Promise.all([visitor.post('/signup'), visitor.post('/signup')])
    expect(taken.filter(({ status }) => status === 200)).toHaveLength(1)
    const expected = told.map((numbers) => ({
      type: 'factor.changed',
      kind: 'phone',
      subject: user,
      ...numbers,
      at: host.clock.now,
    }))
    expect(events.filter(({ type }) => type === 'factor.changed')).toEqual(expected)
  })
})
