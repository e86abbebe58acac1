import type { Express, RequestHandler } from 'express'
import { describe, expect, it } from 'vitest'
import type { ProvenPhone, TwoFactor, TwoFactorOptions } from '../../src/index.js'
import type { Browser } from './browser.js'
import {
  anasToken,
  gate,
  type Host,
  type HostOptions,
  phones,
  renewedThrough,
  sessionByHeader,
  signupAt,
  startHost,
  startLoggedIn,
  startSignedIn,
  startVisit,
  storeThrough,
  withTokens,
} from './kit.js'

const mount = signupAt('/signup/phone')

async function prove({ stub }: Host, visitor: Browser, phone: string): Promise<void> {
  expect((await visitor.post('/signup/phone/start', { phone })).status).toBe(201)
  expect((await visitor.post('/signup/phone/verify', { code: stub.rightCode })).status).toBe(200)
}

/** A form that asks for a proof and answers with these statuses, one after the other, and then takes what comes. */
const formAnswering =
  (...statuses: number[]) =>
  (app: Express, tf: TwoFactor): void => {
    const signup = tf.phoneVerification({ path: '/signup/phone' })
    app.use('/signup/phone', signup.routes())
    app.post('/signup', signup.requireProof(), (req, res) => {
      res.status(statuses.shift() ?? 200).json(req.provenPhone)
    })
  }

describe('a signup', () => {
  it('proves a number that an anonymous visitor typed, and hands it out once', async () => {
    const { host, visitor } = await startVisit({ mount })
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
    const redeemed = await Promise.all([visitor.post('/signup'), visitor.post('/signup')])
    expect(redeemed.filter(({ status }) => status === 200).map(({ json }) => json)).toEqual([
      { phone: '+573007654321', verifiedAt: 1_772_366_400_000 },
    ])
  })

  it('needs no country code if there is one country, but at a sign-up only', async () => {
    const phone = '300 765 4321'
    const { ana } = await startLoggedIn({ mount, options: { countries: ['CO'], phone: () => phone } })
    expect((await ana.post('/signup/phone/start', { phone })).status).toBe(201)
    expect((await ana.start()).json.code).toBe('destination_not_allowed')
    const { visitor } = await startVisit({ mount })
    const told = await visitor.post('/signup/phone/start', { phone })
    expect(told.refusal).toEqual([400, 'invalid_request'])
  })

  it('asks beforeSend about an anonymous visitor by the session, and about an account that changes its number by its name', async () => {
    const subjects: string[] = []
    const beforeSend: TwoFactorOptions['beforeSend'] = (_req, { subject }) => subjects.push(subject) > 0
    const host = await startHost({ mount, options: { beforeSend } })
    const asked = [host.browser(), host.browser(), await host.login()]
    for (const [index, browser] of asked.entries()) {
      await browser.post('/signup/phone/start', { phone: `+57300765432${index}` })
    }
    const visitor = expect.stringMatching(/^visitor [\w-]+$/)
    expect(subjects).toEqual([visitor, visitor, 'ana'])
    expect(new Set(subjects).size).toBe(3)
  })

  it('lets the number be changed before it is proven, three times a day', async () => {
    const { host, visitor } = await startVisit({ mount })
    await visitor.post('/signup/phone/start', { phone: '+573007654321' })
    const first = host.stub.rightCode
    expect((await visitor.post('/signup/phone/start', { phone: '+573005555555' })).status).toBe(201)
    expect((await visitor.get('/signup/phone')).json.challenge.destination).toBe('••••••55')
    // The first number's code does not prove the second.
    expect((await visitor.post('/signup/phone/verify', { code: first })).status).toBe(422)
    expect((await visitor.post('/signup/phone/start', { phone: '+573006666666' })).status).toBe(201)
    const refused = await visitor.post('/signup/phone/start', { phone: '+573008888888' })
    expect(refused.json.code).toBe('send_limit')
    // The refused one changed nothing.
    expect((await visitor.post('/signup/phone/verify', { code: host.stub.rightCode })).status).toBe(200)
    expect((await visitor.post('/signup')).json.phone).toBe('+573006666666')
  })

  it.each<[string, HostOptions]>([
    ['renews the session', { options: { onVerified: () => undefined } }],
    ['has a bearer token, whose session keeps its id', withTokens()],
  ])('is under way still after a sign-in that %s', async (_name, given) => {
    const host = await startHost({ ...given, mount })
    const ana = host.browser(anasToken)
    await ana.post('/login', { user: 'ana' })
    await ana.post('/signup/phone/start', { phone: '+573007654321' })
    expect((await host.confirm(ana)).status).toBe(200)
    expect((await ana.post('/signup/phone/verify', { code: host.stub.rightCode })).status).toBe(200)
    expect((await ana.post('/signup')).json.phone).toBe('+573007654321')
  })

  it('is refused for the session id from before', async () => {
    const options = { session: sessionByHeader, subject: () => 'ana', onVerified: () => undefined }
    const host = await startHost({ options, mount })
    const under = (id: string) => host.browser({ 'x-session': id })
    await under('before').post('/signup/phone/start', { phone: '+573007654321' })
    await host.confirm(under('before'))

    // To start for the same number gives no hold on the challenge that has moved.
    const again = await under('before').post('/signup/phone/start', { phone: '+573007654321' })
    expect(again.json.code).toBe('resend_too_soon')
    expect((await under('before').post('/signup/phone/cancel')).status).toBe(204)
    expect((await under('after').post('/signup/phone/resend')).json.code).toBe('resend_too_soon')
  })

  it('opens no guarded route, and its purpose cannot be started at sign-in, by a request or without one', async () => {
    const { host, ana } = await startLoggedIn({ mount })
    expect((await ana.start({ purpose: 'signup' })).status).toBe(400)
    const who = { subject: 'ana', session: 's', purpose: 'signup' }
    const started = await host.tf.challenges.start({ ...who, phone: phones.ana ?? '' })
    expect(started).toMatchObject({ code: 'invalid_request' })
    await expect(host.tf.grants.write(who)).rejects.toThrow(TypeError)
    expect(host.stub.sends).toEqual([])
    await prove(host, ana, '+573001234567')
    expect((await ana.get('/account')).status).toBe(403)
  })

  it('can be verified only by the routes of its own purpose', async () => {
    const appName = { login: 'Acme', signup: 'Acme signup', move: 'Acme move' }
    const { host, visitor } = await startVisit({
      options: { appName },
      mount(app, tf) {
        mount(app, tf)
        app.use('/move', tf.phoneVerification({ purpose: 'move' }).routes())
      },
    })
    await visitor.post('/signup/phone/start', { phone: '+573007654321' })
    expect((await visitor.get('/move')).json).toEqual({ challenge: null })
    expect((await visitor.post('/move/verify', { code: host.stub.rightCode })).status).toBe(410)
    expect(host.stub.checks).toEqual([])
  })

  it.each<[string, TwoFactorOptions['appName'], string]>([
    ['that of sign-in', { login: 'Acme', signup: 'Acme' }, 'the provider would mix their codes'],
    ['none', 'Acme', 'phoneVerification: set appName.signup to a name not used for sign-in'],
    [
      'none beside others, which are shown with the one to add',
      { login: 'Acme', transfer: "Acme's transfers" },
      `appName: { "login": "Acme", "transfer": "Acme's transfers", "signup": "Acme signup" }`,
    ],
  ])('has a name of its own at the provider, which is not %s', async (_name, appName, message) => {
    const { tf } = await startHost({ options: { appName } })
    expect(() => tf.phoneVerification()).toThrow(message)
  })

  it('shares its name at the provider with no step-up that is guarded later', async () => {
    const appName = { login: 'Acme', signup: 'New', transfer: 'New' }
    const { tf } = await startHost({ options: { appName }, routes: () => undefined })
    tf.phoneVerification()
    expect(() => tf.requireTwoFactor({ purpose: 'transfer' })).toThrow('the provider would mix their codes')
  })

  it('proves the number whose code was typed, when another was begun while it was checked', async () => {
    const { host, visitor } = await startVisit({ mount })
    await visitor.post('/signup/phone/start', { phone: '+573007654321' })
    const tab = visitor.copy()
    host.whileChecked(async () => {
      expect((await tab.post('/signup/phone/start', { phone: '+573008888888' })).status).toBe(201)
    })
    expect((await visitor.post('/signup/phone/verify', { code: host.stub.rightCode })).status).toBe(200)
    expect((await visitor.post('/signup')).json.phone).toBe('+573007654321')
  })
})

it('a number is not proven behind a 503, though the session cannot be given up', async () => {
  const state = { isArmed: false, reads: 0, renewals: 0 }
  const store = storeThrough((command, key, work) => {
    if (!state.isArmed || command !== 'read' || !key.includes(':grants:')) return work()
    state.reads += 1
    // Whether a revocation came is asked for the last time once the number is proven.
    return state.reads === 4 ? Promise.reject(new Error('connection lost')) : work()
  })
  const session = renewedThrough((renew) => {
    if (state.isArmed) state.renewals += 1
    return state.renewals === 2 ? Promise.reject(new Error('down')) : renew()
  })
  const { host, ana } = await startSignedIn({ options: { store, session }, mount })
  await ana.post('/signup/phone/start', { phone: '+573007654321' })
  state.isArmed = true
  const { status } = await ana.post('/signup/phone/verify', { code: host.stub.rightCode })
  expect([status, state.renewals]).toEqual([503, 2])
  state.isArmed = false
  expect((await ana.post('/signup')).status).toBe(403)
})

it('a country with uncompleted sign-ups is refused with 503 for networks that took part, with the reason in an event', async () => {
  const host = await startHost({
    options: { signupGuard: { mode: 'enforce', unprovenPerHour: 3 } },
    listens: true,
    mount(app, tf) {
      app.set('trust proxy', 'loopback')
      mount(app, tf)
    },
  })
  const startFrom = (network: number, index = network) =>
    host
      .browser({ 'x-forwarded-for': `203.0.${network}.1` })
      .post('/signup/phone/start', { phone: `+57300${1_000_000 + index}` })
  for (let network = 0; network < 3; network += 1) expect((await startFrom(network)).status).toBe(201)
  const { json } = await startFrom(0, 3)
  expect(json).toMatchObject({ status: 503, code: 'sending_paused', retryAfterMs: 3_600_000 })
  expect(host.stub.sends).toHaveLength(3)
  const suspected = { type: 'spend.suspected', country: 'CO', window: 'hour', sent: 3, approved: 0 }
  expect(host.events).toContainEqual(expect.objectContaining(suspected))
  expect(host.events.at(-1)).toMatchObject({ code: 'sending_paused', limit: 'country' })
  // Denial of service: whoever has nothing to do with it goes through.
  expect((await startFrom(4)).status).toBe(201)
  // Numbers that the host has proven in another way count for their country, by its code and nothing else.
  for (let numbers = 0; numbers < 2; numbers += 1) await host.tf.signups.approved('CO')
  expect((await startFrom(0, 5)).status).toBe(201)
  for (const country of ['co', 'XX']) {
    await expect(host.tf.signups.approved(country as 'CO')).rejects.toThrow(TypeError)
  }
})

describe('a proof that a form asks for', () => {
  const startWithForm = async (...answers: number[]) => {
    const { host, visitor } = await startVisit({ mount: formAnswering(...answers) })
    await prove(host, visitor, '+573007654321')
    return { host, visitor }
  }

  it('is passed to one request at a time, and returned after a refusal', async () => {
    const refusals = [400, 499, 422, 409]
    const { visitor } = await startWithForm(...refusals)
    const statuses: number[] = []
    for (let round = 0; round < 8; round += 1) {
      const burst = await Promise.all(Array.from({ length: 12 }, () => visitor.post('/signup')))
      statuses.push(...burst.map(({ status }) => status).filter((status) => status !== 403))
    }
    expect(statuses).toEqual([...refusals, 200])
  })

  it('is passed to one `redeemWith` at a time, and used up if the number is saved', async () => {
    const saves = [() => false, () => Promise.reject(new Error('down')), () => undefined]
    const saved: string[] = []
    const results: unknown[] = []
    const { host, visitor } = await startVisit({
      mount(app, tf) {
        const signup = tf.phoneVerification()
        app.use('/signup/phone', signup.routes())
        app.post('/signup', (req, res) => {
          const save = async ({ phone }: ProvenPhone) => (await saves.shift()?.()) ?? saved.push(phone)
          const answer = (result: unknown) => {
            if (result !== 'second_factor_required') results.push(result)
            res.end()
          }
          signup.redeemWith(req, save).then(answer, ({ code, message }) => answer(code ?? message))
        })
      },
    })
    await prove(host, visitor, '+573007654321')
    for (let round = 0; round < 5; round += 1) {
      await Promise.all(Array.from({ length: 12 }, () => visitor.post('/signup')))
    }
    expect([results, saved]).toEqual([[false, 'down', 1], ['+573007654321']])
  })

  it.each([303, 500])('is used up by a response of %i', async (status) => {
    const { visitor } = await startWithForm(status)
    expect((await visitor.post('/signup')).status).toBe(status)
    expect((await visitor.post('/signup')).status).toBe(403)
  })

  it('lives no longer after it was returned', async () => {
    const { host, visitor } = await startWithForm(422)
    host.clock.now += 29 * 60_000
    await visitor.post('/signup')
    host.clock.now += 2 * 60_000
    expect((await visitor.post('/signup')).status).toBe(403)
  })

  it('stops the handler if it is missing, and leads to the page', async () => {
    const reached: string[] = []
    let subject = (): string | undefined => undefined
    const { host, visitor } = await startVisit({
      options: { subject: () => subject() },
      mount(app, tf) {
        const proof = tf.phoneVerification({ path: '/signup/phone' }).requireProof()
        app.all('/signup', proof, (req) => void reached.push(req.url))
      },
    })
    const { refusal, json } = await visitor.post('/signup')
    expect(refusal).toEqual([403, 'second_factor_required'])
    expect(json).toMatchObject({ startUrl: '/signup/phone/start' })
    const page = await visitor.submit('/signup')
    expect(page.status).toBe(403)
    expect(page.text).toContain('<main data-address="/signup/phone">')
    expect(page.text).toContain('<a class="button main" href="/signup/phone">')
    expect(page.text).toContain('<link rel="stylesheet" href="/signup/phone/page.css?v=')
    expect(page.text).not.toContain('<form')
    expect((await visitor.open('/signup')).text).not.toContain('data-address')
    expect(host.errors).toEqual([])
    subject = () => {
      throw new Error('the accounts are away')
    }
    expect((await visitor.post('/signup')).json).toEqual({ host: 'the accounts are away' })
    // A handler that was let through would have run by now.
    await new Promise((resolve) => setImmediate(resolve))
    expect(reached).toEqual([])
  })

  it('has a page with the files of its sign-in and a way home without the path of its routes', async () => {
    const { visitor } = await startVisit({
      mount(app, tf) {
        const { start, requireProof } = tf.phoneVerification()
        app.post('/number', start()).post('/signup', requireProof())
      },
    })
    expect((await visitor.post('/number', { phone: '+573007654321' })).status).toBe(201)
    const { status, text } = await visitor.submit('/signup')
    expect(status).toBe(403)
    expect(text).toContain('<link rel="stylesheet" href="/two-factor/page.css?v=')
    expect(text).toContain('<a href="/">')
    expect(text).not.toContain('data-address')
  })

  it('throws at the first request to routes that are mounted elsewhere than at their path', async () => {
    const mountedAt = async (at: string) => {
      const { visitor } = await startVisit({
        mount: (app, tf) => app.use(at, tf.phoneVerification({ path: '/signup' }).routes()),
      })
      return visitor.get(at)
    }
    expect((await mountedAt('/sign-up')).json.host).toContain(
      "path is '/signup', but these routes are mounted at '/sign-up'",
    )
    expect((await mountedAt('/Signup')).status).toBe(200)
  })
})

describe('a change of number', () => {
  const failing = () => {
    throw new Error('The directory is down.')
  }

  it.each<[string, string | undefined, (() => string | undefined) | undefined, object[]]>([
    ['with both numbers masked', 'ana', undefined, [{ before: '••••••67', after: '••••••21' }]],
    ['not where the number is on file already', 'ben', undefined, []],
    ['without one that cannot be read', 'ana', () => 'none yet', [{ after: '••••••21' }]],
    ['whatever the host throws', 'ana', failing, [{ after: '••••••21' }]],
    ['not at a signup, where nobody has a number yet', undefined, undefined, []],
  ])('is told, once, when the host takes it over: %s', async (_name, user, phone, told) => {
    let phoneOf = (subject: string) => phones[subject]
    const options: Partial<TwoFactorOptions> = { phone: (_req, subject) => phoneOf(subject) }
    const host = await startHost({ options, listens: true, mount: formAnswering(422) })
    const changes = () => host.events.filter(({ type }) => type === 'factor.changed')
    const visitor = user === undefined ? host.browser() : await host.signIn(user)
    await prove(host, visitor, phones.ben ?? '')
    if (phone !== undefined) phoneOf = phone
    await visitor.post('/signup')
    expect(changes()).toEqual([])
    await Promise.all([visitor.post('/signup'), visitor.post('/signup')])
    const expected = told.map((numbers) => ({
      type: 'factor.changed',
      kind: 'phone',
      subject: user,
      ...numbers,
      at: host.clock.now,
    }))
    await expect.poll(changes).toEqual(expected)
  })

  it('is refused if its visitor has left before the form was handled, too', async () => {
    const asked = gate()
    const gone: RequestHandler = (_req, res, next) => {
      res.once('close', () => next())
      asked.open()
    }
    const host = await startHost({
      listens: true,
      mount(app, tf) {
        const signup = tf.phoneVerification()
        app.use('/signup/phone', signup.routes())
        app.post('/signup', gone, signup.requireProof(), (req, res) => void res.json(req.provenPhone))
      },
    })
    const ana = await host.signIn()
    await prove(host, ana, '+573007654321')
    const taking = ana.request('POST', '/signup').send()
    taking.catch(() => undefined)
    await asked.opened
    taking.abort()
    await expect.poll(() => host.events.map(({ type }) => type)).toContain('factor.changed')
  })
})
