import type { Express } from 'express'
import { describe, expect, it } from 'vitest'
import { type TwoFactor, twoFactor } from '../../src/index.js'
import type { ProviderStub } from '../provider-stub.js'
import { asAna, baseOptions, type Host, ok, startHost, startVisit } from './kit.js'

const app = () => twoFactor(baseOptions({ baseUrl: 'http://127.0.0.1:9' } as ProviderStub, { now: 0 }))

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
  const ben = host.browser()
  await ben.post('/login', fields)
  const json = await ben.post('/two-factor/verify', { ...fields, code: host.stub.rightCode })
  return [page.status, page.location, json.json.returnTo]
}

describe('success', () => {
  const login = { purpose: 'login', successPath: '/mine?tab=1' }
  const routes = { successPath: '/all' }

  it.each<[string, Parameters<typeof mounted>[0], string | undefined]>([
    ['home when nobody says where', {}, undefined],
    ['where its start route says, though the code is verified at another mount', { login }, '/mine?tab=1'],
    ['where the routes say', { routes }, '/all'],
    ['where the start route of the purpose says, whatever the routes do', { login, routes }, '/mine?tab=1'],
  ])('leads %s', async (_where, given, path) => {
    expect(await ends(await startHost(mounted(given)))).toEqual([303, path ?? '/', path])
  })

  it('leads where the form says above all, and then back to the guarded page', async () => {
    const host = await startHost(
      mounted({ login: { purpose: 'login', successPath: '/mine' }, routes: { successPath: '/all' } }),
    )
    expect(await ends(host, { returnTo: '/asked' })).toEqual([303, '/asked', '/asked'])
    expect(await ends(host, { returnTo: '//evil.example' })).toEqual([303, '/mine', '/mine'])
    const ana = host.browser()
    await ana.submit('/login')
    host.clock.now += 3_600_000
    const page = await ana.open((await ana.open('/pay/now')).location)
    expect(await host.ledBy(page.fields.requirement, ana)).toBe('/pay/now')
  })

  it('leads on from a trusted browser, which types no code', async () => {
    const { host, visitor: ana } = await startVisit({
      ...mounted({ login: { purpose: 'login', successPath: '/mine' } }),
      options: { trustedDevices: { maxAgeMs: 86_400_000 } },
    })
    await ana.submit('/login')
    await ana.submit('/two-factor/verify', { code: host.stub.rightCode, trustDevice: 'true' })
    expect((await ana.submit('/login')).location).toBe('/mine')
    expect((await ana.post('/login', {})).json).toMatchObject({ verified: true, returnTo: '/mine' })
  })

  it('of a phone verification leads where that one says', async () => {
    const host = await startHost({
      mount: (app, tf) => {
        const signup = tf.phoneVerification({ successPath: '/signup' })
        app.use('/signup/phone', signup.routes())
        const change = tf.phoneVerification({ purpose: 'change', successPath: '/profile' })
        app.use('/change', change.routes())
      },
      options: { appName: { login: 'Acme', signup: 'Acme signup', change: 'Acme change' } },
    })
    for (const [mount, location] of [
      ['/signup/phone', '/signup'],
      ['/change', '/profile'],
    ] as const) {
      const visitor = host.browser()
      await visitor.submit(`${mount}/start`, { phone: '+573007654321' })
      expect((await visitor.submit(`${mount}/verify`, { code: host.stub.rightCode })).location).toBe(location)
      host.clock.now += 3_600_000
    }
    const visitor = host.browser()
    await visitor.submit('/change/start', { phone: '+573007654321', returnTo: '/asked' })
    const right = await visitor.submit('/change/verify', {
      code: host.stub.rightCode,
      returnTo: '/asked',
    })
    expect(right.location).toBe('/asked')
  })
})

describe('successPath', () => {
  it.each(['https://evil.example', '//evil.example', 'account', '', 7, null, () => '/a'])(
    'is refused: %j',
    (successPath) => {
      const tf = app()
      const refusal = /successPath must be a path of this site, such as '\/account'/
      for (const make of [tf.start, tf.routes, tf.phoneVerification]) {
        expect(() => make({ successPath } as never)).toThrow(refusal)
      }
    },
  )
})
