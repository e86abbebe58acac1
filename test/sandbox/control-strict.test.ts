import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js'
import { get, post } from './wire.js'

let sandbox: Sandbox
let control: string
const phone = '573001234567'
beforeEach(async () => {
  sandbox = await startSandbox({ now: () => 1_700_000_000_000 })
  control = `${sandbox.inboxUrl}_sandbox`
})
afterEach(() => sandbox.close())

const sendCode = (to = phone) => post(`${sandbox.baseUrl}/2fa/send-sms`, { phone: to, 'app-name': 'Acme' })
const ask = async (path: string) => {
  const response = await fetch(`${control}${path}`)
  return { status: response.status, body: (await response.json()) as unknown }
}
const tell = async (path: string, init: RequestInit) => {
  const response = await fetch(`${control}${path}`, { method: 'POST', ...init })
  return { status: response.status, body: (await response.json()) as unknown }
}
const json = (body: unknown): RequestInit => ({
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
})

describe('a deletion that is not understood', () => {
  test.each<[string, string, RequestInit]>([
    ['a misspelt member', '/messages/delete', json({ phnoe: phone })],
    ['a member of another type', '/messages/delete', json({ phone: 573001234567 })],
    ['null', '/messages/delete', json({ id: null })],
    ['an empty phone, as an unset variable of a shell brings it', '/messages/delete', json({ phone: '' })],
    ['an empty field of a form', '/messages/delete', { body: new URLSearchParams({ id: '' }) }],
    ['a phone without digits', '/messages/delete', json({ phone: 'all' })],
    ['two of them', '/messages/delete', json({ id: 'a', phone })],
    ['a parameter in the query', `/messages/delete?phone=${phone}`, {}],
    ['an array', '/messages/delete', json([])],
    ['a body that is not JSON', '/messages/delete', { ...json(0), body: '{' }],
    ['the same field twice', '/messages/delete', { body: new URLSearchParams('id=a&id=b') }],
    ['a prototype', '/messages/delete', { ...json(0), body: '{"__proto__":{"id":"a"}}' }],
    ['a misspelt member', '/faults/delete', json({ di: 'f1' })],
    ['any member', '/reset', json({ phone })],
    ['an unfinished state', '/state', json({ version: 1 })],
  ])('because of %s is 400 and deletes nothing', async (_why, path, init) => {
    await sendCode()
    sandbox.faults.add({ kind: 'hang' })
    const before = sandbox.exportState()
    expect(await tell(path, init)).toMatchObject({ status: 400, body: { msg: expect.any(String) } })
    expect(sandbox.exportState()).toEqual(before)
  })

  test.each(['text/plain', 'multipart/form-data; boundary=x', 'application/xml', ''])(
    'because its body is %j is 415 and deletes nothing',
    async (type) => {
      await sendCode()
      const init = { headers: { 'Content-Type': type }, body: new TextEncoder().encode('phone=521') }
      expect((await tell('/messages/delete', init)).status).toBe(415)
      expect(sandbox.inbox.list()).toHaveLength(1)
    },
  )
})

describe('a question that is not understood', () => {
  test.each([
    '/messages?phnoe=57',
    '/messages?phone=',
    '/messages?limit=0',
    '/messages?limit=many',
    '/messages?phone=1&phone=2',
    '/messages/wait',
    '/messages/wait?phone=57300&timeoutMs=60001',
    '/messages/wait?phone=57300&channel=fax',
    '/messages/wait?phone=57300&code=maybe',
    '/requests?operation=sendFax',
    '/requests/count?operation=toString',
    '/account?credits=5',
    '/health?verbose',
  ])('%s is 400', async (path) => {
    expect(await ask(path)).toMatchObject({ status: 400, body: { error: 'argument' } })
  })

  test('a wrong method is 405 and names the right one', async () => {
    const response = await fetch(`${control}/messages/delete`)
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
  })
})

test('a path that does not exist is 404 and says where the others are', async () => {
  expect(await ask('/mesages')).toMatchObject({
    status: 404,
    body: { detail: 'There is no GET /_sandbox/mesages. GET /_sandbox/ lists what there is.' },
  })
})

describe('numbers', () => {
  test('may be numbers or text, in JSON and in forms', async () => {
    for (const init of [
      json({ credits: 7 }),
      json({ credits: '7' }),
      { body: new URLSearchParams({ credits: '7' }) },
    ]) {
      sandbox.account.setCredits(0)
      expect(await tell('/account', init)).toEqual({ status: 200, body: { result: null } })
      expect(sandbox.account.credits()).toBe(7)
    }
    for (const credits of [-1, 0.5, '7.0', '0x7', ' 7', 1e16, null, true]) {
      expect((await tell('/account', json({ credits }))).status, String(credits)).toBe(400)
    }
    expect(sandbox.account.credits()).toBe(7)
  })
})

describe('what can be asked', () => {
  test('is listed, described, and starts with the health', async () => {
    const index = (await ask('/')).body as { routes: { method: string; path: string }[]; openapi: string }
    expect(index.routes).toContainEqual(
      expect.objectContaining({ method: 'GET', path: '/_sandbox/messages' }),
    )
    expect((await ask('/health')).body).toEqual({ status: 'ok', dialect: 'spec' })
    expect(index.openapi).toBe('/_sandbox/openapi.json')
    const document = (await ask('/openapi.json')).body as { paths: Record<string, object> }
    const described = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} /_sandbox${path}`),
    )
    expect(described.sort()).toEqual(index.routes.map(({ method, path }) => `${method} ${path}`).sort())
  })

  test('messages are counted, searched and paged', async () => {
    for (let index = 0; index < 5; index += 1) await sendCode(`57300123456${index}`)
    await post(`${sandbox.baseUrl}/send-sms`, { phone, sms: 'Your order is on its way' })
    expect((await ask('/messages/count')).body).toEqual({ count: 6 })
    expect((await ask('/messages/count?q=ORDER')).body).toEqual({ count: 1 })
    expect((await ask('/messages/count?q=acme')).body).toEqual({ count: 5 })
    expect((await ask('/messages/count?q=%2B57+300+123+4562')).body).toEqual({ count: 1 })
    expect((await ask('/messages/count?q=acme&phone=4563')).body).toEqual({ count: 1 })
    const page = (await ask('/messages?limit=2&offset=1')).body as { phone: string }[]
    expect(page.map((message) => message.phone)).toEqual(['+573001234564', '+573001234563'])
    expect((await ask('/requests/count?operation=sendSmsCode')).body).toEqual({ count: 5 })
    await tell('/messages/delete', json({ q: 'order' }))
    expect((await ask('/messages/count')).body).toEqual({ count: 5 })
  })

  test('a wait can skip the message that is known already', async () => {
    await sendCode()
    const first = await sandbox.inbox.waitFor(phone)
    const waiting = ask(`/messages/wait?phone=${phone}&after=${first.id}`)
    await sendCode()
    expect((await waiting).body).toMatchObject({ phone: `+${phone}`, code: sandbox.inbox.list()[0]?.code })
  })
})

describe('the state', () => {
  test('is exported and continues in another sandbox', async () => {
    await sendCode()
    const { code } = await sandbox.inbox.waitFor(phone)
    await sendCode('573001999901')
    await post(`${sandbox.baseUrl}/block-phone`, { phone: '573009990000', name: 'Ana' })
    const link = await post(`${sandbox.baseUrl}/url/short`, {
      name: 'spring',
      'url-long': 'https://example.com/',
      alias: 'spring',
    })
    await fetch(String(link.body.urlShort), { redirect: 'manual' })
    sandbox.clock.advance(1_000)
    sandbox.clock.advance(60_000, phone)
    sandbox.faults.add({ kind: 'hang', operation: 'balance', phone, times: Number.POSITIVE_INFINITY })
    sandbox.faults.add({ kind: 'status', status: 429, times: 2, operation: 'sendCall' })

    const { body: state } = await ask('/state')
    await using other = await startSandbox({ now: () => 1_800_000_000_000 })
    expect((await fetch(`${other.inboxUrl}_sandbox/state`, { method: 'POST', ...json(state) })).status).toBe(
      200,
    )
    expect(other.exportState()).toEqual(state)
    expect(other.clock.now()).toBe(1_700_000_001_000)
    expect(other.clock.now(phone)).toBe(1_700_000_061_000)
    expect(other.inbox.list()).toEqual(sandbox.inbox.list())
    expect(other.faults.list()).toEqual(sandbox.faults.list())

    const verified = await post(`${other.baseUrl}/2fa/verification-code`, { phone, 'app-name': 'Acme', code })
    expect(verified.status).toBe(200)
    expect((await fetch(`${other.inboxUrl}s/spring`, { redirect: 'manual' })).status).toBe(302)
    expect(other.links.list()).toMatchObject([{ name: 'spring', clicks: 2 }])
    other.clock.advance(2_000)
    expect((await get(`${other.baseUrl}/balance`, {})).body.status).toBe(999)
  })

  test.each<[string, (state: ReturnType<Sandbox['exportState']>) => unknown]>([
    ['no object', () => 5],
    ['another version', (state) => ({ ...state, version: 2 })],
    ['an unknown member', (state) => ({ ...state, codez: [] })],
    [
      'a fault that cannot be',
      (state) => ({ ...state, faults: [{ id: 'f1', fault: { kind: 'boom' }, timesLeft: 1 }] }),
    ],
    [
      'a script as a link',
      (state) => ({
        ...state,
        links: {
          links: [
            {
              name: 'a',
              path: '/s/a',
              urlLong: 'javascript:alert(1)',
              premium: false,
              createdAt: 0,
              expiresAt: 1,
            },
          ],
          clicks: [],
        },
      }),
    ],
  ])('with %s is refused, and changes nothing', async (_what, change) => {
    await sendCode()
    const before = sandbox.exportState()
    expect(() => sandbox.importState(change(before) as typeof before)).toThrow(TypeError)
    expect(sandbox.exportState()).toEqual(before)
  })
})

test('a form that the browser sends itself is refused with a page, and one that works comes back', async () => {
  const send = (fields: Record<string, string>) =>
    fetch(`${control}/account`, {
      method: 'POST',
      redirect: 'manual',
      headers: { Accept: 'text/html' },
      body: new URLSearchParams(fields),
    })
  const refused = await send({ credits: '-5' })
  expect([refused.status, refused.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8'])
  expect(await refused.text()).toContain('credits must be at least 0')
  expect((await send({ credits: '5' })).status).toBe(303)
})
