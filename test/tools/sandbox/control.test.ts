import request from 'supertest'
import { describe, expect, test } from 'vitest'
import { sandboxed } from './wire.js'

const { sandbox, post } = await sandboxed({ now: () => 1_700_000_000_000 })
const control = `${sandbox.inboxUrl}_sandbox`

const sendCode = () => post('/2fa/send-sms', { phone: '573001234567', 'app-name': 'Acme' })
const ask = async (path: string) => (await request(control).get(path)).body
const tell = (path: string, body: object = {}) => request(control).post(path).send(body)

describe('over HTTP', () => {
  test('messages are listed, waited for and deleted', async () => {
    const waiting = ask('/messages/wait?phone=573001234567')
    await sendCode()
    const [message] = sandbox.inbox.list()
    expect(await waiting).toEqual(message)
    expect(await ask('/messages')).toEqual([message])
    expect(await ask('/messages?phone=5215')).toEqual([])
    expect((await tell('/messages/delete', { id: message?.id })).body).toEqual({ result: true })
    await sendCode()
    await tell('/messages/delete', { phone: '521' })
    expect(sandbox.inbox.list()).toHaveLength(1)
    await tell('/messages/delete')
    expect(sandbox.inbox.list()).toEqual([])
  })

  test('the log shows what was sent and answered, with the key hidden', async () => {
    await sendCode()
    const log = await ask('/requests?operation=sendSmsCode')
    expect(log).toMatchObject([
      {
        operation: 'sendSmsCode',
        fields: { client: '100200', key: '••••••', phone: '573001234567', 'app-name': 'Acme' },
        answer: { status: 200, body: expect.stringContaining('minutes_to_expire') },
      },
    ])
    expect(JSON.stringify(log)).not.toContain('sandbox-key')
    expect(await ask('/requests?operation=balance')).toEqual([])
  })

  test('the account, its blocks, the clock and the links are seen and moved', async () => {
    await tell('/account', { credits: 5 })
    await post('/block-phone', { phone: '573001234567', name: 'Ana' })
    expect(await ask('/account')).toMatchObject({ credits: 5, blocked: [{ phone: '573001234567' }] })
    expect((await tell('/account/unblock', { phone: '573001234567' })).body).toEqual({ result: true })
    await tell('/clock', { advanceMs: 60_000 })
    expect(await ask('/clock')).toEqual({ now: 1_700_000_060_000, aheadMs: 60_000 })
    await post('/url/short', { name: 'spring', 'url-long': 'https://example.com/' })
    expect(await ask('/links')).toMatchObject([{ name: 'spring', clicks: 0 }])
  })

  test('faults are switched on and off, as JSON and as a form', async () => {
    const { body } = await tell('/faults', { kind: 'slow', delayMs: 1, midBody: true, times: 'Infinity' })
    expect(sandbox.faults.list()).toMatchObject([
      { id: body.result, fault: { kind: 'slow', delayMs: 1, midBody: true }, timesLeft: Infinity },
    ])
    const form = new URLSearchParams({ operation: '', kind: 'hang', times: '2', delayMs: '' })
    await fetch(`${control}/faults`, { method: 'POST', body: form })
    expect(await ask('/faults')).toMatchObject([{}, { fault: { kind: 'hang', times: 2 }, timesLeft: 2 }])
    await tell('/faults/delete', { id: body.result })
    expect(sandbox.faults.list()).toHaveLength(1)
    await tell('/faults/delete')
    expect(sandbox.faults.list()).toEqual([])
  })

  test('a reset forgets everything', async () => {
    await sendCode()
    await tell('/clock', { advanceMs: 60_000 })
    await tell('/faults', { kind: 'html' })
    expect((await tell('/reset')).body).toEqual({ result: null })
    expect(sandbox.faults.list()).toEqual([])
    expect(sandbox.inbox.list()).toEqual([])
    expect(sandbox.requests.count()).toBe(0)
    expect(sandbox.clock.aheadMs()).toBe(0)
  })
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

  test('shows all that a sandbox can hold, in cards and in lines, and no key but where it is to be copied', async () => {
    const hostile = '<script>alert(1)</script>'
    const phone = '573001234567'
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
  })

  test('is kept live for twenty readers at once', async () => {
    const readers = await Promise.all(Array.from({ length: 20 }, () => fetch(`${control}/stream`)))
    expect(readers.every(({ status }) => status === 200)).toBe(true)
    expect((await fetch(`${control}/stream`)).status).toBe(503)
    await readers[0]?.body?.cancel()
    await expect.poll(async () => (await fetch(`${control}/stream`)).status).toBe(200)
  })
})
