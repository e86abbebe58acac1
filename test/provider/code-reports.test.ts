import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { providerCodes } from '../../src/provider/code-adapter.js'
import { createClient, type ProviderClient } from '../../src/provider/index.js'
import { messageStateOf } from '../../src/provider/send-result.js'
import { type Recorder, startRecorder } from './recorder.js'

const destination = '+573001234567'
const { signal } = new AbortController()
const order = { destination, appName: 'Acme', purpose: 'login', locale: 'en', expiresInMs: 600_000, signal }
const approvedStatuses = ['verified']

let provider: Recorder
let client: ProviderClient

beforeAll(async () => {
  provider = await startRecorder()
  client = createClient({ baseUrl: provider.baseUrl, client: 1, key: 'k' })
})
afterAll(async () => {
  await client.close()
  await provider.close()
})

describe('a report', () => {
  test('of a send names the operation and the message', async () => {
    const report = vi.fn()
    const codes = providerCodes({ client, approvedStatuses })
    provider.answer('{"id": "g1"}', 200)
    await codes.sendCode({ ...order, channel: 'sms', report })
    await codes.sendCode({ ...order, channel: 'call', report })
    expect(report.mock.calls).toEqual([
      [{ operation: 'sendSmsCode', httpStatus: 200, messageId: 'g1' }],
      [{ operation: 'sendCallCode', httpStatus: 200, messageId: 'g1' }],
    ])
  })

  test.each([
    [200, '{"status": "verified"}', { operation: 'verifyCode', httpStatus: 200 }],
    [
      200,
      '{"status": "pending"}',
      { operation: 'verifyCode', httpStatus: 200, reason: 'answer', unexpectedStatus: 'pending' },
    ],
    [
      200,
      '{"status": "verified", "error": 1007}',
      { operation: 'verifyCode', httpStatus: 200, reason: 'answer', providerError: '1007' },
    ],
    [
      520,
      '{"error": 1007}',
      { operation: 'verifyCode', httpStatus: 520, reason: 'answer', providerError: '1007' },
    ],
    [503, '{"status": "verified"}', { operation: 'verifyCode', httpStatus: 503, reason: 'answer' }],
  ])('of a check that returns HTTP %i %s', async (httpStatus, body, expected) => {
    const report = vi.fn()
    provider.answer(body, httpStatus)
    await providerCodes({ client, approvedStatuses }).checkCode({
      destination,
      appName: 'Acme',
      code: '482913',
      signal,
      report,
    })
    expect(report.mock.calls).toEqual([[expected]])
  })

  test.each([
    ['{"status": "expected 482914"}', { unexpectedStatus: 'expected •••' }],
    ['{"status": "4829 is wrong"}', { unexpectedStatus: '••• is wrong' }],
    ['{"status": "123 and 4"}', { unexpectedStatus: '123 and 4' }],
    ['{"error": 10071}', { providerError: '10071' }],
    ['{"error": 100712}', { providerError: '•••' }],
    ['{"error": "482913"}', { providerError: '•••' }],
  ])('of a check quotes no digits that may be the right code: %s', async (body, said) => {
    const report = vi.fn()
    provider.answer(body, 200)
    const submitted = { destination, appName: 'Acme', code: '482913', signal, report }
    await providerCodes({ client, approvedStatuses }).checkCode(submitted)
    expect(report.mock.calls).toEqual([
      [{ operation: 'verifyCode', httpStatus: 200, reason: 'answer', ...said }],
    ])
  })

  test('belongs to its receiver: what one adds to an approval is in no other', async () => {
    const codes = providerCodes({ client, approvedStatuses })
    const submitted = { destination, appName: 'Acme', code: '482913', signal }
    const reports: unknown[] = []
    provider.answer('{"status": "verified"}', 200)
    await codes.checkCode({
      ...submitted,
      report: (mine) => void Object.assign(mine, { reason: "somebody's own" }),
    })
    await codes.checkCode({ ...submitted, report: (other) => void reports.push(other) })
    expect(reports).toEqual([{ operation: 'verifyCode', httpStatus: 200 }])
  })

  test('of a failure says what was asked and why it failed, and nothing else', async () => {
    const report = vi.fn()
    const codes = providerCodes({ client, approvedStatuses })
    provider.answer('{"error": 1000, "msg": "number 573001234567 is blocked"}', 520)
    await codes.sendCode({ ...order, channel: 'sms', report })
    provider.answer('<html>', 502)
    await codes.checkCode({ destination, appName: 'Acme', code: '482913', signal, report })
    expect(report.mock.calls).toEqual([
      [{ operation: 'sendSmsCode', httpStatus: 520, providerError: '1000', reason: 'answer' }],
      [{ operation: 'verifyCode', httpStatus: 502, providerError: undefined, reason: 'answer' }],
    ])
  })

  test('of what nobody foresaw says no more than that', async () => {
    const report = vi.fn()
    const fail = () => Promise.reject(new Error('the key is k'))
    const broken = { ...client, sendSmsCode: fail, verifyCode: fail }
    const codes = providerCodes({ client: broken, approvedStatuses })
    await codes.sendCode({ ...order, channel: 'sms', report })
    await codes.checkCode({ destination, appName: 'Acme', code: '482913', signal, report })
    expect(report.mock.calls).toEqual([[{ reason: 'error' }], [{ reason: 'error' }]])
  })
})

describe('what the client is asked', () => {
  /** A client that notes what it was asked, and returns this. */
  function asked(result: unknown = {}) {
    const calls: unknown[][] = []
    const method =
      (name: string) =>
      async (...args: unknown[]) => {
        calls.push([name, ...args])
        return result
      }
    const methods = ['sendSmsCode', 'sendCallCode', 'verifyCode', 'balance', 'messageState', 'close']
    const fake = Object.fromEntries(methods.map((name) => [name, method(name)]))
    return { calls, codes: providerCodes({ client: fake as never, approvedStatuses }) }
  }

  test('can be given up: each exchange has the signal of its caller', async () => {
    const { calls, codes } = asked()
    await codes.sendCode({ ...order, channel: 'sms' })
    await codes.sendCode({ ...order, channel: 'call' })
    await codes.checkCode({ destination, appName: 'Acme', code: '482913', signal })
    const phone = { phone: destination, appName: 'Acme', countryCode: undefined }
    expect(calls).toEqual([
      ['sendSmsCode', phone, { signal }],
      ['sendCallCode', { ...phone, voice: 'Mariana', retries: 1 }, { signal }],
      ['verifyCode', { ...phone, code: '482913' }, { signal }],
    ])
    for (const [, , exchange] of calls) expect(exchange).toHaveProperty('signal', signal)
  })

  test('is quoted only where it has made the answer: nobody else knows what in it is secret', async () => {
    const { codes } = asked({ httpStatus: 200, status: 'key=k' })
    const report = vi.fn()
    await codes.checkCode({ destination, appName: 'Acme', code: '482913', signal, report })
    expect(report.mock.calls).toEqual([[{ operation: 'verifyCode', httpStatus: 200, reason: 'answer' }]])
  })

  test('is believed when it resolves without the answer as it came', async () => {
    const { codes } = asked()
    expect(await codes.sendCode({ ...order, channel: 'sms' })).toEqual({ result: 'sent' })
  })

  test('is the state of a message, and what became of it is returned', async () => {
    const { calls, codes } = asked([{ state: 'Entregado' }])
    expect(await codes.messageState?.({ id: 'g1', signal })).toBe('delivered')
    expect(calls).toEqual([['messageState', { id: 'g1' }, { signal }]])
  })

  test('is its balance, and to close', async () => {
    const { calls, codes } = asked({ balance: 5 })
    expect(await codes.balance?.()).toEqual({ balance: 5 })
    await codes.close?.()
    expect(calls).toEqual([['balance'], ['close']])
  })
})

describe('a lifetime', () => {
  test.each([
    ['{"minutes_to_expire": 10, "phone": "573007654321"}', { result: 'foreign-number' }],
    ['{"minutes_to_expire": 1e300}', { result: 'sent' }],
    ['{"minutes_to_expire": 0.00001}', { result: 'sent' }],
  ])('that nobody can use is left out: %s', async (body, result) => {
    provider.answer(body, 200)
    const codes = providerCodes({ client, approvedStatuses })
    expect(await codes.sendCode({ ...order, channel: 'sms' })).toEqual(result)
  })
})

test('an error of another make is asked nothing: that it was not sent is not proved', async () => {
  const fail = () => Promise.reject(Object.assign(new Error('mine'), { delivery: 'not-sent' }))
  const codes = providerCodes({
    client: { ...client, sendSmsCode: fail, verifyCode: fail },
    approvedStatuses,
  })
  expect(await codes.sendCode({ ...order, channel: 'sms' })).toEqual({ result: 'unconfirmed' })
  expect(await codes.checkCode({ destination, appName: 'Acme', code: '482913', signal })).toBe('unavailable')
})

test.each(['sendSmsCode', 'sendCallCode', 'verifyCode', 'balance', 'close'])(
  'a client without %s is none',
  (method) => {
    const wrong = { ...client, [method]: undefined } as never
    expect(() => providerCodes({ client: wrong, approvedStatuses })).toThrow(
      'providerCodes: client must be a client from createClient()',
    )
  },
)

test('a client that cannot tell the state of a message makes codes that cannot', () => {
  const { messageState: _, ...silent } = client
  expect(providerCodes({ client: silent, approvedStatuses })).not.toHaveProperty('messageState')
})

test('client and approved statuses are asked for by name', () => {
  expect(() => providerCodes({} as never)).toThrow('providerCodes: missing client, approvedStatuses')
})

describe('the state of a message', () => {
  test.each([
    [['Entregado'], 'delivered'],
    [['leído', 'LEIDO'], 'delivered'],
    [['Contestada', 'delivered to handset', 'read', 'answered'], 'delivered'],
    [['Entregado', 'Enviado'], 'pending'],
    [['no entregado'], 'rejected'],
    [['Entregado', 'Rechazado'], 'rejected'],
    [['blocked'], 'rejected'],
    [['nothing was delivered'], 'pending'],
    [['not an error'], 'pending'],
    [[undefined], 'pending'],
    [[], 'pending'],
  ])('%j is %s', (states, expected) => {
    expect(messageStateOf(states.map((state) => ({ state })) as never)).toBe(expected)
  })

  test.each(
    'rechazado bloqueado error fallido sin respuesta reject fail undelivered unreachable no answer expired'
      .split(/ (?!respuesta|answer)/)
      .map((state) => [state]),
  )('%s is rejected', (state) => {
    expect(messageStateOf([{ state }] as never)).toBe('rejected')
  })
})
