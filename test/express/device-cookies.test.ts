import cookieSession from 'cookie-session'
import type { RequestHandler } from 'express'
import session from 'express-session'
import { describe, expect, it } from 'vitest'
import {
  type Grant,
  memoryStore,
  type Store,
  type TwoFactorEvent,
  type TwoFactorOptions,
} from '../../src/index.js'
import type { Browser } from './browser.js'
import {
  anasToken,
  bringDevice,
  deviceCookies,
  failingStore,
  type Host,
  type HostOptions,
  startHost,
  startLoggedIn,
  withCookies,
  withTokens,
} from './kit.js'

const minute = 60_000
const day = 24 * 60 * minute
const trusting: Partial<TwoFactorOptions> = { trustedDevices: { maxAgeMs: 30 * day } }

/** A host on which three wrong codes of strangers lock an account. */
const startApp = (options: Partial<TwoFactorOptions> = {}) =>
  startHost({ options: { limits: { failuresBeforeLock: 3, attemptsPerChallenge: 3 }, ...options } })

/** The response lines that set or take away such a cookie. */
const deviceLines = ({ headers }: { readonly headers: Headers }): readonly string[] =>
  headers.getSetCookie().filter((line) => line.startsWith('__Host-two-factor-device'))

/** Signs in within a browser that others may have used, and ticks the box where a code is asked for. */
async function signInWithin(browser: Browser, host: Host, user: string) {
  await browser.post('/login', { user })
  host.clock.now += minute
  const started = await browser.start()
  if (started.json.verified === true) return started
  return browser.verify(host.stub.rightCode, { trustDevice: true })
}

async function trust(host: Host, user = 'ana'): Promise<Browser> {
  const browser = host.browser()
  await signInWithin(browser, host, user)
  return browser
}

/** Ana gives her password in another session, with what this browser is recognized by. */
const again = async (host: Host, from: Pick<Browser, 'cookies'>) => bringDevice(await host.login(), from)

/** Whether Ana, in this browser, meets the lock that wrong codes of strangers bring about. Two minutes pass. */
async function meetsTheLock(host: Host, browser: Browser): Promise<boolean> {
  const stranger = await host.login()
  await stranger.start()
  for (const code of ['wrong1', 'wrong2', 'wrong3']) await stranger.verify(code)
  host.clock.now += 2 * minute
  return (await browser.start()).json.code === 'account_locked'
}

/** Sees that a cookie is worth nothing: its browser is neither trusted nor known. */
async function expectStranger(host: Host, browser: Browser): Promise<void> {
  host.clock.now += 2 * minute
  expect((await browser.start()).status).toBe(201)
  await browser.post('/two-factor/cancel', {})
  host.clock.now += 2 * minute
  expect(await meetsTheLock(host, browser)).toBe(true)
}

/** What this browser is recognized by, with another value. */
const changed = (browser: Browser, change: (value: string) => string): Pick<Browser, 'cookies'> => ({
  cookies: new Map(deviceCookies(browser).map(([name, value]) => [name, change(value)])),
})

const other = (sign: string) => (sign === 'A' ? 'B' : 'A')

describe('the device cookies of a browser', () => {
  it('belong to the last five accounts in it', async () => {
    const names = ['ana', 'ben', 'eva', 'ana2', 'ben2', 'eva2', 'ana3']
    const phone = (_req: unknown, subject: string) => `+5730012345${10 + names.indexOf(subject)}`
    const host = await startHost({ options: { ...trusting, phone } })
    const shared = host.browser()
    const forged = '__Host-two-factor-device-somebodyelse'
    shared.cookies.set(forged, 'x'.repeat(100))
    for (const user of names) await signInWithin(shared, host, user)
    expect([deviceCookies(shared).length, host.stub.sends.length]).toEqual([5, 7])
    // What none of ours is goes before any of them.
    expect(shared.cookies.has(forged)).toBe(false)
    // Used again it stays, and the first two have gone.
    expect((await signInWithin(shared, host, 'eva')).json.verified).toBe(true)
    const told = await signInWithin(shared, host, 'ana')
    expect(host.stub.sends).toHaveLength(8)
    const [cleared, set, ...more] = deviceLines(told)
    expect(more).toEqual([])
    expect(cleared).toMatch(/^__Host-two-factor-device-[\w-]{12}=; Path=\/; Expires=Thu, 01 Jan 1970/)
    expect(set).toMatch(
      /^__Host-two-factor-device-[\w-]{12}=[\w-]{22}\.[0-9a-z]{8}\.[\w-]{20}\.[\w-]{43}; Max-Age=7776000; /,
    )
    expect((await signInWithin(shared, host, 'eva')).json.verified).toBe(true)
    expect(host.stub.sends).toHaveLength(8)
  })

  const front = 'https://app.example'
  const fromFront = { 'sec-fetch-site': 'cross-site', origin: front }
  const expressSession = (sameSite: 'none' | 'lax', partitioned = false) =>
    session({ secret: 'x', resave: false, saveUninitialized: false, cookie: { sameSite, partitioned } })
  const inCookie = cookieSession({ name: 'cs', keys: ['a key'], sameSite: 'none' })

  const noSite = { allowedOrigins: [] }
  /** A session whose library shows the settings of its cookie to nobody. */
  const inHeader =
    (attributes: string): RequestHandler =>
    (req, res, next) => {
      const kept = { pendingUserId: 'ana', sid: /sid=(\w+)/.exec(req.headers.cookie ?? '')?.[1] ?? 'first' }
      Object.assign(req, { session: kept })
      res.append('Set-Cookie', `sid=${kept.sid}; Path=/; ${attributes}`)
      next()
    }
  const sealed = { ...noSite, ...withCookies.options }

  it.each<[string, RequestHandler, HostOptions['options'], Record<string, string>, sent: string]>([
    ['where that of the session does', expressSession('none'), {}, {}, 'None'],
    ['where that of cookie-session does', inCookie, withCookies.options, {}, 'None'],
    ['where the session came from one', expressSession('lax'), {}, fromFront, 'None'],
    ['not where the session stays on this site', expressSession('lax'), {}, {}, 'Lax'],
    ['in a frame', expressSession('none'), noSite, {}, 'None'],
    ['in a frame, for a session with settings of its own', inHeader('SameSite=None'), sealed, {}, 'None'],
    [
      'in a frame, for one that is partitioned',
      inHeader('SameSite=None; Secure; Partitioned'),
      sealed,
      {},
      'None',
    ],
    ['not for one that stays on this site', inHeader('SameSite=Lax'), sealed, {}, 'Lax'],
    ['in a frame with a partitioned session', expressSession('none', true), noSite, {}, 'None'],
  ])('cross sites %s', async (name, keepsSessions, options, headers, sent) => {
    const host = await startHost({
      options: { allowedOrigins: [front], ...options },
      addSession: (app) => void app.use(keepsSessions),
    })
    const ana = host.browser(headers)
    await ana.post('/login', { user: 'ana' })
    const [line = ''] = deviceLines(await host.confirm(ana))
    const attributes = line.split('; ')
    expect(attributes).toEqual(expect.arrayContaining(['Secure', 'HttpOnly', `SameSite=${sent}`]))
    expect(attributes.includes('Partitioned')).toBe(name.includes('partitioned'))
  })
})

describe('the device cookie of an account', () => {
  it.each<[string, (value: string) => string]>([
    ['with another signature', (value) => value.slice(0, -2) + other(value.at(-2) ?? '') + value.at(-1)],
    ['with another id', (value) => other(value.charAt(0)) + value.slice(1)],
    [
      'with another time',
      (value) => value.replace(/\.(.)/, (_dot, digit) => `.${digit === '1' ? '2' : '1'}`),
    ],
    ['without a signature', (value) => value.slice(0, value.lastIndexOf('.') + 1)],
    ['that is no such thing', () => 'x'.repeat(5_000)],
  ])('is worth nothing %s', async (_name, forge) => {
    const host = await startApp(trusting)
    const forged = changed(await trust(host), forge)
    await expectStranger(host, await again(host, forged))
  })

  it('is refused for a different account under its name', async () => {
    const host = await startApp({ ...trusting, phone: () => '+573001234567' })
    const shared = host.browser()
    for (const user of ['ben', 'ana']) await signInWithin(shared, host, user)
    const [[, bens = ''] = [], [anas = ''] = []] = deviceCookies(shared)
    await expectStranger(host, await again(host, { cookies: new Map([[anas, bens]]) }))
  })

  it('is refused in another namespace with equal store and secret', async () => {
    const store = memoryStore()
    const startIn = (namespace: string) => startApp({ ...trusting, store, namespace })
    const [shop, staff] = [await startIn('shop'), await startIn('staff')]
    const [[shops, value = ''] = []] = deviceCookies(await trust(shop))
    const [[staffs = ''] = []] = deviceCookies(await trust(staff))
    expect(shops).not.toBe(staffs)
    await expectStranger(staff, await again(staff, { cookies: new Map([[staffs, value]]) }))
  })

  it.each<[string, (host: Host) => Promise<void>]>([
    ['subjects.revokeEverything', ({ tf }) => tf.subjects.revokeEverything('ana')],
    ['trustedDevices.revokeSubject', ({ tf }) => tf.trustedDevices.revokeSubject('ana')],
  ])('ends with %s, in the same millisecond too, and the next one counts', async (_name, revoke) => {
    const host = await startApp(trusting)
    const ana = await trust(host)
    await revoke(host)
    const old = await again(host, ana)
    await expectStranger(host, old)
    host.clock.now += 60 * minute
    await host.confirm(old)
    expect(await meetsTheLock(host, await again(host, old))).toBe(false)
  })

  it('counts although an older one comes before it, like one without partition', async () => {
    const host = await startApp(trusting)
    const old = await trust(host)
    const [[name = '', value = ''] = []] = deviceCookies(old)
    await host.tf.trustedDevices.revokeSubject('ana')
    host.clock.now += 60 * minute
    const [[, newer = ''] = []] = deviceCookies(await trust(host))
    const both = await again(host, { cookies: new Map([[name, `${value}; ${name}=${newer}`]]) })
    expect(await meetsTheLock(host, both)).toBe(false)
  })

  it('does not end with a logout, or with the sessions of the account', async () => {
    const host = await startApp()
    const ana = await host.signIn()
    host.clock.now += 1
    await ana.post('/logout')
    await host.tf.grants.revokeSubject('ana')
    expect(await meetsTheLock(host, await again(host, ana))).toBe(false)
  })

  it.each([
    ['is known until ninety days after the last success', 90 * day - 1, false],
    ['is a stranger from then on, exactly', 90 * day, true],
    ['is known by a clock that is five seconds behind', -5_000, false],
    ['is a stranger by one that is further behind', -5_001, true],
  ])('%s', async (_name, elapsedMs, isStranger) => {
    const host = await startApp()
    const ana = await host.signIn()
    host.clock.now += elapsedMs - 2 * minute
    expect(await meetsTheLock(host, await again(host, ana))).toBe(isStranger)
  })

  it('is verified under every secret, and moves to the first with the next success', async () => {
    const store = memoryStore()
    const [old, next] = ['the old secret of thirty-two bytes!', 'the new secret of thirty-two bytes!']
    const startWith = (...secret: string[]) => startApp({ ...trusting, store, secret })
    const first = await startWith(old)
    const ana = await trust(first)
    const both = await startWith(next, old)
    both.clock.now = first.clock.now
    const later = await again(both, ana)
    expect((await later.start()).json.verified).toBe(true)
    expect(deviceCookies(later)).toHaveLength(1)
    expect(deviceCookies(later)[0]?.[0]).not.toBe(deviceCookies(ana)[0]?.[0])
    const rotated = await startWith(next)
    rotated.clock.now = first.clock.now
    expect((await (await again(rotated, later)).start()).json.verified).toBe(true)
    expect((await (await again(rotated, ana)).start()).status).toBe(201)
  })

  it('is left by every success, sign-in and step-up, and by nothing else', async () => {
    const { host, ana } = await startLoggedIn()
    expect(deviceLines(await ana.start())).toEqual([])
    expect(deviceLines(await ana.verify('wrong1'))).toEqual([])
    const [set] = deviceLines(await ana.verify(host.stub.rightCode))
    expect(set).toMatch(/^__Host-two-factor-device-[\w-]{12}=[\w.-]+; Max-Age=7776000; Path=\/; /)
    for (const attribute of ['Secure', 'HttpOnly', 'SameSite=Lax']) expect(set).toContain(`; ${attribute}`)
    expect(set).not.toContain('Domain')
    const first = deviceCookies(ana)
    host.clock.now += 1
    const { json } = await ana.post('/transfers', { amount: 1, payee: 'Luis' })
    await host.confirm(ana, { requirement: json.requirement })
    expect(deviceCookies(ana)).not.toEqual(first)
    expect(deviceCookies(ana)).toHaveLength(1)
  })

  it('opens nothing: not the guard, not the start', async () => {
    const host = await startHost()
    const later = await again(host, await host.signIn())
    expect((await later.get('/account')).status).toBe(403)
    expect((await later.start()).status).toBe(201)
    expect((await later.get('/account')).status).toBe(403)
    expect(host.stub.sends).toHaveLength(2)
  })

  it('is set for the configured time, not at all with false, and not for a bearer token', async () => {
    const short = await startHost({ options: { knownBrowsers: { maxAgeMs: 60_000 } } })
    expect(deviceLines(await short.confirm(await short.login()))[0]).toContain('; Max-Age=60; ')
    const off = await startHost({ options: { knownBrowsers: false } })
    expect(deviceCookies(await off.signIn())).toEqual([])
    const api = await startHost(withTokens())
    const told = await api.confirm(api.browser(anasToken))
    expect([told.status, deviceLines(told)]).toEqual([200, []])
  })

  it('makes the browser known, new or untracked in events and in the grant for onVerified', async () => {
    const told: unknown[] = []
    const options = {
      onVerified: (_req: unknown, _res: unknown, grant: Grant) => void told.push(grant.browser),
      onEvent: (event: TwoFactorEvent) => {
        if (event.type === 'challenge.started' || event.type === 'challenge.approved')
          told.push(event.browser)
      },
    }
    const host = await startHost({ options })
    const first = await host.signIn()
    expect(told.splice(0)).toEqual(['new', 'new', 'new'])
    await host.confirm(await again(host, first))
    expect(told.splice(0)).toEqual(['known', 'known', 'known'])
    const off = await startHost({
      options: { ...options, knownBrowsers: false },
    })
    await off.signIn()
    expect(told).toEqual([undefined, undefined, undefined])
  })

  it('is there where trust in it cannot be stored', async () => {
    const { host, ana } = await startLoggedIn({ options: { ...trusting, store: fullOfDevices() } })
    expect((await host.confirm(ana, {}, { trustDevice: true })).status).toBe(200)
    expect(deviceCookies(ana)).toHaveLength(1)
    expect(await host.tf.trustedDevices.list('ana')).toEqual([])
  })

  it('leaves nothing of itself in a response that fails, however it came to be', async () => {
    for (const more of [{}, { store: fullOfDevices() }]) {
      const onVerified = () => Promise.reject(new Error('no such account'))
      const { host, ana } = await startLoggedIn({ options: { ...more, onVerified } })
      const told = await host.confirm(ana)
      const names = told.headers.getSetCookie().map((line) => line.split('=')[0])
      expect([told.status, names]).toEqual([500, ['connect.sid']])
    }
  })
})

/** A store that takes everything but trusted browsers. */
function fullOfDevices(): Store {
  const { store, arm } = failingStore('devices')
  arm()
  return store
}
