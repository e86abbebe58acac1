import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Sandbox, type SandboxOptions, startSandbox } from '../../../src/tools/sandbox/index.js'
import { post } from './wire.js'

let sandbox: Sandbox
async function restart(options: SandboxOptions): Promise<void> {
  await sandbox.close()
  sandbox = await startSandbox(options)
}
const send = (phone = '573001234567', appName = 'Acme') =>
  post(`${sandbox.baseUrl}/2fa/send-sms`, { phone, 'app-name': appName })
const verify = (code: string, phone = '573001234567', appName = 'Acme') =>
  post(`${sandbox.baseUrl}/2fa/verification-code`, { phone, 'app-name': appName, code })
const arrived = async (phone = '573001234567') => (await sandbox.inbox.waitFor(phone)).code

beforeEach(async () => {
  sandbox = await startSandbox()
})
afterEach(() => sandbox.close())

describe('a code', () => {
  test('arrives in the inbox, verifies once, and is used up', async () => {
    const sent = await send()
    expect(sent).toMatchObject({ status: 200, body: { status: 'sent', minutes_to_expire: 5 } })

    const message = await sandbox.inbox.waitFor('+57 300 123 4567')
    expect(message).toMatchObject({ channel: 'sms', phone: '+573001234567', appName: 'Acme' })
    expect(message.code).toMatch(/^\d{6}$/)
    expect(message.text).toContain(message.code)

    expect(await verify(message.code)).toEqual({ status: 200, body: { status: 'verified' } })
    expect(await verify(message.code)).toEqual({
      status: 520,
      body: { error: '1113', msg: 'The code was used before.' },
    })
  })

  test('belongs to its number and its app-name', async () => {
    await send('573001234567', 'Acme')
    const code = await arrived()
    expect((await verify(code, '573007654321')).body.error).toBe('1114')
    expect((await verify(code, '573001234567', 'Other')).body.error).toBe('1114')
    expect((await verify(code)).status).toBe(200)
  })

  test('ends exactly when its minutes are over', async () => {
    await restart({ now: () => 1_700_000_000_000 })
    await send()
    const code = await arrived()
    sandbox.clock.advance(300_000)
    expect((await verify(code)).body.error).toBe('1112')
    await send()
    const second = await arrived()
    sandbox.clock.advance(299_999)
    expect((await verify(second)).status).toBe(200)
  })

  test('travels by call as a transcript that spells it', async () => {
    const order = { phone: '573001234567', 'app-name': 'Acme', voice: 'Mariana', retries: '1' }
    const sent = await post(`${sandbox.baseUrl}/call/2fa/send-call`, order)
    expect(sent.status).toBe(200)
    const { code, text } = await sandbox.inbox.waitFor('573001234567', { channel: 'call' })
    expect(text).toContain([...code].join(', '))
    expect((await verify(code)).body).toEqual({ status: 'verified' })
  })
})

describe('a second send', () => {
  test.each([
    ['replace', [520, 200]],
    ['both', [200, 200]],
  ] as const)('with resend %s', async (resend, statuses) => {
    await restart({ resend })
    await send()
    const first = await arrived()
    await send()
    const second = await arrived()
    expect([(await verify(first)).status, (await verify(second)).status]).toEqual(statuses)
  })

  test('with resend repeat sends the current code during its lifetime', async () => {
    await restart({ resend: 'repeat', codeLength: 10 })
    await send()
    const first = await arrived()
    await send()
    expect(sandbox.inbox.list().map(({ code }) => code)).toEqual([first, first])
    expect((await verify(first)).status).toBe(200)
    expect((await verify(first)).status).toBe(520)
    await send()
    const expired = await arrived()
    sandbox.clock.advance(300_000)
    await send()
    expect(sandbox.inbox.list()[0]?.code).not.toBe(expired)
  })
})

test.each([
  [200, { status: 'rejected' }],
  [400, { error: '1111', msg: 'The code is wrong.' }],
  [520, { error: '1111', msg: 'The code is wrong.' }],
] as const)(
  'a wrong code is answered with %i when so chosen, and the right one stands',
  async (wrongCode, body) => {
    await restart({ wrongCode })
    await send()
    const code = await arrived()
    expect(await verify('wrong1')).toEqual({ status: wrongCode, body })
    expect((await verify(code)).status).toBe(200)
  },
)

test('codes are made of the chosen alphabet in the chosen length', async () => {
  await restart({ codeAlphabet: 'ABCD', codeLength: 4 })
  await send()
  expect(await arrived()).toMatch(/^[ABCD]{4}$/)
})

test('only registered app-names are served when some are registered', async () => {
  await restart({ appNames: ['Acme'] })
  expect((await send('573001234567', 'Other')).body.error).toBe('1110')
  expect((await send('573001234567', 'Acme')).status).toBe(200)
})
