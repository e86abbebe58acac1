import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js'
import { get, post } from './wire.js'

/*
 * The documentation of the service, operation by operation, in its own literals: nothing here is taken from
 * the program under test.
 */

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox({ now: () => Date.UTC(2025, 2, 14, 15, 9, 26) })
})
beforeEach(() => sandbox.reset())
afterAll(() => sandbox.close())

const id = expect.stringMatching(/^[0-9a-f-]{36}$/)
const call = (method: 'GET' | 'POST', path: string, fields: Record<string, string>) =>
  (method === 'GET' ? get : post)(`${sandbox.baseUrl}${path}`, fields)

/** Everything each operation takes, required and optional together. */
const complete = {
  '/balance': ['GET', {}],
  '/block-phone': ['POST', { phone: '573001234567', name: 'Ana' }],
  '/send-sms': ['POST', { phone: '573001234567', sms: 'Hello', 'country-code': 'CO' }],
  '/call/send': [
    'POST',
    {
      phone: '573001234567',
      message: 'Hello',
      voice: 'Marian',
      retries: '3',
      'leave-voicemail': 'true',
      'country-code': 'CO',
    },
  ],
  '/2fa/send-sms': ['POST', { phone: '573001234567', 'app-name': 'Acme', 'country-code': 'CO' }],
  '/call/2fa/send-call': [
    'POST',
    { phone: '573001234567', 'app-name': 'Acme', voice: 'Mariana', retries: '2', 'country-code': 'CO' },
  ],
  '/url/short': [
    'POST',
    {
      name: 'spring',
      'url-long': 'https://example.com/spring',
      alias: 'spring-sale',
      'is-premium': 'true',
      'group-name': 'campaigns',
      'domain-name': 'go.example.com',
      'expiration-time-statistics': '3',
    },
  ],
} as const satisfies Record<string, readonly ['GET' | 'POST', Record<string, string>]>

describe('every operation', () => {
  test.each(Object.entries(complete))('%s takes all its parameters', async (path, [method, fields]) => {
    expect((await call(method, path, fields)).status).toBe(200)
  })

  test.each([
    ...Object.entries(complete).map(([path, [method, fields]]) => [method, path, fields] as const),
    ['GET', '/messages-state', { id: 'x' }],
    ['POST', '/2fa/verification-code', { phone: '573001234567', 'app-name': 'Acme', code: '123456' }],
    ['POST', '/url/short-statistic', { 'name-url': 'spring', since: '2025-03-14', until: '2025-03-14' }],
  ] as const)('%s %s is refused without the right client and key', async (method, path, fields) => {
    const refusal = { status: 520, body: { error: '1003', msg: 'client or key is wrong.' } }
    expect(await call(method, path, { ...fields, key: 'wrong' })).toEqual(refusal)
    expect(await call(method, path, { ...fields, client: '1' })).toEqual(refusal)
    expect(await call(method, path, { ...fields, client: '' })).toEqual(refusal)
    expect(await call(method, path, { ...fields, key: '' })).toEqual(refusal)
  })

  test.each([
    ['POST', '/block-phone', { phone: '573001234567' }],
    ['POST', '/send-sms', { phone: '573001234567', sms: 'Hello' }],
    ['POST', '/call/send', { phone: '573001234567', message: 'Hello', voice: 'Mia' }],
    ['GET', '/messages-state', { id: 'x' }],
    ['POST', '/2fa/send-sms', { phone: '573001234567', 'app-name': 'Acme' }],
    [
      'POST',
      '/call/2fa/send-call',
      { phone: '573001234567', 'app-name': 'Acme', voice: 'Mia', retries: '1' },
    ],
    ['POST', '/2fa/verification-code', { phone: '573001234567', 'app-name': 'Acme', code: '123456' }],
    ['POST', '/url/short', { name: 'spring', 'url-long': 'https://example.com/' }],
    ['POST', '/url/short-statistic', { 'name-url': 'spring', since: '2025-03-14', until: '2025-03-14' }],
  ] as const)('%s %s is refused without any one of its required parameters', async (method, path, fields) => {
    for (const missing of Object.keys(fields)) {
      const answer = await call(method, path, { ...fields, [missing]: '' })
      expect(answer, missing).toMatchObject({ status: 520, body: { error: '1000' } })
      expect(answer.body.msg, missing).toContain(missing)
    }
  })

  test.each([
    ['/send-sms', { phone: '573001234567', sms: 'Hello' }],
    ['/2fa/send-sms', { phone: '573001234567', 'app-name': 'Acme' }],
  ])('%s reads the form body alone, never the query', async (path, fields) => {
    const query = new URLSearchParams({ client: '100200', key: 'sandbox-key', ...fields })
    const answer = await fetch(`${sandbox.baseUrl}${path}?${query}`, { method: 'POST' })
    expect(answer.status).toBe(520)
    const json = await fetch(`${sandbox.baseUrl}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ client: 100200, key: 'sandbox-key', ...fields }),
    })
    expect(json.status).toBe(520)
  })

  test('a parameter that is sent twice is refused', async () => {
    const body = new URLSearchParams({ client: '100200', key: 'sandbox-key', sms: 'Hello' })
    body.append('phone', '573001234567')
    body.append('phone', '573007654321')
    const answer = await fetch(`${sandbox.baseUrl}/send-sms`, { method: 'POST', body })
    expect(answer.status).toBe(520)
    expect(sandbox.inbox.list()).toEqual([])
  })

  test.each(['COL', '57', 'c', '??', 'ZZ', 'UK'])('country-code %s is refused', async (code) => {
    for (const path of ['/send-sms', '/call/send', '/2fa/send-sms', '/call/2fa/send-call'] as const) {
      const answer = await call('POST', path, { ...complete[path][1], 'country-code': code })
      expect(answer).toMatchObject({ status: 520, body: { error: '1000' } })
    }
  })

  test('its path answers to no other method, and no other path answers', async () => {
    expect((await fetch(`${sandbox.baseUrl}/send-sms`)).status).toBe(404)
    expect((await fetch(`${sandbox.baseUrl}/balance`, { method: 'POST' })).status).toBe(404)
    expect((await fetch(`${sandbox.baseUrl}/BALANCE`)).status).toBe(404)
    expect((await fetch(`${sandbox.baseUrl}/balance/`)).status).toBe(404)
    expect((await fetch(`${sandbox.baseUrl}/sms/send`, { method: 'POST' })).status).toBe(404)
  })

  test.each([
    ['/block-phone', 'name'],
    ['/call/send', 'audio-code'],
    ['/2fa/send-sms', 'app-name'],
    ['/url/short', 'name'],
    ['/url/short', 'group-name'],
  ] as const)('%s takes 200 characters of %s and no more', async (path, name) => {
    const fields: Record<string, string> =
      name === 'audio-code' ? { phone: '573001234567' } : complete[path][1]
    expect((await call('POST', path, { ...fields, [name]: 'x'.repeat(200) })).status).toBe(200)
    const answer = await call('POST', path, { ...fields, [name]: 'x'.repeat(201) })
    expect(answer).toMatchObject({ status: 520, body: { error: '1000' } })
  })

  test('a body beyond 64 KiB is refused', async () => {
    const answer = await call('POST', '/send-sms', { phone: '573001234567', sms: 'x'.repeat(70_000) })
    expect(answer.status).toBe(413)
  })
})

describe('GET /balance', () => {
  test('answers the credits as status', async () => {
    expect(await call('GET', '/balance', {})).toEqual({ status: 200, body: { status: 1_000 } })
  })
})

describe('POST /block-phone', () => {
  test('answers id, status, phone and name', async () => {
    expect((await call('POST', ...entry('/block-phone'))).body).toEqual({
      id,
      status: 'blocked',
      phone: '573001234567',
      name: 'Ana',
    })
  })

  test('lets no SMS through, and says so; calls still go', async () => {
    await call('POST', ...entry('/block-phone'))
    expect((await call('POST', ...entry('/send-sms'))).body.data).toMatchObject([
      { status: 'blocked', credits: 0 },
    ])
    expect(await call('POST', ...entry('/2fa/send-sms'))).toEqual({
      status: 520,
      body: { error: '1101', msg: 'The number is blocked.' },
    })
    expect((await call('GET', '/balance', {})).body).toEqual({ status: 1_000 })
    await expect(sandbox.inbox.waitFor('573001234567', { timeoutMs: 20, code: false })).rejects.toThrow()
    expect((await call('POST', ...entry('/call/2fa/send-call'))).status).toBe(200)
  })

  test('takes one number only', async () => {
    const answer = await call('POST', '/block-phone', { phone: '573001234567,573007654321' })
    expect(answer).toMatchObject({ status: 520, body: { error: '1000' } })
  })
})

describe('POST /send-sms', () => {
  test('answers id, status and one data entry for each number', async () => {
    const answer = await call('POST', '/send-sms', { phone: '573001234567, 573007654321', sms: 'Hello' })
    expect(answer.body).toEqual({
      id,
      status: 1,
      data: [
        { id, status: 'sent', credits: 1, sms: 'Hello', phone: '573001234567' },
        { id, status: 'sent', credits: 1, sms: 'Hello', phone: '573007654321' },
      ],
    })
    expect((await call('GET', '/balance', {})).body).toEqual({ status: 998 })
  })

  test.each(['', 'abc', '12', '573001234567,', '57300,573001234567', '573001234567;573007654321'])(
    'refuses the phone %j',
    async (phone) => {
      const answer = await call('POST', '/send-sms', { phone, sms: 'Hello' })
      expect(answer).toMatchObject({ status: 520, body: { error: '1000' } })
      expect(sandbox.inbox.list()).toEqual([])
    },
  )
})

describe('POST /call/send', () => {
  const spoken = { phone: '573001234567', message: 'Hello', voice: 'Marian' }

  test('answers status, id and one data entry for each number', async () => {
    const answer = await call('POST', '/call/send', { ...spoken, phone: '573001234567,573007654321' })
    expect(answer.body).toEqual({
      status: 'sent',
      id,
      data: ['573001234567', '573007654321'].map((phone) => ({
        id,
        state: 'ringing',
        credits: 2,
        message: 'Hello',
        phone,
        voice: 'Marian',
      })),
    })
  })

  test.each(['Marian', 'Penelope', 'Conchita', 'Mia', 'Lucia', 'Enrique', 'Miguel'])(
    'speaks with the voice %s',
    async (voice) => {
      expect((await call('POST', '/call/send', { ...spoken, voice })).status).toBe(200)
    },
  )

  test.each([
    ['voice', 'Mariana'],
    ['voice', 'Joanna'],
    ['retries', '4'],
    ['retries', '0'],
    ['retries', 'many'],
    ['leave-voicemail', 'yes'],
    ['message', ''],
    ['voice', ''],
  ])('refuses %s %j', async (name, value) => {
    const answer = await call('POST', '/call/send', { ...spoken, [name]: value })
    expect(answer).toMatchObject({ status: 520, body: { error: '1000' } })
  })

  test('plays an uploaded audio instead of message and voice, never with them', async () => {
    const audio = { phone: '573001234567', 'audio-code': 'welcome-1' }
    const played = await call('POST', '/call/send', audio)
    expect(played).toMatchObject({ status: 200, body: { data: [{ state: 'ringing', voice: '' }] } })
    for (const extra of [{ message: 'Hello' }, { voice: 'Mia' }, { message: 'Hello', voice: 'Mia' }]) {
      const answer = await call('POST', '/call/send', { ...audio, ...extra })
      expect(answer).toMatchObject({ status: 520, body: { error: '1000' } })
    }
  })
})

describe('GET /messages-state', () => {
  test('answers state, credits, phone, created, sms, dispatch_id and id', async () => {
    const sent = await call('POST', '/send-sms', { phone: '573001234567', sms: 'Hello' })
    const group = String(sent.body.id)
    const [entryOfGroup] = sent.body.data as { id: string }[]
    expect((await call('GET', '/messages-state', { id: group })).body).toEqual({
      state: 'sent',
      credits: 1,
      phone: 573001234567,
      created: '2025-03-14 15:09:26',
      sms: 'Hello',
      dispatch_id: group,
      id: entryOfGroup?.id,
    })
  })

  test('knows calls and codes, and single entries of a group', async () => {
    const called = await call('POST', ...entry('/call/send'))
    expect((await call('GET', '/messages-state', { id: String(called.body.id) })).body).toMatchObject({
      state: 'ringing',
      credits: 2,
    })
    const sent = await call('POST', '/send-sms', { phone: '573001234567,573007654321', sms: 'Hello' })
    const [, second] = sent.body.data as { id: string }[]
    const state = await call('GET', '/messages-state', { id: String(second?.id) })
    expect(state.body).toMatchObject({ phone: 573007654321, dispatch_id: sent.body.id })
  })

  test('refuses an unknown id', async () => {
    expect(await call('GET', '/messages-state', { id: 'nothing' })).toEqual({
      status: 520,
      body: { error: '1120', msg: 'No message group has this id.' },
    })
  })
})

describe('POST /2fa/send-sms', () => {
  test('answers id, status, minutes_to_expire and data', async () => {
    const answer = await call('POST', ...entry('/2fa/send-sms'))
    const [message] = sandbox.inbox.list()
    expect(answer.body).toEqual({
      id,
      status: 'sent',
      minutes_to_expire: 5,
      data: [{ id, status: 'sent', credits: 1, sms: message?.text, phone: '573001234567' }],
    })
  })

  test('takes one number only', async () => {
    const answer = await call('POST', '/2fa/send-sms', {
      phone: '573001234567,573007654321',
      'app-name': 'A',
    })
    expect(answer).toMatchObject({ status: 520, body: { error: '1000' } })
  })
})

describe('POST /call/2fa/send-call', () => {
  const code = { phone: '573001234567', 'app-name': 'Acme', voice: 'Mariana', retries: '1' }

  test('answers status, id, minutes_to_expire and data', async () => {
    expect((await call('POST', '/call/2fa/send-call', code)).body).toEqual({
      status: 'sent',
      id,
      minutes_to_expire: 5,
      data: [{ id, state: 'ringing', credits: 2, phone: 573001234567, voice: 'Mariana' }],
    })
  })

  test.each(['Mariana', 'Penelope', 'Conchita', 'Mia', 'Lucia', 'Enrique', 'Miguel'])(
    'speaks with the voice %s',
    async (voice) => {
      expect((await call('POST', '/call/2fa/send-call', { ...code, voice })).status).toBe(200)
    },
  )

  test.each([
    ['voice', 'Marian'],
    ['retries', '0'],
    ['retries', '11'],
    ['retries', '1.5'],
    ['phone', '573001234567,573007654321'],
  ])('refuses %s %j', async (name, value) => {
    const answer = await call('POST', '/call/2fa/send-call', { ...code, [name]: value })
    expect(answer).toMatchObject({ status: 520, body: { error: '1000' } })
  })
})

describe('POST /2fa/verification-code', () => {
  test('answers status and nothing else', async () => {
    await call('POST', ...entry('/2fa/send-sms'))
    const { code } = await sandbox.inbox.waitFor('573001234567')
    const answer = await call('POST', '/2fa/verification-code', {
      phone: '573001234567',
      'app-name': 'Acme',
      code,
      'country-code': 'CO',
    })
    expect(answer).toEqual({ status: 200, body: { status: 'verified' } })
  })

  test('answers error and msg to a wrong code', async () => {
    await call('POST', ...entry('/2fa/send-sms'))
    const wrong = { phone: '573001234567', 'app-name': 'Acme', code: 'wrong' }
    expect(await call('POST', '/2fa/verification-code', wrong)).toEqual({
      status: 520,
      body: { error: '1111', msg: 'The code is wrong.' },
    })
  })
})

describe('POST /url/short', () => {
  test('answers urlShort, urlLong and msg', async () => {
    const origin = sandbox.baseUrl.replace('/v1', '')
    expect((await call('POST', ...entry('/url/short'))).body).toEqual({
      urlShort: `${origin}/s/go.example.com/spring-sale`,
      urlLong: 'https://example.com/spring',
      msg: 'The short URL was created.',
    })
  })

  test.each([
    ['is-premium', 'yes'],
    ['url-long', 'nowhere'],
    ['url-long', 'javascript:alert(1)'],
    ['alias', '../admin'],
    ['domain-name', 'a/b'],
    ['expiration-time-statistics', '-1'],
    ['expiration-time-statistics', 'soon'],
  ])('refuses %s %j', async (name, value) => {
    const answer = await call('POST', '/url/short', { ...complete['/url/short'][1], [name]: value })
    expect(answer).toMatchObject({ status: 520, body: { error: '1000' } })
    expect(sandbox.links.list()).toEqual([])
  })
})

describe('POST /url/short-statistic', () => {
  test('answers urlShort, urlLong, clicksNumber and metrics', async () => {
    const made = await call('POST', ...entry('/url/short'))
    await fetch(String(made.body.urlShort), {
      redirect: 'manual',
      headers: {
        'User-Agent':
          'Mozilla/5.0 (Linux; Android 13; SM-S918B) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/112.0.0.0 Mobile Safari/537.36',
        'Accept-Language': 'es-CO,es;q=0.9',
        'X-Sandbox-Place': 'CO/Antioquia/Medell%C3%ADn',
      },
    })
    const answer = await call('POST', '/url/short-statistic', {
      'name-url': 'spring',
      since: '2025-03-14',
      until: '2025-03-14',
    })
    expect(answer.body).toEqual({
      urlShort: made.body.urlShort,
      urlLong: 'https://example.com/spring',
      clicksNumber: 1,
      metrics: [
        { date: { property: '2025-03-14', clicks: 1 } },
        { hour: { property: '15', clicks: 1, date: '2025-03-14' } },
        { country: { property: 'CO', clicks: 1 } },
        { device: { property: 'mobile', clicks: 1 } },
        { operatingSystem: { property: 'Android', clicks: 1 } },
        { region: { property: 'Antioquia', clicks: 1 } },
        {
          city: {
            property: 'Medellín',
            clicks: 1,
            countryIsoCode: 'CO',
            region: 'Antioquia',
            percent: 100,
          },
        },
        { brand: { property: 'Samsung', clicks: 1, percent: 100 } },
        { model: { property: 'SM-S918B', clicks: 1, percent: 100 } },
        { browser: { property: 'Chrome', clicks: 1 } },
        { lang: { property: 'es-CO', clicks: 1 } },
      ],
    })
  })

  test.each([
    ...['date', 'hour', 'country', 'device', 'operatingSystem'].map((category) => [category, 'any', 200]),
    ...['region', 'city', 'brand', 'model', 'browser', 'lang'].flatMap((category) => [
      [category, 'premium', 200],
      [category, 'plain', 520],
    ]),
    ['weather', 'premium', 520],
  ] as [string, string, number][])('has the category %s for a %s URL: %i', async (category, kind, status) => {
    const premium = kind === 'premium' ? 'true' : 'false'
    await call('POST', '/url/short', {
      name: 'spring',
      'url-long': 'https://example.com/',
      'is-premium': premium,
    })
    const answer = await call('POST', '/url/short-statistic', {
      'name-url': 'spring',
      since: '2025-03-14',
      until: '2025-03-14',
      category,
    })
    expect(answer.status).toBe(status)
  })

  test.each([
    ['2025-3-14', '2025-03-14'],
    ['14-03-2025', '2025-03-14'],
    ['2025-02-30', '2025-03-14'],
    ['2025-03-14', 'today'],
    ['2025-03-15', '2025-03-14'],
  ])('refuses the days %s to %s', async (since, until) => {
    await call('POST', ...entry('/url/short'))
    const answer = await call('POST', '/url/short-statistic', { 'name-url': 'spring', since, until })
    expect(answer).toMatchObject({ status: 520, body: { error: '1000' } })
  })

  test('refuses an unknown name', async () => {
    const asked = { 'name-url': 'nothing', since: '2025-03-14', until: '2025-03-14' }
    expect(await call('POST', '/url/short-statistic', asked)).toEqual({
      status: 520,
      body: { error: '1131', msg: 'No short URL has this name.' },
    })
  })
})

function entry<Path extends keyof typeof complete>(path: Path): [string, Record<string, string>] {
  return [path, complete[path][1]]
}
