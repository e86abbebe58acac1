import { expect, test } from 'vitest'
import { sandboxed } from './wire.js'

/* The shapes that services in the field were seen to answer, where they differ from the documentation. */

const { sandbox, get, post: to } = await sandboxed({ dialect: 'observed', credits: 1234 })
const id = expect.stringMatching(/^[0-9a-f-]{36}$/)

test('the balance has credits of its own beside a flag', async () => {
  expect((await get('/balance')).body).toEqual({ status: 1, balance: 1234 })
})

test('one text is one object, two are an array', async () => {
  const one = await to('/sms/send', { phone: '573001234567', sms: 'Hello' })
  expect(one.body).toEqual({
    status: 1,
    id,
    data: { id, state: 'Enviado', credits: 0, sms: 'Hello', phone: '573001234567' },
  })
  const two = await to('/send-sms', { phone: '573001234567,573007654321', sms: 'Hello' })
  expect(two.body.data).toHaveLength(2)
})

test('states are an array in the words of the field, with credits as a text', async () => {
  const sent = await to('/send-sms', { phone: '573001234567,573001999901,573001999902', sms: 'Hello' })
  sandbox.clock.advance(60_000)
  const states = await get('/messages-state', { id: String(sent.body.id) })
  expect(states.body).toMatchObject([
    {
      state: 'Leído',
      credits: '1',
      phone: 573001234567,
      created: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    },
    { state: 'Rechazado' },
    { state: 'Error:1081 msg: Destino inaccesible' },
  ])
})

test('failures have a number as error, bad parameters are a 400, and a code has the chosen status', async () => {
  const text = { phone: '573001234567', sms: 'Hello' }
  const guess = { phone: '573001234567', 'app-name': 'Acme', code: '000000' }
  for (const [path, fields, status, error] of [
    ['/send-sms', { phone: '573001234567' }, 400, 1000],
    ['/send-sms', { ...text, key: 'wrong' }, 520, 1003],
    ['/2fa/verification-code', guess, 520, 1114],
  ] as const) {
    expect(await to(path, fields)).toEqual({ status, body: { error, msg: expect.any(String) } })
  }
})

test.each(['/call/2fa/send', '/2fa/send-call', '/call/2fa/send-call'])(
  'a code by call is sent by %s without voice and retries',
  async (path) => {
    const answer = await to(path, { phone: '573001234567', 'app-name': 'Acme' })
    expect(answer.body).toMatchObject({ status: '1', data: { state: 'Llamando', voice: 'Mariana' } })
  },
)

test('a call without an answer leaves a voicemail by default', async () => {
  const spoken = { phone: '573001999904', message: 'Hello', voice: 'Mia' }
  await to('/call/send', spoken)
  await to('/call/send', { ...spoken, 'leave-voicemail': 'false' })
  sandbox.clock.advance(60_000)
  expect(sandbox.inbox.list().map(({ state }) => state)).toEqual(['no-answer', 'voicemail'])
})

test.each([
  ['CALL', 200, 520],
  ['ALL', 520, 520],
  ['SMS', 520, 200],
  ['WA', 200, 200],
])('a block of %s is for that channel', async (channel, text, call) => {
  await to('/block-phone', { phone: '573001234567', channel })
  const code = { phone: '573001234567', 'app-name': 'Acme' }
  expect((await to('/2fa/send-sms', code)).status).toBe(text)
  expect((await to('/call/2fa/send-call', code)).status).toBe(call)
})

test('metrics are null, one object or an array', async () => {
  const made = await to('/url/short', { name: 'spring', 'url-long': 'https://example.com/' })
  const today = new Date().toISOString().slice(0, 10)
  const days = { 'name-url': 'spring', since: today, until: today, category: 'country' }
  expect((await to('/url/short-statistic', days)).body.metrics).toBeNull()
  const visit = (place: string) =>
    fetch(String(made.body.urlShort), { redirect: 'manual', headers: { 'X-Sandbox-Place': place } })
  await visit('CO')
  expect((await to('/url/short-statistic', days)).body.metrics).toEqual({
    country: { property: 'CO', clicks: 1 },
  })
  await visit('MX')
  expect((await to('/url/short-statistic', days)).body.metrics).toHaveLength(2)
})
