import { afterAll, describe, expect, test } from 'vitest'
import { createClient } from '../../../src/provider/index.js'
import { type Fault, startSandbox } from '../../../src/tools/sandbox/index.js'
import { get as ask, sandboxed } from './wire.js'

const { sandbox, get, post } = await sandboxed()
const client = createClient({ baseUrl: sandbox.baseUrl, ...sandbox.credentials })
afterAll(() => client.close())

const code = { phone: '+573001234567', appName: 'Acme' }

describe('a fault, as the client meets it in a send', () => {
  test.each([
    [{ kind: 'status' }, 'answered', 0],
    [{ kind: 'body', body: '{"id":' }, 'answered', 0],
    [{ kind: 'body', body: null }, 'answered', 0],
    [{ kind: 'html' }, 'answered', 0],
    [{ kind: 'redirect' }, 'answered', 0],
    [{ kind: 'gzip' }, 'answered', 1],
    [{ kind: 'oversize' }, 'unknown', 1],
    [{ kind: 'hang' }, 'unknown', 0],
    [{ kind: 'acceptThenHang' }, 'unknown', 1],
    [{ kind: 'acceptThenHang', midBody: true }, 'unknown', 1],
    [{ kind: 'reset' }, 'unknown', 0],
    [{ kind: 'reset', midBody: true }, 'unknown', 1],
    [{ kind: 'acceptThenStatus' }, 'answered', 1],
    [{ kind: 'acceptThenHtml' }, 'answered', 1],
    [{ kind: 'slow', delayMs: 5_000 }, 'unknown', 1],
    [{ kind: 'slow', delayMs: 5_000, midBody: true }, 'unknown', 1],
  ] as const satisfies readonly (readonly [Fault, string, number])[])(
    '%j: the answer is %s, and %i text was sent',
    async (fault, delivery, sent) => {
      sandbox.faults.add({ operation: 'sendSmsCode', ...fault })
      const met = () => sandbox.requests.list('sendSmsCode')[0]?.fault
      // What never comes is given up once it has been asked for: a busy machine may take its time until then.
      const givenUp = new AbortController()
      if (/hang|slow/i.test(fault.kind))
        void expect
          .poll(() => [met(), sandbox.inbox.list().length])
          .toEqual([fault.kind, sent])
          .then(() => givenUp.abort())
      const sending = client.sendSmsCode(code, { timeoutMs: 60_000, signal: givenUp.signal })
      await expect(sending).rejects.toMatchObject({ delivery })
      expect(sandbox.inbox.list()).toHaveLength(sent)
      expect(met()).toBe(fault.kind)
      await expect(client.sendSmsCode(code)).resolves.toMatchObject({ minutesToExpire: 5 })
    },
  )
})

describe('a fault, on the wire', () => {
  const balance = () =>
    fetch(`${sandbox.baseUrl}/balance?client=100200&key=sandbox-key`, { redirect: 'manual' })

  const slowDown = { status: 429, body: { title: 'Slow down' }, headers: { 'Retry-After': '7' } }
  const elsewhere = { location: 'https://elsewhere.example/' }
  const headers = { 'Content-Type': 'text/plain' }
  test.each<[what: string, fault: Fault, status: number, shown: object, text: unknown]>([
    [
      'any status with any body and headers',
      { kind: 'status', ...slowDown },
      429,
      { 'retry-after': '7' },
      '{"title":"Slow down"}',
    ],
    [
      'a body that is not even JSON',
      { kind: 'body', body: '\uFEFFok', headers },
      200,
      { 'content-type': 'text/plain' },
      '\uFEFFok',
    ],
    ['null', { kind: 'body', body: null }, 200, {}, 'null'],
    ['nothing', { kind: 'body', body: undefined }, 200, {}, ''],
    ['204 without a body', { kind: 'status', status: 204 }, 204, {}, ''],
    [
      'the page of a firewall',
      { kind: 'html' },
      520,
      { 'content-type': 'text/html' },
      expect.stringContaining('<h1>'),
    ],
    ['a redirection', { kind: 'redirect', status: 308, ...elsewhere }, 308, elsewhere, ''],
    ['what is right, filled up', { kind: 'oversize', bytes: 100 }, 200, {}, '{"status":1000}'.padEnd(100)],
    [
      'what is right, its second half late',
      { kind: 'slow', delayMs: 1, midBody: true },
      200,
      { 'content-type': 'application/json', 'content-length': '15' },
      '{"status":1000}',
    ],
    ['what is right, compressed', { kind: 'gzip' }, 200, { 'content-encoding': 'gzip' }, '{"status":1000}'],
  ])('answers %s, once', async (_what, fault, status, shown, text) => {
    sandbox.faults.add(fault)
    const answer = await balance()
    expect([answer.status, Buffer.from(await answer.arrayBuffer()).toString()]).toEqual([status, text])
    expect(Object.fromEntries(answer.headers)).toMatchObject(shown)
    expect((await balance()).status).toBe(200)
  })

  test('sends half of the correct response, and hangs', async () => {
    sandbox.faults.add({ kind: 'acceptThenHang', midBody: true })
    const reader = (await balance()).body?.getReader()
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('{"statu')
    await reader?.cancel()
  })
})

describe('faults', () => {
  test('affect only their operation, as often as configured, the oldest first', async () => {
    sandbox.faults.add({ operation: 'verifyCode', kind: 'status', status: 500 })
    sandbox.faults.add({ kind: 'status', status: 502, times: 2 })
    sandbox.faults.add({ kind: 'status', status: 503, times: Number.POSITIVE_INFINITY })
    const balance = async () => (await get('/balance')).status
    expect(sandbox.faults.list().map(({ timesLeft }) => timesLeft)).toEqual([1, 2, Number.POSITIVE_INFINITY])
    expect([await balance(), await balance(), await balance(), await balance()]).toEqual([502, 502, 503, 503])
    expect((await post('/2fa/verification-code', {})).status).toBe(500)
  })

  test.each([
    [{ kind: 'explode' }, 'kind must be one of status, body, html'],
    [{ kind: 'hang', operation: 'sendFax' }, 'operation'],
    [{ kind: 'hang', phone: '' }, 'phone must be one whole number'],
    // Nothing would ever meet them.
    [{ kind: 'hang', phone: '4567' }, 'phone must be one whole number, with its country code'],
    [{ kind: 'hang', phone: '+573001234567,+573007654321' }, 'phone must be one whole number'],
    [null, 'faults.add: kind must be one of status, body, html'],
    [{ kind: 'hang', times: 0 }, 'times must be at least 1'],
    [{ kind: 'hang', times: Number.NaN }, 'times must be an integer, 1 or more, or Infinity'],
    [
      { kind: 'hang', delayMs: 5 },
      /^faults\.add: hang: unknown member "delayMs"; expected: operation, phone, times$/,
    ],
    [{ kind: 'slow', delayMs: -1 }, 'delayMs'],
    [{ kind: 'status', status: 99 }, 'status'],
    [{ kind: 'oversize', bytes: 1e12 }, 'bytes'],
    [{ kind: 'status', headers: { 'X-A': 'a', 'X-B': 'a\r\nb' } }, 'headers'],
  ])('refuse %j', (fault, message) => {
    expect(() => sandbox.faults.add(fault as Fault)).toThrow(message)
    expect(sandbox.faults.list()).toEqual([])
  })

  test('do not pile up', () => {
    for (let count = 0; count < 100; count += 1) sandbox.faults.add({ kind: 'hang' })
    expect(() => sandbox.faults.add({ kind: 'hang' })).toThrow('at most 100 faults can be pending')
  })

  test('that hang do not hold up the closing', async () => {
    const closed = await startSandbox()
    closed.faults.add({ kind: 'hang' })
    const lost = expect(ask(`${closed.baseUrl}/balance`, {})).rejects.toThrow()
    while (closed.requests.count() === 0) await new Promise(setImmediate)
    await closed.close()
    await lost
  })
})
