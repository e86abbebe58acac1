import type { Express, Request } from 'express'
import { describe, expect, it } from 'vitest'
import { createSitePaths, safePath } from '../../src/express/http/site-paths.js'
import { type TwoFactor, twoFactor } from '../../src/index.js'
import { waysOut } from '../../src/tools/testing/rehearsal/hostile.js'
import type { ProviderStub } from '../provider-stub.js'
import {
  asAna,
  baseOptions,
  type Host,
  ok,
  startHost,
  startLoggedIn,
  startSignedIn,
  startVisit,
} from './kit.js'

describe('a path to come back to', () => {
  const elsewhere = [...waysOut, '', ' ', `/${'a'.repeat(4_096)}`]
  it.each(elsewhere)('is refused when it may lead elsewhere: %j', (path) => {
    expect(safePath(path)).toBeUndefined()
  })

  const here = ['/', '/inbox?tab=2&to=//x', '/a/b#c', '/.//evil.example', '/@evil.example', '/a:80/b']
  it.each(here)('is taken as it stands when it stays on the site: %s', (path) => {
    expect(safePath(path)).toBe(path)
    expect(new URL(path, 'https://app.example').origin).toBe('https://app.example')
  })

  it.each([{ returnTo: ['/a', '/b'] }, { returnTo: 5 }, ['/a'], 'returnTo=/a', null])(
    'is none where the form does not name exactly one: %j',
    (body) => {
      expect(
        createSitePaths('').returnPathOf({ method: 'POST', headers: {}, body } as Request),
      ).toBeUndefined()
    },
  )

  it('is not taken from a page that names it in its own query', async () => {
    const { ana } = await startLoggedIn()
    for (const query of ['?returnTo=%2F%2Fevil.example', '?returnTo=/a&returnTo=//evil.example']) {
      expect((await ana.open(`/two-factor${query}`)).text).not.toContain('evil.example')
    }
  })

  it.each([
    ['https://evil.example/transfers', '/'],
    ['SELF//evil.example', '/'],
    ['SELF/transfers/new', '/transfers/new'],
    ['not a url', '/'],
  ])('after an interrupted form must come from a page of this site: %s', async (referer, location) => {
    const { host, ana } = await startSignedIn()
    const refused = await ana.submit(
      '/transfers',
      { amount: '1', payee: 'a' },
      { referer: referer.replace('SELF', host.url) },
    )
    expect(await host.ledBy(refused.fields.requirement, ana)).toBe(location)
  })

  it('belongs to the requirement, for any path beside it', async () => {
    const { host, ana } = await startSignedIn()
    host.clock.now += 60_000
    const referer = `${host.url}/transfers/new`
    const { fields } = await ana.submit('/transfers', { amount: '1', payee: 'a' }, { referer })
    await ana.submit('/two-factor/start', fields)
    const code = { code: host.stub.rightCode, returnTo: '/elsewhere' }
    const verified = await ana.submit('/two-factor/verify', { ...fields, ...code })
    expect(verified.location).toBe('/transfers/new')
  })

  it('is not the request target when that could be another site', async () => {
    const { host, ana } = await startLoggedIn({ mount: (app, tf) => app.use(tf.requireTwoFactor(), ok) })
    const { location } = await ana.open('//evil.example/account')
    expect(location).toMatch(/^\/two-factor\?requirement=/)
    expect(await host.ledBy((await ana.open(location)).fields.requirement, ana)).toBe('/')
  })
})

describe('success', () => {
  /** An app whose routes know where success leads. */
  const mounted = (given: {
    readonly login?: Parameters<TwoFactor['start']>[0]
    readonly routes?: Parameters<TwoFactor['routes']>[0]
  }) => ({
    options: { purposes: { login: {}, pay: {} } },
    routes: (app: Express, tf: TwoFactor) => {
      app.post('/login', asAna, tf.start(given.login))
      app.use('/two-factor', tf.routes(given.routes))
      app.use('/pay', tf.requireTwoFactor({ purpose: 'pay' }), ok)
    },
  })

  /** Where a sign-in at `/login` ends: the page, and the member of the JSON. */
  async function ends(host: Host, fields: Record<string, string> = {}) {
    const ana = host.browser()
    await ana.submit('/login', fields)
    const page = await ana.submit('/two-factor/verify', { ...fields, code: host.stub.rightCode })
    host.clock.now += 3_600_000
    const program = host.browser()
    await program.post('/login', fields)
    const json = await program.post('/two-factor/verify', { ...fields, code: host.stub.rightCode })
    return [page.status, page.location, json.json.returnTo]
  }

  const login = { purpose: 'login', successPath: '/mine?tab=1' }
  const routes = { successPath: '/all' }

  it.each<[string, Parameters<typeof mounted>[0], string | undefined]>([
    ['home when nobody says where', {}, undefined],
    ['where the routes say', { routes }, '/all'],
    ['where the start route of the purpose says, whatever the routes do', { login, routes }, '/mine?tab=1'],
  ])('leads %s', async (_where, given, path) => {
    expect(await ends(await startHost(mounted(given)))).toEqual([303, path ?? '/', path])
  })

  it('leads first to the path of the form, and then back to the guarded page', async () => {
    const host = await startHost(mounted({ login, routes }))
    expect(await ends(host, { returnTo: '/asked' })).toEqual([303, '/asked', '/asked'])
    const mine = '/mine?tab=1'
    expect(await ends(host, { returnTo: '//evil.example' })).toEqual([303, mine, mine])
    const ana = host.browser()
    await ana.submit('/login')
    host.clock.now += 3_600_000
    const page = await ana.open((await ana.open('/pay/now')).location)
    expect(await host.ledBy(page.fields.requirement, ana)).toBe('/pay/now')
  })

  it('leads on from a trusted browser, which types no code', async () => {
    const { host, visitor: ana } = await startVisit({
      ...mounted({ login }),
      options: { trustedDevices: { maxAgeMs: 86_400_000 } },
    })
    await ana.submit('/login')
    await ana.submit('/two-factor/verify', { code: host.stub.rightCode, trustDevice: 'true' })
    expect((await ana.submit('/login')).location).toBe('/mine?tab=1')
  })

  it('of a phone verification leads to its own path', async () => {
    const { host, visitor } = await startVisit({
      mount: (app, tf) => app.use('/phone', tf.phoneVerification({ successPath: '/signup' }).routes()),
    })
    await visitor.submit('/phone/start', { phone: '+573007654321' })
    const right = await visitor.submit('/phone/verify', { code: host.stub.rightCode })
    expect(right.location).toBe('/signup')
  })

  it.each(['https://evil.example', '//evil.example', 'account', '', 7, null, () => '/a'])(
    'is led to no path that is none of this site: %j',
    (successPath) => {
      const tf = twoFactor(baseOptions({ baseUrl: 'http://127.0.0.1:9' } as ProviderStub, { now: 0 }))
      for (const make of [tf.start, tf.routes, tf.phoneVerification]) {
        expect(() => make({ successPath } as never)).toThrow('successPath must be a path of this site')
      }
    },
  )

  it('is led to one path for each purpose', async () => {
    const { tf } = await startHost()
    tf.start({ purpose: 'login', successPath: '/mine' })
    expect(() => tf.start({ purpose: 'login', successPath: '/other' })).toThrow(
      'the purpose "login" already has another successPath',
    )
    tf.routes({ successPath: '/mine' })
    expect(() => tf.routes({ successPath: '/mine' })).not.toThrow()
    expect(() => tf.routes({ successPath: '/other' })).toThrow(
      'every purpose already has another successPath',
    )
  })
})
