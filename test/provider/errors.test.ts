import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { TwoFactorError } from '../../src/errors.js'
import { createClient, ProviderError } from '../../src/provider/index.js'
import { recorded } from './recorder.js'

const { provider, client } = await recorded({ key: 'canary/key' })

const sms = { phone: '+573001234567', sms: 'Hi' }

async function refusal(body: string, httpStatus: number, headers?: Record<string, string>) {
  provider.answer(body, httpStatus, headers)
  const error = await client.sendSms(sms).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(ProviderError)
  return error as ProviderError
}

describe('no success is', () => {
  test.each([
    [520, '{"error": "1000", "msg": "bad"}'],
    [520, '{"id": "g1", "status": 1}'],
    [204, ''],
    [200, '<html>welcome</html>'],
    [200, '[]'],
    [200, '{"error": {}, "id": "g1"}'],
    [200, '{"error": [], "id": "g1"}'],
    [200, '{"id": "g1", "data": [{"phone": "5730012'],
  ])('HTTP %i %s', async (httpStatus, body) => {
    expect(await refusal(body, httpStatus)).toMatchObject({ delivery: 'answered', httpStatus })
  })

  test('an answer in a coding', async () => {
    const error = await refusal('{"id": "g1"}', 200, { 'content-encoding': 'gzip' })
    expect(error.message).toContain('content coding')
  })
})

describe('a success is', () => {
  test.each([
    '{}',
    '{"error": null}',
    '{"error": 0, "msg": "sent"}',
    '{"error": "0"}',
    '{"error": ""}',
    '{"error": false}',
  ])('HTTP 200 %s', async (body) => {
    provider.answer(body, 200)
    await client.sendSms(sms)
  })
})

describe('an error', () => {
  test('describes failure and fix for program and operator', async () => {
    const error = await refusal('{"error": 1003, "msg": "Credenciales"}', 520)
    expect({ ...error }).toEqual({
      code: 'delivery_failed',
      status: 502,
      expose: false,
      operation: 'sendSms',
      delivery: 'answered',
      reason: 'answer',
      httpStatus: 520,
      providerError: '1003',
      name: 'ProviderError',
      headers: undefined,
    })
    expect(error.message).toBe(
      "sendSms: the provider refused, HTTP 520, error 1003. Check client, key and this server's address on the account's allow-list.",
    )
    expect(error).toBeInstanceOf(TwoFactorError)
  })

  test('keeps the words of the provider out of sight', async () => {
    const error = await refusal('{"error": "no", "msg": "number 573001234567 is blocked"}', 520)
    expect(error.providerMessage).toBe('number 573001234567 is blocked')
    expect(error.raw).toEqual({ error: 'no', msg: 'number 573001234567 is blocked' })
    expect(`${inspect(error, { depth: 10 })}${JSON.stringify(error)}${error}`).not.toContain('573001234567')
  })

  test.each([
    ['key canary/key is wrong', 'key ••• is wrong'],
    ['in {"key": "canary\\/key"}', 'in {"•••"}'],
    ['key = sesame is wrong', '••• is wrong'],
    ['key=sesame is wrong', '••• is wrong'],
    ['canary%2Fkey is wrong', '••• is wrong'],
    ['phone +573007654321 invalid', 'phone ••• invalid'],
    ['phone 300 123-45-67 invalid', 'phone ••• invalid'],
    ['see https://provider.example/e?key=1 for more', 'see ••• for more'],
    ['phone ５７３００１２３４５６７ invalid', 'phone ••• invalid'],
    ['phone 5 7 3 0 0 1 2 3 4 5 6 7 or 573-001-234-567', 'phone ••• or •••'],
    ['phone 5 - 7 - 3 - 0 - 0 - 1 - 2 - 3 - 4 - 5 - 6 - 7', 'phone •••'],
    ['CANARY KEY, c-a-n-a-r-y-k-e-y, ｃａｎａｒｙ/ｋｅｙ', '•••, •••, •••'],
    ['1003', '1003'],
  ])('masks quotes of the provider: %s', async (said, shown) => {
    const error = await refusal(JSON.stringify({ error: said }), 520)
    expect(error.providerError).toBe(shown)
    expect(error.message).toContain(shown)
  })

  test('masks a code in a text that was sent, the longest number first, and none of its words', async () => {
    provider.answer('{"error": "cannot take 4829, 48291, 482 or 482913 to Ana"}', 520)
    const text = { phone: sms.phone, sms: 'Ana, take 4829 or 48291 or 482 or 482913' }
    await expect(client.sendSms(text)).rejects.toMatchObject({
      providerError: 'cannot take •••, •••, 482 or ••• to Ana',
    })
  })

  test('shortens long text of the provider', async () => {
    expect((await refusal(JSON.stringify({ error: 'x'.repeat(5000) }), 520)).message.length).toBeLessThan(400)
  })

  test.each([
    [401, '{}', "this server's address on the account's allow-list"],
    [399, '', 'Redirects are not followed'],
    [520, '{"error": 1000}', 'Check the parameters; providerMessage and raw contain the response'],
    [402, '{}', 'Check the credits'],
    [404, '<html>', 'baseUrl, which ends in the version segment'],
    [429, '{}', 'wait for retryAfterMs'],
    [502, '<html>', 'may have been sent nevertheless'],
    [200, ' <!doctype html>', 'The response is a web page'],
    [200, 'Welcome', 'Check the parameters'],
  ])('advises on HTTP %i %s', async (httpStatus, body, advice) => {
    expect((await refusal(body, httpStatus)).message).toContain(advice)
  })

  test.each([
    ['30', 30_000],
    ['Wed, 21 Oct 2015 07:28:00 GMT', 0],
  ])('contains the wait that the provider requests: Retry-After %s', async (header, retryAfterMs) => {
    expect((await refusal('{}', 429, { 'retry-after': header })).retryAfterMs).toBe(retryAfterMs)
  })

  test('has a wait of whole milliseconds until a date', async () => {
    const inAnHour = new Date(Date.now() + 3_600_000).toUTCString()
    const { retryAfterMs = 0 } = await refusal('{}', 503, { 'retry-after': inAnHour })
    expect(Number.isInteger(retryAfterMs)).toBe(true)
    expect(retryAfterMs).toBeGreaterThan(3_590_000)
    expect(retryAfterMs).toBeLessThanOrEqual(3_600_000)
  })

  test.each(['', 'soon', '-1', '1.5', '12345678901', 'later GMT'])(
    'has no wait for Retry-After "%s"',
    async (header) => {
      expect(await refusal('{}', 429, { 'retry-after': header })).not.toHaveProperty('retryAfterMs')
    },
  )

  test('has the headers of the answer where no log and no error handler finds them', async () => {
    const error = await refusal('{}', 502, { 'x-request-id': 'canary-id', 'set-cookie': 'a=canary-id' })
    expect(error.answerHeaders).toMatchObject({ 'x-request-id': 'canary-id' })
    expect(error.headers).toBeUndefined()
    expect(Object.keys(error)).not.toContain('answerHeaders')
    expect(`${inspect(error, { depth: 10 })}${JSON.stringify(error)}${error}`).not.toContain('canary-id')
  })

  test('of an operation that sends nothing is no failed delivery', async () => {
    provider.answer('<html>', 520)
    await expect(client.balance()).rejects.toMatchObject({ code: 'provider_unavailable', status: 503 })
    const check = client.verifyCode({ phone: sms.phone, appName: 'Acme', code: '1' })
    await expect(check).rejects.toMatchObject({ code: 'verification_unavailable', status: 503 })
  })

  test('after close() reports that nothing was sent', async () => {
    const closed = createClient({ baseUrl: provider.baseUrl, client: 1, key: 'k' })
    await closed.close()
    const check = closed.verifyCode({ phone: sms.phone, appName: 'Acme', code: '1' })
    await expect(check).rejects.toMatchObject({ delivery: 'not-sent', code: 'provider_unavailable' })
  })
})
