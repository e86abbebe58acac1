import { describe, expect, test, vi } from 'vitest'
import { providerCodes } from '../../src/provider/code-adapter.js'
import { order, recorded, submitted } from './recorder.js'

const { provider, client } = await recorded({ key: 'sesame' })
const approvedStatuses = ['verified']
const codes = providerCodes({ client, approvedStatuses })

/** What is reported of a check that gets this answer. */
async function reportedOf(body: string, httpStatus = 200) {
  const report = vi.fn()
  provider.answer(body, httpStatus)
  await codes.checkCode({ ...submitted, report })
  expect(report).toHaveBeenCalledOnce()
  return report.mock.calls[0]?.[0]
}

describe('a report', () => {
  test('of a send names the operation and the message', async () => {
    const report = vi.fn()
    provider.answer('{"id": "g1"}', 200)
    await codes.sendCode({ ...order, report })
    await codes.sendCode({ ...order, channel: 'call', report })
    expect(report.mock.calls).toEqual([
      [{ operation: 'sendSmsCode', httpStatus: 200, messageId: 'g1' }],
      [{ operation: 'sendCallCode', httpStatus: 200, messageId: 'g1' }],
    ])
  })

  test.each([
    '573001234567',
    '5 7 3 0 0 1 2 3 4 5 6 7',
    'm-573-001-234-567',
    '３００１２３４５６７',
    'key SESAME',
    's.e.s.a.m.e',
  ])('of a send has no id of a message that repeats number or key: %s', async (id) => {
    const report = vi.fn()
    provider.answer(JSON.stringify({ id }))
    await codes.sendCode({ ...order, report })
    expect(report.mock.calls).toEqual([[{ operation: 'sendSmsCode', httpStatus: 200, messageId: undefined }]])
  })

  test.each([
    [200, '{"status": "verified"}', {}],
    [200, '{"status": "pending"}', { reason: 'answer', unexpectedStatus: 'pending' }],
    [200, '{"status": "verified", "error": 1007}', { reason: 'answer', providerError: '1007' }],
    [503, '{"status": "verified"}', { reason: 'answer' }],
    [502, '<html>', { reason: 'answer', providerError: undefined }],
    // No digits are quoted that may be the right code.
    [200, '{"status": "expected 482914"}', { reason: 'answer', unexpectedStatus: 'expected •••' }],
    [520, '{"error": "4-8-2-9-1-3 is wrong"}', { reason: 'answer', providerError: '••• is wrong' }],
    [200, '{"status": "123 and 4"}', { reason: 'answer', unexpectedStatus: '123 and 4' }],
    [200, '{"error": 10071}', { reason: 'answer', providerError: '10071' }],
    [200, '{"error": 100712}', { reason: 'answer', providerError: '•••' }],
  ])('of a check that returns HTTP %i %s: %j', async (httpStatus, body, told) => {
    const { cause: _cause, ...about } = await reportedOf(body, httpStatus)
    expect(about).toEqual({ operation: 'verifyCode', httpStatus, ...told })
  })

  test('of a check without an approved status contains the line to paste', async () => {
    const { cause } = await reportedOf('{"status": "pending"}')
    expect(cause).toContain('confirms it, paste approvedStatuses: ["verified","pending"] into')
  })

  test.each([
    '482-913',
    '４８２９１３',
    '4 - 8 - 2 - 9 - 1 - 3',
    '4, 8, 2, 9, 1, 3',
    '482 914',
    '48.29',
    '4:8:2:9',
  ])('of a check quotes no code, however it is spelled: %s', async (code) => {
    const told = await reportedOf(`{"status": "expected ${code}!"}`, 200)
    expect(told).toMatchObject({ reason: 'answer', unexpectedStatus: 'expected •••!' })
  })

  test('belongs to its receiver, and a member added to an approval is in no further one', async () => {
    provider.answer('{"status": "verified"}', 200)
    const report = (mine: object) => void Object.assign(mine, { reason: "somebody's own" })
    await codes.checkCode({ ...submitted, report })
    expect(await reportedOf('{"status": "verified"}')).toEqual({ operation: 'verifyCode', httpStatus: 200 })
  })

  test('quotes no code of letters, however it is spelled', async () => {
    const report = vi.fn()
    provider.answer('{"status": "ab-CD or A B C D"}')
    await codes.checkCode({ ...submitted, code: 'ABCD', report })
    expect(report.mock.lastCall?.[0]).toMatchObject({ unexpectedStatus: '••• or •••' })
  })

  test('of a failure contains only the request and the reason', async () => {
    const report = vi.fn()
    provider.answer('{"error": 1000, "msg": "number 573001234567 is blocked"}', 520)
    await codes.sendCode({ ...order, report })
    const about = { operation: 'sendSmsCode', httpStatus: 520, providerError: '1000', reason: 'answer' }
    expect(report.mock.calls).toEqual([[{ ...about, cause: 'Check the parameters.' }]])
  })

  test('of an unknown failure contains nothing more', async () => {
    const report = vi.fn()
    const fail = () => Promise.reject(new Error('the key is k'))
    const broken = providerCodes({
      client: { ...client, sendSmsCode: fail, verifyCode: fail },
      approvedStatuses,
    })
    await broken.sendCode({ ...order, report })
    await broken.checkCode({ ...submitted, report })
    expect(report.mock.calls).toEqual([[{ reason: 'error' }], [{ reason: 'error' }]])
  })
})

describe('what the client is asked', () => {
  const calls: unknown[][] = []
  /** Over a client that notes what it was asked, and returns this. */
  function asked(result: unknown = {}, options = {}) {
    calls.length = 0
    const methods = ['sendSmsCode', 'sendCallCode', 'verifyCode', 'balance', 'close'].map((name) => [
      name,
      async (...args: unknown[]) => {
        calls.push([name, ...args])
        return result
      },
    ])
    return providerCodes({ client: Object.fromEntries(methods), approvedStatuses, ...options })
  }

  test.each([
    [{}, { voice: 'Mariana', retries: 1 }],
    [
      { voice: 'Penelope', callRetries: 2, countryCode: 'CO' },
      { voice: 'Penelope', retries: 2 },
    ],
  ] as const)(
    'is each exchange with the signal of its caller, with these options: %j',
    async (options, call) => {
      const service = asked({}, options)
      await service.sendCode(order)
      await service.sendCode({ ...order, channel: 'call' })
      await service.checkCode(submitted)
      const country = 'countryCode' in options ? { countryCode: options.countryCode } : {}
      const phone = { phone: order.destination, appName: 'Acme', ...country }
      expect(calls).toEqual([
        ['sendSmsCode', phone, { signal: order.signal }],
        ['sendCallCode', { ...phone, ...call }, { signal: order.signal }],
        ['verifyCode', { ...phone, code: '482913' }, { signal: order.signal }],
      ])
      for (const [, , exchange] of calls) expect(exchange).toHaveProperty('signal', order.signal)
    },
  )

  test('is quoted only for its own answers, because secrets in others are unknown', async () => {
    const report = vi.fn()
    await asked({ httpStatus: 200, status: 'key=k' }).checkCode({ ...submitted, report })
    expect(report.mock.calls).toEqual([[{ operation: 'verifyCode', httpStatus: 200, reason: 'answer' }]])
  })
})
