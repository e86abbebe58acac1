import express, { type Express } from 'express'
import { describe, expect, it } from 'vitest'
import {
  memoryStore,
  type TwoFactor,
  type TwoFactorOptions,
  tokenSession,
  twoFactor,
} from '../../src/index.js'
import { figure } from '../prove/figure.js'
import type { Answer, Browser } from './browser.js'
import { describedTransfers, mum } from './described-transfers.js'
import { baseOptions, sessionByHeader, sessionIdOf, signupAt, startHost } from './kit.js'

/** Another account takes the session over, whose id stays as it is. */
function mount(app: Express, tf: TwoFactor): void {
  describedTransfers(app, tf)
  signupAt('/phone')(app, tf)
  app.post('/as', express.json(), (req, res) => {
    delete req.session.pendingUserId
    delete req.session.userId
    Object.assign(req.session, req.body)
    res.json({})
  })
  const { proven } = tf.phoneVerification()
  app.get('/proven', (req, res, next) => void proven(req).then((found) => res.json({ proven: found }), next))
}

const as = (browser: Browser, userId?: string) => browser.post('/as', { userId })

/** The requirement that a guard has given Ana, who is signed in, for a transfer to her mother. */
async function asked(options: Partial<TwoFactorOptions> = {}) {
  const host = await startHost({ mount, options })
  const browser = await host.signIn()
  host.clock.now += 60_000
  const { requirement } = (await browser.post('/pay', mum)).json as { readonly requirement: string }
  return { host, browser, requirement }
}

/** Every request that takes a requirement. */
const requests: [string, (browser: Browser, requirement: string) => Promise<Answer>][] = [
  ['a start', (browser, requirement) => browser.start({ requirement })],
  ['a start by a form', (browser, requirement) => browser.submit('/two-factor/start', { requirement })],
  ['a resend', (browser, requirement) => browser.post('/two-factor/resend', { requirement })],
  ['a code', (browser, requirement) => browser.verify('482914', { requirement })],
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
  it('is refused until that account signs in again', async () => {
    const { host, browser, requirement } = await asked()
    await as(browser, 'ben')
    const started = await browser.start({ requirement })
    figure(18, `${started.status < 400 ? 1 : 0} of 1 code sent for what another account was asked for`)
    expect(started.refusal).toEqual([400, 'invalid_request'])
    expect(host.stub.sends).toHaveLength(1)
    await as(browser, 'ana')
    expect((await browser.start({ requirement })).json.challenge.details.rows[1]).toEqual(['To', 'Mum'])
    expect((await browser.verify(host.stub.rightCode, { requirement })).status).toBe(200)
    expect((await browser.post('/pay', mum)).status).toBe(200)
  })

  it.each(requests)(
    'is refused by %s like one for a different session, and shows nothing',
    async (_which, send) => {
      const { host, browser, requirement } = await asked()
      await as(browser, 'ben')
      const elsewhere = await host.login('ben')
      await as(elsewhere, 'ben')
      const here = told(await send(browser, requirement))
      expect(here).toEqual(told(await send(elsewhere, requirement)))
      expect(here.join()).not.toMatch(/Mum|Transfer/)
      await as(browser)
      const toNobody = await send(browser, requirement)
      expect(toNobody.status).toBeGreaterThanOrEqual(300)
      expect(toNobody.text).not.toMatch(/Mum|Transfer/)
      expect(host.errors).toEqual([])
    },
  )

  it('names no challenge of the account that is signed in now', async () => {
    const { host, browser, requirement } = await asked()
    await as(browser, 'ben')
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

  it('stays bound to a different account after that one has entered a code and renewed the session', async () => {
    const { host, browser, requirement } = await asked()
    await as(browser, 'ben')
    expect((await host.confirm(browser, { purpose: 'pay' }, { purpose: 'pay' })).status).toBe(200)
    const page = await browser.open(`/two-factor?requirement=${requirement}`)
    expect([page.status, page.text.includes('already confirmed')]).toEqual([400, false])
  })

  it('is not issued again for an account that signs in during the send', async () => {
    const { host, browser, requirement } = await asked({
      beforeSend(req, { purpose }) {
        if (purpose === 'pay') req.session.userId = 'ben'
        return true
      },
    })
    const page = (await browser.submit('/two-factor/start', { requirement })).location
    const shown = await browser.open(page)
    expect([shown.status, shown.text.includes('Mum')]).toEqual([400, false])
    await as(browser, 'ana')
    expect((await browser.open(page)).text).toContain('Mum')
    expect(host.stub.sends).toHaveLength(2)
  })
})

describe('a requirement', () => {
  it('is refused in a different session of the account, or without one', async () => {
    const recoveryCodes = { consume: () => false }
    const options = { subject: () => 'ana', session: sessionByHeader, recoveryCodes }
    const host = await startHost({ options })
    const ana = host.browser({ 'x-session': 'hers' })
    const { requirement } = (await ana.get('/account')).json
    const page = `/two-factor?method=recovery-code&requirement=${requirement}`
    expect((await ana.open(page)).status).toBe(200)
    expect((await host.browser().open(page)).status).toBe(400)
    const other = host.browser({ 'x-session': 'another' })
    expect((await other.open(page)).status).toBe(400)
    expect((await other.start({ requirement })).refusal).toEqual([400, 'invalid_request'])
  })

  it('is refused in another namespace with equal secret, store and session', async () => {
    const store = memoryStore()
    const { host, browser, requirement } = await asked({ store })
    const statusIn = async (namespace: string) => {
      const options = { ...baseOptions(host.stub, host.clock), purposes: { pay: {} }, namespace, store }
      const path = `/of${namespace}`
      host.app.use(path, twoFactor({ ...options, path }).routes())
      return (await browser.post(`${path}/start`, { requirement })).status
    }
    expect(await statusIn('tenant')).toBe(400)
    expect(await statusIn('')).toBe(201)
  })

  it('hides no refusal with which the app signs the user out, if `subject` throws then', async () => {
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
    const refused = await browser.submit('/two-factor/start', { requirement })
    expect([refused.status, host.errors]).toEqual([403, []])
    expect(refused.text).toContain('role="alert"')
  })

  it('hides no error of `subject` from the host', async () => {
    let subject = (): string => 'ana'
    const { host, browser, requirement } = await asked({ subject: () => subject() })
    subject = () => {
      throw new Error('the accounts are away')
    }
    for (const [which, send] of requests.slice(0, -1)) {
      const answer = (await send(browser, requirement)).json
      expect([which, answer]).toEqual([which, { host: 'the accounts are away' }])
    }
    // That of the sign-in.
    expect(host.stub.checks).toHaveLength(1)
  })
})

describe('a proof of a number', () => {
  const phone = '+573009999999'

  async function proveIn(host: Awaited<ReturnType<typeof startHost>>, browser = host.browser()) {
    expect((await browser.post('/phone/start', { phone })).status).toBe(201)
    expect((await browser.post('/phone/verify', { code: host.stub.rightCode })).status).toBe(200)
    return browser
  }

  it('that a signed-in user started is hidden from and refused for a different account in the session', async () => {
    const host = await startHost({ mount })
    const ana = await host.signIn()
    const proven = async () => (await ana.get('/proven')).json.proven
    await ana.post('/phone/start', { phone })
    expect(await proven()).toBeUndefined()
    await ana.post('/phone/verify', { code: host.stub.rightCode })
    expect(await proven()).toEqual({ phone, verifiedAt: host.clock.now })
    // Who proves another number stays signed in, under the renewed session.
    expect((await ana.get('/account')).status).toBe(200)
    await as(ana, 'ben')
    expect(await proven()).toBeUndefined()
    const { status } = await ana.post('/signup')
    figure(18, `${status < 400 ? 1 : 0} of 1 proof taken by another account in the same session`)
    expect(status).toBe(403)
    await as(ana, 'ana')
    expect(await proven()).toEqual((await ana.post('/signup')).json)
    expect(await proven()).toBeUndefined()
  })

  it('is redeemed by the request that it was shown to, and no other number is', async () => {
    const between: (() => Promise<unknown>)[] = []
    const host = await startHost({
      // Sessions that renew nothing: a proof stays where a slow request looks for it.
      options: { session: tokenSession((req) => req.headers.authorization) },
      mount(app, tf) {
        const signup = tf.phoneVerification()
        app.use('/phone', signup.routes())
        app.post('/signup', async (req, res, next) => {
          try {
            const shown = await signup.proven(req)
            await between.shift()?.()
            res.json([shown?.phone, (await signup.redeem(req)).phone])
          } catch (error) {
            next(error)
          }
        })
      },
    })
    const other = '+573008888888'
    for (const first of [undefined, phone]) {
      const visitor = host.browser({ authorization: `Bearer ${first}` })
      const prove = async (number: string) => {
        host.clock.now += 3_600_000
        await visitor.post('/phone/start', { phone: number })
        await visitor.post('/phone/verify', { code: host.stub.rightCode })
      }
      if (first !== undefined) await prove(first)
      between.push(() => prove(other))
      expect((await visitor.post('/signup')).status).toBe(500)
      expect((await visitor.post('/signup')).json).toEqual([other, other])
    }
  })

  it('of an anonymous visitor is not taken into the account that signs in by a planted session', async () => {
    const host = await startHost({ mount })
    const mallory = await proveIn(host)
    const ana = mallory.copy()
    await ana.post('/login', { user: 'ana' })
    expect((await host.confirm(ana)).status).toBe(200)
    for (const browser of [ana, mallory]) expect((await browser.post('/signup')).status).toBe(403)
  })

  it('that was started anonymously and completed after a sign-in belongs to the signed-in user, through a step-up', async () => {
    const host = await startHost({ mount })
    const ana = host.browser()
    expect((await ana.post('/phone/start', { phone })).status).toBe(201)
    await ana.post('/login', { user: 'ana' })
    const old = ana.copy()
    expect((await host.confirm(ana)).status).toBe(200)
    const code = host.stub.rightCode
    expect((await old.post('/phone/verify', { code })).status).toBe(410)
    expect((await ana.post('/phone/verify', { code })).status).toBe(200)
    host.clock.now += 120_000
    expect((await host.confirm(ana)).status).toBe(200)
    await as(ana, 'ben')
    expect((await ana.post('/signup')).status).toBe(403)
    await as(ana, 'ana')
    expect((await ana.post('/signup')).json).toMatchObject({ phone })
  })
})
