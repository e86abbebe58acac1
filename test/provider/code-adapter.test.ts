import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { CodeProvider } from '../../src/challenge/code-provider.js'
import { providerCodes } from '../../src/provider/code-adapter.js'
import { createClient, type ProviderClient } from '../../src/provider/index.js'
import { startSocketServer } from '../faults/socket-server.js'
import { type Recorder, startRecorder } from './recorder.js'

const destination = '+573001234567'
const { signal } = new AbortController()
const order = {
  destination,
  appName: 'Acme',
  purpose: 'login',
  locale: 'en',
  expiresInMs: 600_000,
  signal,
}
const options = {
  approvedStatuses: ['verified'],
  rejectedCodes: [],
  accountErrorCodes: ['1003'],
  voice: 'Mariana',
  callRetries: 2,
} as const

let provider: Recorder
let client: ProviderClient
let codes: CodeProvider

beforeAll(async () => {
  provider = await startRecorder()
  client = createClient({ baseUrl: provider.baseUrl, client: 1, key: 'k' })
  codes = providerCodes({ client, ...options })
})
beforeEach(() => {
  provider.requests.length = 0
})
afterAll(async () => {
  await client.close()
  await provider.close()
})

function send(channel: 'sms' | 'call' = 'sms', service = codes) {
  return service.sendCode({ ...order, channel })
}
function check(service = codes) {
  return service.checkCode({ destination, appName: 'Acme', code: '482913', signal })
}

describe('a code travels', () => {
  test('by SMS', async () => {
    await send('sms')
    expect(provider.requests[0]).toMatchObject({
      line: 'POST /v1/2fa/send-sms',
      body: 'client=1&key=k&phone=573001234567&app-name=Acme',
    })
  })

  test('by call, with voice, attempts and country', async () => {
    await send('call', providerCodes({ client, ...options, countryCode: 'CO' }))
    expect(provider.requests[0]).toMatchObject({
      line: 'POST /v1/call/2fa/send-call',
      body: 'client=1&key=k&phone=573001234567&app-name=Acme&voice=Mariana&retries=2&country-code=CO',
    })
  })

  test('back to the number and name it was sent under', async () => {
    await check(providerCodes({ client, ...options, countryCode: 'CO' }))
    expect(provider.requests[0]).toMatchObject({
      line: 'POST /v1/2fa/verification-code',
      body: 'client=1&key=k&phone=573001234567&app-name=Acme&code=482913&country-code=CO',
    })
  })
})

describe('a send is', () => {
  test.each([
    [200, '{}', { result: 'sent' }],
    [200, '{"id": "g1"}', { result: 'sent' }],
    [200, '{"id": "g1", "minutes_to_expire": 10}', { result: 'sent', lifetimeMs: 600_000 }],
    [200, '{"id": "g1", "minutes_to_expire": "2.5"}', { result: 'sent', lifetimeMs: 150_000 }],
    [200, '{"minutes_to_expire": 0}', { result: 'sent' }],
    [200, '{"minutes_to_expire": -5}', { result: 'sent' }],
    [200, '{"minutes_to_expire": "soon"}', { result: 'sent' }],
    [200, '{"minutes_to_expire": 1e999}', { result: 'sent' }],
    [200, '{"minutes_to_expire": [10]}', { result: 'sent' }],
    [200, '{"data": {"phone": "573001234567"}}', { result: 'sent' }],
    [200, '{"data": [{"phone": 573001234567}]}', { result: 'sent' }],
    [200, '{"data": [{"phone": "+57 300 123 4567"}]}', { result: 'sent' }],
    [200, '{"data": [{"phone": null}]}', { result: 'sent' }],
    [200, '{"data": []}', { result: 'sent' }],
    [200, '{"data": [{"phone": null}, {"id": "m1"}]}', { result: 'foreign-number' }],
    [200, '{"data": [{"phone": "573001234567"}, {}]}', { result: 'foreign-number' }],
    [200, '{"data": [{"phone": "573001234567"}, null]}', { result: 'foreign-number' }],
    [200, '{"data": [{"phone": "573001234567"}, "m2"]}', { result: 'foreign-number' }],
    [200, '{"data": [{"phone": "573001234567"}, {"phone": "573001234567"}]}', { result: 'foreign-number' }],
    [200, '{"data": [[{"phone": "573001234567"}, {}]]}', { result: 'foreign-number' }],
    [200, '{"data": [{"phone": "573007654321"}]}', { result: 'foreign-number' }],
    [200, '{"data": {"phone": 573007654321}}', { result: 'foreign-number' }],
    [200, '{"phone": "573007654321"}', { result: 'foreign-number' }],
    [200, '{"data": [{"phone": "573001234567"}, {"phone": "573007654321"}]}', { result: 'foreign-number' }],
    [200, '{"data": [{"phone": "573001234567,573007654321"}]}', { result: 'foreign-number' }],
    [200, '{"data": [{"phone": ["573001234567", "573007654321"]}]}', { result: 'foreign-number' }],
    [200, '{"data": [{"phone": "3001234567"}]}', { result: 'foreign-number' }],
    [200, '{"phones": ["573001234567", "573007654321"]}', { result: 'foreign-number' }],
    [200, '{"data": {"to": "+57 300 765 4321"}}', { result: 'foreign-number' }],
    [200, '{"data": {"data": [{"phone": "573007654321"}]}}', { result: 'foreign-number' }],
    [200, '{"result": {"messages": [{"destination": 573007654321}]}}', { result: 'foreign-number' }],
    [200, '{"data": {"573007654321": {"id": "m1"}}}', { result: 'foreign-number' }],
    [200, '{"+573007654321": "queued"}', { result: 'foreign-number' }],
    [200, '{"phones": ["573001234567"], "573001234567": {"id": "573007654321"}}', { result: 'sent' }],
    [200, '{"data": {"phone_count": 1, "id": 573007654321, "20261123": 1}}', { result: 'sent' }],
    [200, '{"error": 1000}', { result: 'failed' }],
    [400, '{"id": "g1"}', { result: 'failed' }],
    [404, '<html>', { result: 'failed' }],
    [422, '{}', { result: 'failed' }],
    [429, '', { result: 'failed' }],
    [520, '{"error": 1000}', { result: 'failed' }],
    [500, '{"error": "no credits"}', { result: 'failed' }],
    [200, '[]', { result: 'unconfirmed' }],
    [200, '<html>', { result: 'unconfirmed' }],
    [200, '', { result: 'unconfirmed' }],
    [200, '{"id": "g1", "data": [{"pho', { result: 'unconfirmed' }],
    [201, '{"id": "g1"}', { result: 'unconfirmed' }],
    [302, '', { result: 'unconfirmed' }],
    [500, '', { result: 'unconfirmed' }],
    [502, '<html>Bad gateway</html>', { result: 'unconfirmed' }],
    [504, '<html>Gateway timeout</html>', { result: 'unconfirmed' }],
    [520, '<html>Unknown origin error</html>', { result: 'unconfirmed' }],
    [520, '{"id": "g1"}', { result: 'unconfirmed' }],
    [520, '{"error": 10', { result: 'unconfirmed' }],
    [520, '[{"error": 1000}]', { result: 'unconfirmed' }],
    [524, '<html>A timeout occurred</html>', { result: 'unconfirmed' }],
    [401, '', { result: 'misconfigured' }],
    [403, '<html>', { result: 'misconfigured' }],
    [520, '{"error": 1003}', { result: 'misconfigured' }],
    [200, '{"error": "1003"}', { result: 'misconfigured' }],
  ])('HTTP %i %s: %j', async (httpStatus, body, result) => {
    provider.answer(body, httpStatus)
    expect(await send('sms')).toEqual(result)
    expect(await send('call')).toEqual(result)
  })

  test.each([200, 502, 520])(
    'unconfirmed when HTTP %i comes in a coding we did not ask for',
    async (httpStatus) => {
      provider.answer('{"error": 1000}', httpStatus, { 'content-encoding': 'GZIP' })
      expect(await send('sms')).toEqual({ result: 'unconfirmed' })
      expect(await send('call')).toEqual({ result: 'unconfirmed' })
    },
  )

  test('misconfigured by an error that is masked elsewhere', async () => {
    provider.answer('{"error": "10030000001"}', 520)
    const service = providerCodes({ client, ...options, accountErrorCodes: ['10030000001'] })
    expect(await send('sms', service)).toEqual({ result: 'misconfigured' })
  })
})

describe('a check is', () => {
  test.each([
    [200, '{"status": "verified"}', 'approved'],
    [200, '{"status": "no"}', 'rejected'],
    [520, '{"error": 1007}', 'rejected'],
    [520, '{"error": 1003}', 'misconfigured'],
    [403, '{"status": "verified"}', 'misconfigured'],
    [401, '<html>', 'misconfigured'],
    [200, '{"status": "no", "status": "verified"}', 'unavailable'],
    [200, '{}', 'unavailable'],
    [200, '[]', 'unavailable'],
    [200, '', 'unavailable'],
    [520, '<html>', 'unavailable'],
    [503, '{"status": "verified"}', 'unavailable'],
  ])('HTTP %i %s: %s', async (httpStatus, body, verdict) => {
    provider.answer(body, httpStatus)
    expect(await check()).toBe(verdict)
  })
})

describe('a check is called answered', () => {
  test.each([
    [400, '{"error": "malformed code"}', true],
    [520, '{"error": 1008}', true],
    [503, '{"error": 1008, "status": "verified"}', true],
    [520, '{"error": {"reason": "malformed"}}', true],
    [200, '{}', false],
    [500, '{"message": "internal server error"}', false],
    [520, '{"error": 0}', false],
    [520, '{"error": 10', false],
    [520, '<html>', false],
    [200, '', false],
  ])('HTTP %i %s: %s', async (httpStatus, body, expected) => {
    provider.answer(body, httpStatus)
    const service = providerCodes({ client, ...options, rejectedCodes: ['1001'] })
    let answers = 0
    const answered = () => {
      answers += 1
    }
    const asked = { destination, appName: 'Acme', code: '482913', signal, answered }
    expect(await service.checkCode(asked)).toBe('unavailable')
    expect(answers).toBe(expected ? 1 : 0)
  })
})

describe('an answer that is lost', () => {
  test('leaves a send unconfirmed, and a check without a verdict', async () => {
    const server = await startSocketServer((socket) =>
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{'),
    )
    const cutOff = createClient({ baseUrl: server.baseUrl, client: 1, key: 'k' })
    const service = providerCodes({ client: cutOff, ...options })
    expect(await send('sms', service)).toEqual({ result: 'unconfirmed' })
    expect(await send('call', service)).toEqual({ result: 'unconfirmed' })
    expect(await check(service)).toBe('unavailable')
    await cutOff.close()
    await server.close()
  })
})

describe('an answer of which only the status arrived', () => {
  test.each([403, 429])('leaves a send unconfirmed, and is no refusal: HTTP %i', async (httpStatus) => {
    const server = await startSocketServer((socket) =>
      socket.end(`HTTP/1.1 ${httpStatus} No\r\ncontent-length: 9\r\n\r\n{`),
    )
    const cutOff = createClient({ baseUrl: server.baseUrl, client: 1, key: 'k' })
    expect(await send('sms', providerCodes({ client: cutOff, ...options }))).toEqual({
      result: 'unconfirmed',
    })
    await cutOff.close()
    await server.close()
  })
})

describe('neither rejects', () => {
  test('when nothing can be sent', async () => {
    const closed = createClient({ baseUrl: provider.baseUrl, client: 1, key: 'k' })
    await closed.close()
    const service = providerCodes({ client: closed, ...options })
    expect(await send('sms', service)).toEqual({ result: 'not-sent' })
    expect(await check(service)).toBe('not-sent')
  })

  test('when the client fails in a way that nobody foresaw', async () => {
    const fail = () => Promise.reject(new Error('unforeseen'))
    const broken = { ...client, sendSmsCode: fail, sendCallCode: fail, verifyCode: fail }
    const service = providerCodes({ client: broken, ...options })
    expect(await send('sms', service)).toEqual({ result: 'unconfirmed' })
    expect(await send('call', service)).toEqual({ result: 'unconfirmed' })
    expect(await check(service)).toBe('unavailable')
  })

  test('and a send or check that was given up says what is known of it', async () => {
    const aborted = { signal: AbortSignal.abort() }
    expect(await codes.sendCode({ ...order, channel: 'sms', ...aborted })).toEqual({ result: 'not-sent' })
    expect(await codes.checkCode({ destination, appName: 'Acme', code: '482913', ...aborted })).toBe(
      'not-sent',
    )
    expect(provider.requests).toEqual([])
  })

  test('and its deadline is that of the client', () => {
    expect(providerCodes({ client: { ...client, timeoutMs: 9_000 }, ...options }).timeoutMs).toBe(9_000)
  })
})

test.each([
  { name: 'a' },
  { name: 'A.b_c-1' },
  { name: 'a'.repeat(40) },
  { voice: 'Marian' },
  { countryCode: 'CO' },
])('%j is right', (right) => expect(providerCodes({ client, ...options, ...right } as never)).toBeDefined())

test.each([
  [{ client: {} }, 'providerCodes: client must be a client from createClient()'],
  [{ approvedStatuses: undefined }, 'providerCodes: missing approvedStatuses'],
  [{ approvedStatuses: [] }, 'providerCodes: approvedStatuses must list what your account returns'],
  [{ rejectedCodes: '1001' }, 'providerCodes: rejectedCodes must be an array of strings'],
  [{ callRetries: 4 }, 'providerCodes: callRetries must be an integer from 1 to 3'],
  [{ name: 'a b' }, 'providerCodes: name must be a string of 1 to 40'],
  [{ name: '' }, 'providerCodes: name must be a string of 1 to 40'],
  [{ name: 5 }, 'providerCodes: name must be a string of 1 to 40'],
  [{ name: 'a'.repeat(41) }, 'providerCodes: name must be a string of 1 to 40'],
  [{ voice: 'Ana' }, "providerCodes: voice must be 'Mariana' or 'Penelope'"],
  [{ countryCode: 'co' }, 'providerCodes: countryCode must be an upper-case ISO 3166-1 alpha-2 code'],
  [{ countryCode: ['CO'] }, 'providerCodes: countryCode must be an upper-case ISO 3166-1 alpha-2 code'],
  // Kosovo has numbers and no code of ISO 3166-1, Antarctica the code and no numbers.
  [{ countryCode: 'XK' }, 'providerCodes: countryCode must be an upper-case ISO 3166-1 alpha-2 code'],
  [{ countryCode: 'AQ' }, 'providerCodes: countryCode must be an upper-case ISO 3166-1 alpha-2 code'],
])('%j is a mistake: %s', (wrong, message) => {
  expect(() => providerCodes({ client, ...options, ...wrong } as never)).toThrow(message)
})
