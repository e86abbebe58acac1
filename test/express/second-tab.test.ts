import { describe, expect, it } from 'vitest'
import type { Browser } from './browser.js'
import { type Host, startLoggedIn, startSignedIn, startVisit } from './kit.js'

const minute = 60_000
const confirmed = '<h1>You&#39;re already confirmed</h1>'

/** A form that was interrupted, with its code page open in two tabs of one browser; the code is given in one. */
async function twoTabs(host: Host, ana: Browser) {
  const referer = `${host.url}/transfers/new?draft=7`
  const refused = await ana.submit('/transfers', { amount: '100', payee: 'ACME' }, { referer })
  const codePage = (await ana.submit('/two-factor/start', refused.fields)).location
  const { fields } = await ana.open(codePage)
  const before = ana.copy()
  await ana.submit('/two-factor/verify', { ...fields, code: host.stub.rightCode })
  return { codePage, fields, before }
}

describe('a second tab after success', () => {
  it('explains it, continues and sends nothing, for any action in it', async () => {
    const { host, ana } = await startSignedIn()
    host.clock.now += minute
    const { codePage, fields } = await twoTabs(host, ana)
    host.clock.now += minute
    for (const told of [
      await ana.open(codePage),
      await ana.submit('/two-factor/verify', { ...fields, code: '482914' }),
      await ana.submit('/two-factor/resend', fields),
    ]) {
      expect(told.text).toContain(confirmed)
      expect(told.text).toContain('href="/transfers/new?draft=7">Continue</a>')
      expect(told.text).not.toMatch(/<form|role="alert"/)
    }
    expect([host.stub.sends.length, host.stub.checks.length]).toEqual([2, 2])
  })

  it('leads to the target of the app if the page names none', async () => {
    const { host, ana } = await startLoggedIn({
      mount: (app, tf) => app.post('/begin', tf.start({ purpose: 'login', successPath: '/welcome' })),
    })
    await ana.submit('/begin')
    await ana.submit('/two-factor/verify', { code: host.stub.rightCode })
    expect((await ana.open('/two-factor')).text).toContain('href="/welcome">Continue</a>')
  })

  it('hides no refusal: a user who requests a code after the success learns that none is sent', async () => {
    let isSent = true
    const { ana } = await startSignedIn({ options: { beforeSend: () => isSent } })
    isSent = false
    const refused = await ana.submit('/two-factor/start')
    expect(refused.status).toBe(403)
    expect(refused.text).toContain('role="alert"')
    expect(refused.text).not.toContain(confirmed)
  })

  it('shows nothing in another session, under the id from before, or for more than was verified', async () => {
    const { host, ana } = await startSignedIn()
    const { codePage, fields, before } = await twoTabs(host, ana)
    for (const browser of [before, await host.signIn(), host.browser()]) {
      expect((await browser.open(codePage)).text).not.toContain(confirmed)
      const typed = await browser.submit('/two-factor/verify', { ...fields, code: '482914' })
      expect(typed.text).not.toContain(confirmed)
    }
    const more = await ana.submit('/transfers', { amount: '999', payee: 'ACME' })
    const page = `/two-factor?requirement=${more.fields.requirement}`
    expect((await ana.open(page)).text).not.toContain(confirmed)
  })

  it('does not appear for a requirement of another session', async () => {
    const { host, ana } = await startSignedIn()
    const stranger = await host.signIn('ben')
    const refused = await stranger.submit('/transfers', { amount: '1', payee: 'A' })
    for (const requirement of ['x', refused.fields.requirement]) {
      const told = await ana.open(`/two-factor?requirement=${requirement}`)
      expect([told.status, told.text.includes(confirmed)]).toEqual([400, false])
      const inJson = await ana.get(`/two-factor?requirement=${requirement}`)
      expect(inJson.refusal).toEqual([400, 'invalid_request'])
    }
  })

  it('does not appear if the guard refused after the success, nor after a newer send', async () => {
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

  it('appears on a page that is opened again only during the lifetime of a code', async () => {
    const { host, ana } = await startSignedIn()
    host.clock.now += 10 * minute
    expect((await ana.open('/two-factor')).text).toContain(confirmed)
    host.clock.now += 1
    expect((await ana.open('/two-factor')).text).toContain('action="/two-factor/start"')
  })
})

describe('a second tab of a signup', () => {
  async function startSignup() {
    const { host, visitor } = await startVisit({
      mount(app, tf) {
        const signup = tf.phoneVerification({ successPath: '/welcome' })
        app.use('/signup/phone', signup.routes())
        app.post('/signup', signup.requireProof(), (req, res) => void res.json(req.provenPhone))
      },
    })
    await visitor.submit('/signup/phone/start', { phone: '300 765 4321', country: 'CO' })
    await visitor.submit('/signup/phone/verify', { code: host.stub.rightCode })
    return { host, visitor }
  }

  it('explains it and continues until the number was redeemed', async () => {
    const { host, visitor } = await startSignup()
    for (const told of [
      await visitor.open('/signup/phone'),
      await visitor.submit('/signup/phone/verify', { code: host.stub.rightCode }),
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
    const { host, visitor } = await startSignup()
    host.clock.now += 10 * minute + 1
    expect((await visitor.open('/signup/phone')).text).toMatch(/name="phone"[^>]* value=""/)
    // The button of a page from before sends nothing to the number that is proven.
    expect((await visitor.submit('/signup/phone/resend')).status).toBe(410)
    expect(host.stub.sends).toHaveLength(1)
  })
})
