import { expect, it } from 'vitest'
import type { OwnAct } from '../../src/index.js'
import { byHand, type HostOptions, ok, startLoggedIn, startSignedIn, withCookies } from './kit.js'

const start = (act: OwnAct, more: HostOptions = {}, method: 'GET' | 'POST' = 'POST') =>
  startSignedIn({
    mount: (app, tf) => void app.all('/own', tf.ownRoute(method, act)),
    ...more,
  })

it('reads JSON and forms, and passes subject, session and language', async () => {
  const { ana } = await start(({ fields, subject, session, locale }) => ({
    location: '/done',
    status: 201,
    body: { fields, subject, hasSession: session.length > 0, locale },
  }))
  const json = await ana.post('/own', { a: 1 }, { 'accept-language': 'pt-BR' })
  expect([json.status, json.json]).toEqual([
    201,
    { fields: { a: 1 }, subject: 'ana', hasSession: true, locale: 'pt' },
  ])
  const form = await ana.submit('/own', { a: '1' })
  expect([form.status, form.location]).toEqual([303, '/done'])
})

it('shows a page in the built-in look, with the problem and a token of the app', async () => {
  const { ana } = await start(
    ({ formFields }) => ({
      title: 'Sessions <1>',
      content: `<p>${formFields._csrf}</p>`,
      problem: 'Not <this>',
      status: 409,
      address: '/sessions',
      body: { code: 'gone' },
    }),
    { options: { pages: { brand: { name: 'Acme & Sons' }, formFields: () => ({ _csrf: 'token' }) } } },
  )
  const { status, text, headers } = await ana.submit('/own')
  expect(status).toBe(409)
  expect(text).toContain('<title>Error: Sessions &lt;1&gt; – Acme &amp; Sons</title>')
  expect(text).toContain('<p>Not &lt;this&gt;</p>')
  expect(text).toContain('<p>token</p>')
  expect(text).toContain('data-address="/sessions"')
  expect(headers.get('content-security-policy')).toContain("default-src 'none'")
  expect((await ana.post('/own')).json).toEqual({ code: 'gone' })
})

it('is got in place of a form that a browser posts again by a reload, and takes JSON as ever', async () => {
  let calls = 0
  const { ana } = await start(() => {
    calls += 1
    return { title: 'Own', content: '', body: {} }
  })
  const again = await ana.submit('/own?id=1&reloaded=')
  expect([again.status, again.location, calls]).toEqual([303, '?id=1&reloaded=', 0])
  expect((await ana.post('/own?id=1&reloaded=')).status).toBe(200)
})

it('goes through the render of the host', async () => {
  const { ana } = await start(
    () => ({ title: 'Own', content: '', problem: 'No', body: {} }),
    {
      options: {
        pages: { render: ({ page, own }, { problem }) => `${page}: ${own?.title}, ${problem}` },
      },
    },
    'GET',
  )
  expect((await ana.open('/own')).text).toBe('own: Own, No')
})

it('rejects wrong method, cross-site, unparsable and anonymous requests', async () => {
  const { host, ana } = await start(() => ({ location: '/', body: {} }))
  const foreign = { 'sec-fetch-site': 'cross-site' }
  const refusals = [
    await ana.get('/own'),
    await ana.post('/own', {}, foreign),
    await ana.postRaw('/own', 'application/json', '['),
    await host.browser().post('/own'),
  ].map(({ refusal }) => refusal)
  expect(refusals).toEqual([
    [405, 'method_not_allowed'],
    [403, 'cross_site'],
    [400, 'invalid_request'],
    [401, 'not_identified'],
  ])
  expect((await ana.submit('/own', {}, foreign)).text).toContain(
    '<link rel="stylesheet" href="/two-factor/page.css?v=',
  )
  expect(await ana.open('/own')).toMatchObject({ status: 303, location: '/' })
})

it('leaves the response to a guard that is called by hand, which keeps a form without fields', async () => {
  const { host, ana } = await startSignedIn({
    mount(app, tf) {
      const guard = tf.requireTwoFactor({ purpose: 'own', once: true, resume: true })
      app.post('/own', tf.ownRoute('POST', byHand(guard)))
    },
  })
  host.clock.now += 60_000
  const asked = await ana.submit('/own')
  expect(asked.text).toContain('saved your form.')
  const back = await host.ledBy(asked.fields.requirement, ana)
  const page = await ana.open(back)
  expect((await ana.submit('/own', page.fields)).location).toBe('/done')
})

it('returns a session that is accepted later, even the first session of an exempt user', async () => {
  const { ana } = await startLoggedIn({
    ...withCookies,
    options: { ...withCookies.options, phone: () => undefined },
    mount(app, tf) {
      const byPassword = tf.requireTwoFactor({ exempt: () => true })
      const act: OwnAct = async ({ subject, session }) => {
        await tf.grants.write({ subject, session, purpose: 'own', method: 'passkey' })
        return { location: '/', body: {} }
      }
      app.post('/own', byPassword, tf.ownRoute('POST', act))
      app.get('/owned', tf.requireTwoFactor({ purpose: 'own' }), ok)
    },
  })
  expect((await ana.post('/own')).status).toBe(200)
  expect((await ana.get('/owned')).status).toBe(200)
})

it('reports a handler without a result to the app, and an unknown method', async () => {
  const { host, ana } = await start(() => undefined)
  expect((await ana.post('/own')).json.host).toContain(
    'ownRoute: the handler must return a RouteResult or send the response',
  )
  expect(() => host.tf.ownRoute('PUT' as 'GET', () => undefined)).toThrow("must be 'GET' or 'POST'")
})
