import type { Express, RequestHandler } from 'express'
import { describe, expect, it } from 'vitest'
import type { GuardOptions, TwoFactor } from '../../src/index.js'
import { methods, spellingsOf } from '../../src/tools/testing/rehearsal/hostile.js'
import { createWire } from '../../src/tools/testing/rehearsal/wire.js'
import { figure } from '../prove/figure.js'
import type { Browser } from './browser.js'
import { asAna, ok, startHost, startLoggedIn, startSignedIn, startVisit, storeThrough } from './kit.js'

/** Headers by which a request claims to be another one. */
const claims = {
  'a method override': { 'x-http-method-override': 'GET' },
  'a header that claims it': { 'x-two-factor': 'true', 'x-forwarded-user': 'ana' },
  'a bearer token that nobody asked for': { authorization: 'Bearer x' },
  'an original URL': { 'x-original-url': '/', 'x-rewrite-url': '/' },
  'another host': { host: 'localhost' },
  'an upgrade': { connection: 'upgrade', upgrade: 'h2c' },
}
const paths = spellingsOf('/vault/gold')
const cookieOf = ({ cookies }: Browser) => ({ cookie: `connect.sid=${cookies.get('connect.sid')}` })

describe('a guarded handler', () => {
  const reached: string[] = []
  const note: RequestHandler = (req, res) => {
    reached.push(`${req.method} ${req.originalUrl}`)
    res.json({})
  }
  const mount = (app: Express, tf: TwoFactor) => {
    app.all('/vault/gold', tf.requireTwoFactor(), note)
    app.use('/vault', tf.requireTwoFactor({ purpose: 'vault' }), note)
  }

  it(`is not reached by any of ${methods.length * paths.length} variants of method, path and encoding`, async () => {
    reached.length = 0
    const { host, ana } = await startLoggedIn({ mount })
    const wire = createWire(host.url, { maxRequests: 2_000, timeoutMs: 120_000 })
    const statuses = new Set<number>()
    for (const path of paths) {
      for (const method of methods) {
        statuses.add((await wire.send({ method, path, headers: cookieOf(ana) })).status)
        statuses.add((await wire.send({ method, path })).status)
      }
    }
    wire.close()
    expect(reached).toEqual([])
    expect([...statuses].filter((status) => status < 400)).toEqual([])
    figure(9, `${reached.length} of ${methods.length * paths.length * 2} requests reached the handler`)
  })

  it.each(Object.entries(claims))('is not reached with %s', async (_name, headers) => {
    reached.length = 0
    const host = await startHost({ mount })
    const wire = createWire(host.url, { maxRequests: 1, timeoutMs: 120_000 })
    const request = {
      method: 'GET',
      path: '/vault/gold',
      headers: { ...cookieOf(await host.login()), ...headers },
    }
    expect((await wire.send(request)).status).toBeGreaterThanOrEqual(400)
    wire.close()
    expect(reached).toEqual([])
  })

  it('is reached only with a grant for its purpose', async () => {
    reached.length = 0
    const { ana } = await startSignedIn({ mount })
    expect((await ana.get('/vault/gold')).status).toBe(200)
    expect((await ana.get('/vault/silver')).status).toBe(403)
    expect(reached).toEqual(['GET /vault/gold'])
  })
})

describe('the guard', () => {
  it.each<[string, (app: Express, tf: TwoFactor) => void]>([
    ['the whole app', (app, tf) => app.use(tf.requireTwoFactor()).use('/two-factor', tf.routes())],
    ['the routes', (app, tf) => app.use('/two-factor', tf.requireTwoFactor(), tf.routes())],
  ])('says that it keeps everyone from the code when it guards %s', async (_where, routes) => {
    const { host, visitor: ana } = await startVisit({ routes: (app, tf) => routes(app.use(asAna), tf) })
    for (const answer of [
      await ana.open('/Two-Factor/?requirement=x'),
      await ana.start(),
      await ana.submit('/two-factor/start'),
    ]) {
      expect([answer.status, answer.text]).toEqual([
        500,
        expect.stringContaining('mount tf.routes() before the guard'),
      ])
    }
    expect(host.errors[0]).toMatchObject({ code: 'ERR_TWO_FACTOR_OPTION' })
    expect(host.stub.sends).toEqual([])
  })

  it('may be mounted before other paths below the routes', async () => {
    const { ana } = await startLoggedIn({
      mount: (app, tf) => {
        app.get('/two-factor/devices', tf.requireTwoFactor(), (_req, res) => void res.json({}))
      },
    })
    expect((await ana.open('/two-factor/devices')).status).toBe(303)
    expect((await ana.get('/two-factor/devices')).status).toBe(403)
  })

  it('never calls bind for an anonymous request', async () => {
    const bind = () => {
      throw new TypeError('nobody has an amount')
    }
    const host = await startHost({
      mount: (app, tf) => app.post('/bound', tf.requireTwoFactor({ purpose: 'transfer', bind }), ok),
    })
    expect((await host.browser().post('/bound', {})).status).toBe(401)
    expect(host.errors).toEqual([])
  })

  it('responds with 503 if the store is down, and admits no earlier grant', async () => {
    let isDown = false
    const store = storeThrough((_command, _key, work) => {
      if (isDown) throw new Error('down')
      return work()
    })
    const { host, ana } = await startSignedIn({ options: { store }, listens: true })
    isDown = true
    expect((await ana.get('/account')).refusal).toEqual([503, 'store_unavailable'])
    expect((await ana.open('/account')).status).toBe(503)
    expect(host.events.at(-1)).toMatchObject({ type: 'store.failed' })
    isDown = false
    expect((await ana.get('/account')).status).toBe(200)
  })

  it.each([
    ['of an older format', { v: 0 }],
    ['that is a text', 'granted'],
    ['without members', { grants: [{}] }],
  ])('refuses by a record %s', async (_name, value) => {
    const store = storeThrough((command, key, work) =>
      command === 'read' && key.includes(':grants:') ? { value, version: '1' } : work(),
    )
    const { ana } = await startLoggedIn({ options: { store } })
    expect((await ana.get('/account')).status).toBeGreaterThanOrEqual(403)
  })

  it.each<[string, unknown, string?]>([
    ['a promise', Promise.resolve('ana'), 'be synchronous, because the guard calls it on every request'],
    ['a string of 0 characters', ''],
    ['a value of type object', { id: 'ana' }],
    ['a number that is not a safe integer', 1.5],
    ['a string of 257 characters', 'a'.repeat(257)],
  ])('refuses a subject that is %s, and says so', async (what, subject, must = 'return a string of 1 to') => {
    const host = await startHost({ options: { subject: () => subject as never } })
    expect((await host.browser().get('/account')).status).toBe(500)
    expect(host.errors).toEqual([expect.any(TypeError)])
    expect(String(host.errors[0])).toContain(`subject returned ${what}; it must ${must}`)
  })

  it.each([7, 7n, '7'])('treats %s as one subject', async (subject) => {
    const { host, visitor } = await startVisit({
      options: { subject: () => subject, phone: () => '+573001234567' },
    })
    await host.confirm(visitor)
    expect((await visitor.get('/account')).json.subject).toBe('7')
  })

  it('lets subjects pass that the host exempts, on true and nothing else', async () => {
    let answer: () => unknown = () => true
    const { host, ana } = await startLoggedIn({
      options: { phone: () => undefined },
      mount: (app, tf) => {
        app.get('/news', tf.requireTwoFactor({ exempt: () => answer() as boolean }), (req, res) => {
          res.json({ grant: req.twoFactor ?? null })
        })
      },
    })
    expect((await ana.get('/news')).json).toEqual({ grant: null })
    answer = async () => true
    expect((await ana.get('/news')).status).toBe(200)
    for (const no of [false, 1, 'true', {}, undefined, Promise.resolve('true')]) {
      answer = () => no
      expect((await ana.get('/news')).status).toBe(403)
    }
    answer = () => Promise.reject(new Error('database'))
    expect((await ana.get('/news')).status).toBe(500)
    expect((await host.browser().get('/news')).status).toBe(401)
  })

  it('refuses to be handed over uncalled, as does every factory', async () => {
    const names: string[] = []
    const { host, ana } = await startSignedIn({
      mount: (app, tf) => {
        const { requireTwoFactor, start, routes } = tf
        const {
          proven: _proven,
          redeem: _redeem,
          redeemWith: _redeemWith,
          ...signup
        } = tf.phoneVerification()
        for (const [name, factory] of [
          ...Object.entries({ requireTwoFactor, start, routes }),
          ...Object.entries(signup),
        ]) {
          app.use(`/uncalled/${names.push(name)}`, factory as RequestHandler, ok)
        }
      },
    })
    for (const [index, name] of names.entries()) {
      expect((await ana.get(`/uncalled/${index + 1}`)).status).toBe(500)
      expect(String(host.errors.at(-1))).toContain(`pass ${name}(), not ${name}`)
    }
    expect(names).toHaveLength(6)
  })

  it.each<[string, unknown, string]>([
    ['bind', 'amount', 'must be a function (req) => fields'],
    ['methods', [], "must list at least one method, such as 'passkey'"],
    ['methods', ['two words'], 'must be 1 to 32 letters, digits, dots, hyphens or underscores'],
    ['formPath', '//evil.example', 'must be a path of this site'],
    ['purpose', '', 'must be'],
    ['purpose', null, 'must be'],
    ['maxAgeMs', Number.NaN, 'must be'],
    ['once', null, 'must be'],
  ])('says at start-up what %s must be, given %j', async (name, value, message) => {
    const { tf } = await startHost()
    const make = () => tf.requireTwoFactor({ [name]: value } as GuardOptions)
    expect(make).toThrow(`requireTwoFactor: ${name}`)
    expect(make).toThrow(message)
  })

  it('reports at start-up that a phone verification creates no grant', async () => {
    const { tf } = await startHost()
    tf.phoneVerification()
    expect(() => tf.requireTwoFactor({ purpose: 'signup' })).toThrow(
      'requireTwoFactor: purpose "signup" belongs to a phone verification, which creates no grant; use redeem()',
    )
  })
})
