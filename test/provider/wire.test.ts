import { describe, expect, test } from 'vitest'
import { type ClientOptions, createClient, type ProviderClient } from '../../src/provider/index.js'
import { recorded } from './recorder.js'

const { provider, client } = await recorded({ client: 1234, key: 'k3y/&= ñ' })
const account = 'client=1234&key=k3y%2F%26%3D%20%C3%B1'

/** What one call put on the wire, as `METHOD path` and body. */
async function wire(call: (client: ProviderClient) => Promise<unknown>, by = client) {
  await call(by)
  expect(provider.requests).toHaveLength(1)
  const [{ line, body } = { line: '', body: '' }] = provider.requests
  return [line, body]
}

const phone = '573001234567'
const both = [phone, '573007654321']
const spoken = { phone, message: 'Hello', voice: 'Mia' } as const
const short = { name: 'spring', urlLong: 'https://example.com/a?b=c&d' }
const day = { since: new Date('2026-02-28T23:59:59Z'), until: '2026-02-28' }
const code = { phone: `+${phone}`, appName: 'Acme' }

describe('the two reads carry their parameters in the query', () => {
  test('balance', async () => {
    expect(await wire((c) => c.balance())).toEqual([`GET /v1/balance?${account}`, ''])
  })

  test('messageState', async () => {
    const line = `GET /v1/messages-state?${account}&id=a1b2-c3`
    expect(await wire((c) => c.messageState({ id: 'a1b2-c3' }))).toEqual([line, ''])
  })
})

/** What each method is called with, and the form that it posts behind the account. */
const posts: Readonly<
  Record<string, readonly (readonly [string, (c: ProviderClient) => Promise<unknown>, string])[]>
> = {
  '/v1/block-phone': [
    [
      'what is not documented, as it is',
      (c) => c.request('blockPhone', { phone, channel: 'CALL', 'dry-run': true, n: 2, off: undefined }),
      'phone=573001234567&channel=CALL&dry-run=true&n=2',
    ],
  ],
  '/v1/send-sms': [
    [
      'one number',
      (c) => c.sendSms({ phone: `+${phone}`, sms: '¡Hola! 100%\n' }),
      'phone=573001234567&sms=%C2%A1Hola!%20100%25%0A',
    ],
    [
      'several numbers, in a country',
      (c) => c.sendSms({ phone: both, sms: 'Hi', countryCode: 'CO' }),
      'phone=573001234567%2C573007654321&sms=Hi&country-code=CO',
    ],
    [
      'numbers separated by commas',
      (c) => c.sendSms({ phone: '+573001234567, +573007654321', sms: 'Hi' }),
      'phone=573001234567%2C573007654321&sms=Hi',
    ],
  ],
  '/v1/call/send': [
    [
      'a text and every option',
      (c) =>
        c.sendCall({
          ...spoken,
          phone: both,
          voice: 'Mariana',
          retries: 3,
          leaveVoicemail: false,
          countryCode: 'MX',
        }),
      'phone=573001234567%2C573007654321&message=Hello&voice=Marian&retries=3&leave-voicemail=false&country-code=MX',
    ],
    [
      'an audio and every option',
      (c) => c.sendCall({ phone, audioCode: 'au-7', retries: 1, leaveVoicemail: true, countryCode: 'CO' }),
      'phone=573001234567&retries=1&leave-voicemail=true&country-code=CO&audio-code=au-7',
    ],
  ],
  '/v1/2fa/send-sms': [
    [
      'a country',
      (c) => c.sendSmsCode({ ...code, appName: 'Acme signup', countryCode: 'CO' }),
      'phone=573001234567&app-name=Acme%20signup&country-code=CO',
    ],
  ],
  '/v1/call/2fa/send-call': [
    [
      'a voice that it calls otherwise',
      (c) => c.sendCallCode({ ...code, voice: 'Marian', retries: 1 }),
      'phone=573001234567&app-name=Acme&voice=Mariana&retries=1',
    ],
    [
      'a country',
      (c) => c.sendCallCode({ ...code, voice: 'Lucia', retries: '2', countryCode: 'CO' }),
      'phone=573001234567&app-name=Acme&voice=Lucia&retries=2&country-code=CO',
    ],
  ],
  '/v1/2fa/verification-code': [
    [
      'the code as it was typed, in a country',
      (c) => c.verifyCode({ ...code, code: '0aBc', countryCode: 'CO' }),
      'phone=573001234567&app-name=Acme&code=0aBc&country-code=CO',
    ],
  ],
  '/v1/url/short': [
    [
      'every option',
      (c) =>
        c.shortenUrl({
          ...short,
          alias: 'sale',
          isPremium: true,
          groupName: 'Campaigns',
          domainName: 'acme.example',
          expirationTimeStatistics: 0,
        }),
      'name=spring&url-long=https%3A%2F%2Fexample.com%2Fa%3Fb%3Dc%26d&alias=sale&is-premium=true&group-name=Campaigns&domain-name=acme.example&expiration-time-statistics=0',
    ],
  ],
  '/v1/url/short-statistic': [
    [
      'one day, in a category',
      (c) => c.urlStatistics({ nameUrl: 'spring', ...day, category: 'operatingSystem' }),
      'name-url=spring&since=2026-02-28&until=2026-02-28&category=operatingSystem',
    ],
  ],
}

describe.each(Object.entries(posts))('a form is posted to %s', (path, forms) => {
  test.each(forms)('with %s', async (_what, call, form) => {
    expect(await wire(call)).toEqual([`POST ${path}`, `${account}&${form}`])
  })
})

describe('the client can be told', () => {
  test.each<[string, Partial<ClientOptions>, string, string, string?]>([
    ['to write numbers with a plus', { numberFormat: 'plus' }, '1234', '%2B573001234567%2C%2B573007654321'],
    ['an account id beyond 2^53 as a bigint', { client: 9223372036854775807n }, '9223372036854775807', ''],
    ['another path for an operation', { paths: { sendSms: '/sms/send' } }, '1234', '', '/sms/send'],
  ])('%s', async (_what, options, id, numbers, path = '/send-sms') => {
    const other = createClient({ baseUrl: `${provider.baseUrl}//`, client: 1234, key: 'k', ...options })
    const form = `client=${id}&key=k&phone=${numbers || '573001234567%2C573007654321'}&sms=Hi`
    const call = (c: ProviderClient) => c.sendSms({ phone: ['573001234567', '+573007654321'], sms: 'Hi' })
    expect(await wire(call, other)).toEqual([`POST /v1${path}`, form])
    await other.close()
  })

  test('a base URL without a path', async () => {
    const root = createClient({ baseUrl: new URL(provider.baseUrl).origin, client: 1, key: 'k' })
    expect(await wire((c) => c.balance(), root)).toEqual(['GET /balance?client=1&key=k', ''])
    await root.close()
  })
})
