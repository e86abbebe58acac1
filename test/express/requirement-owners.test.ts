import express, { type Express } from 'express'
import { describe, expect, it } from 'vitest'
import type { TwoFactor, TwoFactorOptions } from '../../src/index.js'
import { figure } from '../prove/figure.js'
import type { Answer, Browser } from './browser.js'
import { describedTransfers, mum } from './described-transfers.js'
import { sessionByHeader, sessionIdOf, startHost } from './kit.js'

/** Another account takes the session over, whose id stays as it is. */
function mount(app: Express, tf: TwoFactor): void {
  describedTransfers(app, tf)
  app.post('/as', express.json(), (req, res) => {
    delete req.session.pendingUserId
    delete req.session.userId
    Object.assign(req.session, req.body)
    res.json({})
  })
}

const as = (browser: Browser, session: { readonly userId?: string; readonly pendingUserId?: string }) =>
  browser.post('/as', session)

/** The requirement that a guard has given Ana, who is signed in, for a transfer to her mother. */
async function asked(options: Partial<TwoFactorOptions> = {}) {
  const host = await startHost({ mount, options })
  const ana = await host.signIn()
  host.clock.now += 60_000
  const { requirement } = (await ana.post('/pay', mum)).json as { readonly requirement: string }
  return { host, browser: ana, requirement }
}

/** Every request that takes a requirement, as a program and as a page. */
const requests: [string, (browser: Browser, requirement: string) => Promise<Answer>][] = [
  ['a start', (browser, requirement) => browser.start({ requirement })],
  ['a start by a form', (browser, requirement) => browser.submit('/two-factor/start', { requirement })],
  ['a resend', (browser, requirement) => browser.post('/two-factor/resend', { requirement })],
  ['a code', (browser, requirement) => browser.verify('482914', { requirement })],
  [
    'a code by a form',
    (browser, requirement) => browser.submit('/two-factor/verify', { code: '482914', requirement }),
  ],
  [
    'a form that is cancelled',
    (browser, requirement) => browser.submit('/two-factor/cancel', { requirement, purpose: 'pay' }),
  ],
  ['a look', (browser, requirement) => browser.get(`/two-factor?requirement=${requirement}`)],
  ['a page', (browser, requirement) => browser.open(`/two-factor?requirement=${requirement}`)],
  [
    'the page of a recovery code',
    (browser, requirement) => browser.open(`/two-factor?method=recovery-code&requirement=${requirement}`),
  ],
]

const told = ({ status, location, text }: Answer) => [status, location, text]

describe('a requirement of another account that was signed in here before', () => {
  it('is worth nothing, and shows nothing of what it was for', async () => {
    const { host, browser, requirement } = await asked()
    await as(browser, { userId: 'ben' })
    const started = await browser.start({ requirement })
    const page = await browser.open(`/two-factor?requirement=${requirement}`)
    figure(18, `${started.status < 400 ? 1 : 0} of 1 code sent for what another account was asked for`)
    expect(started.json).toMatchObject({
      status: 400,
      code: 'invalid_request',
      detail: 'requirement is invalid or has expired.',
    })
    expect(page.status).toBe(400)
    expect(page.text).not.toMatch(/Mum|Transfer/)
    expect(host.stub.sends).toHaveLength(1)
  })

  it.each(requests)('is told by %s as that of another session is', async (_which, send) => {
    const { host, browser, requirement } = await asked()
    await as(browser, { userId: 'ben' })
    const elsewhere = await host.login('ben')
    await as(elsewhere, { userId: 'ben' })
    const here = told(await send(browser, requirement))
    expect(here).toEqual(told(await send(elsewhere, requirement)))
    expect(here.join()).not.toMatch(/Mum|Transfer/)
    expect(host.errors).toEqual([])
  })

  it('names no challenge of the account that is signed in now', async () => {
    const { host, browser, requirement } = await asked()
    await as(browser, { userId: 'ben' })
    await browser.start({ purpose: 'pay' })
    const { rightCode, checks } = host.stub
    const before = checks.length
    expect((await browser.verify(rightCode, { requirement })).refusal).toEqual([400, 'invalid_request'])
    const byName = { subject: 'ben', phone: '+573007654321', session: sessionIdOf(browser), requirement }
    const verified = await host.tf.challenges.verify({ ...byName, code: rightCode })
    expect(verified).toMatchObject({ outcome: 'refused', code: 'invalid_request' })
    expect(await host.tf.challenges.resend(byName)).toMatchObject({ code: 'invalid_request' })
    expect(checks).toHaveLength(before)
  })

  it('stays one of another account when that has given a proof, and renewed the session', async () => {
    const { host, browser, requirement } = await asked()
    await as(browser, { userId: 'ben' })
    expect((await host.confirm(browser, { purpose: 'pay' }, { purpose: 'pay' })).status).toBe(200)
    const page = await browser.open(`/two-factor?requirement=${requirement}`)
    expect([page.status, page.text.includes('already confirmed')]).toEqual([400, false])
    expect((await browser.verify('482914', { requirement })).refusal).toEqual([400, 'invalid_request'])
  })

  it('leads back to its page as that of another session does', async () => {
    const host = await startHost({ mount })
    const browser = await host.signIn()
    const page = (await browser.open('/settings?tab=2')).location
    await as(browser, { userId: 'ben' })
    const shown = await browser.open(page)
    expect([shown.status, shown.text.includes('<a href="/settings">')]).toEqual([400, true])
  })

  it('is not made anew for the one that signs in while the code is sent', async () => {
    const { host, browser, requirement } = await asked({
      beforeSend(req, { purpose }) {
        if (purpose === 'pay') req.session.userId = 'ben'
        return true
      },
    })
    const page = (await browser.submit('/two-factor/start', { requirement })).location
    const shown = await browser.open(page)
    expect([shown.status, shown.text.includes('Mum')]).toEqual([400, false])
    await as(browser, { userId: 'ana' })
    expect((await browser.open(page)).text).toContain('Mum')
    expect(host.stub.sends).toHaveLength(2)
  })

  it('shows nothing to nobody', async () => {
    const { host, browser, requirement } = await asked()
    await as(browser, {})
    for (const path of ['?', '?method=recovery-code&']) {
      const page = await browser.open(`/two-factor${path}requirement=${requirement}`)
      expect(page.status).toBeGreaterThanOrEqual(400)
      expect(page.text).not.toMatch(/Mum|Transfer/)
    }
    expect((await browser.start({ requirement })).status).toBe(401)
    expect(host.errors).toEqual([])
  })
})

describe('a requirement of the account that is signed in', () => {
  it('is worth what it was when the account is back', async () => {
    const { host, browser, requirement } = await asked()
    await as(browser, { userId: 'ben' })
    expect((await browser.start({ requirement })).status).toBe(400)
    await as(browser, { userId: 'ana' })
    expect((await browser.start({ requirement })).json.challenge.details.rows[1]).toEqual(['To', 'Mum'])
    expect((await browser.verify(host.stub.rightCode, { requirement })).status).toBe(200)
    expect((await browser.post('/pay', mum)).status).toBe(200)
  })

  it('holds from before the sign-in is done until after it', async () => {
    const host = await startHost({ mount })
    const ana = await host.login()
    const { requirement } = (await ana.post('/pay', mum)).json
    await as(ana, { userId: 'ana' })
    expect((await ana.open(`/two-factor?requirement=${requirement}`)).text).toContain('Mum')
    // Somebody else begins a sign-in in another tab, and leaves it.
    await as(ana, { userId: 'ana', pendingUserId: 'ben' })
    expect((await ana.start({ requirement })).status).toBe(400)
    await as(ana, { userId: 'ana' })
    expect((await ana.start({ requirement })).status).toBe(201)
  })

  it('holds whether the account is named by a number or a text', async () => {
    const host = await startHost({ mount, options: { subject: () => 7, phone: () => '+573001234567' } })
    const browser = host.browser()
    const { requirement } = (await browser.post('/pay', mum)).json
    expect((await browser.start({ requirement })).status).toBe(201)
    const byName = { phone: '+573001234567', session: sessionIdOf(browser), requirement }
    const verify = (subject: string | number) =>
      host.tf.challenges.verify({ ...byName, subject, code: host.stub.rightCode })
    expect(await verify(8)).toMatchObject({ code: 'invalid_request' })
    expect(await verify('7')).toMatchObject({ outcome: 'approved', purpose: 'pay' })
  })
})

it('a requirement is worth nothing to a request without a session', async () => {
  const recoveryCodes = { consume: () => false }
  const host = await startHost({ options: { subject: () => 'ana', session: sessionByHeader, recoveryCodes } })
  const ana = host.browser({ 'x-session': 'hers' })
  const { requirement } = (await ana.get('/account')).json
  const page = `/two-factor?method=recovery-code&requirement=${requirement}`
  expect((await ana.open(page)).status).toBe(200)
  expect((await host.browser().open(page)).status).toBe(400)
})

describe('a requirement where `subject` throws', () => {
  it('hides no refusal by which the host signs somebody out', async () => {
    const { host, browser, requirement } = await asked({
      subject({ session: { pendingUserId, userId } }) {
        if (pendingUserId === undefined && userId === undefined) throw new TypeError('there is no user')
        return pendingUserId ?? userId
      },
      beforeSend(req, { purpose }) {
        if (purpose === 'login') return true
        delete req.session.userId
        return false
      },
    })
    const told = await browser.submit('/two-factor/start', { requirement })
    expect([told.status, host.errors]).toEqual([403, []])
    expect(told.text).toContain('role="alert"')
  })

  it('hides no such error from the host', async () => {
    let subject = (): string => 'ana'
    const { host, browser, requirement } = await asked({ subject: () => subject() })
    subject = () => {
      throw new Error('the accounts are away')
    }
    for (const [which, send] of requests) {
      if (which.startsWith('the page of a recovery')) continue
      expect([which, (await send(browser, requirement)).json]).toEqual([
        which,
        { host: 'the accounts are away' },
      ])
    }
    // That of the sign-in.
    expect(host.stub.checks).toHaveLength(1)
  })
})
