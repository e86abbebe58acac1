import type { RequestHandler } from 'express'
import { describe, expect, it } from 'vitest'
import type { TwoFactorOptions } from '../../src/index.js'
import type { Browser } from './browser.js'
import {
  anasToken,
  gate,
  type HostOptions,
  phones,
  sessionByHeader,
  signupAt,
  startHost,
  startLoggedIn,
  startVisit,
  storeThrough,
  withTokens,
} from './kit.js'

const signupRoutes = signupAt('/signup/phone')

async function prove(visitor: Browser, phone: string, code: string): Promise<void> {
  expect((await visitor.post('/signup/phone/start', { phone })).status).toBe(201)
  expect((await visitor.post('/signup/phone/verify', { code })).status).toBe(200)
}

describe('a signup', () => {
  it('proves a number that an anonymous visitor typed, and hands it out once', async () => {
    const { host, visitor } = await startVisit({ mount: signupRoutes })
    expect((await visitor.get('/signup/phone')).json).toEqual({ challenge: null })
    expect((await visitor.post('/signup/phone/start', {})).json.detail).toBe('phone is missing.')

    const started = await visitor.post('/signup/phone/start', { phone: '300 765 4321', country: 'co' })
    expect(started.status).toBe(201)
    expect(started.json.challenge).toMatchObject({ purpose: 'signup', destination: '••••••21' })
    expect(host.stub.sends.map(({ form }) => form)).toEqual([
      { phone: '573007654321', 'app-name': 'Acme signup' },
    ])
    expect((await visitor.get('/signup/phone')).json.challenge.destination).toBe('••••••21')

    expect((await visitor.post('/signup')).status).toBe(403)
    const old = visitor.copy()
    const verified = await visitor.post('/signup/phone/verify', { code: host.stub.rightCode })
    expect(verified.json).toEqual({
      verified: true,
      purpose: 'signup',
      verifiedAt: '2026-03-01T12:00:00.000Z',
    })

    expect((await old.post('/signup')).status).toBe(403)
    const redeemed = await Promise.all([
      visitor.post('/signup'),
      visitor.post('/signup'),
      visitor.post('/signup'),
    ])
    expect(redeemed.filter(({ status }) => status === 200).map(({ json }) => json)).toEqual([
      { phone: '+573007654321', verifiedAt: 1_772_366_400_000 },
    ])
  })

  it('needs no country code where there is one country, but at sign-up alone', async () => {
    const { host, ana } = await startLoggedIn({
      mount: signupRoutes,
      options: { countries: ['CO'], phone: () => '300 765 4321' },
    })
    expect((await ana.post('/signup/phone/start', { phone: '300 765 4321' })).status).toBe(201)
    expect((await ana.start()).json.code).toBe('destination_not_allowed')
    const several = await startHost({ mount: signupRoutes })
    const told = await several.browser().post('/signup/phone/start', { phone: '300 765 4321' })
    expect(told.refusal).toEqual([400, 'invalid_request'])
    expect(host.stub.sends.map(({ form }) => form.phone)).toEqual(['573007654321'])
  })

  it('asks beforeSend about an anonymous visitor by the session, and about an account that changes its number by its name', async () => {
    const subjects: string[] = []
    const beforeSend: TwoFactorOptions['beforeSend'] = (_req, { subject }) => subjects.push(subject) > 0
    const host = await startHost({ mount: signupRoutes, options: { beforeSend } })
    for (const phone of ['+573007654321', '+573007654322']) {
      await host.browser().post('/signup/phone/start', { phone })
    }
    const ana = await host.login()
    await ana.post('/signup/phone/start', { phone: '+573007654323' })
    expect(subjects).toEqual([
      expect.stringMatching(/^visitor [\w-]+$/),
      expect.stringMatching(/^visitor [\w-]+$/),
      'ana',
    ])
    expect(new Set(subjects).size).toBe(3)
  })

  it('lets the number be changed before it is proven, three times a day', async () => {
    const { host, visitor } = await startVisit({ mount: signupRoutes })
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

  it.each([
    ['an anonymous visitor', false],
    ['somebody who gave a password', true],
  ])('is under way still when a sign-in renews the session of %s', async (_name, known) => {
    const host = await startHost({ mount: signupRoutes })
    const ana = known ? await host.login() : host.browser()
    expect((await ana.post('/signup/phone/start', { phone: '+573007654321' })).status).toBe(201)
    if (!known) await ana.post('/login', { user: 'ana' })
    const old = ana.copy()
    expect((await host.confirm(ana)).status).toBe(200)

    const code = host.stub.rightCode
    expect((await old.post('/signup/phone/verify', { code })).status).toBe(410)
    expect((await ana.get('/signup/phone')).json.challenge.destination).toBe('••••••21')
    expect((await ana.post('/signup/phone/verify', { code })).status).toBe(200)
    expect((await ana.post('/signup')).json.phone).toBe('+573007654321')
  })

  /** The keys of one kind that a store was told to write. */
  const writesOf = (kind: string) => {
    const written: string[] = []
    const store = storeThrough((command, key, work) => {
      if (command === 'swap' && key.includes(`:${kind}:`)) written.push(key)
      return work()
    })
    return { store, written }
  }

  it.each([
    ['a session that is renewed', 2, false],
    ['a bearer token, whose session keeps its id', 0, true],
  ])('is moved once by a sign-in with %s: %i writes', async (_name, writes, byToken) => {
    const { store, written } = writesOf('enrolment')
    const host = await startHost({
      ...(byToken ? withTokens({ store }) : { options: { store, onVerified: () => undefined } }),
      mount: signupRoutes,
    })
    const ana = byToken ? host.browser(anasToken) : await host.login()
    await ana.post('/signup/phone/start', { phone: '+573007654321' })
    await ana.start()
    written.length = 0
    expect((await ana.verify(host.stub.rightCode)).status).toBe(200)
    expect(written).toHaveLength(writes)
    expect((await ana.post('/signup/phone/verify', { code: host.stub.rightCode })).status).toBe(200)
  })

  it('says on its page that the code ran out, and has the number still', async () => {
    const host = await startHost({ mount: signupRoutes })
    const visitor = host.browser()
    await visitor.submit('/signup/phone/start', { phone: '300 765 4321', country: 'CO' })
    host.clock.now += 11 * 60_000
    const { text } = await visitor.open('/signup/phone')
    expect(text).toContain('That code no longer works')
    expect(text).toContain('300 765 4321')
  })

  it('belongs to nobody who still has the session id from before', async () => {
    const options = { session: sessionByHeader, subject: () => 'ana', onVerified: () => undefined }
    const host = await startHost({ options, mount: signupRoutes })
    const under = (id: string) => host.browser({ 'x-session': id })
    await under('before').post('/signup/phone/start', { phone: '+573007654321' })
    await host.confirm(under('before'))

    // To start for the same number gives no hold on the challenge that has moved.
    const again = await under('before').post('/signup/phone/start', { phone: '+573007654321' })
    expect(again.json.code).toBe('resend_too_soon')
    expect((await under('before').post('/signup/phone/cancel')).status).toBe(204)
    expect((await under('after').post('/signup/phone/resend')).json.code).toBe('resend_too_soon')
  })

  it('opens no guarded route, and its purpose cannot be started at sign-in', async () => {
    const { ana } = await startLoggedIn({ mount: signupRoutes })
    expect((await ana.start({ purpose: 'signup' })).status).toBe(400)
    await prove(ana, '+573001234567', '482913')
    expect((await ana.get('/account')).status).toBe(403)
  })

  it('is proven by the routes of its own purpose alone', async () => {
    const appName = { login: 'Acme', signup: 'Acme signup', move: 'Acme move' }
    const { host, visitor } = await startVisit({
      options: { appName },
      mount: (app, tf) => {
        signupRoutes(app, tf)
        app.use('/move', tf.phoneVerification({ purpose: 'move' }).routes())
      },
    })
    await visitor.post('/signup/phone/start', { phone: '+573007654321' })
    expect((await visitor.get('/move')).json).toEqual({ challenge: null })
    expect((await visitor.post('/move/verify', { code: host.stub.rightCode })).status).toBe(410)
    expect(host.stub.checks).toEqual([])
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

describe('a proof', () => {
  /** A form that refuses whatever `status` says, behind a proof. */
  const startWithForm = async (given: HostOptions = {}) => {
    const answers: number[] = []
    const visit = await startVisit({
      ...given,
      mount: (app, tf) => {
        const signup = tf.phoneVerification({ path: '/signup/phone' })
        app.use('/signup/phone', signup.routes())
        app.post('/signup', signup.requireProof(), (req, res) => {
          res.status(answers.shift() ?? 200).json(req.provenPhone)
        })
      },
    })
    return { ...visit, answers }
  }
  const isSpent = async (visitor: Browser) => (await visitor.post('/signup')).status === 403

  it('that a refused form has used is given back, and handed out once when it is taken', async () => {
    const { host, visitor, answers } = await startWithForm()
    await prove(visitor, '+573007654321', host.stub.rightCode)
    answers.push(422, 409)
    expect((await visitor.post('/signup')).status).toBe(422)
    expect((await visitor.post('/signup')).status).toBe(409)
    const taken = await Promise.all([
      visitor.post('/signup'),
      visitor.post('/signup'),
      visitor.post('/signup'),
    ])
    expect(taken.map(({ status }) => status).sort()).toEqual([200, 403, 403])
    expect(await isSpent(visitor)).toBe(true)
    expect(host.stub.sends).toHaveLength(1)
  })

  it('is handed to one request at a time, however many come while refused ones give it back', async () => {
    const { host, visitor, answers } = await startWithForm()
    await prove(visitor, '+573007654321', host.stub.rightCode)
    answers.push(...Array(6).fill(422))
    const statuses: number[] = []
    for (let round = 0; round < 12; round += 1) {
      const burst = await Promise.all(Array.from({ length: 12 }, () => visitor.post('/signup')))
      statuses.push(...burst.map(({ status }) => status).filter((status) => status !== 403))
    }
    expect(statuses).toEqual([...Array(6).fill(422), 200])
  })

  it.each([200, 303, 500, 503])('is used up by a response of %i', async (status) => {
    const { host, visitor, answers } = await startWithForm()
    await prove(visitor, '+573007654321', host.stub.rightCode)
    answers.push(status)
    expect((await visitor.post('/signup')).status).toBe(status)
    expect(await isSpent(visitor)).toBe(true)
  })

  it('lives no longer for being given back', async () => {
    const { host, visitor, answers } = await startWithForm()
    await prove(visitor, '+573007654321', host.stub.rightCode)
    host.clock.now += 29 * 60_000
    answers.push(422)
    await visitor.post('/signup')
    host.clock.now += 2 * 60_000
    expect(await isSpent(visitor)).toBe(true)
  })

  it('that is missing is told with the way to it, as a page with a button for it', async () => {
    const { visitor } = await startWithForm()
    const { refusal, json } = await visitor.post('/signup')
    expect(refusal).toEqual([403, 'second_factor_required'])
    expect(json).toMatchObject({
      startUrl: '/signup/phone/start',
      detail:
        "Your number isn't confirmed. That was too long ago, or it was used already. Nothing was submitted.",
    })
    const { text } = await visitor.submit('/signup')
    expect(text).toContain('<h1>Your number isn&#39;t confirmed</h1>')
    expect(text).toContain('<a class="button main" href="/signup/phone">Prove your number again</a>')
  })

  it('whose routes are mounted elsewhere than its path says is a mistake, told at their first request', async () => {
    const host = await startHost({
      mount: (app, tf) => app.use('/sign-up', tf.phoneVerification({ path: '/signup/phone' }).routes()),
    })
    expect((await host.browser().get('/sign-up')).json.host).toBe(
      "path is '/signup/phone', but these routes are mounted at '/sign-up'; make both the same",
    )
    const fits = await startHost({
      mount: (app, tf) => app.use('/signup', tf.phoneVerification({ path: '/signup' }).routes()),
    })
    expect((await fits.browser().get('/Signup')).status).toBe(200)
  })

  it('that was given back is told as a change only once it is used', async () => {
    const { host, answers } = await startWithForm({ listens: true })
    const ana = await host.signIn()
    await ana.post('/signup/phone/start', { phone: '+573007654321' })
    await ana.post('/signup/phone/verify', { code: host.stub.rightCode })
    const changes = () => host.events.filter(({ type }) => type === 'factor.changed').length
    answers.push(422)
    await ana.post('/signup')
    expect(changes()).toBe(0)
    await ana.post('/signup')
    await expect.poll(changes).toBe(1)
  })

  it('that is handed out once its visitor has gone is told as a change, too', async () => {
    const asked = gate()
    const gone: RequestHandler = (_req, res, next) => {
      res.once('close', () => next())
      asked.open()
    }
    const host = await startHost({
      listens: true,
      mount: (app, tf) => {
        const signup = tf.phoneVerification()
        app.use('/signup/phone', signup.routes())
        app.post('/signup', gone, signup.requireProof(), (req, res) => void res.json(req.provenPhone))
      },
    })
    const ana = await host.signIn()
    await ana.post('/signup/phone/start', { phone: '+573007654321' })
    await ana.post('/signup/phone/verify', { code: host.stub.rightCode })
    const taking = ana.request('POST', '/signup').send()
    taking.catch(() => undefined)
    await asked.opened
    taking.abort()
    await expect.poll(() => host.events.map(({ type }) => type)).toContain('factor.changed')
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
    const options: Partial<TwoFactorOptions> = { phone: (_req, subject) => phoneOf(subject) }
    const host = await startHost({ mount: signupRoutes, options, listens: true })
    const changes = () => host.events.filter(({ type }) => type === 'factor.changed')
    const visitor = user === undefined ? host.browser() : await host.signIn(user)
    await visitor.post('/signup/phone/start', { phone: phones.ben })
    await visitor.post('/signup/phone/verify', { code: host.stub.rightCode })
    expect(changes()).toEqual([])
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
    await expect.poll(changes).toEqual(expected)
  })
})
