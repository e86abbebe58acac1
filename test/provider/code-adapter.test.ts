import { describe, expect, test } from 'vitest'
import { providerCodes } from '../../src/provider/code-adapter.js'
import { createClient } from '../../src/provider/index.js'
import { numberEchoIn } from '../../src/provider/number-echo.js'
import { startSocketServer } from '../faults/socket-server.js'
import { order, recorded, submitted } from './recorder.js'

const { provider, client } = await recorded()
const rules = { approvedStatuses: ['verified'] }
const codes = providerCodes({ client, ...rules })

const send = (channel: 'sms' | 'call' = 'sms', service = codes) => service.sendCode({ ...order, channel })
const check = (service = codes) => service.checkCode(submitted)

/** What is left of an answer, for whoever sends by text or by call. */
async function bothSends(service = codes) {
  return [await send('sms', service), await send('call', service)]
}

/** An answer to a send that names one number. */
const phoneEcho = (phone: string): [number, string] => [200, JSON.stringify({ data: [{ phone }] })]

/** Answers to a send, each as its HTTP status and its body. */
const sends: Readonly<Record<string, [number, string, number?][]>> = {
  sent: [
    [200, '{}'],
    [200, '{"id": "g1", "minutes_to_expire": 10}', 600_000],
    [200, '{"id": "g1", "minutes_to_expire": "2.5"}', 150_000],
    [200, '{"minutes_to_expire": 0.00001}'],
    [200, '{"minutes_to_expire": -5}'],
    [200, '{"minutes_to_expire": 1e300}'],
    [200, '{"data": [{"phone": 573001234567}]}'],
    [200, '{"data": [{"phone": null}]}'],
    [200, '{"phones": ["573001234567"], "573001234567": {"id": "573007654321"}}'],
    [200, '{"data": {"phone_count": 1, "id": 573007654321, "20261123": 1}}'],
    ...['3001234567', '00573001234567', '01157 300 1234567', '57 300 123 4567', '4567', '0'].map(phoneEcho),
    ...['••••4567', '57300***4567', '+57 3XX XXX XX67', '30012345xx', '57300…', '******'].map(phoneEcho),
  ],
  'foreign-number': [
    [200, '{"data": [{"phone": null}, {"id": "m1"}]}'],
    [200, '{"data": [{"phone": "573001234567"}, null]}'],
    [200, '{"data": [{"phone": "573001234567"}, {"phone": "573001234567"}]}'],
    [200, '{"data": [[{"phone": "573001234567"}, {}]]}'],
    [200, '{"data": {"phone": 573007654321}}'],
    [200, '{"data": [{"phone": "573001234567,573007654321"}]}'],
    [200, '{"data": [{"phone": ["573001234567", "573007654321"]}]}'],
    ...['3007654321', '00573007654321', '4568', '13001234567', '91573001234567', '0057 300 765 4321'].map(
      phoneEcho,
    ),
    ...['••••4321', '57300***4568', '573001234567xx,573007654321xx'].map(phoneEcho),
    [200, '{"phone": "573001234567", "to": "573007654321"}'],
    [200, '{"phones": ["573001234567", "573007654321"]}'],
    [200, '{"data": {"to": "+57 300 765 4321"}}'],
    [200, '{"to": "••••4321"}'],
    [200, '{"data": {"data": [{"phone": "573007654321"}]}}'],
    [200, '{"result": {"messages": [{"destination": 573007654321}]}}'],
    [200, '{"data": {"573007654321": {"id": "m1"}}}'],
    [200, '{"+573007654321": "queued"}'],
  ],
  failed: [
    [200, '{"error": 1000}'],
    [404, '<html>'],
    [422, '{"error": "no credits"}'],
  ],
  unconfirmed: [
    [200, '[]'],
    [200, '<html>'],
    [200, '{"id": "g1", "data": [{"pho'],
    [302, ''],
    [500, ''],
    [502, '<html>Bad gateway</html>'],
    // An error in JSON may be that of a gateway, while the service sends the code.
    ...[302, 408, 500, 502, 503, 504, 526].map((status): [number, string] => [status, '{"error": "x"}']),
    [503, '{"error": "1003"}'],
    [520, '{"id": "g1"}'],
    [520, '[{"error": 1000}]'],
  ],
  later: [[429, '{"error": 1000}']],
  misconfigured: [
    [401, ''],
    [403, '<html>'],
    [520, '{"error": 1003}'],
    [200, '{"error": "1003"}'],
  ],
}

describe.each(Object.entries(sends))('a send is %s', (result, answers) => {
  test.each(answers)('HTTP %i %s', async (httpStatus, body, lifetimeMs?: number) => {
    provider.answer(body, httpStatus)
    const told = { result, ...(lifetimeMs && { lifetimeMs }) }
    expect(await bothSends()).toEqual([told, told])
  })
})

test.each([
  ['+525512345678', '5215512345678'],
  ['+447911123456', '+44 (0) 7911 123456'],
  ['+447700900123', '07700 900123'],
  ['+12015550123', '201-555-0123'],
  ['+5491123456789', '91123456789'],
])('a send to %s is to the number that the answer spells %s', async (destination, phone) => {
  provider.answer(JSON.stringify({ phone }))
  expect(await codes.sendCode({ ...order, destination })).toEqual({ result: 'sent' })
  expect(await codes.sendCode(order)).toEqual({ result: 'foreign-number' })
})

// What calibrate says of an answer.
test.each([
  ['none', { id: 573001234567 }],
  ['own', { id: 1, phone: '573001234567' }],
  ['spelled', { phone: '573001234567', to: '3001234567', data: { phone: '573001234567' } }],
  ['masked', { phone: '3001234567', to: '57300***4567', data: { phone: '573001234567' } }],
])('of several spellings of one number the worst counts: %s', async (worst, answer) => {
  expect(await numberEchoIn(answer, order.destination)).toBe(worst)
})

describe('a send is', () => {
  test('unconfirmed when the answer comes in a coding we did not ask for', async () => {
    provider.answer('{"error": 1000}', 520, { 'content-encoding': 'GZIP' })
    expect(await send()).toEqual({ result: 'unconfirmed' })
  })

  test('misconfigured by an error that is masked elsewhere', async () => {
    provider.answer('{"error": "10030000001"}', 520)
    const service = providerCodes({ client, ...rules, accountErrorCodes: ['10030000001'] })
    expect(await send('sms', service)).toEqual({ result: 'misconfigured' })
  })
})

describe('a check is', () => {
  test.each([
    [200, '{"status": "verified"}', 'approved'],
    [200, '{"status": "no"}', 'rejected'],
    [520, '{"error": 1007}', 'rejected'],
    [503, '{"error": "1003"}', 'unavailable'],
    [401, '<html>', 'misconfigured'],
    [200, '{"status": "no", "status": "verified"}', 'unavailable'],
    [520, '<html>', 'unavailable'],
  ])('HTTP %i %s: %s', async (httpStatus, body, verdict) => {
    provider.answer(body, httpStatus)
    expect(await check()).toBe(verdict)
  })

  test.each([408, 429, 500, 502, 503, 504, 526])(
    'none with an error in JSON, HTTP %i',
    async (httpStatus) => {
      provider.answer('{"error": 1007}', httpStatus)
      expect(await check()).toBe('unavailable')
    },
  )

  test.each([
    [400, '{"error": "malformed code"}'],
    [520, '{"error": {"reason": "malformed"}}'],
    [500, '{"message": "internal server error"}'],
    [520, '{"error": 0}'],
  ])(
    'none where errors of wrong codes are listed, and this is none: HTTP %i %s',
    async (httpStatus, body) => {
      provider.answer(body, httpStatus)
      const service = providerCodes({ client, ...rules, rejectedCodes: ['1001'] })
      expect(await check(service)).toBe('unavailable')
    },
  )
})

// Of a send, the status alone is no refusal.
test.each([
  [200, 'unavailable'],
  [403, 'misconfigured'],
  [429, 'unavailable'],
])('an answer of which only the status arrived is none: HTTP %i', async (httpStatus, verdict) => {
  const cut = `HTTP/1.1 ${httpStatus} No\r\ncontent-length: 9\r\n\r\n{`
  const server = await startSocketServer((socket) => socket.end(cut))
  const cutOff = createClient({ baseUrl: server.baseUrl, client: 1, key: 'k' })
  const service = providerCodes({ client: cutOff, ...rules })
  expect(await bothSends(service)).toEqual([{ result: 'unconfirmed' }, { result: 'unconfirmed' }])
  expect(await check(service)).toBe(verdict)
  await cutOff.close()
  await server.close()
})

describe('a send that the service postpones', () => {
  test('names the wait, and no other member of a fail-over goes on after the page of a gateway', async () => {
    provider.answer('{}', 429, { 'retry-after': '60' })
    expect(await send('sms')).toEqual({ result: 'later', retryAfterMs: 60_000 })
    provider.answer('<html>', 429, { 'retry-after': '60' })
    expect(await send('sms')).toEqual({ result: 'later', retryAfterMs: 60_000, unrecognized: true })
  })
})

describe('neither rejects', () => {
  test('when nothing can be sent', async () => {
    const closed = createClient({ baseUrl: provider.baseUrl, client: 1, key: 'k' })
    await closed.close()
    const service = providerCodes({ client: closed, ...rules })
    expect(await send('sms', service)).toEqual({ result: 'not-sent' })
    expect(await check(service)).toBe('not-sent')
  })

  test.each([
    ['in a way that nobody foresaw', new Error('unforeseen')],
    ['with an error of another make: that it was not sent is not proved', { delivery: 'not-sent' }],
  ])('when the client fails %s', async (_how, error) => {
    const fail = () => Promise.reject(error)
    const broken = { ...client, sendSmsCode: fail, sendCallCode: fail, verifyCode: fail }
    const service = providerCodes({ client: broken, ...rules })
    expect(await bothSends(service)).toEqual([{ result: 'unconfirmed' }, { result: 'unconfirmed' }])
    expect(await check(service)).toBe('unavailable')
  })
})

test('the deadline and the most exchanges come from the client', () => {
  const service = providerCodes({ client: { ...client, timeoutMs: 9_000, maxExchanges: 5 }, ...rules })
  expect(service).toMatchObject({ timeoutMs: 9_000, maxExchanges: 5 })
})

const name = 'name must be a string of 1 to 40'
const country = 'countryCode must be an upper-case ISO 3166-1 alpha-2 code'
const noClient = 'client must be a client from createClient()'
test.each<readonly [object, string]>([
  [{ client: {} }, noClient],
  ...['sendSmsCode', 'sendCallCode', 'verifyCode', 'balance', 'close'].map(
    (method) => [{ client: { ...client, [method]: undefined } }, noClient] as const,
  ),
  [
    { client: undefined, approvedStatuses: undefined },
    'missing client, approvedStatuses; add\n  client: createClient(',
  ],
  [
    { approvedStatuses: undefined },
    "missing approvedStatuses; add\n  approvedStatuses: ['verified'], // the status that your account returns for a correct code: npx express-two-factor calibrate",
  ],
  [{ approvedStatuses: ['verified', 1] }, 'approvedStatuses[1] must be a non-empty string'],
  [{ approvedStatuses: [] }, 'approvedStatuses must list the status that your account returns'],
  [{ rejectedCodes: '1001' }, 'rejectedCodes must be an array of strings'],
  [{ callRetries: 4 }, 'callRetries must be an integer from 1 to 3'],
  [{ name: '' }, name],
  [{ name: 'a'.repeat(41) }, name],
  [{ voice: 'Ana' }, "voice must be 'Mariana' or 'Penelope'"],
  [{ countryCode: 'co' }, country],
  // Kosovo has numbers and no code of ISO 3166-1, Antarctica the code and no numbers.
  [{ countryCode: 'XK' }, country],
  [{ countryCode: 'AQ' }, country],
])('%j is a mistake: %s', (wrong, message) => {
  expect(() => providerCodes({ client, ...rules, ...wrong } as never)).toThrow(`providerCodes: ${message}`)
})
