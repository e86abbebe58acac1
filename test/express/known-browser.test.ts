import { describe, expect, it } from 'vitest'
import type { Store } from '../../src/index.js'
import {
  anasToken,
  bringDevice,
  deviceCookies,
  failingStore,
  deviceLines as setBy,
  startHost,
  startLoggedIn,
  withTokens,
} from './kit.js'

/** A store that takes everything but trusted browsers. */
function fullOfDevices(): Store {
  const { store, arm } = failingStore('devices')
  arm()
  return store
}

describe('the cookie of a known browser', () => {
  it('is left by every success, sign-in and step-up, and by nothing else', async () => {
    const { host, ana } = await startLoggedIn()
    expect(setBy(await ana.start())).toEqual([])
    expect(setBy(await ana.verify('wrong1'))).toEqual([])
    const verified = await ana.verify(host.stub.rightCode)
    const [set] = setBy(verified)
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
    const before = await host.signIn()
    const later = bringDevice(await host.login(), before)
    expect((await later.get('/account')).status).toBe(403)
    expect((await later.start()).status).toBe(201)
    expect((await later.get('/account')).status).toBe(403)
    expect(host.stub.sends).toHaveLength(2)
  })

  it('is set for as long as the option says, and not at all with false', async () => {
    const short = await startHost({ options: { knownBrowsers: { maxAgeMs: 60_000 } } })
    const ana = await short.login()
    const told = await short.confirm(ana)
    expect(setBy(told)[0]).toContain('; Max-Age=60; ')
    const off = await startHost({ options: { knownBrowsers: false } })
    expect(deviceCookies(await off.signIn())).toEqual([])
  })

  it('does not exist for clients with bearer tokens', async () => {
    const host = await startHost(withTokens())
    const told = await host.confirm(host.browser(anasToken))
    expect([told.status, setBy(told)]).toEqual([200, []])
  })

  it('is there where trust in it cannot be stored', async () => {
    const trustedDevices = { maxAgeMs: 60_000 }
    const { host, ana } = await startLoggedIn({ options: { store: fullOfDevices(), trustedDevices } })
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
