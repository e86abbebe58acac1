import { describe, expect, test } from 'vitest'
import { sandboxed } from './wire.js'

/*
 * The documentation of the service, operation by operation, in its own literals: nothing here is taken from
 * the program under test.
 */

const { sandbox, get, post } = await sandboxed({ now: () => Date.UTC(2025, 2, 14, 15, 9, 26) })
const id = expect.stringMatching(/^[0-9a-f-]{36}$/)
const [phone, two] = ['573001234567', '573001234567,573007654321']
const today = { since: '2025-03-14', until: '2025-03-14' }
const call = (method: 'GET' | 'POST', path: string, fields: Record<string, string>) =>
  (method === 'GET' ? get : post)(path, fields)

/** What each operation requires, and what it takes besides. */
const operations = {
  '/balance': ['GET', {}, {}],
  '/block-phone': ['POST', { phone }, { name: 'Ana' }],
  '/send-sms': ['POST', { phone, sms: 'Hello' }, { 'country-code': 'CO' }],
  '/call/send': [
    'POST',
    { phone, message: 'Hello', voice: 'Marian' },
    { retries: '3', 'leave-voicemail': 'true', 'country-code': 'CO' },
  ],
  '/messages-state': ['GET', { id: 'x' }, {}],
  '/2fa/send-sms': ['POST', { phone, 'app-name': 'Acme' }, { 'country-code': 'CO' }],
  '/call/2fa/send-call': [
    'POST',
    { phone, 'app-name': 'Acme', voice: 'Mariana', retries: '2' },
    { 'country-code': 'CO' },
  ],
  '/2fa/verification-code': ['POST', { phone, 'app-name': 'Acme', code: '123456' }, { 'country-code': 'CO' }],
  '/url/short': [
    'POST',
    { name: 'spring', 'url-long': 'https://example.com/spring' },
    {
      alias: 'spring-sale',
      'is-premium': 'true',
      'group-name': 'campaigns',
      'domain-name': 'go.example.com',
      'expiration-time-statistics': '3',
    },
  ],
  '/url/short-statistic': ['POST', { 'name-url': 'spring', ...today }, { category: 'city' }],
} as const satisfies Record<string, readonly ['GET' | 'POST', Record<string, string>, Record<string, string>]>
type Path = keyof typeof operations

/** All that an operation takes, but for these changes. */
const fieldsOf = (path: Path, changes: object = {}): Record<string, string> => {
  const [, required, optional] = operations[path]
  return { ...required, ...optional, ...changes }
}
const ask = (path: Path, changes?: object) => call(operations[path][0], path, fieldsOf(path, changes))
const malformed = { status: 520, body: { error: '1000' } }

describe('every operation', () => {
  test.each(Object.keys(operations) as Path[])('%s takes all its parameters', async (path) => {
    const answered = {
      '/messages-state': '1120',
      '/2fa/verification-code': '1114',
      '/url/short-statistic': '1131',
    }
    expect((await ask(path)).body.error).toBe(Object.entries(answered).find(([known]) => known === path)?.[1])
  })

  test.each(Object.keys(operations) as Path[])(
    '%s is refused without the right client and key',
    async (path) => {
      const refusal = { status: 520, body: { error: '1003', msg: 'client or key is wrong.' } }
      for (const wrong of [{ key: 'wrong' }, { client: '1' }, { client: '' }, { key: '' }]) {
        expect(await ask(path, wrong)).toEqual(refusal)
      }
    },
  )

  test.each(Object.entries(operations))(
    '%s is refused without any one of its required parameters',
    async (path, [method, required, optional]) => {
      for (const missing of Object.keys(required)) {
        const { [missing]: _missing, ...others } = { ...required, ...optional } as Record<string, string>
        const answer = await call(method, path, others)
        expect(answer, missing).toMatchObject(malformed)
        expect(answer.body.msg).toContain(`${missing} is required`)
      }
    },
  )

  test('reads only the form body if there is one, never the query', async () => {
    const query = new URLSearchParams({ client: '100200', key: 'sandbox-key', ...fieldsOf('/send-sms') })
    const answer = await fetch(`${sandbox.baseUrl}/send-sms?${query}`, { method: 'POST' })
    expect(answer.status).toBe(520)
  })

  test('is refused where a parameter comes twice', async () => {
    const body = new URLSearchParams({ client: '100200', key: 'sandbox-key', ...fieldsOf('/send-sms') })
    body.append('phone', '573007654321')
    expect((await fetch(`${sandbox.baseUrl}/send-sms`, { method: 'POST', body })).status).toBe(520)
    expect(sandbox.inbox.list()).toEqual([])
  })

  test('a body beyond 64 KiB is refused', async () => {
    expect((await ask('/send-sms', { sms: 'x'.repeat(70_000) })).status).toBe(413)
  })

  test.each<[Path, string, readonly string[]]>([
    ['/block-phone', 'phone', [two]],
    ['/send-sms', 'phone', ['', 'abc', '12', `${phone},`, `57300,${phone}`, '573001234567;573007654321']],
    ['/call/send', 'voice', ['Mariana', 'Joanna', '']],
    ['/call/send', 'retries', ['4', '0', 'many']],
    ['/call/send', 'leave-voicemail', ['yes']],
    ['/call/send', 'message', ['']],
    ['/2fa/send-sms', 'phone', [two]],
    ['/call/2fa/send-call', 'voice', ['Marian']],
    ['/call/2fa/send-call', 'retries', ['0', '11', '1.5']],
    ['/call/2fa/send-call', 'phone', [two]],
    ...(['/send-sms', '/call/send', '/2fa/send-sms', '/call/2fa/send-call'] as const).map(
      (path): [Path, string, string[]] => [path, 'country-code', ['COL', '57', 'c', '??', 'ZZ', 'UK']],
    ),
    ['/url/short', 'is-premium', ['yes']],
    ['/url/short', 'url-long', ['nowhere', 'javascript:alert(1)', `https://a.example/${'x'.repeat(2_048)}`]],
    ['/url/short', 'alias', ['../admin', 'a/b']],
    ['/url/short', 'domain-name', ['a/b']],
    ['/url/short', 'expiration-time-statistics', ['-1', '1000']],
    ['/url/short-statistic', 'category', ['weather']],
    ['/url/short-statistic', 'since', ['2025-3-14', '14-03-2025', '2025-02-30', '2025-03-15']],
    ['/url/short-statistic', 'until', ['today']],
  ])('%s refuses each other %s: %j', async (path, name, values) => {
    if (path === '/url/short-statistic') await ask('/url/short')
    const [method, required] = operations[path]
    for (const value of values) {
      expect(await call(method, path, { ...required, [name]: value }), value).toMatchObject(malformed)
    }
    expect(sandbox.inbox.list()).toEqual([])
    expect(sandbox.links.list()).toHaveLength(path === '/url/short-statistic' ? 1 : 0)
  })
})

test('GET /balance answers the credits as status', async () => {
  expect(await ask('/balance')).toEqual({ status: 200, body: { status: 1_000 } })
})

describe('POST /block-phone', () => {
  test('answers id, status, phone and name', async () => {
    expect((await ask('/block-phone')).body).toEqual({ id, status: 'blocked', phone, name: 'Ana' })
  })

  test('blocks every SMS and reports it; calls still go', async () => {
    await ask('/block-phone')
    expect((await ask('/send-sms')).body.data).toMatchObject([{ status: 'blocked', credits: 0 }])
    expect(await ask('/2fa/send-sms')).toEqual({
      status: 520,
      body: { error: '1101', msg: 'The number is blocked.' },
    })
    expect((await ask('/balance')).body).toEqual({ status: 1_000 })
    await expect(sandbox.inbox.waitFor(phone, { timeoutMs: 20, code: false })).rejects.toThrow()
    expect((await ask('/call/2fa/send-call')).status).toBe(200)
  })
})

test('POST /send-sms answers id, status and one data entry for each number', async () => {
  const entry = { id, status: 'sent', credits: 1, sms: 'Hello' }
  const data = [
    { ...entry, phone },
    { ...entry, phone: '573007654321' },
  ]
  expect((await ask('/send-sms', { phone: '573001234567, 573007654321' })).body).toEqual({
    id,
    status: 1,
    data,
  })
  expect((await ask('/balance')).body).toEqual({ status: 998 })
})

test('POST /call/send answers status, id and one data entry for each number', async () => {
  const entry = { id, state: 'ringing', credits: 2, message: 'Hello', voice: 'Marian' }
  expect((await ask('/call/send', { phone: two })).body).toEqual({
    status: 'sent',
    id,
    data: two.split(',').map((each) => ({ ...entry, phone: each })),
  })
})

test('POST /call/send plays an uploaded audio instead of message and voice, never with them', async () => {
  const audio = { message: '', voice: '', 'audio-code': 'welcome-1' }
  const played = {
    status: 200,
    body: { data: [{ state: 'ringing', voice: '', message: 'Audio welcome-1' }] },
  }
  expect(await ask('/call/send', audio)).toMatchObject(played)
  for (const extra of [{ message: 'Hello' }, { voice: 'Mia' }, { message: 'Hello', voice: 'Mia' }]) {
    expect(await ask('/call/send', { ...audio, ...extra })).toMatchObject(malformed)
  }
})

test('GET /messages-state answers state, credits, phone, created, sms, dispatch_id and id', async () => {
  const { body } = await ask('/send-sms')
  const [entry] = body.data as { id: string }[]
  expect((await ask('/messages-state', { id: body.id })).body).toEqual({
    state: 'sent',
    credits: 1,
    phone: 573001234567,
    created: '2025-03-14 15:09:26',
    sms: 'Hello',
    dispatch_id: body.id,
    id: entry?.id,
  })
})

test('POST /2fa/send-sms answers id, status, minutes_to_expire and data', async () => {
  const { body } = await ask('/2fa/send-sms')
  const data = [{ id, status: 'sent', credits: 1, sms: sandbox.inbox.list()[0]?.text, phone }]
  expect(body).toEqual({ id, status: 'sent', minutes_to_expire: 5, data })
})

test('POST /call/2fa/send-call answers status, id, minutes_to_expire and data', async () => {
  const data = [{ id, state: 'ringing', credits: 2, phone: 573001234567, voice: 'Mariana' }]
  expect((await ask('/call/2fa/send-call')).body).toEqual({ status: 'sent', id, minutes_to_expire: 5, data })
})

// Each answers error and msg.
test.each([
  ['/messages-state', '1120', 'No message group has this id.'],
  ['/url/short-statistic', '1131', 'No short URL has this name.'],
] as const)('%s refuses unknown values: %s', async (path, error, msg) => {
  expect(await ask(path)).toEqual({ status: 520, body: { error, msg } })
})

test('POST /url/short answers urlShort, urlLong and msg', async () => {
  expect((await ask('/url/short')).body).toEqual({
    urlShort: `${sandbox.baseUrl.replace('/v1', '')}/s/go.example.com/spring-sale`,
    urlLong: 'https://example.com/spring',
    msg: 'The short URL was created.',
  })
})

test.each([
  ['true', 200],
  ['false', 520],
])(
  'POST /url/short-statistic, where is-premium is %s, answers the six categories more with %i',
  async (premium, status) => {
    await ask('/url/short', { 'is-premium': premium })
    const statusOf = async (category: string) => (await ask('/url/short-statistic', { category })).status
    for (const category of ['date', 'hour', 'country', 'device', 'operatingSystem']) {
      expect(await statusOf(category), category).toBe(200)
    }
    for (const category of ['region', 'city', 'brand', 'model', 'browser', 'lang']) {
      expect(await statusOf(category), category).toBe(status)
    }
  },
)
