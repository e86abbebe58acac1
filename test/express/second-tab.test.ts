import type { Express } from 'express'
import { describe, expect, it } from 'vitest'
import type { TwoFactor } from '../../src/index.js'
import type { Browser } from './browser.js'
import { type Host, startLoggedIn, startSignedIn, startVisit } from './kit.js'

const minute = 60_000
const confirmed = '<h1>You&#39;re already confirmed</h1>'

/** A form that was interrupted, with its code page open in two tabs of one browser. */
async function twoTabs(host: Host, ana: Browser) {
  const referer = `${host.url}/transfers/new?draft=7`
  const refused = await ana.submit('/transfers', { amount: '100', payee: 'ACME' }, { referer })
  const started = await ana.submit('/two-factor/start', refused.fields)
  const codePage = started.location
  const fields = (await ana.open(codePage)).fields
  return { codePage, fields }
}

describe('a second tab after success', () => {
  it.each<
    [string, (ana: Browser, codePage: string, fields: Record<string, string>) => Promise<{ text: string }>]
  >([
    ['is reloaded', (ana, codePage) => ana.open(codePage)],
    ['gets the code', (ana, _, fields) => ana.submit('/two-factor/verify', { ...fields, code: '482914' })],
    ['asks for a new code', (ana, _, fields) => ana.submit('/two-factor/resend', fields)],
  ])('says so, leads on and sends nothing when it %s', async (_how, act) => {
    const { host, ana } = await startSignedIn()
    host.clock.now += minute
    const { codePage, fields } = await twoTabs(host, ana)
    await ana.submit('/two-factor/verify', { ...fields, code: host.stub.rightCode })
    host.clock.now += minute

    const told = await act(ana, codePage, fields)
    expect(told.text).toContain(confirmed)
    expect(told.text).toContain('href="/transfers/new?draft=7">Continue</a>')
    expect(told.text).not.toMatch(/<form|role="alert"|Error:/)
    expect(host.stub.sends).toHaveLength(2)
    expect(host.stub.checks).toHaveLength(2)
  })

  it('leads where the host says when the page does not', async () => {
    const { host, ana } = await startLoggedIn({
      mount: (app, tf) => app.post('/begin', tf.start({ purpose: 'login', successPath: '/welcome' })),
    })
    await ana.submit('/begin')
    await ana.submit('/two-factor/verify', { code: host.stub.rightCode })
    expect((await ana.open('/two-factor')).text).toContain('href="/welcome">Continue</a>')
  })

  it('hides no refusal: whoever is confirmed and asks for a code is told that none is sent', async () => {
    let isSent = true
    const { ana } = await startSignedIn({ options: { beforeSend: () => isSent } })
    isSent = false
    const refused = await ana.submit('/two-factor/start')
    expect(refused.status).toBe(403)
    expect(refused.text).toContain('role="alert"')
    expect(refused.text).not.toContain(confirmed)
  })

  it('is told nothing in another session, nor under the id from before', async () => {
    const { host, ana } = await startSignedIn()
    const { codePage, fields } = await twoTabs(host, ana)
    const stale = ana.copy()
    await ana.submit('/two-factor/verify', { ...fields, code: host.stub.rightCode })
    const elsewhere = await host.signIn()
    for (const browser of [stale, elsewhere, host.browser()]) {
      expect((await browser.open(codePage)).text).not.toContain(confirmed)
      const typed = await browser.submit('/two-factor/verify', { ...fields, code: '482914' })
      expect(typed.text).not.toContain(confirmed)
    }
  })

  it('is not said for a requirement that this session was never given', async () => {
    const { host, ana } = await startSignedIn()
    const stranger = await host.signIn('ben')
    const refused = await stranger.submit('/transfers', { amount: '1', payee: 'A' })
    for (const requirement of ['x', refused.fields.requirement]) {
      const told = await ana.open(`/two-factor?requirement=${requirement}`)
      expect(told.status).toBe(400)
      expect(told.text).not.toContain(confirmed)
      const inJson = await ana.get(`/two-factor?requirement=${requirement}`)
      expect(inJson.json.detail).toBe('requirement is invalid or has expired.')
    }
  })

  it('is not said to a guard that asks for more than was proven', async () => {
    const { host, ana } = await startSignedIn()
    const { fields } = await twoTabs(host, ana)
    await ana.submit('/two-factor/verify', { ...fields, code: host.stub.rightCode })
    const other = await ana.submit('/transfers', { amount: '999', payee: 'ACME' })
    const { requirement = '' } = other.fields
    expect((await ana.open(`/two-factor?requirement=${requirement}`)).text).not.toContain(confirmed)
  })

  it('is not said when the guard refused after the proof, nor when a code was sent since', async () => {
    const { host, ana } = await startSignedIn({
      mount: (app, tf) =>
        app.get('/secret', tf.requireTwoFactor({ purpose: 'secret', maxAgeMs: minute }), (_req, res) => {
          res.send('here')
        }),
    })
    const prove = async () => {
      const page = (await ana.open('/secret')).location
      const sent = await ana.submit('/two-factor/start', (await ana.open(page)).fields)
      return { page, codePage: sent.location }
    }
    const first = await prove()
    await ana.submit('/two-factor/verify', { code: host.stub.rightCode })
    expect((await ana.open(first.codePage)).text).toContain(confirmed)
    host.clock.now += 2 * minute
    const second = await prove()
    expect((await ana.open(second.page)).text).not.toContain(confirmed)
    await ana.submit('/two-factor/cancel')
    for (const told of [
      await ana.open(second.codePage),
      await ana.submit('/two-factor/verify', { code: '0000' }),
    ]) {
      expect(told.text).not.toContain(confirmed)
    }
  })

  it('is said on a page that is opened anew only as long as a code lives', async () => {
    const { host, ana } = await startSignedIn()
    host.clock.now += 10 * minute
    expect((await ana.open('/two-factor')).text).toContain(confirmed)
    host.clock.now += 1
    expect((await ana.open('/two-factor')).text).toContain('action="/two-factor/start"')
  })
})

describe('a second tab of a signup', () => {
  const mount = (app: Express, tf: TwoFactor) => {
    const signup = tf.phoneVerification({ successPath: '/welcome' })
    app.use('/signup/phone', signup.routes())
    app.post('/signup', signup.requireProof(), (req, res) => {
      res.json(req.provenPhone)
    })
  }

  it('says so and leads on until the proof was redeemed', async () => {
    const { host, visitor } = await startVisit({ mount })
    await visitor.submit('/signup/phone/start', { phone: '300 765 4321', country: 'CO' })
    const code = { code: host.stub.rightCode }
    await visitor.submit('/signup/phone/verify', code)
    for (const told of [
      await visitor.open('/signup/phone'),
      await visitor.submit('/signup/phone/verify', code),
      await visitor.submit('/signup/phone/resend'),
    ]) {
      expect(told.text).toContain(confirmed)
      expect(told.text).toContain('href="/welcome">Continue</a>')
    }
    expect((await host.browser().open('/signup/phone')).text).toContain('action="/signup/phone/start"')
    expect((await visitor.post('/signup')).status).toBe(200)
    expect((await visitor.open('/signup/phone')).text).toContain('action="/signup/phone/start"')
    expect(host.stub.sends).toHaveLength(1)
  })

  it('takes another number later', async () => {
    const { host, visitor } = await startVisit({ mount })
    await visitor.submit('/signup/phone/start', { phone: '300 765 4321', country: 'CO' })
    await visitor.submit('/signup/phone/verify', { code: host.stub.rightCode })
    host.clock.now += 10 * minute + 1
    const page = (await visitor.open('/signup/phone')).text
    expect(page).toContain('action="/signup/phone/start"')
    expect(page).toMatch(/name="phone"[^>]* value=""/)
    // The button of a page from before sends nothing to the number that is proven.
    expect((await visitor.submit('/signup/phone/resend')).status).toBe(410)
    expect(host.stub.sends).toHaveLength(1)
  })
})
