import express from 'express'
import { describe, expect, it } from 'vitest'
import { type HostOptions, hearWarnings, ok, startSignedIn, storeThrough } from './kit.js'

hearWarnings()

/** Guards of a payment behind parsers that read a form, or nothing, and a route of one's own. */
const routes: HostOptions = {
  mount(app, tf) {
    const bind = ({ body, query }: express.Request) => ({ amount: body?.amount ?? query.amount })
    const form = express.urlencoded({ extended: false })
    app.get('/pay', tf.requireTwoFactor({ purpose: 'pay', bind }), ok)
    app.post('/pay', form, tf.requireTwoFactor({ purpose: 'pay', bind }), ok)
    app.post('/named', form, tf.requireTwoFactor({ purpose: 'pay', bind, formPath: '/form' }), ok)
    app.post('/json', express.json(), tf.requireTwoFactor({ purpose: 'pay', bind }), ok)
    app.post(
      '/raw',
      express.raw({ type: '*/*', limit: '9mb' }),
      tf.requireTwoFactor({ purpose: 'pay', bind }),
      ok,
    )
    app.post(
      '/own',
      tf.ownRoute('POST', () => ({ body: {}, location: '/' })),
    )
  },
}

const linksIn = (text: string) =>
  [...text.matchAll(/<a[^>]* href="([^"]*)">([^<]*)</g)].map(([, to, label]) => `${label}: ${to}`)

const asForm = 'application/x-www-form-urlencoded'

describe('the page of a request that a guard refuses', () => {
  it.each([
    ['a bound field is missing', '/pay', asForm, 'payee=Ben', 400],
    ['the body is of another type', '/json', asForm, 'amount=1', 415],
    ['the body is too large', '/raw', asForm, `amount=${'1'.repeat(200_000)}`, 413],
    ['the body of an own route is of another type', '/own', 'text/plain', 'amount=1', 415],
  ])('offers a way back and no code, where %s', async (_name, path, type, body, status) => {
    const { host, ana } = await startSignedIn(routes)
    host.clock.now += 5 * 60_000
    const post = (headers: object) =>
      ana.send(path, {
        method: 'POST',
        headers: { accept: 'text/html', 'content-type': type, 'sec-fetch-site': 'same-origin', ...headers },
        body,
      })
    const refused = await post({ referer: `${host.url}/form?for=ben` })
    expect(refused.status).toBe(status)
    expect(refused.text).not.toContain('<form')
    expect(linksIn(refused.text)).toEqual(['Go back: /form?for=ben'])
    expect(refused.text).not.toContain('only the code')
    for (const referer of ['https://evil.example/form', '']) {
      expect(linksIn((await post({ referer })).text)).toEqual(['Go to the home page: /'])
    }
  })

  it('leads to the page before a link, and never to itself', async () => {
    const { host, ana } = await startSignedIn(routes)
    const open = (referer: string) =>
      ana.get('/pay?amount=undefined', { accept: 'text/html', referer: host.url + referer })
    expect(linksIn((await open('/list')).text)).toEqual(['Go back: /list'])
    expect(linksIn((await open('/pay?amount=undefined')).text)).toEqual(['Go to the home page: /'])
    expect((await open('/list')).status).toBe(400)
  })

  it('leads to the page that the app names for the form', async () => {
    const { ana } = await startSignedIn(routes)
    expect(linksIn((await ana.submit('/named', { payee: 'Ben' })).text)).toEqual(['Go back: /form'])
  })

  it('has the JSON of before', async () => {
    const { ana } = await startSignedIn(routes)
    const { json, status } = await ana.postRaw('/pay', asForm, 'payee=Ben')
    expect([status, json]).toEqual([
      400,
      {
        type: 'urn:express-two-factor:invalid_request',
        title: 'The request is invalid',
        status: 400,
        detail: 'amount is missing.',
        code: 'invalid_request',
      },
    ])
  })
})

it('the page of a guard whose store is down leads to the same request, not to a code', async () => {
  let isDown = false
  const store = storeThrough((_command, _key, work) => {
    if (isDown) throw new Error('down')
    return work()
  })
  const { host, ana } = await startSignedIn({ ...routes, options: { store } })
  isDown = true
  const down = await ana.open('/pay?amount=1')
  expect([down.status, linksIn(down.text)]).toEqual([503, ['Try again: /pay?amount=1']])
  const posted = await ana.submit('/pay', { amount: '1' }, { referer: `${host.url}/form` })
  expect([posted.status, linksIn(posted.text)]).toEqual([503, ['Try again: /form']])
})
