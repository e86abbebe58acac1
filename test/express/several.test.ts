import type { Request } from 'express'
import { describe, expect, it } from 'vitest'
import { type CodeProvider, memoryStore, type TwoFactorOptions, twoFactor } from '../../src/index.js'
import type { Browser } from './browser.js'
import { type Host, ok, regenerates, startLoggedIn, storeThrough } from './kit.js'

const code = '482913'
const codes: CodeProvider = {
  sendCode: async () => ({ result: 'sent' }),
  checkCode: async (check) => (check.code === code ? 'approved' : 'rejected'),
}

/** Two apps of one process on one session: that of every host, and one for the staff, which guards `/vault`. */
async function startBoth(first: Partial<TwoFactorOptions>, second: Partial<TwoFactorOptions>) {
  return startLoggedIn({
    options: first,
    mount(app, tf) {
      const staff = twoFactor({
        provider: codes,
        appName: { login: 'Staff', signup: 'Staff signup' },
        secret: 'a secret of thirty-two bytes or more',
        countries: ['CO'],
        subject: (req: Request) => req.session.pendingUserId ?? req.session.userId,
        phone: () => '+573007654321',
        path: '/staff',
        now: () => Date.parse('2026-03-01T12:00:00.000Z'),
        ...second,
      })
      const proof = staff.phoneVerification()
      app.use('/staff', staff.routes())
      app.use('/staff-phone', proof.routes())
      app.post('/staff-proof', proof.requireProof(), (req, res) => void res.json(req.provenPhone))
      app.get('/vault', staff.requireTwoFactor(), ok)
      app.use('/phone', tf.phoneVerification().routes())
    },
  })
}

async function pass(browser: Browser, host: Host, mount: '/two-factor' | '/staff'): Promise<void> {
  expect((await browser.post(`${mount}/start`, {})).status).toBeLessThan(202)
  const right = mount === '/staff' ? code : host.stub.rightCode
  expect((await browser.post(`${mount}/verify`, { code: right })).status).toBe(200)
}

const doors = async (browser: Browser) => [
  (await browser.get('/account')).status,
  (await browser.get('/vault')).status,
]
const deviceCookies = (browser: Browser) =>
  [...browser.cookies].filter(([name]) => name.startsWith('__Host-two-factor-device'))

describe('two apps of one process with a namespace each', () => {
  const names = [{ namespace: 'shop' }, { namespace: 'staff' }] as const
  const store = () => {
    const shared = memoryStore()
    return [
      { ...names[0], store: shared },
      { ...names[1], store: shared },
    ] as const
  }

  it.each([
    ['on a store each', () => names],
    ['on one store', store],
  ])('keep their grants when the other one renews the session, %s', async (_name, options) => {
    const [first, second] = options()
    const { host, ana } = await startBoth(first, second)
    await pass(ana, host, '/two-factor')
    expect(await doors(ana)).toEqual([200, 403])
    const old = ana.copy()
    await pass(ana, host, '/staff')
    expect(await doors(ana)).toEqual([200, 200])
    // Session fixation: what moved along is worth nothing under the old id.
    expect(await doors(old)).toEqual([401, 401])
    host.clock.now += 60_000
    await pass(ana, host, '/two-factor')
    expect(await doors(ana)).toEqual([200, 200])
  })

  it('ask nothing of one that is closed', async () => {
    let asked = 0
    const subject = () => {
      asked += 1
      return undefined
    }
    let close = async () => {}
    const { host, ana } = await startLoggedIn({
      options: names[0],
      mount() {
        const appName = { login: 'Staff', signup: 'Staff signup' }
        const options = {
          ...names[1],
          provider: codes,
          appName,
          secret: 'a secret of thirty-two bytes or more',
        }
        const staff = twoFactor({ ...options, countries: ['CO'], subject, phone: () => undefined })
        close = staff.close
      },
    })
    await pass(ana, host, '/two-factor')
    expect(asked).toBe(1)
    await close()
    host.clock.now += 60_000
    await pass(ana, host, '/two-factor')
    expect(asked).toBe(1)
  })

  it('keep them through a change of number at the other one', async () => {
    const { host, ana } = await startBoth(...names)
    await pass(ana, host, '/two-factor')
    await pass(ana, host, '/staff')
    const before = deviceCookies(ana)
    await ana.post('/phone/start', { phone: '+573009999999' })
    expect((await ana.post('/phone/verify', { code: host.stub.rightCode })).status).toBe(200)
    expect(await doors(ana)).toEqual([200, 200])
    expect(deviceCookies(ana)).toEqual(before)
  })

  it('keep them when the host renews the session itself', async () => {
    const { host, ana } = await startBoth({ ...names[0], onVerified: regenerates }, names[1])
    await pass(ana, host, '/staff')
    await pass(ana, host, '/two-factor')
    expect(await doors(ana)).toEqual([200, 200])
  })

  it('keep a proven number under way', async () => {
    const { host, ana } = await startBoth(...names)
    await ana.post('/staff-phone/start', { phone: '+573009999999' })
    await pass(ana, host, '/two-factor')
    expect((await ana.post('/staff-phone/verify', { code })).status).toBe(200)
    host.clock.now += 60_000
    await pass(ana, host, '/two-factor')
    expect((await ana.post('/staff-proof')).json).toMatchObject({ phone: '+573009999999' })
  })

  it('keep the proof of an anonymous visitor who proves a number at the other one, too', async () => {
    const { host } = await startBoth(...names)
    const visitor = host.browser()
    await visitor.post('/staff-phone/start', { phone: '+573009999999' })
    expect((await visitor.post('/staff-phone/verify', { code })).status).toBe(200)
    await visitor.post('/phone/start', { phone: '+573009999999' })
    expect((await visitor.post('/phone/verify', { code: host.stub.rightCode })).status).toBe(200)
    expect((await visitor.post('/staff-proof')).json).toMatchObject({ phone: '+573009999999' })
  })

  it('take no number along that an anonymous visitor proved at the other one before the sign-in', async () => {
    const { host } = await startBoth(...names)
    const mallory = host.browser()
    await mallory.post('/staff-phone/start', { phone: '+573009999999' })
    expect((await mallory.post('/staff-phone/verify', { code })).status).toBe(200)
    // Session fixation: Ana signs in by the session that Mallory planted.
    const ana = mallory.copy()
    await ana.post('/login', { user: 'ana' })
    await pass(ana, host, '/two-factor')
    expect((await ana.post('/staff-proof')).status).toBe(403)
  })

  it('know a browser each, and take no grant, requirement or trust of each other', async () => {
    const trusted = { trustedDevices: { maxAgeMs: 60_000 } }
    const { host } = await startBoth({ ...names[0], ...trusted }, { ...names[1], ...trusted })
    const ana = await host.challenged()
    await ana.verify(host.stub.rightCode, { trustDevice: true })
    expect(deviceCookies(ana).map(([name]) => name)).toEqual(['__Host-two-factor-device-shop'])
    expect((await ana.post('/staff/start', {})).status).toBe(201)
    const [[, shop] = []] = deviceCookies(ana)
    await ana.post('/staff/verify', { code })
    const cookies = new Map(deviceCookies(ana))
    expect(cookies.get('__Host-two-factor-device-shop')).toBe(shop)
    expect(cookies.size).toBe(2)
    const { requirement } = (await ana.post('/transfers', { amount: 1, payee: 'a' })).json
    expect((await ana.post('/staff/start', { requirement })).status).toBe(400)
  })

  it('take nothing along for another account or another session', async () => {
    // The staff app sees somebody else in the same session.
    const { host, ana } = await startBoth(names[0], { ...names[1], subject: (req) => req.get('x-staff') })
    const asBoss = { 'x-staff': 'boss' }
    await ana.post('/staff/start', {}, asBoss)
    await ana.post('/staff/verify', { code }, asBoss)
    expect((await ana.get('/vault', asBoss)).status).toBe(200)
    await pass(ana, host, '/two-factor')
    // In that request nobody was seen, so nothing moved: fail closed.
    expect((await ana.get('/vault', asBoss)).status).toBe(403)
    expect((await ana.get('/vault', { 'x-staff': 'ana' })).status).toBe(403)
  })

  it.each<[string, Partial<TwoFactorOptions>]>([
    ['nobody in the session', { subject: () => undefined }],
    ['another session', { session: { id: () => 'another', rotate() {} } }],
  ])('move no grants of an app that sees %s', async (_name, staff) => {
    const asked: string[] = []
    const store = storeThrough((command, key, work) => {
      if (command === 'read') asked.push(key)
      return work()
    })
    const { host } = await startBoth(names[0], { ...names[1], store, ...staff })
    await pass(await host.login(), host, '/two-factor')
    expect(asked.filter((key) => key.includes(':grants:'))).toEqual([])
  })

  it('do not hinder each other when one of them fails', async () => {
    const subject = (req: Request) => {
      if (req.path === '/verify' && req.baseUrl === '/two-factor') throw new Error('down')
      return req.session.userId ?? req.session.pendingUserId
    }
    const { host, ana } = await startBoth(names[0], { ...names[1], subject })
    await pass(ana, host, '/staff')
    await pass(ana, host, '/two-factor')
    expect(await doors(ana)).toEqual([200, 403])
  })
})

describe('two apps of one process with the same namespace', () => {
  it('are one app in two parts on one store: a grant of one admits at the other', async () => {
    const store = memoryStore()
    const { host, ana } = await startBoth({ store }, { store })
    await pass(ana, host, '/two-factor')
    expect(await doors(ana)).toEqual([200, 200])
  })

  it('hinder each other on a store each: a renewal ends the grants of the other, and the cookie is one', async () => {
    const { host, ana } = await startBoth({}, {})
    await pass(ana, host, '/two-factor')
    expect(await doors(ana)).toEqual([200, 403])
    const [[, first] = []] = deviceCookies(ana)
    await pass(ana, host, '/staff')
    expect(await doors(ana)).toEqual([403, 200])
    const [[, second] = [], ...others] = deviceCookies(ana)
    expect(others).toEqual([])
    expect(second).not.toBe(first)
  })

  it('let nothing in by the other one that a failed sign-in left behind', async () => {
    const store = memoryStore()
    const onVerified: typeof regenerates = async (...given) => {
      await regenerates(...given)
      throw new Error('no such account')
    }
    const { host } = await startBoth({ store, onVerified }, { store })
    const ana = await host.challenged()
    expect((await ana.verify(host.stub.rightCode)).status).toBe(500)
    expect(await doors(ana)).toEqual([403, 403])
  })
})
