import { afterAll, describe, expect, test } from 'vitest'
import { recorded } from './recorder.js'

const { provider, client: typed } = await recorded()
const client = typed as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>
afterAll(() => expect(provider.requests).toEqual([]))

const phone = '573001234567'
const two = `${phone},573007654321`
const sms = { phone, sms: 'Hi' }
const call = { phone, message: 'Hello', voice: 'Mia' }
const code = { phone, appName: 'Acme' }
const called = { ...code, voice: 'Mia', retries: 1 }
const short = { name: 'a', urlLong: 'https://a.example' }
const days = { nameUrl: 'spring', since: '2026-03-01', until: '2026-03-02' }

const refusals: Readonly<Record<string, readonly (readonly [string, unknown, string])[]>> = {
  sendSms: [
    ['nothing', undefined, 'the parameters must be an object'],
    ['no number', { sms: 'Hi' }, 'phone is required'],
    ['a number with letters', { ...sms, phone: '57300abc4567' }, 'phone must be one or more numbers'],
    ['nothing at all', null, 'the parameters must be an object'],
    ['a number of six digits', { ...sms, phone: '123456' }, 'phone must be'],
    ['a number of sixteen digits', { ...sms, phone: '1234567890123456' }, 'phone must be'],
    ['a number as a number', { ...sms, phone: 573001234567 }, 'phone must be'],
    ['digits of another script', { ...sms, phone: '٥٧٣٠٠١٢٣٤٥٦٧' }, 'phone must be'],
    ['an empty list', { ...sms, phone: [] }, 'phone must be'],
    ['a list in a list', { ...sms, phone: [two] }, 'phone must be'],
    ['a list with one wrong', { ...sms, phone: [phone, '12'] }, 'phone must be'],
    ['a blank text', { phone, sms: ' \n' }, 'sms must be a non-empty string'],
    ['half a surrogate pair', { phone, sms: 'a\ud83d' }, 'sms must be a well-formed string'],
    ...['co', 'UK'].map((countryCode) => {
      const rule = 'countryCode must be an upper-case ISO 3166-1 alpha-2 code'
      return [`the country "${countryCode}"`, { ...sms, countryCode }, rule] as const
    }),
    [
      'a misspelt parameter',
      { ...sms, contryCode: 'CO' },
      'unknown parameter "contryCode"; expected: phone, sms, countryCode',
    ],
  ],
  blockPhone: [
    ['two numbers', { phone: two }, 'phone must be exactly one number'],
    ['a list of one', { phone: [phone] }, 'phone must be exactly one number'],
  ],
  sendSmsCode: [
    ['the name on the wire', { phone, 'app-name': 'Acme' }, 'appName is required'],
    ['two numbers', { ...code, phone: two }, 'phone must be exactly one number'],
  ],
  sendCall: [
    ['nothing to say', { phone }, 'message is required without audioCode'],
    ['no voice', { phone, message: 'Hello' }, 'voice is required without audioCode'],
    ...[call, { phone, message: 'Hello' }, { phone, voice: 'Mia' }].map((more) => {
      const rule = 'audioCode must not be given together with message or voice'
      return [
        `an audio and ${Object.keys(more).slice(1).join(' and ')}`,
        { ...more, audioCode: 'a' },
        rule,
      ] as const
    }),
    [
      'a voice that is not',
      { ...call, voice: 'Ana' },
      'voice must be one of Marian, Penelope, Conchita, Mia, Lucia, Enrique, Miguel',
    ],
    ...[0, 4, 1.5, '0x2'].map((retries) => {
      return [
        `${JSON.stringify(retries)} for attempts`,
        { ...call, retries },
        'retries must be 1, 2 or 3',
      ] as const
    }),
    ['voicemail as text', { ...call, leaveVoicemail: 'true' }, 'leaveVoicemail must be true or false'],
  ],
  sendCallCode: [
    ['a voice in lower case', { ...called, voice: 'mia' }, 'voice must be one of Mariana, Penelope'],
    ['no attempt', { ...called, retries: '0' }, 'retries must be a whole number, at least 1'],
    ['fewer than none', { ...called, retries: -1 }, 'retries must be a whole number, at least 1'],
    ['nothing about attempts', { ...code, voice: 'Mia' }, 'retries is required'],
  ],
  verifyCode: [['a code as a number', { ...code, code: 12345 }, 'code must be a non-empty string']],
  shortenUrl: [
    ['an empty URL', { ...short, urlLong: ' ' }, 'urlLong must be a non-empty string'],
    ...[
      'javascript:alert(1)',
      'java\tscript\n:alert(1)',
      'data:text/html,<script>alert(1)</script>',
      'vbscript:msgbox(1)',
      'blob:https://a.example/1',
      'filesystem:https://a.example/1',
    ].map((urlLong) => {
      const rule = 'urlLong must be a non-empty string and not the URL of a script'
      return [`the script ${JSON.stringify(urlLong)}`, { ...short, urlLong }, rule] as const
    }),
    ['premium as text', { ...short, isPremium: 'false' }, 'isPremium must be true or false'],
    // The empty one is not the default.
    ...[-1, '', 'never'].map((expirationTimeStatistics) => {
      const rule = 'expirationTimeStatistics must be a whole number of months'
      return [
        `an expiry of "${expirationTimeStatistics}"`,
        { ...short, expirationTimeStatistics },
        rule,
      ] as const
    }),
  ],
  urlStatistics: [
    ['a day that is not', { ...days, until: '2026-02-30' }, 'until must be an existing day'],
    ['a day the other way round', { ...days, since: '01-03-2026' }, 'since must be an existing day'],
    ['an invalid Date', { ...days, since: new Date(Number.NaN) }, 'since must be an existing day'],
    ['days in the wrong order', { ...days, since: '2026-03-03' }, 'since must not be after until'],
    [
      'a category that is not',
      { ...days, category: 'planet' },
      'category must be one of date, hour, country, device, operatingSystem, region, city, brand, model, browser, lang',
    ],
  ],
}

describe.each(Object.entries(refusals))('%s is refused before anything is sent', (method, cases) => {
  test.each(cases)('with %s', async (_what, params, message) => {
    const refusal = await client[method]?.(params).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(TypeError)
    expect((refusal as TypeError).message).toContain(`${method}: ${message}`)
    expect(String(refusal)).not.toContain(phone)
  })
})

describe('a call is refused before anything is sent, with the parameter and the rule', () => {
  test('an unknown operation', async () => {
    await expect(client.request?.('sendPigeon', {})).rejects.toThrow(
      'request: operation must be one of balance, blockPhone, sendSms',
    )
    await expect(client.request?.('toString', {})).rejects.toThrow(TypeError)
  })

  test.each([
    ['blockPhone', { phone, client: 2 }, 'unknown parameter "client"'],
    ['blockPhone', { phone, key: 'other' }, 'unknown parameter "key"'],
    ['balance', { key: 'other' }, 'unknown parameter "key"; expected: none'],
    ['blockPhone', { phone, channel: ['CALL'] }, 'channel must be a string, a number or a boolean'],
  ])(
    'a request for %s with the account, or with a value that is no scalar: %j',
    async (name, params, message) => {
      await expect(client.request?.(name, params)).rejects.toThrow(`${name}: ${message}`)
    },
  )

  test.each([0, 1.5, 2 ** 31, '1000'])('a deadline of %s', async (timeoutMs) => {
    await expect(client.balance?.({ timeoutMs })).rejects.toThrow('balance: timeoutMs must be')
  })

  test('a signal that is none', async () => {
    for (const signal of [{}, null]) {
      await expect(client.balance?.({ signal })).rejects.toThrow('balance: signal must be an AbortSignal')
    }
  })
})
