import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { createClient, type ProviderClient } from '../../src/provider/index.js'
import { recorded } from './recorder.js'

const { provider, client } = await recorded()

const phone = '+573001234567'
const calls = {
  balance: (c: ProviderClient) => c.balance(),
  blockPhone: (c: ProviderClient) => c.blockPhone({ phone }),
  sendSms: (c: ProviderClient) => c.sendSms({ phone, sms: 'Hi' }),
  sendCall: (c: ProviderClient) => c.sendCall({ phone, audioCode: 'a' }),
  messageState: (c: ProviderClient) => c.messageState({ id: 'g1' }),
  sendSmsCode: (c: ProviderClient) => c.sendSmsCode({ phone, appName: 'Acme' }),
  sendCallCode: (c: ProviderClient) => c.sendCallCode({ phone, appName: 'Acme', voice: 'Mia', retries: 1 }),
  shortenUrl: (c: ProviderClient) => c.shortenUrl({ name: 'a', urlLong: 'https://a.example' }),
  urlStatistics: (c: ProviderClient) =>
    c.urlStatistics({ nameUrl: 'a', since: '2026-03-01', until: '2026-03-02' }),
}
type Call = keyof typeof calls

async function resultOf(call: Call, answer: string): Promise<unknown> {
  provider.answer(answer)
  return calls[call](client)
}

/** The answer as the specification writes it, the same as services were seen to write it, and what both mean. */
const dialects: readonly (readonly [Call, string, string, unknown])[] = [
  ['balance', '{"status": 1234}', '{"status": "1", "balance": "1234"}', { credits: 1234 }],
  ['balance', '{"status": 12.5}', '{"status": 1, "credits": " 12.5 "}', { credits: 12.5 }],
  [
    'blockPhone',
    '{"id": "b1", "status": "ok", "phone": "573001234567", "name": "Ana"}',
    '{"id": "b1", "status": "ok", "phone": 573001234567, "name": "Ana", "error": 0}',
    { id: 'b1', status: 'ok', phone: '573001234567', name: 'Ana' },
  ],
  [
    'sendSms',
    '{"id": "g1", "status": 1, "data": [{"id": "m1", "status": "Enviado", "credits": 0, "sms": "Hi", "phone": "573001234567"}]}',
    '{"status": "1", "id": "g1", "data": {"id": "m1", "state": "Enviado", "credits": "0", "sms": "Hi", "phone": 573001234567}}',
    {
      id: 'g1',
      status: 1,
      data: [{ id: 'm1', status: 'Enviado', credits: 0, sms: 'Hi', phone: '573001234567' }],
    },
  ],
  ['sendSms', '{"id": "g1", "data": []}', '{"id": "g1", "data": null}', { id: 'g1', data: [] }],
  [
    'messageState',
    '{"state": "Leído", "credits": 0, "phone": 573001234567, "created": "2026-03-01 10:00:00", "sms": "Hi", "dispatch_id": "d1", "id": "m1"}',
    '[{"state": "Leído", "credits": "0", "phone": "573001234567", "created": "2026-03-01 10:00:00", "sms": "Hi", "dispatch_id": "d1", "id": "m1"}]',
    [
      {
        state: 'Leído',
        credits: 0,
        phone: '573001234567',
        created: '2026-03-01 10:00:00',
        sms: 'Hi',
        dispatchId: 'd1',
        id: 'm1',
      },
    ],
  ],
  [
    'sendCallCode',
    '{"status": "1", "id": "g4", "minutes_to_expire": 5, "data": [{"id": "c2", "state": "Enviado", "credits": 1, "phone": 573001234567, "voice": "Mia"}]}',
    '{"status": 1, "id": "g4", "minutes_to_expire": "5", "data": {"id": "c2", "state": "Enviado", "credits": 1, "phone": "573001234567", "voice": "Mia"}}',
    {
      status: '1',
      id: 'g4',
      minutesToExpire: 5,
      data: [{ id: 'c2', state: 'Enviado', credits: 1, phone: '573001234567', voice: 'Mia' }],
    },
  ],
  [
    'urlStatistics',
    '{"clicksNumber": 3, "metrics": [{"date": {"property": "2026-03-01", "clicks": 3}, "city": {"property": "Bogotá", "clicks": 3, "countryIsoCode": "CO", "region": "DC", "percent": 100.0}}]}',
    '{"clicksNumber": "3", "metrics": {"date": {"property": "2026-03-01", "clicks": "3"}, "city": {"property": "Bogotá", "clicks": "3", "countryIsoCode": "CO", "region": "DC", "percent": "100.0"}}}',
    {
      clicksNumber: 3,
      metrics: [
        {
          date: { property: '2026-03-01', clicks: 3 },
          city: { property: 'Bogotá', clicks: 3, countryIsoCode: 'CO', region: 'DC', percent: 100 },
        },
      ],
    },
  ],
]

describe('an answer means the same in the words of the specification and of real services', () => {
  test.each(dialects)('%s: %s', async (call, specified, observed, meaning) => {
    const { error: _none, ...seen } = (await resultOf(call, observed)) as Record<string, unknown>
    expect(await resultOf(call, specified)).toEqual(meaning)
    expect(Array.isArray(meaning) ? await resultOf(call, observed) : seen).toEqual(meaning)
  })
})

describe('a result', () => {
  test('keeps undocumented members', async () => {
    const answer = '{"id": "g1", "state": {"eta": 5}, "data": [{"phone": "573001234567", "carrier": "X"}]}'
    expect(await resultOf('sendSms', answer)).toEqual({
      id: 'g1',
      state: { eta: 5 },
      data: [{ phone: '573001234567', carrier: 'X' }],
    })
  })

  test('leaves a member out whose value cannot be read as documented', async () => {
    const answer = '{"id": {}, "status": "soon", "data": [1, null, {"credits": "many", "sms": ["x"]}]}'
    // Strictly: a member that is there and undefined would be in every copy and log.
    expect(await resultOf('sendSms', answer)).toStrictEqual({ data: [{}] })
  })

  test.each(Object.keys(calls) as Call[])(
    'of %s carries the answer untouched, and out of sight',
    async (call) => {
      const answer = '{"status": "7", "data": {"phone": 573001234567}, "extra": [1, "2"]}'
      const result = (await resultOf(call, answer)) as { raw: unknown }
      expect(result.raw).toEqual({ status: '7', data: { phone: 573001234567 }, extra: [1, '2'] })
      expect(Object.keys(result)).not.toContain('raw')
      expect(JSON.stringify(result)).not.toContain('raw')
    },
  )

  test('has the documented name if both names of a member arrive', async () => {
    const answer = '{"data": [{"state": "queued", "status": "sent"}, {"status": "sent", "state": "queued"}]}'
    const both = { status: 'sent', state: 'queued' }
    expect(await resultOf('sendSms', answer)).toEqual({ data: [both, both] })
  })

  test('cannot be given a prototype by the answer', async () => {
    const answer = '{"__proto__": {"id": "evil"}, "data": [{"__proto__": {"phone": "1"}}]}'
    const result = (await resultOf('sendSms', answer)) as { id?: string; data: { phone?: string }[] }
    expect(result.id).toBeUndefined()
    expect(result.data[0]?.phone).toBeUndefined()
    expect(Object.assign({}, result).id).toBeUndefined()
    expect([Object.keys(result), Object.keys(result.data[0] ?? {})]).toEqual([['data'], []])
  })

  test.each(['"n/a"', 'null', '"1,234"', '1e999'])(
    'has no credits, rather than a flag, in %s',
    async (balance) => {
      expect(await resultOf('balance', `{"status": 1, "balance": ${balance}}`)).not.toHaveProperty('credits')
    },
  )

  test('leaves out a numeric id that JSON has rounded, and keeps it in raw', async () => {
    const answer =
      '{"id": 12345678901234567890, "status": 9007199254740993, "data": [{"id": 7, "credits": 1e999}]}'
    const result = (await resultOf('sendSms', answer)) as { raw: unknown }
    expect(result).toEqual({ data: [{ id: '7' }] })
    expect(result.raw).toMatchObject({ id: 12345678901234567000, data: [{ id: 7 }] })
    expect(await resultOf('sendSms', '{"id": 9007199254740991}')).toMatchObject({ id: '9007199254740991' })
    expect(await resultOf('sendSms', '{"id": 1.5}')).toMatchObject({ id: '1.5' })
  })

  test('is read for any content type, and behind a byte order mark', async () => {
    provider.answer('\ufeff{"balance": 5}', 200, { 'content-type': 'text/html' })
    expect(await client.balance()).toEqual({ credits: 5 })
  })
})

describe('verifyCode resolves with the answer as it came', () => {
  const code = { phone, appName: 'Acme', code: '482913' }

  test.each([
    [200, '{"status": "verified"}', { httpStatus: 200, status: 'verified' }],
    [200, '{"status": 1, "msg": "ok"}', { httpStatus: 200, status: 1, msg: 'ok' }],
    [520, '{"error": 1003, "msg": "no"}', { httpStatus: 520, error: 1003, msg: 'no' }],
    [503, '{"httpStatus": 200, "status": "verified"}', { httpStatus: 503, status: 'verified' }],
  ])('HTTP %i %s', async (httpStatus, body, answer) => {
    provider.answer(body, httpStatus)
    const result = await client.verifyCode(code)
    expect(result).toEqual(answer)
    expect(result.raw).toEqual(JSON.parse(body))
  })

  test('that shows no request, in any print or copy', async () => {
    const mine = createClient({ baseUrl: provider.baseUrl, client: 918273, key: 'canary-key' })
    provider.answer('{"status": "pending"}')
    const answer = await mine.verifyCode(code)
    const shown = [
      inspect(answer, { depth: 10, showHidden: true }),
      inspect({ ...answer }, { depth: 10, showHidden: true }),
      inspect(structuredClone(answer), { depth: 10, showHidden: true }),
      JSON.stringify(answer),
    ].join()
    expect(shown).toMatch(/pending/)
    expect(shown).not.toMatch(/canary|918273|482913|3001234567/)
    await mine.close()
  })

  test('without inherited members', async () => {
    provider.answer('{"__proto__": {"status": "verified"}}')
    const result = await client.verifyCode(code)
    expect(result.status).toBeUndefined()
  })

  test.each([
    '{"st\\u0061tus": "wrong", "status": "verified"}',
    '{"status" : "verified", "nested": {"status": 1}, "status"\n: "verified"}',
    '{"error": 1003, "status": "verified", "error": 0}',
    '{"text": "{", "status": "wrong", "status": "verified"}',
  ])('without a status when a member is there twice: %s', async (body) => {
    provider.answer(body)
    expect(await client.verifyCode(code)).not.toHaveProperty('status')
  })

  test.each([
    '{"status": "verified", "nested": {"status": "wrong", "a": [{"status": 1}]}}',
    '{"status": "verified", "text": "\\"status\\": {[\\\\"}',
  ])('with its status if the second member is missing: %s', async (body) => {
    provider.answer(body)
    expect(await client.verifyCode(code)).toHaveProperty('status', 'verified')
  })

  test.each(['', 'null', '"verified"', '[{"status": "verified"}]', '{"status": "verif'])(
    'and rejects when it is no JSON object: %s',
    async (body) => {
      provider.answer(body)
      await expect(client.verifyCode(code)).rejects.toMatchObject({ delivery: 'answered', httpStatus: 200 })
    },
  )
})
