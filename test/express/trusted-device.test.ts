import { setTimeout } from 'node:timers/promises'
import type { Express, Response } from 'express'
import { describe, expect, it } from 'vitest'
import type { TwoFactor, TwoFactorOptions } from '../../src/index.js'
import type { Browser } from './browser.js'
import {
  asAna,
  bringDevice,
  deviceCookies,
  type Host,
  ok,
  renewedThrough,
  startChallenged,
  startHost,
  startLoggedIn,
  storeThrough,
  usualRoutes,
} from './kit.js'

const day = 24 * 60 * 60_000
const options: Partial<TwoFactorOptions> = {
  trustedDevices: { maxAgeMs: 30 * day },
  purposes: { login: { trustedDevice: true }, keys: {}, transfer: { trustedDevice: true } },
}
const mount = (app: Express, tf: TwoFactor) => {
  app.get('/keys', tf.requireTwoFactor({ purpose: 'keys' }), ok)
  app.get('/fresh', tf.requireTwoFactor({ maxAgeMs: 60_000 }), ok)
  app.get('/bound', tf.requireTwoFactor({ purpose: 'transfer', bind: () => ({ to: 'Beatriz' }) }), ok)
  app.get('/devices', async (req, res) => {
    res.json({ here: await tf.trustedDevices.has(req), all: await tf.trustedDevices.list('ana', req) })
  })
}

async function trust(host: Host, headers: Record<string, string> = {}): Promise<Browser> {
  const ana = await host.challenged()
  expect((await ana.verify(host.stub.rightCode, { trustDevice: true }, headers)).status).toBe(200)
  return ana
}

/** The same browser after a sign-out: the device cookie alone is left. */
const again = async (host: Host, from: Browser) => bringDevice(await host.login(), from)

const startAgain = async (host: Host, from: Browser) => (await again(host, from)).start()

/** Sessions of the host, and what happens while one is renewed. */
function heldSessions() {
  const held = { meanwhile: (_res: Response): unknown => undefined }
  const session = renewedThrough(async (renew, res) => {
    await renew()
    await held.meanwhile(res)
  })
  return { session, held }
}

describe('a trusted device', () => {
  it('replaces the code at the next sign-in, under a renewed session', async () => {
    const host = await startHost({ options, mount })
    const ana = await trust(host)
    const later = await again(host, ana)
    const before = later.copy()
    const told = await later.start()
    expect(told.status).toBe(200)
    expect(told.json).toEqual({ verified: true, purpose: 'login', verifiedAt: '2026-03-01T12:00:00.000Z' })
    expect(host.stub.sends).toHaveLength(1)
    expect((await later.get('/account')).json).toMatchObject({ subject: 'ana', userId: 'ana' })
    expect((await before.get('/account')).status).toBe(401)
  })

  it('does not where a guard has asked for a code of its purpose, nor for the one after it', async () => {
    const host = await startHost({
      options: { ...options, purposes: { ...options.purposes, settings: { trustedDevice: true } } },
      mount(app, tf) {
        app.get('/settings', tf.requireTwoFactor({ purpose: 'settings' }), ok)
        app.get('/mail', tf.requireTwoFactor({ purpose: 'settings', maxAgeMs: 60_000 }), ok)
      },
    })
    const ana = await trust(host)
    host.clock.now += 10 * 60_000
    const asked = await ana.open((await ana.open('/mail')).location)
    const started = await ana.submit('/two-factor/start', asked.fields)
    host.clock.now += 11 * 60_000
    const expired = await ana.open(started.location)
    const sent = await ana.submit('/two-factor/start', expired.fields)
    expect(sent.location).toMatch(/^\/two-factor\?requirement=/)
    expect(host.stub.sends).toHaveLength(3)
    // A guard that asks for no more than the purpose takes the browser.
    const plain = await ana.open((await ana.open('/settings')).location)
    expect((await ana.submit('/two-factor/start', plain.fields)).location).toBe('/settings')
  })

  it('replaces the code in a session that started with its request', async () => {
    const host = await startHost({
      options,
      mount: (app, tf) => app.post('/sign-in', asAna, tf.start({ purpose: 'login' })),
    })
    const later = bringDevice(host.browser(), await trust(host))
    expect((await later.post('/sign-in', {})).json).toMatchObject({ verified: true })
    expect((await later.get('/account')).status).toBe(200)
  })

  it('never steps up, nor signs in where that has to be younger than usual', async () => {
    const host = await startHost({ options, mount })
    const later = await again(host, await trust(host))
    await later.start()
    const keys = await later.get('/keys')
    expect(keys.status).toBe(403)
    expect((await later.start({ requirement: keys.json.requirement })).status).toBe(201)
    host.clock.now += 60_000
    expect((await later.start({ purpose: 'keys' })).status).toBe(201)
    await later.post('/two-factor/cancel')

    host.clock.now += 120_000
    expect((await later.get('/fresh')).status).toBe(403)
    expect((await later.start()).json.verified).toBe(true)
    const fresh = await later.get('/fresh')
    expect(fresh.status).toBe(403)
    expect((await later.start({ requirement: fresh.json.requirement })).status).toBe(201)
    await later.verify(host.stub.rightCode)
    expect((await later.get('/fresh')).status).toBe(200)
  })

  it('is offered at the code of a sign-in, and not if only a code is accepted', async () => {
    const { host, ana } = await startLoggedIn({ options, mount })
    await ana.submit('/two-factor/start')
    expect((await ana.open('/two-factor')).text).toContain('name="trustDevice"')
    await ana.submit('/two-factor/verify', { code: host.stub.rightCode })

    for (const path of ['/fresh', '/bound', '/keys']) {
      host.clock.now += 120_000
      const page = (await ana.open(path)).location
      const requirement = new URL(page, host.url).searchParams.get('requirement') ?? ''
      await ana.submit('/two-factor/start', { requirement })
      const { text } = await ana.open(page)
      expect(text).toContain('name="code"')
      expect(text).not.toContain('trustDevice')
    }
  })

  it.each<[string, Partial<TwoFactorOptions>]>([
    ['where the option is off', {}],
    [
      'by a purpose that does not allow it',
      { ...options, purposes: { login: { trustedDevice: false }, keys: {}, transfer: {} } },
    ],
  ])('is neither offered nor made %s', async (_name, given) => {
    const host = await startHost({ options: given, mount })
    const ana = await trust(host)
    expect((await ana.get('/devices')).json).toEqual({ here: false, all: [] })
    host.clock.now += 120_000
    const other = await again(host, ana)
    await other.submit('/two-factor/start')
    const { text } = await other.open('/two-factor')
    expect(text).toContain('name="code"')
    expect(text).not.toContain('trustDevice')
  })

  it('can be listed with the label of its request, and revoked singly and in total', async () => {
    const host = await startHost({ options, mount })
    const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0'
    const first = await trust(host, { 'user-agent': agent })
    const second = await trust(host)
    const { here, all } = (await first.get('/devices')).json
    expect(here).toBe(true)
    expect(all).toMatchObject([{ label: 'Firefox, Linux', isThis: true }, { isThis: false }])
    expect((await host.browser().get('/devices')).json.here).toBe(false)

    await host.tf.trustedDevices.revoke('ana', all[0].id)
    const gone = await again(host, first)
    expect((await gone.get('/devices')).json.here).toBe(false)
    expect((await gone.start()).status).toBe(201)
    expect((await (await again(host, second)).get('/devices')).json.here).toBe(true)
    await host.tf.trustedDevices.revokeSubject('ana')
    expect(await host.tf.trustedDevices.list('ana')).toEqual([])
  })

  it.each<[unknown, string | undefined]>([
    ['x'.repeat(101), 'x'.repeat(100)],
    ['', undefined],
  ])('has the name that the host gives it: %j', async (label, name) => {
    const trustedDevices = { maxAgeMs: day, label: () => label as string }
    const host = await startHost({ options: { ...options, trustedDevices } })
    await trust(host)
    expect((await host.tf.trustedDevices.list('ana'))[0]?.label).toBe(name)
  })

  it('is not stored if the app names it without text, and the app gets an error', async () => {
    const trustedDevices = { maxAgeMs: day, label: () => 7 as never }
    const { host, ana } = await startChallenged({ options: { ...options, trustedDevices } })
    const told = await ana.verify(host.stub.rightCode, { trustDevice: true })
    expect(told.json.host).toBe('trustedDevices.label must return a string')
    expect(await host.tf.trustedDevices.list('ana')).toEqual([])
  })

  it('signs in no user if it is revoked during the renewal of its session', async () => {
    const { session, held } = heldSessions()
    const host = await startHost({ options: { ...options, session }, mount })
    const thief = await again(host, await trust(host))
    const copied = deviceCookies(thief)
    held.meanwhile = async () => {
      for (const { id } of await host.tf.trustedDevices.list('ana')) {
        await host.tf.trustedDevices.revoke('ana', id)
      }
    }
    expect((await thief.start()).refusal).toEqual([410, 'challenge_gone'])
    expect(deviceCookies(thief)).toEqual(copied)
    expect((await thief.get('/account')).status).toBe(403)
    expect((await thief.get('/devices')).json).toEqual({ here: false, all: [] })
  })
})

describe('trust that was given', () => {
  it('stays when the host refuses a sign-in in its own words, before or after the session is renewed', async () => {
    const { session, held } = heldSessions()
    let refuses = false
    const onVerified: TwoFactorOptions['onVerified'] = (_req, res) => {
      if (refuses) res.status(403).json({ terms: 'accept them first' })
    }
    const host = await startHost({ options: { ...options, onVerified, session }, mount })
    const ana = await trust(host)
    refuses = true
    const later = await again(host, ana)
    expect((await later.start()).json).toEqual({ terms: 'accept them first' })
    refuses = false
    held.meanwhile = (res) => res.status(503).json({ busy: true })
    expect((await startAgain(host, later)).json).toEqual({ busy: true })
    held.meanwhile = () => undefined
    host.clock.now += 60_000
    for (const browser of [ana, later]) expect((await startAgain(host, browser)).json.verified).toBe(true)
  })

  it.each([
    ['once', 1, [200, undefined]],
    ['at all, which is refused', Number.POSITIVE_INFINITY, [503, 'store_unavailable']],
  ])('stays when the store does not answer its sign-in %s', async (_name, times, refusal) => {
    let silent = 0
    const store = storeThrough((command, key, work) => {
      if (silent === 0 || command !== 'swap' || !key.includes(':devices:')) return work()
      silent -= 1
      return new Promise(() => undefined)
    })
    const host = await startHost({ options: { ...options, store }, mount })
    const ana = await trust(host)
    silent = times
    expect((await startAgain(host, ana)).refusal).toEqual(refusal)
    silent = 0
    expect((await startAgain(host, ana)).json.verified).toBe(true)
  })

  it('is not stored if the cookie cannot be set, and the code still counts', async () => {
    // Grants are written a moment later.
    const store = storeThrough((_command, key, work) => {
      return key.includes(':grants:') ? setTimeout(20).then(work) : work()
    })
    const host = await startHost({
      options: { ...options, store },
      routes: (app, tf) => {
        app.use((_req, res, next) => {
          res.cookie = () => {
            throw new TypeError('no cookies here')
          }
          next()
        })
        usualRoutes(app, tf)
      },
    })
    const ana = await trust(host)
    expect([deviceCookies(ana), (await ana.get('/account')).status]).toEqual([[], 200])
  })

  it.each([
    ['before it answers', false],
    ['after it answered', true],
  ])('goes when onVerified fails %s', async (_name, answers) => {
    let fails = true
    const { host, ana } = await startChallenged({
      options: {
        ...options,
        onVerified: (_req, res) => {
          if (!fails) return
          res.cookie('own', '1')
          if (answers) res.json({ half: true })
          throw new Error('the accounts are away')
        },
      },
      mount,
    })
    expect((await ana.verify(host.stub.rightCode, { trustDevice: true })).status).toBe(answers ? 200 : 500)
    expect(deviceCookies(ana)).toHaveLength(answers ? 1 : 0)
    expect(ana.cookies.get('own')).toBe('1')
    expect(await host.tf.trustedDevices.list('ana')).toEqual([])
    fails = false
    expect((await startAgain(host, ana)).status).toBe(201)
  })
})

it.each<[string, boolean, (own: string) => string, ((own: string) => string)?]>([
  ['is found among others', true, (own) => own],
  ['is none where it has more before it', false, (own) => own, (token) => `!${token}`],
  ['is none where it is too long', false, (own) => own, (token) => `${token}x`],
  ['is none under another name', false, (own) => `${own.slice(0, -1)}!`],
  ['is none behind another name', false, (own) => `x${own}`],
])('a device cookie %s', async (_name, isTrusted, name, value = (own) => own) => {
  const host = await startHost({ options, mount })
  const [[own = '', token = ''] = []] = deviceCookies(await trust(host))
  host.clock.now += 60_000
  const later = await host.login()
  const sid = `connect.sid=${later.cookies.get('connect.sid')}`
  const cookie = `theme=dark;${name(own)}=${value(token)}; ${sid}; lang=en`
  later.cookies.clear()
  expect((await later.start({}, { cookie })).json.verified === true).toBe(isTrusted)
})
