import type express from 'express'
import { expect, it, vi } from 'vitest'
import { type TwoFactorOptions, tokenSession } from '../../../src/index.js'
import { describeInChromium } from '../../browser/chromium.js'
import { startHost } from '../kit.js'
import { call, enter, expectNoDialog, openSinglePage } from './single-page.js'

/** Signed in by whatever bearer token. */
const tokens = { subject: () => 'ana', session: tokenSession(({ headers }) => headers.authorization) }
const closed = ['AbortError', 'The person closed the dialog without a code.']

describeInChromium('fetchWithCode', (browser) => {
  it('asks for the code in a dialog and repeats the request once', async () => {
    const { host, page, received, troubles } = await openSinglePage(browser())
    const json = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"lang":"es"}' }
    const answer = call(page, '/guarded/settings', json)
    const dialog = page.getByRole('dialog', { name: 'Check your phone' })
    expect(await dialog.getByRole('definition').innerText()).toBe('Spanish')
    await enter(page, host.stub.rightCode)
    expect(await answer).toEqual([200, '{"saved":true}'])
    expect(received).toEqual(Array(2).fill('POST /settings application/json {"lang":"es"}'))
    await expectNoDialog(page)
    // The policy of helmet had nothing to stop.
    expect(troubles).toEqual([
      'Failed to load resource: the server responded with a status of 403 (Forbidden)',
    ])
  })

  it.each([
    ['params', 'POST /settings application/x-www-form-urlencoded;charset=UTF-8 amount=1'],
    ['form', /^POST \/settings multipart\/form-data; boundary=\S+ .*name="amount"\r\n\r\n1/s],
    ['headers', 'PUT /settings text/plain;charset=UTF-8 mine amount=1'],
    ['request', 'PUT /settings text/plain;charset=UTF-8 mine amount=1'],
  ])('repeats the request byte for byte although it changes meanwhile: %s', async (kind, expected) => {
    const { host, page, received } = await openSinglePage(browser())
    const answer = page.evaluate(async (what) => {
      const form = new FormData()
      form.set('amount', '1')
      const params = new URLSearchParams('amount=1')
      const headers = new Headers({ 'x-own': 'mine' })
      const own: RequestInit = { method: 'PUT', headers, body: 'amount=1' }
      const bodies: Record<string, BodyInit> = {
        params,
        form,
      }
      const body = bodies[what]
      const sent =
        what === 'request'
          ? window.fetchWithCode(new Request('/guarded/settings', own))
          : window.fetchWithCode('/guarded/settings', body ? { method: 'POST', body } : own)
      form.set('amount', '999')
      params.set('amount', '999')
      headers.set('x-own', 'changed')
      return (await sent).status
    }, kind)
    await enter(page, host.stub.rightCode)
    expect(await answer).toBe(200)
    expect(received).toHaveLength(2)
    expect(received[1]).toBe(received[0])
    expect(received[0]).toEqual(typeof expected === 'string' ? expected : expect.stringMatching(expected))
  })

  it('refuses a body that can be sent only once, before anything is sent', async () => {
    const { page, received } = await openSinglePage(browser())
    const refusals = await page.evaluate(async () => {
      const outcome = (promise: Promise<Response>) => promise.then(String, (error: Error) => `${error}`)
      const used = new Request('/guarded/settings', { method: 'POST', body: 'x' })
      await used.text()
      const stream = { method: 'POST', body: new Blob(['x']).stream(), duplex: 'half' }
      return [
        await outcome(window.fetchWithCode('/guarded/settings', stream as RequestInit)),
        await outcome(window.fetchWithCode(used)),
      ]
    })
    expect(refusals).toEqual([
      'TypeError: fetchWithCode: a stream can be sent only once, and the request is repeated after the code; pass a string, Blob, FormData or URLSearchParams',
      'TypeError: fetchWithCode: the body of this Request was already used; pass a clone()',
    ])
    expect(received).toEqual([])
  })

  it('repeats no request twice, also when the guard asks again', async () => {
    const { host, page, received } = await openSinglePage(browser())
    const answer = call(page, '/guarded/never')
    await enter(page, host.stub.rightCode)
    expect((await answer)[0]).toBe(403)
    expect(received).toHaveLength(2)
    await expectNoDialog(page)
  })

  it('closes and rejects when the request is aborted', async () => {
    const { page, received } = await openSinglePage(browser())
    const answer = page.evaluate(() => {
      const controller = new AbortController()
      Object.assign(window, { controller })
      const { signal } = controller
      return window.fetchWithCode('/guarded/settings', { signal }).catch((error: Error) => error.message)
    })
    await page.getByRole('dialog').waitFor()
    await page.evaluate("controller.abort(new Error('left'))")
    expect(await answer).toBe('left')
    await expectNoDialog(page)
    expect(received).toHaveLength(1)
  })

  it.each([
    [
      'a page of something before the app',
      { contentType: 'text/html', body: '<h1>Welcome to our Wi-Fi</h1>' },
    ],
    ['a redirect to one', { status: 302, headers: { location: '/wi-fi' } }],
    ['a document of something else', { contentType: 'application/json', body: '{"ok":true}' }],
  ])('does not treat a success of %s as that from the request', async (_, stranger) => {
    const { page, received } = await openSinglePage(browser())
    await page.route(/\/two-factor\/(?:start|\?)/, (route) => route.fulfill(stranger))
    const [name, message] = await call(page, '/guarded/settings')
    expect([name, message]).toEqual([
      'TypeError',
      expect.stringMatching(/^fetchWithCode: http.*\/two-factor\/start did not respond as the routes do/),
    ])
    expect(received).toHaveLength(1)
    await expectNoDialog(page)
  })

  it.each([
    ['a page', { contentType: 'text/html', body: '<h1>Welcome to our Wi-Fi</h1>' }],
    ['a redirect', { status: 302, headers: { location: '/wi-fi' } }],
  ])('keeps the input if %s arrives in place of the verdict', async (_, stranger) => {
    const { host, page, received } = await openSinglePage(browser())
    const answer = call(page, '/guarded/settings')
    const verify = /\/two-factor\/verify$/
    await page.route(verify, (route) => route.fulfill(stranger))
    await enter(page, host.stub.rightCode)
    await page.getByText("We couldn't connect. Check your connection and try again.").waitFor()
    expect(received).toHaveLength(1)
    await page.unroute(verify)
    await page.getByRole('button', { name: 'Continue' }).click()
    expect((await answer)[0]).toBe(200)
  })

  it.each([
    ['redirects, and follows it nowhere', (res: express.Response) => res.redirect('/welcome')],
    ['responds', (res: express.Response) => void res.json({ welcome: true })],
  ])('goes on where onVerified %s', async (_, respond) => {
    const onVerified: TwoFactorOptions['onVerified'] = (_req, res) => respond(res)
    const { host, page } = await openSinglePage(browser(), { options: { onVerified } })
    const welcome = vi.fn()
    host.app.get('/welcome', welcome)
    const answer = call(page, '/guarded/settings')
    await enter(page, host.stub.rightCode)
    expect(await answer).toEqual([200, '{"saved":true}'])
    expect(welcome).not.toHaveBeenCalled()
  })

  it('keeps the input if the connection fails, and continues when it works again', async () => {
    const { host, page } = await openSinglePage(browser())
    const answer = call(page, '/guarded/settings')
    await page.getByRole('dialog').waitFor()
    await page.context().setOffline(true)
    await enter(page, host.stub.rightCode)
    const notice = page.getByText("We couldn't connect. Check your connection and try again.")
    await notice.waitFor()
    await page.context().setOffline(false)
    await page.getByRole('button', { name: 'Continue' }).click()
    expect((await answer)[0]).toBe(200)
  })

  it('asks once for requests that are refused together', async () => {
    const { host, page, received } = await openSinglePage(browser())
    const answers = [call(page, '/guarded/settings'), call(page, '/guarded/settings')]
    await enter(page, host.stub.rightCode)
    expect((await Promise.all(answers)).map(([status]) => status)).toEqual([200, 200])
    expect(host.stub.sends).toHaveLength(1)
    expect(received).toHaveLength(4)
    await expectNoDialog(page)
  })

  it('requires the codes of several requests one after another', async () => {
    const { host, page, received } = await openSinglePage(browser())
    const answers = [call(page, '/guarded/pay/1'), call(page, '/guarded/pay/2')]
    await page.getByRole('dialog').waitFor()
    await enter(page, host.stub.rightCode)
    const first = await Promise.race(answers)
    expect(first[0]).toBe(200)
    await page.getByRole('dialog').waitFor()
    await enter(page, host.stub.rightCode)
    expect((await Promise.all(answers)).map(([, text]) => text)).toEqual(['{"paid":"1"}', '{"paid":"2"}'])
    expect(received.filter((line) => line.includes('/pay/1')).length).toBeLessThanOrEqual(3)
  })
})

const refuseTo =
  (startUrl: string | number): express.RequestHandler =>
  (_req, res) => {
    const problem = { code: 'second_factor_required', requirement: 'x', startUrl }
    res.status(403).type('application/problem+json').send(JSON.stringify(problem))
  }

/** A screen as somebody would write it who can respond in place of the routes. */
const hostile = `<div onclick="pwned=1" style="color:red" data-page="code" class="x"><h1>Hello</h1>
<img src="javascript:pwned=1" onerror="pwned=1" alt="a"><img src="/none" onerror="pwned=1" alt="b">
<script>pwned=1</script><svg onload="pwned=1"><a href="/x">x</a></svg><math><mtext>m</mtext></math><style>*{}</style>
<iframe srcdoc="<script>parent.pwned=1</script>"></iframe><template><p>t</p></template><object data="/x"></object>
<a href="javascript:pwned=1" target="_top" ping="/x">one</a><a href=" java&#9;script:pwned=1">two</a>
<a href="data:text/html,x">three</a><a href="//elsewhere.test/x">four</a><a href="mailto:help@acme.test">five</a>
<form action="https://elsewhere.test/collect" method="post"><input name="code"></form>
<form action="/transfers" method="post"><button>Pay</button></form><form action="/two-factor/../transfers"></form>
<form action="/two-factor/verify" method="post" onsubmit="pwned=1" target="_top"><input type="password" name="code"
autofocus onfocus="pwned=1" formaction="/x"><button formaction="/transfers" onclick="pwned=1">Go</button></form></div>`

describeInChromium('what the dialog shows', (browser) => {
  it('consists of known elements only, for any response in place of the routes', async () => {
    const { host, page } = await openSinglePage(browser(), {
      // The policy of an app that would let it all run.
      directives: { scriptSrc: ["'self'", "'unsafe-inline'"], scriptSrcAttr: ["'unsafe-inline'"] },
    })
    const contentType = 'application/problem+json'
    await page.route(/\/two-factor\/start/, (route) =>
      route.fulfill({ status: 403, contentType, body: JSON.stringify({ code: 'x', html: hostile }) }),
    )
    const answer = call(page, '/guarded/settings')
    const dialog = page.getByRole('dialog', { name: 'Hello' })
    await dialog.getByRole('button', { name: 'Go' }).focus()
    for (const text of ['one', 'two', 'three']) await dialog.getByText(text).click()
    const at = host.url
    expect(await dialog.evaluate(({ innerHTML }) => innerHTML.replace(/\s*\n\s*/g, ''))).toBe(
      '<div data-page="code" class="x"><h1>Hello</h1><img alt="a">' +
        `<img src="${at}/none" alt="b"><a>one</a><a>two</a><a>three</a>` +
        '<a href="http://elsewhere.test/x">four</a><a href="mailto:help@acme.test">five</a>' +
        `<form action="${at}/two-factor/verify" method="post"><input name="code" autofocus=""><button>Go</button></form></div>`,
    )
    expect(await page.evaluate(() => 'pwned' in window)).toBe(false)
    await page.keyboard.press('Escape')
    expect(await answer).toEqual(closed)
  })

  it.each([
    ['a file of the site that says it is the start', '/uploads/start'],
    ['a path above the routes', '/two-factor/../uploads/start'],
    ['another path of the routes', '/two-factor/verify'],
    ['no path', 7],
  ])('requests only the routes, and not %s', async (_name, startUrl) => {
    const { host, page, troubles } = await openSinglePage(browser())
    const asked = vi.fn()
    host.app.all('/uploads/:name', (_req, res) => {
      asked()
      res.json({ html: hostile })
    })
    host.app.post('/lure', refuseTo(startUrl))
    expect((await call(page, '/lure'))[0]).toBe(403)
    expect(asked).not.toHaveBeenCalled()
    expect(host.stub.sends).toHaveLength(0)
    // Whoever mounted the routes elsewhere reads why no dialog opens.
    expect(troubles.at(-1)).toBe(
      `fetchWithCode: ${startUrl} is not the start of these routes, ${host.url}/two-factor/start. See \`mount\`.`,
    )
  })
})

describeInChromium('fetchWithCode across origins', (browser) => {
  const refused = { method: 'POST', headers: { authorization: 'Bearer of-ana' } }

  /** An API on another origin that lets the app read its responses. */
  async function openBoth() {
    const app = await openSinglePage(browser(), {
      directives: { connectSrc: ["'self'", 'http://127.0.0.1:*'], upgradeInsecureRequests: null },
    })
    const reached: string[] = []
    const api = await startHost({
      options: { ...tokens, allowedOrigins: [app.host.url], path: '/2fa' },
      routes(host, tf) {
        host.use((req, res, next) => {
          reached.push(`${req.method} ${req.url}`)
          res.set({
            'Access-Control-Allow-Origin': app.host.url,
            'Access-Control-Allow-Headers': 'authorization, content-type',
          })
          if (req.method === 'OPTIONS') res.sendStatus(204)
          else next()
        })
        host.use('/2fa', tf.routes())
        host.post('/keys', tf.requireTwoFactor({ purpose: 'keys' }), (_req, res) => res.json({ made: true }))
      },
    })
    return { ...app, api, reached }
  }

  it('answers the refusal of no other origin, wherever it leads', async () => {
    const { host, page, api } = await openBoth()
    const asked: string[] = []
    page.on('request', (request) => asked.push(`${request.method()} ${new URL(request.url()).pathname}`))
    // A response of our own that leads away, and a foreign one that leads to us.
    host.app.post('/astray', refuseTo(`${api.url}/2fa/start`))
    api.app.post('/lure', refuseTo(`${host.url}/two-factor/start`))
    // A redirect to the foreign one.
    host.app.post('/moved', (_req, res) => res.redirect(307, `${api.url}/keys`))
    expect((await call(page, '/astray', refused))[0]).toBe(403)
    expect((await call(page, `${api.url}/lure`, refused))[0]).toBe(403)
    expect((await call(page, `${api.url}/keys`, refused))[0]).toBe(401)
    expect((await call(page, '/moved', refused))[0]).toBe(401)
    expect(asked.filter((line) => line.includes('start'))).toEqual([])
    expect(api.stub.sends).toEqual([])
  })

  it('sends its headers to the routes only', async () => {
    const { page, api, reached } = await openBoth()
    await page.route(/\/two-factor\/start$/, (route) =>
      route.fulfill({ status: 307, headers: { location: `${api.url}/collect` } }),
    )
    expect((await call(page, '/guarded/never', refused))[0]).toBe('TypeError')
    expect(reached).toEqual([])
  })

  it('requires the code of a named API at the mount of the routes', async () => {
    const { page, api } = await openBoth()
    const answer = call(page, `${api.url}/keys`, refused, { apiOrigin: api.url, mount: '/2fa/' })
    await enter(page, api.stub.rightCode)
    expect(await answer).toEqual([200, '{"made":true}'])
    expect(api.stub.sends).toHaveLength(1)
  })
})
