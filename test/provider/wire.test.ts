import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createClient, type ProviderClient } from '../../src/provider/index.js'
import { type Recorder, startRecorder } from './recorder.js'

let provider: Recorder
let client: ProviderClient

beforeAll(async () => {
  provider = await startRecorder()
  client = createClient({ baseUrl: provider.baseUrl, client: 1234, key: 'k3y/&= ñ' })
})
afterEach(() => {
  provider.requests.length = 0
})
afterAll(async () => {
  await client.close()
  await provider.close()
})

const account = 'client=1234&key=k3y%2F%26%3D%20%C3%B1'

/** What one call put on the wire, as `METHOD path` and body. */
async function wire(call: (client: ProviderClient) => Promise<unknown>, by = client) {
  await call(by)
  expect(provider.requests).toHaveLength(1)
  const [{ line, body } = { line: '', body: '' }] = provider.requests
  return [line, body]
}

describe('the two reads carry their parameters in the query', () => {
  test('balance', async () => {
    expect(await wire((c) => c.balance())).toEqual([`GET /v1/balance?${account}`, ''])
  })

  test('messageState', async () => {
    expect(await wire((c) => c.messageState({ id: 'a1b2-c3' }))).toEqual([
      `GET /v1/messages-state?${account}&id=a1b2-c3`,
      '',
    ])
  })
})

describe('every other operation posts a form', () => {
  test('blockPhone', async () => {
    expect(await wire((c) => c.blockPhone({ phone: '+573001234567' }))).toEqual([
      'POST /v1/block-phone',
      `${account}&phone=573001234567`,
    ])
  })

  test('blockPhone with a name', async () => {
    expect(await wire((c) => c.blockPhone({ phone: '573001234567', name: 'Ana & Eva' }))).toEqual([
      'POST /v1/block-phone',
      `${account}&phone=573001234567&name=Ana%20%26%20Eva`,
    ])
  })

  test('sendSms to one number', async () => {
    expect(await wire((c) => c.sendSms({ phone: '+573001234567', sms: '¡Hola! 100%\n' }))).toEqual([
      'POST /v1/send-sms',
      `${account}&phone=573001234567&sms=%C2%A1Hola!%20100%25%0A`,
    ])
  })

  test('sendSms to several numbers, in a country', async () => {
    const params = { phone: ['+573001234567', '573007654321'], sms: 'Hi', countryCode: 'CO' }
    expect(await wire((c) => c.sendSms(params))).toEqual([
      'POST /v1/send-sms',
      `${account}&phone=573001234567%2C573007654321&sms=Hi&country-code=CO`,
    ])
  })

  test('sendSms to numbers separated by commas', async () => {
    expect(await wire((c) => c.sendSms({ phone: '+573001234567, 573007654321', sms: 'Hi' }))).toEqual([
      'POST /v1/send-sms',
      `${account}&phone=573001234567%2C573007654321&sms=Hi`,
    ])
  })

  test('sendCall with a text', async () => {
    const params = { phone: '573001234567', message: 'Hello', voice: 'Mia' } as const
    expect(await wire((c) => c.sendCall(params))).toEqual([
      'POST /v1/call/send',
      `${account}&phone=573001234567&message=Hello&voice=Mia`,
    ])
  })

  test('sendCall with a text and every option', async () => {
    const call = (c: ProviderClient) =>
      c.sendCall({
        phone: ['573001234567', '573007654321'],
        message: 'Hello',
        voice: 'Mariana',
        retries: 3,
        leaveVoicemail: false,
        countryCode: 'MX',
      })
    expect(await wire(call)).toEqual([
      'POST /v1/call/send',
      `${account}&phone=573001234567%2C573007654321&message=Hello&voice=Marian&retries=3&leave-voicemail=false&country-code=MX`,
    ])
  })

  test('sendCall with an audio', async () => {
    expect(await wire((c) => c.sendCall({ phone: '573001234567', audioCode: 'au-7' }))).toEqual([
      'POST /v1/call/send',
      `${account}&phone=573001234567&audio-code=au-7`,
    ])
  })

  test('sendCall with an audio and every option', async () => {
    const call = (c: ProviderClient) =>
      c.sendCall({
        phone: '573001234567',
        audioCode: 'au-7',
        retries: 1,
        leaveVoicemail: true,
        countryCode: 'CO',
      })
    expect(await wire(call)).toEqual([
      'POST /v1/call/send',
      `${account}&phone=573001234567&retries=1&leave-voicemail=true&country-code=CO&audio-code=au-7`,
    ])
  })

  test('sendSmsCode', async () => {
    expect(await wire((c) => c.sendSmsCode({ phone: '+573001234567', appName: 'Acme signup' }))).toEqual([
      'POST /v1/2fa/send-sms',
      `${account}&phone=573001234567&app-name=Acme%20signup`,
    ])
  })

  test('sendSmsCode in a country', async () => {
    const params = { phone: '+573001234567', appName: 'Acme', countryCode: 'CO' }
    expect(await wire((c) => c.sendSmsCode(params))).toEqual([
      'POST /v1/2fa/send-sms',
      `${account}&phone=573001234567&app-name=Acme&country-code=CO`,
    ])
  })

  test('sendCallCode', async () => {
    const params = { phone: '+573001234567', appName: 'Acme', voice: 'Marian', retries: 1 } as const
    expect(await wire((c) => c.sendCallCode(params))).toEqual([
      'POST /v1/call/2fa/send-call',
      `${account}&phone=573001234567&app-name=Acme&voice=Mariana&retries=1`,
    ])
  })

  test('sendCallCode in a country', async () => {
    const call = (c: ProviderClient) =>
      c.sendCallCode({
        phone: '+573001234567',
        appName: 'Acme',
        voice: 'Lucia',
        retries: '2',
        countryCode: 'CO',
      })
    expect(await wire(call)).toEqual([
      'POST /v1/call/2fa/send-call',
      `${account}&phone=573001234567&app-name=Acme&voice=Lucia&retries=2&country-code=CO`,
    ])
  })

  test('verifyCode keeps the code as it was typed', async () => {
    expect(
      await wire((c) => c.verifyCode({ phone: '+573001234567', appName: 'Acme', code: '0aBc' })),
    ).toEqual(['POST /v1/2fa/verification-code', `${account}&phone=573001234567&app-name=Acme&code=0aBc`])
  })

  test('verifyCode in a country', async () => {
    const params = { phone: '+573001234567', appName: 'Acme', code: '482913', countryCode: 'CO' }
    expect(await wire((c) => c.verifyCode(params))).toEqual([
      'POST /v1/2fa/verification-code',
      `${account}&phone=573001234567&app-name=Acme&code=482913&country-code=CO`,
    ])
  })

  test('shortenUrl', async () => {
    const params = { name: 'spring', urlLong: 'https://example.com/a?b=c&d' }
    expect(await wire((c) => c.shortenUrl(params))).toEqual([
      'POST /v1/url/short',
      `${account}&name=spring&url-long=https%3A%2F%2Fexample.com%2Fa%3Fb%3Dc%26d`,
    ])
  })

  test('shortenUrl with every option', async () => {
    const call = (c: ProviderClient) =>
      c.shortenUrl({
        name: 'spring',
        urlLong: 'https://example.com/',
        alias: 'sale',
        isPremium: true,
        groupName: 'Campaigns',
        domainName: 'acme.example',
        expirationTimeStatistics: 0,
      })
    expect(await wire(call)).toEqual([
      'POST /v1/url/short',
      `${account}&name=spring&url-long=https%3A%2F%2Fexample.com%2F&alias=sale&is-premium=true&group-name=Campaigns&domain-name=acme.example&expiration-time-statistics=0`,
    ])
  })

  test('shortenUrl with a number in digits', async () => {
    const params = { name: 'a', urlLong: 'https://a.example', expirationTimeStatistics: '12' }
    expect(await wire((c) => c.shortenUrl(params))).toEqual([
      'POST /v1/url/short',
      `${account}&name=a&url-long=https%3A%2F%2Fa.example&expiration-time-statistics=12`,
    ])
  })

  test('urlStatistics between two days', async () => {
    const params = { nameUrl: 'spring', since: '2026-02-28', until: '2026-03-01' }
    expect(await wire((c) => c.urlStatistics(params))).toEqual([
      'POST /v1/url/short-statistic',
      `${account}&name-url=spring&since=2026-02-28&until=2026-03-01`,
    ])
  })

  test('urlStatistics between two dates, in a category', async () => {
    const call = (c: ProviderClient) =>
      c.urlStatistics({
        nameUrl: 'spring',
        since: new Date('2026-02-28T23:59:59Z'),
        until: new Date('2026-03-01T00:00:00Z'),
        category: 'operatingSystem',
      })
    expect(await wire(call)).toEqual([
      'POST /v1/url/short-statistic',
      `${account}&name-url=spring&since=2026-02-28&until=2026-03-01&category=operatingSystem`,
    ])
  })
})

describe('whatever the operation', () => {
  test('a POST says that it is a form, and that it wants plain JSON', async () => {
    await client.blockPhone({ phone: '573001234567' })
    expect(provider.requests[0]?.headers).toMatchObject({
      accept: 'application/json',
      'accept-encoding': 'identity',
      'content-type': 'application/x-www-form-urlencoded',
      'user-agent': 'express-two-factor',
    })
  })

  test('a GET has no body and no content type', async () => {
    await client.balance()
    expect(provider.requests[0]?.headers).not.toHaveProperty('content-type')
    expect(provider.requests[0]?.headers).not.toHaveProperty('content-length')
  })

  test('a parameter that is undefined is left out', async () => {
    const params = { phone: '573001234567', appName: 'Acme', countryCode: undefined }
    expect(await wire((c) => c.sendSmsCode(params))).toEqual([
      'POST /v1/2fa/send-sms',
      `${account}&phone=573001234567&app-name=Acme`,
    ])
  })

  test('request() sends parameters that are not documented as they are', async () => {
    const call = (c: ProviderClient) =>
      c.request('blockPhone', {
        phone: '573001234567',
        channel: 'CALL',
        'dry-run': true,
        n: 2,
        off: undefined,
      })
    expect(await wire(call)).toEqual([
      'POST /v1/block-phone',
      `${account}&phone=573001234567&channel=CALL&dry-run=true&n=2`,
    ])
  })
})

describe('the client can be told', () => {
  const others = {
    'to write numbers with a plus': [
      { numberFormat: 'plus' },
      'POST /v1/send-sms',
      'client=1234&key=k&phone=%2B573001234567%2C%2B573007654321&sms=Hi',
    ],
    'an account id beyond 2^53 as a bigint': [
      { client: 9223372036854775807n },
      'POST /v1/send-sms',
      'client=9223372036854775807&key=k&phone=573001234567%2C573007654321&sms=Hi',
    ],
    'an account id as digits': [
      { client: '9223372036854775807' },
      'POST /v1/send-sms',
      'client=9223372036854775807&key=k&phone=573001234567%2C573007654321&sms=Hi',
    ],
    'another path for an operation': [
      { paths: { sendSms: '/sms/send' } },
      'POST /v1/sms/send',
      'client=1234&key=k&phone=573001234567%2C573007654321&sms=Hi',
    ],
  } as const

  test.each(Object.entries(others))('%s', async (_what, [options, line, body]) => {
    const other = createClient({ baseUrl: `${provider.baseUrl}//`, client: 1234, key: 'k', ...options })
    const call = (c: ProviderClient) => c.sendSms({ phone: ['573001234567', '+573007654321'], sms: 'Hi' })
    expect(await wire(call, other)).toEqual([line, body])
    await other.close()
  })

  test('a base URL without a path', async () => {
    const root = createClient({ baseUrl: new URL(provider.baseUrl).origin, client: 1, key: 'k' })
    expect(await wire((c) => c.balance(), root)).toEqual(['GET /balance?client=1&key=k', ''])
    await root.close()
  })
})
