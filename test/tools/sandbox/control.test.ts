import request from 'supertest'
import { describe, expect, test } from 'vitest'
import { sandboxed } from './wire.js'

const { sandbox, post } = await sandboxed({ now: () => 1_700_000_000_000 })
const control = `${sandbox.inboxUrl}_sandbox`
const phone = '573001234567'

const sendCode = (to = phone) => post('/2fa/send-sms', { phone: to, 'app-name': 'Acme' })
const answerOf = async (response: Response) => ({ status: response.status, body: await response.json() })
const ask = async (path: string) => answerOf(await fetch(`${control}${path}`))
const tell = async (path: string, init: RequestInit = {}) =>
  answerOf(await fetch(`${control}${path}`, { method: 'POST', ...init }))
const json = (body: unknown): RequestInit => ({
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
})
const form = (fields: Record<string, string> | string): RequestInit => ({ body: new URLSearchParams(fields) })

describe('over HTTP', () => {
  test('messages are listed, waited for and deleted', async () => {
    const waiting = ask(`/messages/wait?phone=${phone}&channel=sms`)
    await sendCode()
    const [message] = sandbox.inbox.list()
    expect((await waiting).body).toEqual(message)
    expect((await ask('/messages')).body).toEqual([message])
    expect((await ask('/messages?phone=5215')).body).toEqual([])
    expect((await tell('/messages/delete', json({ id: message?.id }))).body).toEqual({ result: true })
    await sendCode()
    await tell('/messages/delete', json({ phone: '521' }))
    expect(sandbox.inbox.list()).toHaveLength(1)
    await tell('/messages/delete')
    expect(sandbox.inbox.list()).toEqual([])
  })

  test('messages are counted, searched and paged', async () => {
    for (let index = 0; index < 5; index += 1) await sendCode(`57300123456${index}`)
    await post('/send-sms', { phone, sms: 'Your order is on its way' })
    for (const [query, count] of [
      ['', 6],
      ['?q=ORDER', 1],
      ['?q=acme', 5],
      ['?q=(57)+300-123.4562', 1],
      ['?q=acme&phone=4563', 1],
    ] as const) {
      expect([query, (await ask(`/messages/count${query}`)).body]).toEqual([query, { count }])
    }
    const page: { phone: string }[] = (await ask('/messages?limit=2&offset=1')).body
    expect(page.map((message) => message.phone)).toEqual(['+573001234564', '+573001234563'])
    expect((await ask('/requests/count?operation=sendSmsCode')).body).toEqual({ count: 5 })
    await tell('/messages/delete', json({ q: 'order' }))
    expect((await ask('/messages/count')).body).toEqual({ count: 5 })
  })

  test('the log shows requests and responses, with the key hidden', async () => {
    await sendCode()
    const { body: log } = await ask('/requests?operation=sendSmsCode')
    expect(log).toMatchObject([
      {
        operation: 'sendSmsCode',
        fields: { client: '100200', key: '••••••', phone, 'app-name': 'Acme' },
        answer: { status: 200, body: expect.stringContaining('minutes_to_expire') },
      },
    ])
    expect(JSON.stringify(log)).not.toContain('sandbox-key')
    expect((await ask('/requests?operation=balance')).body).toEqual([])
  })

  test('the account, its blocks, the clock and the links are seen and moved', async () => {
    await tell('/account', json({ credits: 5 }))
    await post('/block-phone', { phone, name: 'Ana' })
    expect((await ask('/account')).body).toMatchObject({ credits: 5, blocked: [{ phone }] })
    expect((await tell('/account/unblock', json({ phone }))).body).toEqual({ result: true })
    await tell('/clock', json({ advanceMs: 60_000 }))
    expect((await ask('/clock')).body).toEqual({ now: 1_700_000_060_000, aheadMs: 60_000 })
    await post('/url/short', { name: 'spring', 'url-long': 'https://example.com/' })
    expect((await ask('/links')).body).toMatchObject([{ name: 'spring', clicks: 0 }])
    expect((await ask('/health')).body).toEqual({ status: 'ok', dialect: 'spec' })
  })

  test('faults are switched on and off, as JSON and as a form', async () => {
    const slow = { kind: 'slow', delayMs: 1, midBody: true }
    const { result } = (await tell('/faults', json({ ...slow, times: 'Infinity' }))).body
    expect(sandbox.faults.list()).toMatchObject([{ id: result, fault: slow, timesLeft: Infinity }])
    await tell('/faults', form({ operation: '', kind: 'hang', times: '2', delayMs: '' }))
    expect((await ask('/faults')).body).toMatchObject([
      {},
      { fault: { kind: 'hang', times: 2 }, timesLeft: 2 },
    ])
    expect((await tell('/faults/delete', json({ id: result }))).body).toEqual({ result: true })
    expect((await tell('/faults/delete', json({ id: result }))).body).toEqual({ result: false })
    expect(sandbox.faults.list()).toMatchObject([{ fault: { kind: 'hang' } }])
    await tell('/faults/delete')
    expect(sandbox.faults.list()).toEqual([])
  })

  test('a reset forgets everything', async () => {
    await sendCode()
    await tell('/clock', json({ advanceMs: 60_000 }))
    await tell('/faults', json({ kind: 'html' }))
    expect((await tell('/reset')).body).toEqual({ result: null })
    expect(sandbox.faults.list()).toEqual([])
    expect(sandbox.inbox.list()).toEqual([])
    expect(sandbox.requests.count()).toBe(0)
    expect(sandbox.clock.aheadMs()).toBe(0)
  })

  test('numbers may be numbers or text, in JSON and in forms', async () => {
    for (const init of [json({ credits: 7 }), json({ credits: '7' }), form({ credits: '7' })]) {
      sandbox.account.setCredits(0)
      expect(await tell('/account', init)).toEqual({ status: 200, body: { result: null } })
      expect(sandbox.account.credits()).toBe(7)
    }
    for (const credits of [-1, 0.5, '7.0', '0x7', ' 7', 1e16, null, true]) {
      expect((await tell('/account', json({ credits }))).status, String(credits)).toBe(400)
    }
  })

  test('each route is listed, and described', async () => {
    const { routes, openapi } = (await ask('/')).body
    expect(routes).toContainEqual(expect.objectContaining({ method: 'GET', path: '/_sandbox/messages' }))
    expect(openapi).toBe('/_sandbox/openapi.json')
    const document: { paths: Record<string, object> } = (await ask('/openapi.json')).body
    const described = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} /_sandbox${path}`),
    )
    const listed = routes.map(({ method, path }: Record<string, string>) => `${method} ${path}`)
    expect(described.sort()).toEqual(listed.sort())
  })
})

// That no refusal changes anything, whatever is sent, is asked of all routes by openapi.test.ts.
describe('what is not understood', () => {
  test.each<[string, string, RequestInit]>([
    ['a misspelt member', '/messages/delete', json({ phnoe: phone })],
    ['an empty phone, as an unset variable of a shell brings it', '/messages/delete', json({ phone: '' })],
    ['an empty field of a form', '/messages/delete', form({ id: '' })],
    ['a phone without digits', '/messages/delete', json({ phone: 'all' })],
    ['two of them', '/messages/delete', json({ id: 'a', phone })],
    ['a parameter in the query', `/messages/delete?phone=${phone}`, {}],
    ['an array', '/messages/delete', json([])],
    ['a body that is not JSON', '/messages/delete', { ...json(0), body: '{' }],
    ['the same field twice', '/messages/delete', form('id=a&id=b')],
    ['a prototype', '/messages/delete', { ...json(0), body: '{"__proto__":{"id":"a"}}' }],
    ['any member', '/reset', json({ phone })],
  ])('deletes nothing: %s', async (_why, path, init) => {
    await sendCode()
    const before = sandbox.inbox.list()
    expect(await tell(path, init)).toMatchObject({ status: 400, body: { msg: expect.any(String) } })
    expect(sandbox.inbox.list()).toEqual(before)
  })

  test.each(['text/plain', 'multipart/form-data; boundary=x', ''])(
    'deletes nothing: a body that is %j',
    async (type) => {
      await sendCode()
      // In chunks, so that no length says that there is a body.
      const body = new Blob(['phone=521']).stream()
      const init = { headers: { 'Content-Type': type }, body, duplex: 'half' }
      expect((await tell('/messages/delete', init)).status).toBe(415)
      expect(sandbox.inbox.list()).toHaveLength(1)
    },
  )

  test.each([
    ['/messages?phon=57', 'unknown member "phon"; did you mean "phone"?'],
    ['/messages?limit=0', 'limit must be at least 1'],
    ['/messages?limit=many', 'limit must be an integer'],
    ['/messages?phone=1&phone=2', 'phone is given more than once'],
    ['/messages/wait', 'phone is missing'],
    ['/messages/wait?phone=4567', 'phone must be one whole number, with its country code'],
    ['/clock?phone=4567', 'phone must be one whole number'],
    [`/messages/wait?phone=${phone}&timeoutMs=60001`, 'timeoutMs must be at most 60000'],
    [`/messages/wait?phone=${phone}&code=maybe`, 'code must be true or false'],
    ['/requests/count?operation=toString', 'operation must be one of balance, '],
  ])('gets the rule: %s', async (path, why) => {
    const body = { error: 'argument', msg: expect.stringContaining(why) }
    expect(await ask(path)).toMatchObject({ status: 400, body })
  })
})

test('a wrong method or path gets the list of existing ones', async () => {
  const { status, headers } = await fetch(`${control}/messages/delete`)
  expect([status, headers.get('allow')]).toEqual([405, 'POST'])
  const detail = 'There is no GET /_sandbox/mesages. GET /_sandbox/ lists the routes.'
  expect(await ask('/mesages')).toMatchObject({ status: 404, body: { detail } })
  expect(sandbox.requests.unmatched()).toEqual([])
})

describe('who may ask', () => {
  const origin = () => request(sandbox.inboxUrl.slice(0, -1))

  test.each(['/', '/_sandbox/messages', '/v1/balance', '/_sandbox/stream', '/openapi.json'])(
    '%s answers to no foreign name, as DNS rebinding would bring',
    async (path) => {
      const { port } = new URL(sandbox.inboxUrl)
      for (const host of [`evil.example:${port}`, '127.0.0.1', `192.168.0.7:${port}`]) {
        await origin().get(path).set('Host', host).expect(421)
      }
    },
  )

  test.each<[Record<string, string>, number]>([
    [{ 'Sec-Fetch-Site': 'cross-site' }, 403],
    [{ 'Sec-Fetch-Site': 'same-site' }, 403],
    [{ 'Sec-Fetch-Site': 'same-origin' }, 200],
    [{ 'Sec-Fetch-Site': 'none' }, 200],
    [{ Origin: 'https://evil.example' }, 403],
    [{ Origin: 'null' }, 403],
    [{}, 200],
  ])('a change asked with %j is answered %i', async (headers, status) => {
    await origin().post('/_sandbox/reset').set(headers).expect(status)
  })

  test('a link on another site leads to the page, which no other site can embed', async () => {
    const { headers } = await origin().get('/').set('Sec-Fetch-Site', 'cross-site').expect(200)
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
    })
  })

  test('a foreign page holds none of the streams that keep pages live', async () => {
    await origin().get('/_sandbox/stream').set('Sec-Fetch-Site', 'cross-site').expect(403)
    await origin().get('/_sandbox/stream').set('Origin', 'https://evil.example').expect(403)
  })
})

describe('the page', () => {
  test('lets no foreign script, frame or form in', async () => {
    const { headers } = await fetch(sandbox.inboxUrl)
    const policy = headers.get('content-security-policy')
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
    expect(headers.get('x-powered-by')).toBeNull()
  })

  test.each([
    ['css', 'text/css'],
    ['js', 'text/javascript'],
    ['svg', 'image/svg+xml'],
  ])('has its file inbox.%s', async (ending, type) => {
    const { status, headers } = await fetch(`${sandbox.inboxUrl}inbox.${ending}`)
    expect([status, headers.get('content-type')]).toEqual([200, expect.stringContaining(type)])
  })

  test('shows the full capacity of a sandbox, in cards and in lines, and a key only for copying', async () => {
    const hostile = '<script>alert(1)</script>'
    await sendCode()
    sandbox.clock.advance(3_700_000)
    for (const to of [phone, '573001999901', '573001999902'])
      await post('/send-sms', { phone: to, sms: hostile })
    await post('/call/2fa/send-call', { phone, 'app-name': 'Acme', voice: 'Mia', retries: '1' })
    await post('/block-phone', { phone: '573009990000', name: hostile })
    await post('/url/short', { name: 'a', 'url-long': 'https://example.com/', 'is-premium': 'true' })
    await post('/fax', {}).catch(() => undefined)
    sandbox.clock.advance(90_000)
    sandbox.faults.add({ kind: 'slow', operation: 'sendSmsCode', phone, times: 2 })
    sandbox.faults.add({ kind: 'hang', times: Number.POSITIVE_INFINITY })
    for (const [query, credits] of [
      ['', 0],
      ['?view=compact', 7],
      ['?q=nothing', 7],
    ] as const) {
      sandbox.account.setCredits(credits)
      const page = await (await fetch(`${sandbox.inboxUrl}${query}`)).text()
      expect(page).not.toContain(hostile)
      expect(page).not.toMatch(/undefined|\[object|NaN/)
    }
    const page = await (await fetch(sandbox.inboxUrl)).text()
    for (const shown of ['1 hour 3 minutes', 'Expired', 'premium', 'low']) expect(page).toContain(shown)
    // Real time, which the browser counts down by.
    expect(page).toContain('data-now="1700000000000"')
  })

  test('keeps the search after a form, and shows a refusal', async () => {
    const headers = { Accept: 'text/html', Referer: `${sandbox.inboxUrl}?q=57300` }
    const submit = (credits: string) =>
      fetch(`${control}/account`, { method: 'POST', redirect: 'manual', headers, ...form({ credits }) })
    const done = await submit('5')
    expect([done.status, done.headers.get('location')]).toEqual([303, '/?q=57300'])
    const refused = await submit('-5')
    expect([refused.status, refused.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8'])
    expect(await refused.text()).toMatch(/credits must be at least 0.*href="\/\?q=57300"/)
  })

  test('stays live for twenty parallel readers', async () => {
    const readers = await Promise.all(Array.from({ length: 20 }, () => fetch(`${control}/stream`)))
    expect(readers.every(({ status }) => status === 200)).toBe(true)
    expect(await ask('/stream')).toMatchObject({ status: 503, body: { error: 'streams' } })
    await readers[0]?.body?.cancel()
    await expect.poll(async () => (await fetch(`${control}/stream`)).status).toBe(200)
  })
})
