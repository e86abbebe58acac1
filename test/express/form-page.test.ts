import express from 'express'
import { describe, expect, it } from 'vitest'
import { formBody } from '../../src/express/guard/resumption.js'
import type { GuardOptions } from '../../src/index.js'
import { ok, startLoggedIn, startSignedIn } from './kit.js'

const bind = (req: express.Request) => ({ amount: req.body.amount })

/** Where the code leads after a form that was interrupted, as helmet's default policy lets browsers send it. */
async function leadsTo(guard: GuardOptions, fields: Record<string, string> = {}, from?: string) {
  const { host, ana } = await startSignedIn({
    mount(app, tf) {
      const pay = tf.requireTwoFactor({ purpose: 'pay', once: true, bind, ...guard })
      app.post('/accounts/:id/pay', express.urlencoded({ extended: false }), pay, ok)
    },
  })
  const body = { amount: '1', ...fields }
  const sent = from === undefined ? { origin: 'null' } : { referer: host.url + from }
  const refused = await ana.submit('/accounts/7/pay', body, sent)
  expect(refused.status).toBe(403)
  const location = await host.ledBy(refused.fields.requirement, ana)
  expect((await ana.submit('/accounts/7/pay', body)).status).toBe(200)
  return location
}

describe('the way back to an interrupted form', () => {
  const perRequest: GuardOptions = {
    formPath: (req) => `/accounts/${req.params.id}/transfer?to=${req.body.amount}`,
  }

  it.each<[string, GuardOptions, Record<string, string>, from: string | undefined, path: string]>([
    ['is lost when nothing names it', {}, {}, undefined, '/'],
    ['is named by the form', {}, { returnTo: '/transfer?draft=3' }, undefined, '/transfer?draft=3'],
    ['is named by the guard per request', perRequest, {}, undefined, '/accounts/7/transfer?to=1'],
    ['is what the guard says, whatever else does', { formPath: '/a' }, { returnTo: '/b' }, '/c', '/a'],
  ])('%s', async (_name, guard, fields, from, path) => {
    expect(await leadsTo(guard, fields, from)).toBe(path)
  })

  it.each<[string, GuardOptions, Record<string, string>]>([
    ['a form', {}, { returnTo: '//evil.example' }],
    ['the guard', { formPath: () => '//evil.example' }, {}],
    ['a guard that returns nothing', { formPath: (() => undefined) as never }, {}],
  ])('never leads to another site, named by %s', async (_name, guard, fields) => {
    expect(await leadsTo(guard, fields)).toBe('/')
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
    [{ twoFactorForm: 'x' }, 'the pages already have a field "twoFactorForm"'],
    [{ 'a"><script>': 'x' }, 'a name must be 1 to 64 letters'],
    [{ a: 5 }, 'a must be a string, not number'],
    [null, 'must return an object of strings'],
    [Promise.resolve({ a: 'x' }), 'must return an object of strings'],
  ])('that cannot stand in a form are a mistake of the host: %j', async (fields, message) => {
    const { host, ana } = await startLoggedIn({ options: { pages: { formFields: (() => fields) as never } } })
    expect((await ana.open('/two-factor')).status).toBe(500)
    expect(host.errors).toEqual([expect.any(TypeError)])
    expect((host.errors[0] as Error).message).toContain(message)
  })
})

describe('a parsed body, sent again as a form', () => {
  it.each([5, null, undefined, new Date(0), ['1', 5], [['1', null]], { x: { y: false } }])(
    'is not kept with a field that no form can send: %j',
    (value) => {
      expect(formBody({ a: '1', b: value })).toBeUndefined()
    },
  )

  it.each([
    [8_190, 8_192],
    [8_191, undefined],
  ])('with %i letters in its one field takes %s bytes of the store', (letters, bytes) => {
    expect(formBody({ a: 'x'.repeat(letters) })?.length).toBe(bytes)
  })
})
