import { describe, expect, test } from 'vitest'
import { sandboxed } from './wire.js'

const { sandbox, post } = await sandboxed({ now: () => 1_700_000_000_000 })
const control = `${sandbox.inboxUrl}_sandbox`
const phone = '573001234567'

const remembered = () => [sandbox.inbox.list(), sandbox.faults.list(), sandbox.requests.list()]
const sendCode = (to = phone) => post('/2fa/send-sms', { phone: to, 'app-name': 'Acme' })
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
  ])('because of %s is 400 and deletes nothing', async (_why, path, init) => {
    await sendCode()
    sandbox.faults.add({ kind: 'hang' })
    const before = remembered()
    expect(await tell(path, init)).toMatchObject({ status: 400, body: { msg: expect.any(String) } })
    expect(remembered()).toEqual(before)
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
    ['/messages?phon=57', 'unknown member "phon"; did you mean "phone"?'],
    ['/messages?phone=', 'phone must match /\\d/'],
    ['/messages?limit=0', 'limit must be at least 1'],
    ['/messages?limit=many', 'limit must be an integer'],
    ['/messages?phone=1&phone=2', 'phone is given more than once'],
    ['/messages/wait', 'phone is missing'],
    ['/messages/wait?phone=57300&timeoutMs=60001', 'timeoutMs must be at most 60000'],
    ['/messages/wait?phone=57300&channel=fax', 'channel must be one of sms, call'],
    ['/messages/wait?phone=57300&code=maybe', 'code must be true or false'],
    ['/requests?operation=sendFax', 'operation must be one of balance, '],
    ['/requests/count?operation=toString', 'operation must be one of balance, '],
    ['/account?credits=5', 'unknown member "credits"'],
    ['/health?verbose', 'unknown member "verbose"'],
  ])('%s is 400', async (path, why) => {
    const body = { error: 'argument', msg: expect.stringContaining(why) }
    expect(await ask(path)).toMatchObject({ status: 400, body })
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
    const document = (await ask('/openapi.json')).body as {
      paths: Record<string, Record<string, { summary: string }>>
    }
    const described = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} /_sandbox${path}`),
    )
    const summaries = Object.values(document.paths).flatMap((item) => Object.values(item))
    for (const { summary } of summaries) expect(summary).toMatch(/^[A-Z].+[^.]$/)
    expect(described.sort()).toEqual(index.routes.map(({ method, path }) => `${method} ${path}`).sort())
  })

  test('messages are counted, searched and paged', async () => {
    for (let index = 0; index < 5; index += 1) await sendCode(`57300123456${index}`)
    await post('/send-sms', { phone, sms: 'Your order is on its way' })
    expect((await ask('/messages/count')).body).toEqual({ count: 6 })
    expect((await ask('/messages/count?q=ORDER')).body).toEqual({ count: 1 })
    expect((await ask('/messages/count?q=acme')).body).toEqual({ count: 5 })
    for (const q of ['%2B57+300+123+4562', '(57)+300-123.4562'])
      expect((await ask(`/messages/count?q=${q}`)).body).toEqual({ count: 1 })
    expect((await ask('/messages/count?q=acme&phone=4563')).body).toEqual({ count: 1 })
    const page = (await ask('/messages?limit=2&offset=1')).body as { phone: string }[]
    expect(page.map((message) => message.phone)).toEqual(['+573001234564', '+573001234563'])
    expect((await ask('/requests/count?operation=sendSmsCode')).body).toEqual({ count: 5 })
    await tell('/messages/delete', json({ q: 'order' }))
    expect((await ask('/messages/count')).body).toEqual({ count: 5 })
  })
})
