import express from 'express'
import { describe, expect, it } from 'vitest'
import { createSitePaths } from '../../src/express/http/site-paths.js'
import { createClient, providerCodes, type TwoFactorOptions, twoFactor } from '../../src/index.js'
import { codeOf, fromBase32 } from '../../src/lib/totp.js'
import { path as accountPath, signIn, startAccounts } from '../account/kit.js'
import { createAuthenticator } from '../passkeys/authenticator.js'
import { createPasskeys, origin } from '../passkeys/kit.js'
import { type HostOptions, ok, phones, sessionIdOf, startHost, startLoggedIn, startSignedIn } from './kit.js'

// A proxy removes `/shop` before these hosts, so requests have paths of the app, and responses paths of the browser.

const prefix = '/shop'
const withPrefix = (options: Partial<TwoFactorOptions> = {}): HostOptions => ({
  options: { prefix, purposes: { login: {}, transfer: {}, account: {} }, ...options },
})

/** Every address that a page or document of the package names. */
const addressesIn = (text: string): readonly string[] =>
  [...text.matchAll(/(?:href|src|action|data-address)="(\/[^"]*)"|"(?:\w+Url|returnTo)":"([^"]*)"/g)].map(
    ([, inPage, inJson]) => inPage ?? inJson ?? '',
  )

function expectAllUnderPrefix(text: string): void {
  const found = addressesIn(text)
  expect(found.length).toBeGreaterThan(0)
  expect(found.filter((address) => !address.startsWith(`${prefix}/`))).toEqual([])
}

describe('the prefix that a proxy removes', () => {
  it('starts the page, the way back and the success of a guarded page', async () => {
    const { host, ana } = await startLoggedIn(withPrefix())
    const led = await ana.open('/account?tab=2')
    expect(led.location).toMatch(/^\/shop\/two-factor\?requirement=/)
    const requirement = new URL(led.location, host.url).searchParams.get('requirement') ?? ''
    const page = await ana.open(`/two-factor?requirement=${requirement}`)
    expectAllUnderPrefix(page.text)
    const sent = await ana.submit('/two-factor/start', page.fields)
    expect(sent.location).toMatch(/^\/shop\/two-factor\?/)
    const right = await ana.submit('/two-factor/verify', { requirement, code: host.stub.rightCode })
    expect(right.location).toBe('/shop/account?tab=2')
  })

  it('starts every URL of a refusal and of a challenge in JSON', async () => {
    const { ana } = await startLoggedIn(withPrefix())
    const refused = await ana.post('/transfers', { amount: 5, payee: 'x' })
    expect(refused.json.startUrl).toBe('/shop/two-factor/start')
    const started = await ana.start({ requirement: refused.json.requirement })
    expect(started.json.challenge.verifyUrl).toBe('/shop/two-factor/verify')
    expect(started.json.challenge.resendUrl).toBe('/shop/two-factor/resend')
  })

  it('starts the successPath, and `/` without one', async () => {
    const plain = await startLoggedIn(withPrefix())
    await plain.ana.submit('/two-factor/start')
    const right = plain.host.stub.rightCode
    expect((await plain.ana.submit('/two-factor/verify', { code: right })).location).toBe('/shop/')

    const named = await startLoggedIn({
      ...withPrefix(),
      routes(app, tf) {
        app.post('/login', express.json(), (req, res) => {
          req.session.pendingUserId = req.body.user
          res.json({})
        })
        app.use('/two-factor', tf.routes({ successPath: '/account' }))
      },
    })
    await named.ana.start()
    expect((await named.ana.verify(named.host.stub.rightCode)).json.returnTo).toBe('/shop/account')
  })

  it.each([
    '/shop//evil.example',
    '/shop/.//evil.example',
    '/shop/./.',
    '/shopping',
    '/shop/%2e%2e/x',
    '/shop/../x',
    '/shop/.%2E/x',
    '/account',
    '//evil.example',
  ])('ignores the returnTo %s, which leaves it (open redirect)', async (returnTo) => {
    const { host, ana } = await startLoggedIn(withPrefix())
    await ana.submit('/two-factor/start', { returnTo })
    const right = await ana.submit('/two-factor/verify', { returnTo, code: host.stub.rightCode })
    expect(right.location).toBe('/shop/')
  })

  it.each(['/shop', '/shop/', '/shop?tab=..', '/shop/a?to=/../x', '/shop/a.b'])(
    'takes the returnTo %s, which lies under it',
    (returnTo) => {
      expect(createSitePaths(prefix).fromBrowser(returnTo)).toBe(returnTo)
    },
  )

  it('starts the action of a saved form and the page of the form', async () => {
    const { host, ana } = await startSignedIn({
      ...withPrefix(),
      mount(app, tf) {
        const bind = (req: express.Request) => ({ amount: req.body.amount })
        const guard = { purpose: 'transfer', once: true, resume: true, formPath: '/transfer', bind }
        app.post('/transfer', express.urlencoded({ extended: false }), tf.requireTwoFactor(guard), ok)
      },
    })
    host.clock.now += 5 * 60_000
    const refused = await ana.submit('/transfer', { amount: '5' })
    expectAllUnderPrefix(refused.text)
    const { requirement = '' } = refused.fields
    const right = await ana.submit('/two-factor/verify', { requirement, code: host.stub.rightCode })
    const { pathname, search, searchParams } = new URL(right.location, host.url)
    expect([pathname, searchParams.get('returnTo')]).toEqual(['/shop/two-factor', '/shop/transfer'])
    const saved = await ana.open(`/two-factor${search}`)
    expect(saved.text).toContain('action="/shop/transfer"')
    expectAllUnderPrefix(saved.text)
  })

  it('starts links, logo and the way out of a sign-in', async () => {
    const links = { signIn: '/login', support: 'https://help.example.com/', home: () => '/start' }
    const brand = { name: 'Acme', logoUrl: '/logo.svg' }
    const { host, ana } = await startLoggedIn(withPrefix({ pages: { links, brand } }))
    await ana.submit('/two-factor/start')
    const page = await ana.open('/two-factor')
    expect(page.text).toContain('src="/shop/logo.svg"')
    expect(page.text).toContain('href="https://help.example.com/"')
    expectAllUnderPrefix(page.text)
    expect((await ana.submit('/two-factor/cancel', page.fields)).location).toBe('/shop/login')
    const nobody = await host.browser().open('/account')
    expect(nobody.location).toBe('/shop/login?returnTo=%2Fshop%2Faccount')
  })

  it('is added to the pages of a phone verification and to the paths of its guard', async () => {
    const host = await startHost({
      ...withPrefix(),
      mount(app, tf) {
        const signup = tf.phoneVerification({ path: '/signup/phone', successPath: '/signup', backPath: '/' })
        app.use('/signup/phone', signup.routes())
        app.post('/signup', signup.requireProof(), ok)
      },
    })
    const visitor = host.browser()
    expectAllUnderPrefix((await visitor.open('/signup/phone')).text)
    expect((await visitor.post('/signup')).json.startUrl).toBe('/shop/signup/phone/start')
    expectAllUnderPrefix((await visitor.submit('/signup')).text)
    const phone = String(phones.ana)
    expect((await visitor.submit('/signup/phone/start', { phone, country: 'CO' })).location).toMatch(
      /^\/shop\/signup\/phone/,
    )
    const right = await visitor.submit('/signup/phone/verify', { code: host.stub.rightCode })
    expect(right.location).toBe('/shop/signup')
  })

  it('starts the page of a new app, and where it leads', async () => {
    const { host, ana } = await startSignedIn({
      options: { prefix, authenticator: { secretOf: () => undefined, issuer: 'Acme' } },
      mount(app, tf) {
        app.use('/app', tf.authenticators.routes({ save: () => undefined, successPath: '/account' }))
      },
    })
    const led = await ana.open('/app')
    expect(led.location).toMatch(/^\/shop\/two-factor\?/)
    await host.tf.grants.write({ subject: 'ana', session: sessionIdOf(ana), purpose: 'authenticator' })
    expectAllUnderPrefix((await ana.open('/app')).text)
    const { secret } = (await ana.get('/app')).json
    const code = codeOf(Math.floor(host.clock.now / 30_000), fromBase32(secret) ?? new Uint8Array())
    expect((await ana.submit('/app/verify', { code })).location).toBe('/shop/account')
  })

  it('is added to the account pages and their links', async () => {
    const host = await startAccounts({ options: { prefix }, app: true })
    const ana = await signIn(host)
    expectAllUnderPrefix((await ana.open(accountPath)).text)
    const asked = await ana.submit(`${accountPath}/app/remove`)
    expectAllUnderPrefix(asked.text)
    host.clock.now += 5 * 60_000
    await ana.submit('/two-factor/start', { ...asked.fields, channel: 'sms' })
    const code = { ...asked.fields, code: host.stub.rightCode }
    const { location } = await ana.submit('/two-factor/verify', code)
    expect(location).toBe(`/shop${accountPath}/app/remove`)
    const removed = await ana.open(location.replace(prefix, ''))
    expect(removed.location).toContain(`/shop${accountPath}?changed=app-removed`)
    expect((await ana.post(`${accountPath}/numbers/add`)).json.startUrl).toBe(
      `/shop${accountPath}/number/start`,
    )
  })

  it('starts the page that creates a passkey, its form and where it leads', async () => {
    const { keys } = createPasskeys()
    const host = await startAccounts({ options: { prefix, passkeys: keys }, pages: { passkeys: keys } })
    const ana = await signIn(host)
    host.clock.now += 5 * 60_000
    const asked = await ana.submit(`${accountPath}/passkeys/start`)
    expectAllUnderPrefix(asked.text)
    const code = { ...asked.fields, code: host.stub.rightCode }
    const { location } = await ana.submit('/two-factor/verify', code)
    expect(location).toBe(`/shop${accountPath}/passkeys/new`)
    const page = await ana.open(location.replace(prefix, ''))
    expect(page.text).toContain(`action="/shop${accountPath}/passkeys"`)
    expectAllUnderPrefix(page.text)
    const { publicKey } = (await ana.get(`${accountPath}/passkeys/new`)).json
    const passkey = JSON.stringify(createAuthenticator(origin).create(publicKey))
    const added = await ana.submit(`${accountPath}/passkeys`, { passkey })
    expect(added.location).toContain(`/shop${accountPath}?changed=passkey-added`)
  })

  it('has to be a fixed path without dots of its own', () => {
    const client = createClient({ baseUrl: 'https://api.example.com/v1', client: 41, key: 'k' })
    const provider = providerCodes({ client, approvedStatuses: ['verified'] })
    const others = { provider, appName: 'Acme', secret: 's'.repeat(32), countries: ['CO'] }
    const options = (given: unknown) =>
      ({ ...others, subject: () => 'ana', phone: () => phones.ana, prefix: given }) as never
    for (const wrong of ['shop', '/shop/', '/', '/../x', '/shop?x', '//x', 5]) {
      expect(() => twoFactor(options(wrong))).toThrow(/prefix must be the part that a proxy removes/)
    }
  })
})
