import express from 'express'
import { describe, expect, it } from 'vitest'
import type { GuardOptions } from '../../src/index.js'
import { ok, startHost, startLoggedIn, startSignedIn } from './kit.js'

const bind = (req: express.Request) => ({ amount: req.body.amount })

/** Where the code leads after a form that was interrupted, as helmet's default policy lets browsers send it. */
async function leadsTo(guard: GuardOptions, fields: Record<string, string> = {}, headers = {}) {
  const { host, ana } = await startSignedIn({
    mount(app, tf) {
      const pay = tf.requireTwoFactor({ purpose: 'pay', once: true, bind, ...guard })
      app.post('/accounts/:id/pay', express.urlencoded({ extended: false }), pay, ok)
    },
  })
  const body = { amount: '1', ...fields }
  const refused = await ana.submit('/accounts/7/pay', body, { origin: 'null', ...headers })
  expect(refused.status).toBe(403)
  const location = await host.ledBy(refused.fields.requirement, ana)
  expect((await ana.submit('/accounts/7/pay', body)).status).toBe(200)
  return location
}

describe('the way back to an interrupted form without a Referer', () => {
  it.each<[string, GuardOptions, Record<string, string>, string]>([
    ['is lost when nothing names it', {}, {}, '/'],
    ['is named by the guard', { formPath: '/transfer' }, {}, '/transfer'],
    [
      'is named by the guard per request',
      { formPath: (req) => `/accounts/${req.params.id}/transfer?to=${req.body.amount}` },
      {},
      '/accounts/7/transfer?to=1',
    ],
    ['is named by the form', {}, { returnTo: '/transfer?draft=3' }, '/transfer?draft=3'],
    ['is what the guard says, whatever the form says', { formPath: '/a' }, { returnTo: '/b' }, '/a'],
  ])('%s', async (_name, guard, fields, path) => {
    expect(await leadsTo(guard, fields)).toBe(path)
  })

  it.each<[string, GuardOptions, Record<string, string>]>([
    ['a form', {}, { returnTo: '//evil.example' }],
    ['a form with two of them', {}, { returnTo: 'https://evil.example/a' }],
    ['the guard', { formPath: () => '//evil.example' }, {}],
    ['a guard that returns nothing', { formPath: (() => undefined) as never }, {}],
  ])('never leads to another site, named by %s', async (_name, guard, fields) => {
    expect(await leadsTo(guard, fields)).toBe('/')
  })

  it('comes before the Referer, which a page of another purpose may have sent', async () => {
    const host = await startHost()
    const referer = { referer: `${host.url}/elsewhere` }
    expect(await leadsTo({ formPath: '/transfer' }, {}, referer)).toBe('/transfer')
  })

  it('is the request itself for a GET', async () => {
    const { host, ana } = await startSignedIn({
      mount: (app, tf) => {
        app.get('/secret', tf.requireTwoFactor({ purpose: 'x', formPath: '/form' }), ok)
      },
    })
    const { requirement } = (await ana.open((await ana.open('/secret?a=1')).location)).fields
    expect(await host.ledBy(requirement, ana)).toBe('/secret?a=1')
  })
})

describe('the fields of the host in the forms of the pages', () => {
  it('are in every form, escaped', async () => {
    const { ana } = await startLoggedIn({
      options: { pages: { formFields: () => ({ _csrf: '"><script>x</script>', 'x-two': 'b' }) } },
      mount: (app, tf) => app.use('/phone', tf.phoneVerification().routes()),
    })
    const fields =
      '<input type="hidden" name="_csrf" value="&quot;&gt;&lt;script&gt;x&lt;/script&gt;">' +
      '<input type="hidden" name="x-two" value="b">'
    const count = (page: string, part: string) => page.split(part).length - 1
    const start = await ana.open('/two-factor')
    await ana.post('/two-factor/start', {})
    const code = await ana.open('/two-factor')
    const wrong = await ana.submit('/two-factor/verify', { code: '000000' })
    const phone = await ana.open('/phone')
    const refused = await ana.submit('/transfers', { amount: '1', payee: 'a' })
    for (const { text } of [start, code, wrong, phone, refused]) {
      expect(count(text, '<form')).toBeGreaterThan(0)
      expect(count(text, fields)).toBe(count(text, '<form method="post"'))
    }
  })

  it.each([
    [{ code: 'x' }, 'the pages have a field "code" of their own'],
    [{ challenge: 'x' }, 'the pages have a field "challenge" of their own'],
    [{ cookies: 'x' }, 'the pages have a field "cookies" of their own'],
    [{ twoFactorForm: 'x' }, 'the pages have a field "twoFactorForm" of their own'],
    [{ requirement: 'x' }, 'the pages have a field "requirement" of their own'],
    [{ 'a b': 'x' }, 'a name must be 1 to 64 letters'],
    [{ 'a"><script>': 'x' }, 'a name must be 1 to 64 letters'],
    [{ a: 5 }, 'a must be a string, not number'],
    [undefined, 'must return an object of strings'],
    [null, 'must return an object of strings'],
    [Promise.resolve({ a: 'x' }), 'must return an object of strings'],
  ])('that cannot stand in a form are a mistake of the host: %j', async (fields, message) => {
    const { host, ana } = await startLoggedIn({ options: { pages: { formFields: (() => fields) as never } } })
    expect((await ana.open('/two-factor')).status).toBe(500)
    expect(host.errors).toEqual([expect.any(TypeError)])
    expect((host.errors[0] as Error).message).toContain(message)
  })
})
