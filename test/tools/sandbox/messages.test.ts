import { describe, expect, test } from 'vitest'
import { fixedNumbers, startSandbox } from '../../../src/tools/sandbox/index.js'
import { sandboxed } from './wire.js'

const { sandbox, get, post } = await sandboxed({ now: () => 1_700_000_000_000, credits: 100 })
const ordinary = '573001234567'
const numberThat = (result: (typeof fixedNumbers)[number]['result']) =>
  `573001${fixedNumbers.find((row) => row.result === result)?.ending}`

const text = (phone: string, sms = 'Hello') => post('/send-sms', { phone, sms })
const call = (phone: string, more = {}) =>
  post('/call/send', { phone, message: 'Hello', voice: 'Mia', ...more })
const sendCode = (phone = ordinary) => post('/2fa/send-sms', { phone, 'app-name': 'Acme' })
const verify = (code: string, phone = ordinary) =>
  post('/2fa/verification-code', { phone, 'app-name': 'Acme', code })
const balance = async () => (await get('/balance')).body.status
/** The state after each of these pauses. */
async function statesOf(id: unknown, pausesMs: readonly number[]): Promise<unknown[]> {
  const states: unknown[] = []
  for (const pauseMs of pausesMs) {
    sandbox.clock.advance(pauseMs)
    states.push((await get('/messages-state', { id: String(id) })).body.state)
  }
  return states
}

describe('a text', () => {
  test('is sent, delivered and read', async () => {
    const { id } = (await text(ordinary)).body
    const states = ['sent', 'sent', 'delivered', 'delivered', 'read']
    expect(await statesOf(id, [0, 1_999, 1, 27_999, 1])).toEqual(states)
  })

  test.each(['rejected', 'unreachable'] as const)(
    'to the number that is %s ends so, and its credits are refunded',
    async (result) => {
      const { id } = (await text(numberThat(result))).body
      expect(await balance()).toBe(99)
      expect(await statesOf(id, [1_999, 1, 86_400_000])).toEqual(['sent', result, result])
      expect(await balance()).toBe(100)
    },
  )

  test('to the number that gets none stays sent', async () => {
    const { id } = (await text(numberThat('undelivered'))).body
    expect(await statesOf(id, [86_400_000])).toEqual(['sent'])
    expect(await balance()).toBe(99)
  })

  test.each([
    ['x'.repeat(160), 1],
    ['x'.repeat(161), 2],
    // A character of the extension is an escape and a character.
    [`${'x'.repeat(150)}${'€'.repeat(5)}`, 1],
    [`${'x'.repeat(150)}${'€'.repeat(8)}`, 2],
    ['ж'.repeat(71), 2],
  ])('costs by its length: %#', async (sms, credits) => {
    await text(ordinary, sms)
    expect(await balance()).toBe(100 - credits)
  })

  test('to a list is sent to all or to none', async () => {
    sandbox.account.setCredits(1)
    expect((await text(' 573001234567 , 573007654321 ')).body.error).toBe('1007')
    expect(await balance()).toBe(1)
    expect(sandbox.inbox.list()).toEqual([])
    expect((await text(`573001234567,${numberThat('refused')}`)).body.error).toBe('1100')
    expect(sandbox.inbox.list()).toEqual([])
  })
})

test.each<[string, string, object, number[], string[]]>([
  ['rings and is answered', ordinary, {}, [0, 2_999, 1], ['ringing', 'ringing', 'answered']],
  [
    'that nobody answers is placed as often as retries says',
    numberThat('unanswered'),
    { retries: '3' },
    [0, 15_000, 30_000, 15_000, 30_000, 15_000, 86_400_000],
    ['ringing', 'no answer', 'ringing', 'no answer', 'ringing', 'no answer', 'no answer'],
  ],
  [
    'leaves a voicemail when asked to',
    numberThat('unanswered'),
    { 'leave-voicemail': 'true' },
    [0, 15_000],
    ['ringing', 'voicemail'],
  ],
  [
    'is answered at the second attempt by the number that does so',
    numberThat('answeredSecond'),
    { retries: '2' },
    [15_000, 30_000, 3_000],
    ['no answer', 'ringing', 'answered'],
  ],
  [
    'to that number with one attempt is not answered',
    numberThat('answeredSecond'),
    { retries: '1' },
    [15_000, 86_400_000],
    ['no answer', 'no answer'],
  ],
])('a call %s', async (_what, phone, more, pausesMs, states) => {
  const { id } = (await call(phone, more)).body
  expect(await statesOf(id, pausesMs)).toEqual(states)
})

describe('waiting', () => {
  test('distinguishes texts from calls, and messages with a code from messages without', async () => {
    const phone = ordinary
    await text(phone, 'plain')
    await sendCode(phone)
    await call(phone)
    expect((await sandbox.inbox.waitFor(phone)).appName).toBe('Acme')
    expect((await sandbox.inbox.waitFor(phone, { code: false })).channel).toBe('call')
    const plain = await sandbox.inbox.waitFor(phone, { code: false, channel: 'sms' })
    expect(plain.appName).toBe('Acme')
    await expect(sandbox.inbox.waitFor(phone, { channel: 'call', timeoutMs: 20 })).rejects.toThrow()
  })

  test('skips messages before a moment, or up to a message', async () => {
    await sendCode()
    const { id, at } = await sandbox.inbox.waitFor(ordinary)
    sandbox.clock.advance(1_000)
    const skips = [{ since: at + 1_000 }, { after: id }]
    const waiting = Promise.all(skips.map((options) => sandbox.inbox.waitFor(ordinary, options)))
    await sendCode()
    expect((await waiting).map((message) => message.at)).toEqual([at + 1_000, at + 1_000])
  })

  test.each([
    ['', {}],
    ['4567', {}],
    [ordinary, { timeoutMs: -1 }],
    [ordinary, { channel: 'fax' as 'sms' }],
    [ordinary, { since: Number.NaN }],
  ])('refuses the arguments %j %j', async (phone, options) => {
    await expect(sandbox.inbox.waitFor(phone, options)).rejects.toThrow(TypeError)
  })

  test('ends when the sandbox is closed', async () => {
    const closed = await startSandbox()
    const waits = [closed.inbox.waitFor(ordinary), closed.inbox.waitFor(ordinary)]
    const ended = Promise.allSettled(waits)
    await closed.close()
    const reasons = (await ended).map((one) => (one.status === 'rejected' ? one.reason.name : one.status))
    expect(reasons).toEqual(['AbortError', 'AbortError'])
  })
})

describe('what has become of a code', () => {
  const codeStates = () => sandbox.inbox.list().map(({ codeState }) => codeState)

  test('is reported with its message: replaced by the next, used, or expired to the millisecond', async () => {
    await sendCode()
    const { code = '', codeExpiresAt = 0 } = await sandbox.inbox.waitFor(ordinary)
    expect(codeStates()).toEqual(['live'])
    await sendCode()
    expect(codeStates()).toEqual(['live', 'replaced'])
    expect((await verify(code)).status).toBe(520)
    const second = sandbox.inbox.list()[0]?.code ?? ''
    await sendCode('573007654321')
    await verify(second)
    expect(codeStates()).toEqual(['live', 'used', 'replaced'])
    sandbox.clock.advance(codeExpiresAt - sandbox.clock.now() - 1)
    expect(codeStates()).toEqual(['live', 'used', 'replaced'])
    sandbox.clock.advance(1)
    expect(codeStates()).toEqual(['expired', 'used', 'replaced'])
  })

  test.each([
    ['text', 'rejected', 2_000, 'undelivered'],
    ['text', 'unreachable', 2_000, 'undelivered'],
    // Nobody knows: it stays sent.
    ['text', 'undelivered', 2_000, 'live'],
    ['call', 'unanswered', 60_000, 'undelivered'],
    // It rings again.
    ['call', 'answeredSecond', 15_000, 'live'],
  ] as const)('of a %s that is %s is, after %i ms, that it is %s', async (by, result, ms, state) => {
    const phone = numberThat(result)
    const twice = { phone, 'app-name': 'Acme', voice: 'Mia', retries: '2' }
    if (by === 'text') await sendCode(phone)
    else await post('/call/2fa/send-call', twice)
    sandbox.clock.advance(ms - 1)
    expect(codeStates()).toEqual(['live'])
    sandbox.clock.advance(1)
    expect(codeStates()).toEqual([state])
  })
})

test('the number with the known code always gets it', async () => {
  const phone = numberThat('knownCode')
  for (let count = 0; count < 2; count += 1) {
    await sendCode(phone)
    expect((await verify('012345', phone)).status).toBe(200)
  }
})

test('the number with the expired code gets this state', async () => {
  const phone = numberThat('expiredCode')
  await sendCode(phone)
  const { code } = await sandbox.inbox.waitFor(phone)
  expect((await verify(code, phone)).body.error).toBe('1112')
})

test('a send that is refused does not void the living code', async () => {
  await sendCode()
  const { code } = await sandbox.inbox.waitFor(ordinary)
  sandbox.account.setCredits(0)
  expect((await sendCode()).body.error).toBe('1007')
  expect((await verify(code)).status).toBe(200)
})

test('a blocked number is served again once it is unblocked', async () => {
  await post('/block-phone', { phone: ordinary })
  expect(sandbox.account.blocked()).toMatchObject([{ phone: ordinary, name: '', channel: 'SMS' }])
  await text(ordinary, 'Your code is 4829')
  expect(sandbox.inbox.list()).toMatchObject([{ code: '4829', codeState: 'blocked' }])
  expect(sandbox.account.unblock('+57 300 123 4567')).toBe(true)
  expect(sandbox.account.unblock(ordinary)).toBe(false)
  await text(ordinary)
  const message = await sandbox.inbox.waitFor(ordinary, { code: false })
  expect(message.text).toBe('Hello')
  expect(message).not.toHaveProperty('codeState')
})
