import express from 'express'
import { describe, expect, it } from 'vitest'
import type { GuardOptions, TwoFactor } from '../../src/index.js'
import { hiddenFields } from './browser.js'
import { startHost, startSignedIn } from './kit.js'

const own = { 'sec-fetch-site': 'same-origin' }

/** A host whose form closes an account: the right code leads to the GET that closes it. */
function startClosing(
  more: Partial<GuardOptions> = {},
  form: Partial<GuardOptions> = { formPath: '/account' },
) {
  const closed: unknown[] = []
  const mount = (app: express.Express, tf: TwoFactor) => {
    const guard = tf.requireTwoFactor({
      purpose: 'close',
      once: true,
      ...form,
      continueAt: (req) => `/close?account=${req.body?.account ?? req.query.account}`,
      bind: (req) => ({ account: String(req.body?.account ?? req.query.account) }),
      describe: () => ({ rows: [['Account', 'this one']] }),
      ...more,
    })
    app.all('/close', express.urlencoded({ extended: false }), express.json(), guard, (req, res) => {
      closed.push(req.body?.account ?? req.query.account)
      res.json({ closed: true })
    })
  }
  return startSignedIn({ mount }).then((started) => ({ ...started, closed }))
}

describe('continueAt', () => {
  it('leads the right code to the path by GET, where the grant is for one request', async () => {
    const { host, ana, closed } = await startClosing()
    const page = await ana.submit('/close', { account: '7' }, own)
    expect([page.status, page.text]).toEqual([
      403,
      expect.stringContaining('Now confirm with the phone ending in'),
    ])
    expect(page.text).not.toMatch(/submit the form again|saved your form/)
    const fields = { ...hiddenFields(page.text), code: host.stub.rightCode }
    const { location } = await ana.submit('/two-factor/verify', fields)
    expect(location).toBe('/close?account=7')
    expect((await ana.open('/close?account=8')).status).toBe(303)
    expect((await ana.open(location)).json).toEqual({ closed: true })
    expect((await ana.open(location)).location).toContain('/two-factor?requirement=')
    expect(closed).toEqual(['7'])
  })

  it('leads "Cancel" to the page of the form', async () => {
    const { ana } = await startClosing()
    const page = await ana.submit('/close', { account: '7' }, own)
    expect((await ana.submit('/two-factor/cancel', page.fields)).location).toBe('/account')
  })

  it('leads "Cancel" to the page before where no form is named', async () => {
    const { host, ana } = await startClosing({}, {})
    const headers = { ...own, referer: `${host.url}/settings` }
    const page = await ana.submit('/close', { account: '7' }, headers)
    expect((await ana.submit('/two-factor/cancel', page.fields)).location).toBe('/settings')
  })

  it('changes nothing for JSON: the request is sent again', async () => {
    const { host, ana, closed } = await startClosing()
    const { requirement } = (await ana.post('/close', { account: '7' })).json
    await ana.start({ requirement })
    const verified = await ana.verify(host.stub.rightCode, { requirement })
    expect(verified.json.returnTo).toBe('/account')
    expect((await ana.post('/close', { account: '7' })).json).toEqual({ closed: true })
    expect(closed).toEqual(['7'])
  })

  it('sends a code for a link only where sendAtOnce returns true for it', async () => {
    const { host, ana } = await startClosing({ sendAtOnce: (req) => req.query.account === '7' })
    const sends = host.stub.sends.length
    await ana.open('/close?account=8')
    expect(host.stub.sends).toHaveLength(sends)
    const { location } = await ana.open('/close?account=7')
    expect(host.stub.sends).toHaveLength(sends + 1)
    expect((await ana.open(location)).text).toContain('<input id="code"')
  })

  it.each<[string, GuardOptions]>([
    ['once', { bind: () => ({}) }],
    ['bind', { once: true }],
    ['a saved form', { once: true, bind: () => ({}), resume: true }],
  ])('is refused at start-up by a guard that lacks a condition: %s', async (_what, options) => {
    const { host } = await startSignedIn()
    const continueAt = () => '/close'
    expect(() => host.tf.requireTwoFactor({ purpose: 'close', ...options, continueAt })).toThrow(
      'continueAt needs once: true and bind',
    )
  })
})

describe('a sign-up', () => {
  const risk = 'An authenticator app is safer'
  const authenticator = { secretOf: () => undefined, issuer: 'Acme' }

  it.each([
    ['an app can be set up', { authenticator }, {}, true],
    ['there is no app', {}, {}, false],
    ['the page belongs to account settings', { authenticator }, { backPath: '/account' }, false],
  ])('shows the risk of numbers where %s', async (_what, options, verification, isShown) => {
    const host = await startHost({
      options,
      mount: (app, tf) => app.use('/signup', tf.phoneVerification(verification).routes()),
    })
    expect((await host.browser().open('/signup')).text.includes(risk)).toBe(isShown)
  })
})
