import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { crossSiteHeaders } from '../../src/tools/testing/rehearsal/hostile.js'
import {
  anasToken,
  expressSessions,
  hearWarnings,
  signupAt,
  startHost,
  startLoggedIn,
  startSignedIn,
  withTokens,
} from './kit.js'

const routes = ['/two-factor/start', '/two-factor/resend', '/two-factor/verify', '/two-factor/cancel']

const ofAnotherSite = (self: string): ReturnType<typeof crossSiteHeaders> => ({
  ...crossSiteHeaders(self),
  'an origin nearly allowed': { origin: 'https://app.example.evil.example' },
  'an allowed origin in capitals': { origin: 'HTTPS://APP.EXAMPLE' },
})

describe('a request that another site made the browser send', () => {
  it.each(Object.keys(ofAnotherSite('')))('is refused: %s', async (name) => {
    const { host, ana } = await startLoggedIn({ options: { allowedOrigins: ['https://app.example'] } })
    const sent = ofAnotherSite(host.url)[name]
    for (const route of routes) {
      expect((await ana.post(route, { code: '482913' }, sent)).refusal).toEqual([403, 'cross_site'])
    }
    expect(host.stub.sends).toEqual([])
    expect(host.stub.checks).toEqual([])
  })
})

describe('a refused request of another site', () => {
  const warned = hearWarnings()
  const host = 'x'.repeat(300)
  async function crossSiteWarnings() {
    await warned.codes()
    return warned.said.filter(({ code }) => code === 'TWO_FACTOR_CROSS_SITE')
  }

  it.each([
    ['other-origin', { origin: 'https://evil.example' }],
    ['other-origin', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['other-origin', { 'sec-fetch-site': 'same-site' }],
    ['origin-null', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
  ])('is an event with the reason %s, and no warning: %j', async (reason, headers) => {
    const { host, ana } = await startLoggedIn({ listens: true })
    await ana.post('/two-factor/start', {}, { host: 'shop.example', ...headers } as Record<string, string>)
    expect(host.events).toContainEqual(
      expect.objectContaining({ type: 'request.refused', code: 'cross_site', reason }),
    )
    expect(await warned.codes()).not.toContain('TWO_FACTOR_CROSS_SITE')
  })

  it('that may be a form of this app warns once, with both hosts and the usual causes', async () => {
    const { host, ana } = await startLoggedIn({ listens: true })
    for (const path of routes) expect((await ana.post(path, {}, { origin: 'null' })).status).toBe(403)
    expect(host.events).toContainEqual(expect.objectContaining({ code: 'cross_site', reason: 'origin-null' }))
    const said = await crossSiteWarnings()
    expect(said).toHaveLength(1)
    for (const cause of ['Referrer-Policy', '`Host`', '`X-Forwarded-Host` with `trust proxy` set'])
      expect(said[0]?.message).toContain(cause)
    expect(said[0]?.message).toContain(`(Origin null, Host ${new URL(host.url).host})`)
  })

  it('names at most 100 characters of a host', async () => {
    const { ana } = await startLoggedIn()
    await ana.post('/two-factor/start', {}, { origin: 'null', host })
    const [said] = await crossSiteWarnings()
    expect(said?.message.endsWith(`Host ${'x'.repeat(100)})`)).toBe(true)
  })
})

describe('a form of this app that a proxy makes cross-site', () => {
  const warned = hearWarnings()
  const replaced = 'a proxy replaces `Host`'
  const causes = async () => {
    await warned.codes()
    return warned.said
      .filter(({ code }) => code === 'TWO_FACTOR_CROSS_SITE')
      .map(({ message }) => /\((?<cause>[^(]*)\)$/.exec(message)?.groups?.cause)
  }
  const origin = 'https://shop.example'

  it.each([
    [{ origin, host: '127.0.0.1:3000' }, replaced],
    [{ origin: 'http://192.168.1.5', host: 'localhost:3000' }, replaced],
    [{ origin, host: '[::1]:3000' }, replaced],
    [{ origin, host: '10.0.0.7' }, replaced],
    [{ origin, host: '[fd00::7]:3000' }, replaced],
    [{ origin, host: 'app:3000' }, replaced],
    [{ origin, host: 'app.default.svc.cluster.local' }, replaced],
    [{ origin: 'https://shop.example:8443', host: 'shop.example' }, '`Host` has another port'],
    [{ origin: 'http://localhost:5173', host: 'localhost:3000' }, '`Host` has another port'],
    [
      { origin, host: 'inner.example', 'x-forwarded-host': 'shop.example:443, inner.example' },
      '`trust proxy` is not set, X-Forwarded-Host shop.example',
    ],
  ])('is refused, and warns once with hosts and cause: %j', async (headers, cause) => {
    const { ana } = await startLoggedIn()
    for (const path of routes) expect((await ana.post(path, {}, headers)).status).toBe(403)
    expect(await causes()).toEqual([`Origin ${headers.origin}, Host ${headers.host}: ${cause}`])
  })

  const foreign = { origin: 'https://evil.example' }
  it.each<[string, Record<string, string>]>([
    ['an app with a public name', { ...foreign, host: 'shop.example' }],
    ['an app with a public address', { ...foreign, host: '203.0.113.9' }],
    ['an app behind a proxy', { ...foreign, host: 'app', 'x-forwarded-host': 'shop.example' }],
    ['an app with a public name, by a page in its network', { origin: 'http://nas', host: 'shop.example' }],
    [
      'an app on this machine, in a new browser',
      { ...foreign, host: 'localhost', 'sec-fetch-site': 'cross-site' },
    ],
    ['an app in this network, without its cookie', { ...foreign, host: 'intranet', cookie: '' }],
    ['a request without a valid host', { ...foreign, host: 'app:0:0' }],
    ['a request with an origin that is none', { origin: 'none', host: 'app' }],
  ])('is not assumed for another site that posts to %s', async (_name, headers) => {
    const { host, ana } = await startLoggedIn()
    const visitor = headers.cookie === '' ? host.browser() : ana
    const { cookie: _, ...sent } = headers
    expect((await visitor.post('/two-factor/start', {}, sent)).status).toBe(403)
    expect(await causes()).toEqual([])
  })

  it.each<Record<string, string>>([{ host: 'shop.example' }, { 'x-forwarded-host': 'shop.example' }])(
    'is not assumed for a page without TLS of the same host: %j',
    async (names) => {
      const { host, ana } = await startLoggedIn()
      host.app.set('trust proxy', 'loopback')
      const sent = { ...names, 'x-forwarded-proto': 'https', origin: 'http://shop.example' }
      expect((await ana.start({}, sent)).status).toBe(403)
      expect(await causes()).toEqual([])
    },
  )

  it('is not assumed once a form of this app has passed at its own host', async () => {
    const { ana } = await startLoggedIn()
    const internal = { host: 'intranet:3000' }
    expect((await ana.start({}, { ...internal, origin: 'http://intranet:3000' })).status).toBe(201)
    for (const origin of ['https://evil.example', 'http://intranet:8080'])
      expect((await ana.start({}, { ...internal, origin })).status).toBe(403)
    const forwarded = { origin: 'https://evil.example', 'x-forwarded-host': 'evil.example' }
    expect((await ana.start({}, { ...internal, ...forwarded })).status).toBe(403)
    expect(await causes()).toEqual([])
  })
})

describe('a request of our own', () => {
  it.each<[string, Record<string, string>]>([
    ['same-origin', { 'sec-fetch-site': 'same-origin' }],
    ['typed by the person', { 'sec-fetch-site': 'none' }],
    ['same-origin under a policy that hides the origin', { 'sec-fetch-site': 'same-origin', origin: 'null' }],
    ['our origin', { origin: 'SELF' }],
    ['our origin behind a proxy that ends TLS', { origin: 'TLS' }],
    ['an allowed origin', { origin: 'https://app.example', 'sec-fetch-site': 'cross-site' }],
    ['no browser', {}],
  ])('passes: %s', async (_name, headers) => {
    const { host, ana } = await startLoggedIn({ options: { allowedOrigins: ['https://app.example'] } })
    const { origin = '' } = headers
    const own = origin.replace('SELF', host.url).replace('TLS', host.url.replace('http:', 'https:'))
    expect((await ana.start({}, { ...headers, ...(origin && { origin: own }) })).status).toBe(201)
  })

  it.each([
    ['of a proxy that is trusted', 'shop.example', 'https', 201],
    ['of the proxy that the browser reached, of several', 'shop.example , inner.example', 'https', 201],
    ['in capitals', 'SHOP.EXAMPLE', 'https', 201],
    ['with the port that a proxy adds', 'shop.example:443', 'https', 201],
    ['of another site', 'other.example', 'https', 403],
    ['that is none', 'shop.example:0:0', 'https', 403],
    ['of a scheme that is not that of the web', 'shop.example', 'wss', 403],
  ])(
    'judges by the forwarded host name %s, where the proxy is trusted',
    async (_name, forwardedHost, proto, status) => {
      const { host, ana } = await startLoggedIn()
      const forwarded = { 'x-forwarded-host': forwardedHost, 'x-forwarded-proto': proto }
      const start = async (origin = 'https://shop.example') =>
        (await ana.start({}, { origin, ...forwarded })).status
      expect(await start()).toBe(403)
      host.app.set('trust proxy', 'loopback')
      expect(await start()).toBe(status)
      expect(await start('http://shop.example')).toBe(403)
    },
  )

  it('keeps its own host name if a trusted proxy sends none', async () => {
    const { host, ana } = await startLoggedIn()
    host.app.set('trust proxy', 'loopback')
    expect((await ana.start({}, { origin: host.url })).status).toBe(201)
  })
})

/** The status of a request that is written as it stands: every client of HTTP/1.1 names a host. */
function statusOf(url: string, lines: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => {
      socket.write(`${lines.join('\r\n')}\r\n\r\n`)
    })
    let told = ''
    socket.on('data', (chunk) => {
      told += chunk
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(Number(/^HTTP\/1\.\d (\d+)/.exec(told)?.[1])))
  })
}

describe('an origin that may post', () => {
  it.each([
    ['capacitor://localhost', 'capacitor://localhost'],
    ['https://APP.example.com', 'https://app.example.com'],
    ['https://app.example.com:443', 'https://app.example.com'],
  ])('is written %s, and sent as %s', async (written, origin) => {
    const { ana } = await startLoggedIn({ options: { allowedOrigins: [written] } })
    const startFrom = async (origin: string) =>
      (await ana.start({}, { origin, 'sec-fetch-site': 'cross-site' })).status
    expect(await startFrom(`${origin}.evil`)).toBe(403)
    expect(await startFrom(origin)).toBe(201)
  })

  it('is any where a bearer token is sent, which no other site can make a browser do', async () => {
    const host = await startHost(withTokens())
    const headers = { ...anasToken, origin: 'https://front.example', 'sec-fetch-site': 'cross-site' }
    expect((await host.browser(headers).post('/two-factor/start', {})).status).toBe(201)
  })
})

it('a bridge from HTTP/2 that passes only the pseudo-header names our site by it', async () => {
  const { host, ana } = await startLoggedIn({
    addSession(app) {
      app.use((req, _res, next) => {
        req.headers[':authority'] = req.headers.host
        delete req.headers.host
        next()
      })
      app.use(expressSessions())
    },
  })
  expect((await ana.start({}, { origin: 'https://evil.example' })).status).toBe(403)
  expect((await ana.start({}, { origin: host.url })).status).toBe(201)
})

describe('a request that names no host', () => {
  it.each(['http://127.0.0.1', 'http://undefined', 'null'])(
    'is not our own from the origin %s',
    async (origin) => {
      const host = await startHost({ options: { subject: () => 'ana' } })
      const start = 'POST /two-factor/start HTTP/1.0'
      expect(await statusOf(host.url, [start, `Origin: ${origin}`])).toBe(403)
      expect(host.stub.sends).toEqual([])
    },
  )

  it('passes without an origin: it comes from no browser', async () => {
    const host = await startHost({ options: { subject: () => 'ana' } })
    expect(await statusOf(host.url, ['POST /two-factor/start HTTP/1.0'])).toBe(201)
  })
})

describe('a method that is not the one of its route', () => {
  it.each(['GET', 'PUT', 'OPTIONS', 'HEAD'])('is refused: %s', async (method) => {
    const { host, ana } = await startLoggedIn()
    for (const route of routes) {
      const told = await ana.send(`${route}?code=482913&channel=sms`, { method })
      expect([told.status, told.headers.get('allow')]).toEqual([405, 'POST'])
    }
    expect(host.stub.sends).toEqual([])
  })

  it('is refused at the page', async () => {
    const { ana } = await startLoggedIn()
    const told = await ana.post('/two-factor')
    expect([told.status, told.headers.get('allow')]).toEqual([405, 'GET'])
  })

  it.each(routes)('leads a browser that opens it to the page, and sends nothing: %s', async (route) => {
    const { host, ana } = await startLoggedIn()
    const html = { accept: 'text/html' }
    for (const method of ['GET', 'HEAD']) {
      const told = await ana.send(`${route}?code=482913&channel=sms`, { method, headers: html })
      expect(told).toMatchObject({ status: 303, location: '/two-factor' })
      expect(told.headers.get('cache-control')).toBe('no-store')
    }
    expect((await ana.send(route, { method: 'PUT', headers: html })).status).toBe(405)
    expect([host.stub.sends, host.stub.checks]).toEqual([[], []])
  })

  it('leads to the page of the address at its own mount, and to no other site', async () => {
    const { ana } = await startSignedIn({ mount: signupAt('/signup/phone') })
    const { requirement } = (await ana.post('/transfers', { amount: 5, payee: 'Ben' })).json
    const locationOf = async (path: string) => (await ana.open(path)).location
    expect(await locationOf(`/two-factor/verify?requirement=${requirement}`)).toBe(
      `/two-factor?requirement=${requirement}&purpose=transfer`,
    )
    expect(await locationOf('/two-factor/start?purpose=transfer&returnTo=/account')).toBe(
      '/two-factor?purpose=transfer&returnTo=%2Faccount',
    )
    expect(await locationOf('/two-factor/start?purpose=nowhere&returnTo=//evil.example')).toBe('/two-factor')
    expect(await locationOf('/two-factor/start?requirement=forged')).toBe('/two-factor')
    expect(await locationOf('/signup/phone/verify')).toBe('/signup/phone')
  })
})
