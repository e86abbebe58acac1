import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClient, type ProviderClient } from '../../src/provider/index.js'
import { type Recorder, startRecorder } from './recorder.js'

let provider: Recorder
let client: Record<string, (...args: unknown[]) => Promise<unknown>>

beforeAll(async () => {
  provider = await startRecorder()
  const typed: ProviderClient = createClient({ baseUrl: provider.baseUrl, client: 1, key: 'k' })
  client = typed as unknown as typeof client
})
afterAll(async () => {
  expect(provider.requests).toEqual([])
  await client.close?.()
  await provider.close()
})

const phone = '573001234567'
const call = { phone, message: 'Hello', voice: 'Mia' }
const code = { phone, appName: 'Acme' }
const days = { nameUrl: 'spring', since: '2026-03-01', until: '2026-03-02' }

const refusals: readonly (readonly [string, string, unknown, string])[] = [
  ['nothing', 'sendSms', undefined, 'sendSms: the parameters must be an object'],
  ['null', 'sendSms', null, 'sendSms: the parameters must be an object'],
  ['no number', 'sendSms', { sms: 'Hi' }, 'sendSms: phone is required'],
  [
    'a number with letters',
    'sendSms',
    { phone: '57300abc4567', sms: 'Hi' },
    'sendSms: phone must be one or more numbers',
  ],
  ['a number of six digits', 'sendSms', { phone: '123456', sms: 'Hi' }, 'sendSms: phone must be'],
  [
    'a number of sixteen digits',
    'sendSms',
    { phone: '1234567890123456', sms: 'Hi' },
    'sendSms: phone must be',
  ],
  ['a number as a number', 'sendSms', { phone: 573001234567, sms: 'Hi' }, 'sendSms: phone must be'],
  ['digits of another script', 'sendSms', { phone: '٥٧٣٠٠١٢٣٤٥٦٧', sms: 'Hi' }, 'sendSms: phone must be'],
  ['an empty list', 'sendSms', { phone: [], sms: 'Hi' }, 'sendSms: phone must be'],
  ['a list with a gap', 'sendSms', { phone: `${phone},,${phone}`, sms: 'Hi' }, 'sendSms: phone must be'],
  ['a list with a hole', 'sendSms', { phone: new Array(2), sms: 'Hi' }, 'sendSms: phone must be'],
  ['a list in a list', 'sendSms', { phone: [`${phone},${phone}`], sms: 'Hi' }, 'sendSms: phone must be'],
  ['a list with one wrong', 'sendSms', { phone: [phone, '12'], sms: 'Hi' }, 'sendSms: phone must be'],
  ['no text', 'sendSms', { phone }, 'sendSms: sms is required'],
  ['an empty text', 'sendSms', { phone, sms: '' }, 'sendSms: sms must be a non-empty string'],
  ['a blank text', 'sendSms', { phone, sms: ' \n' }, 'sendSms: sms must be a non-empty string'],
  [
    'half a surrogate pair',
    'sendSms',
    { phone, sms: 'a\ud83d' },
    'sendSms: sms must be a well-formed string',
  ],
  [
    'a lower-case country',
    'sendSms',
    { phone, sms: 'Hi', countryCode: 'co' },
    'sendSms: countryCode must be an upper-case ISO 3166-1 alpha-2 code',
  ],
  [
    'a country that is not',
    'sendSms',
    { phone, sms: 'Hi', countryCode: 'UK' },
    'sendSms: countryCode must be an upper-case ISO 3166-1 alpha-2 code',
  ],
  [
    'an empty country',
    'sendSms',
    { phone, sms: 'Hi', countryCode: '' },
    'sendSms: countryCode must be an upper-case ISO 3166-1 alpha-2 code',
  ],
  [
    'a misspelt parameter',
    'sendSms',
    { phone, sms: 'Hi', contryCode: 'CO' },
    'sendSms: unknown parameter "contryCode"; expected: phone, sms, countryCode',
  ],
  ['the name on the wire', 'sendSmsCode', { phone, 'app-name': 'Acme' }, 'sendSmsCode: appName is required'],
  [
    'two numbers to block',
    'blockPhone',
    { phone: `${phone},573007654321` },
    'blockPhone: phone must be exactly one number',
  ],
  [
    'a list of one to block',
    'blockPhone',
    { phone: [phone] },
    'blockPhone: phone must be exactly one number',
  ],
  [
    'two numbers for a code',
    'sendSmsCode',
    { ...code, phone: `${phone},573007654321` },
    'sendSmsCode: phone must be exactly one number',
  ],
  [
    'two numbers for a called code',
    'sendCallCode',
    { ...code, phone: [phone, phone], voice: 'Mia', retries: 1 },
    'sendCallCode: phone must be exactly one number',
  ],
  [
    'two numbers to verify',
    'verifyCode',
    { ...code, phone: `${phone},573007654321`, code: '1' },
    'verifyCode: phone must be exactly one number',
  ],
  ['a call that says nothing', 'sendCall', { phone }, 'sendCall: message is required without audioCode'],
  [
    'a call without a voice',
    'sendCall',
    { phone, message: 'Hello' },
    'sendCall: voice is required without audioCode',
  ],
  [
    'a call without a text',
    'sendCall',
    { phone, voice: 'Mia' },
    'sendCall: message is required without audioCode',
  ],
  [
    'a call with both',
    'sendCall',
    { ...call, audioCode: 'a' },
    'sendCall: audioCode must not be given together with message or voice',
  ],
  [
    'an audio with a text',
    'sendCall',
    { phone, message: 'Hello', audioCode: 'a' },
    'sendCall: audioCode must not be given together with message or voice',
  ],
  [
    'an audio with a voice',
    'sendCall',
    { phone, voice: 'Mia', audioCode: 'a' },
    'sendCall: audioCode must not be given together with message or voice',
  ],
  [
    'a voice that is not',
    'sendCall',
    { ...call, voice: 'Ana' },
    'sendCall: voice must be one of Marian, Penelope, Conchita, Mia, Lucia, Enrique, Miguel',
  ],
  [
    'a voice in lower case',
    'sendCallCode',
    { ...code, voice: 'mia', retries: 1 },
    'sendCallCode: voice must be one of Mariana, Penelope',
  ],
  ['no call attempt', 'sendCall', { ...call, retries: 0 }, 'sendCall: retries must be 1, 2 or 3'],
  ['four call attempts', 'sendCall', { ...call, retries: 4 }, 'sendCall: retries must be 1, 2 or 3'],
  ['half a call attempt', 'sendCall', { ...call, retries: 1.5 }, 'sendCall: retries must be 1, 2 or 3'],
  [
    'no attempt for a code',
    'sendCallCode',
    { ...code, voice: 'Mia', retries: '0' },
    'sendCallCode: retries must be a whole number, at least 1',
  ],
  [
    'half an attempt for a code',
    'sendCallCode',
    { ...code, voice: 'Mia', retries: 1.5 },
    'sendCallCode: retries',
  ],
  ...[true, [2], '0x2', ' 2'].map((retries): (typeof refusals)[number] => [
    `${JSON.stringify(retries)} for attempts`,
    'sendCall',
    { ...call, retries },
    'sendCall: retries must be 1, 2 or 3',
  ]),
  ['attempts in words', 'sendCallCode', { ...code, voice: 'Mia', retries: 'two' }, 'sendCallCode: retries'],
  ['no retries for a code', 'sendCallCode', { ...code, voice: 'Mia' }, 'sendCallCode: retries is required'],
  [
    'voicemail as text',
    'sendCall',
    { ...call, leaveVoicemail: 'true' },
    'sendCall: leaveVoicemail must be true or false',
  ],
  [
    'a code as a number',
    'verifyCode',
    { ...code, code: 12345 },
    'verifyCode: code must be a non-empty string',
  ],
  [
    'a code as a list',
    'verifyCode',
    { ...code, code: ['12345'] },
    'verifyCode: code must be a non-empty string',
  ],
  ['no id', 'messageState', {}, 'messageState: id is required'],
  ['no URL', 'shortenUrl', { name: 'a' }, 'shortenUrl: urlLong is required'],
  [
    'an empty URL',
    'shortenUrl',
    { name: 'a', urlLong: ' ' },
    'shortenUrl: urlLong must be a non-empty string',
  ],
  [
    'a URL as a number',
    'shortenUrl',
    { name: 'a', urlLong: 5 },
    'shortenUrl: urlLong must be a non-empty string',
  ],
  ...[
    'javascript:alert(1)',
    ' JavaScript:alert(1)',
    'java\tscript\n:alert(1)',
    '\u0001javascript:alert(1)',
    'vbscript:msgbox(1)',
    'data:text/html,<script>alert(1)</script>',
    'blob:https://a.example/1',
    'filesystem:https://a.example/1',
  ].map((urlLong): (typeof refusals)[number] => [
    `the script ${JSON.stringify(urlLong)}`,
    'shortenUrl',
    { name: 'a', urlLong },
    'shortenUrl: urlLong must be a non-empty string and not the URL of a script',
  ]),
  [
    'premium as text',
    'shortenUrl',
    { name: 'a', urlLong: 'https://a.example', isPremium: 'false' },
    'shortenUrl: isPremium must be true or false',
  ],
  [
    'a negative expiry',
    'shortenUrl',
    { name: 'a', urlLong: 'https://a.example', expirationTimeStatistics: -1 },
    'shortenUrl: expirationTimeStatistics must be a whole number of months',
  ],
  [
    'an empty expiry, which is not the default',
    'shortenUrl',
    { name: 'a', urlLong: 'https://a.example', expirationTimeStatistics: '' },
    'shortenUrl: expirationTimeStatistics must be a whole number of months',
  ],
  [
    'an expiry in words',
    'shortenUrl',
    { name: 'a', urlLong: 'https://a.example', expirationTimeStatistics: 'never' },
    'shortenUrl: expirationTimeStatistics must be a whole number of months',
  ],
  [
    'a day that is not',
    'urlStatistics',
    { ...days, until: '2026-02-30' },
    'urlStatistics: until must be an existing day',
  ],
  [
    'a month that is not',
    'urlStatistics',
    { ...days, since: '2026-13-01' },
    'urlStatistics: since must be an existing day',
  ],
  [
    'a day the other way round',
    'urlStatistics',
    { ...days, since: '01-03-2026' },
    'urlStatistics: since must be an existing day',
  ],
  [
    'a day in a list',
    'urlStatistics',
    { ...days, since: ['2026-03-01'] },
    'urlStatistics: since must be an existing day',
  ],
  [
    'an invalid Date',
    'urlStatistics',
    { ...days, since: new Date(Number.NaN) },
    'urlStatistics: since must be an existing day',
  ],
  [
    'days in the wrong order',
    'urlStatistics',
    { ...days, since: '2026-03-03' },
    'urlStatistics: since must not be after until',
  ],
  [
    'a category that is not',
    'urlStatistics',
    { ...days, category: 'planet' },
    'urlStatistics: category must be one of date, hour, country, device, operatingSystem, region, city, brand, model, browser, lang',
  ],
]

describe('a call is refused before anything is sent, with the parameter and the rule', () => {
  test.each(refusals)('%s', async (_what, method, params, message) => {
    const refusal = await client[method]?.(params).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(TypeError)
    expect((refusal as TypeError).message).toContain(message)
  })

  test.each([
    ['blockPhone', { phone }],
    ['sendSms', { phone, sms: 'Hi' }],
    ['sendCall', call],
    ['messageState', { id: 'g1' }],
    ['sendSmsCode', code],
    ['sendCallCode', { ...code, voice: 'Mia', retries: 1 }],
    ['verifyCode', { ...code, code: '482913' }],
    ['shortenUrl', { name: 'a', urlLong: 'https://a.example' }],
    ['urlStatistics', days],
  ])('a parameter that %s does not have', async (method, params) => {
    await expect(client[method]?.({ ...params, planet: 'Mars' })).rejects.toThrow(
      `${method}: unknown parameter "planet"; expected: `,
    )
  })

  test('an unknown operation', async () => {
    await expect(client.request?.('sendPigeon', {})).rejects.toThrow(
      'request: operation must be one of balance, blockPhone, sendSms',
    )
    await expect(client.request?.('toString', {})).rejects.toThrow(TypeError)
  })

  test('the account in place of a parameter', async () => {
    await expect(client.request?.('blockPhone', { phone, key: 'other' })).rejects.toThrow(
      'blockPhone: unknown parameter "key"',
    )
    await expect(client.request?.('blockPhone', { phone, client: 2 })).rejects.toThrow(
      'blockPhone: unknown parameter "client"',
    )
    await expect(client.request?.('balance', { key: 'other' })).rejects.toThrow(
      'balance: unknown parameter "key"; expected: none',
    )
  })

  test('a further parameter that is no scalar', async () => {
    await expect(client.request?.('blockPhone', { phone, channel: ['CALL'] })).rejects.toThrow(
      'blockPhone: channel must be a string, a number or a boolean',
    )
  })

  test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, '1000'])(
    'a deadline of %s',
    async (timeoutMs) => {
      await expect(client.balance?.({ timeoutMs })).rejects.toThrow('balance: timeoutMs must be')
    },
  )

  test('a signal that is none', async () => {
    for (const signal of [{}, null]) {
      await expect(client.balance?.({ signal })).rejects.toThrow('balance: signal must be an AbortSignal')
    }
  })

  test('no refusal repeats what was given', async () => {
    for (const [, method, params] of refusals) {
      const refusal = await client[method]?.(params).catch((error: unknown) => error)
      expect(String(refusal)).not.toContain(phone)
    }
  })
})
