import type { Request } from 'express'
import { describe, expect, it } from 'vitest'
import { type CodeProvider, memoryStore, twoFactor } from '../../src/index.js'
import { deviceCookies, ok, startLoggedIn } from './kit.js'

const code = '482913'
const codes: CodeProvider = {
  sendCode: async () => ({ result: 'sent' }),
  checkCode: async (check) => (check.code === code ? 'approved' : 'rejected'),
}

/** An app of the shop and one of the staff on one store, which guards `/vault`; both take the session for theirs. */
async function startBoth() {
  const shared = { store: memoryStore(), trustedDevices: { maxAgeMs: 60_000 } }
  return startLoggedIn({
    options: { ...shared, namespace: 'shop' },
    mount(app) {
      const staff = twoFactor({
        ...shared,
        namespace: 'staff',
        provider: codes,
        appName: 'Staff',
        secret: 'a secret of thirty-two bytes or more',
        countries: ['CO'],
        subject: (req: Request) => req.session.pendingUserId ?? req.session.userId,
        phone: () => '+573007654321',
        path: '/staff',
        now: () => Date.parse('2026-03-01T12:00:00.000Z'),
      })
      app.use('/staff', staff.routes())
      app.get('/vault', staff.requireTwoFactor(), ok)
    },
  })
}

describe('two apps with a namespace each', () => {
  it('know a browser each, and take no grant, requirement or trust of each other', async () => {
    const { host, ana } = await startBoth()
    await host.confirm(ana, {}, { trustDevice: true })
    expect((await ana.get('/vault')).status).toBe(403)
    const [shop, ...others] = deviceCookies(ana)
    expect(others).toEqual([])
    expect((await ana.post('/staff/start', {})).status).toBe(201)
    await ana.post('/staff/verify', { code })
    const both = deviceCookies(ana)
    expect([both.length, both[0]]).toEqual([2, shop])
    const { requirement } = (await ana.post('/transfers', { amount: 1, payee: 'a' })).json
    expect((await ana.post('/staff/start', { requirement })).status).toBe(400)
  })

  it('end what the other one has in a session that they share, by each sign-in', async () => {
    const { host, ana } = await startBoth()
    await host.confirm(ana)
    await ana.post('/staff/start', {})
    await ana.post('/staff/verify', { code })
    expect((await ana.get('/vault')).status).toBe(200)
    expect((await ana.get('/account')).status).toBe(403)
  })
})
