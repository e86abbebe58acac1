import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { CodeProvider, CodeSend } from '../../src/challenge/exchange/code-provider.js'
import { failover, type OwnCodesOptions, ownCodes, ProviderError } from '../../src/provider/index.js'
import { codeInText } from '../../src/tools/sandbox/text-code.js'
import { order, recorded, submitted } from './recorder.js'

const secret = 'a secret of thirty-two bytes or more'
const { provider: recorder, client } = await recorded()
beforeEach(() => recorder.answer('{"id": "m1"}'))

const provider = (options: Partial<OwnCodesOptions> = {}) => ownCodes({ client, secret, ...options })

async function sendBy(codes: CodeProvider, send: Partial<CodeSend> = {}) {
  const request = { ...order, ...send }
  const sent = await codes.sendCode(request)
  const form = new URLSearchParams(recorder.requests.at(-1)?.body)
  const message = form.get(request.channel === 'sms' ? 'sms' : 'message') ?? ''
  const code = codeInText(request.channel as 'sms' | 'call', message) ?? ''
  return { sent, form, message, code, handle: 'handle' in sent ? (sent.handle ?? '') : '' }
}

const checkBy = (codes: CodeProvider, code: string, handle: string | undefined, owner = {}) =>
  codes.checkCode({ ...submitted, code, handle, ...owner })

describe('a code', () => {
  test('is approved if it is submitted with its handle, and any different one is rejected', async () => {
    const codes = provider()
    const { code, handle, sent } = await sendBy(codes)
    expect(sent).toMatchObject({ result: 'sent', lifetimeMs: 600_000 })
    expect(code).toMatch(/^\d{6}$/)
    expect(await checkBy(codes, code, handle)).toBe('approved')
    const other = code === '000000' ? '000001' : '000000'
    expect(await checkBy(codes, other, handle)).toBe('rejected')
    for (const odd of ['', ` ${code}`, `${code}0`, code.slice(1)]) {
      expect(await checkBy(codes, odd, handle)).toBe('rejected')
    }
  })

  test('is rejected for another number or app, or with the handle of another send', async () => {
    const codes = provider()
    const { code, handle } = await sendBy(codes)
    expect(await checkBy(codes, code, handle, { destination: '+573007654321' })).toBe('rejected')
    expect(await checkBy(codes, code, handle, { appName: 'Acme signup' })).toBe('rejected')
    const { code: newer, handle: newHandle } = await sendBy(codes)
    expect(newHandle).not.toBe(handle)
    if (newer !== code) expect(await checkBy(codes, code, newHandle)).toBe('rejected')
  })

  test('of an earlier send is recognised as replaced by its own handle only', async () => {
    const codes = provider()
    const [first, second, newest] = [await sendBy(codes), await sendBy(codes), await sendBy(codes)]
    const checkWith = (code: string, earlierHandles: readonly string[], owner = {}) =>
      codes.checkCode({ ...submitted, code, handle: newest.handle, earlierHandles, ...owner })
    const both = [second.handle, first.handle]
    for (const { code } of [first, second]) expect(await checkWith(code, both)).toBe('replaced')
    expect(await checkWith(first.code, [second.handle])).toBe('rejected')
    expect(await checkWith(first.code, both, { destination: '+573007654321' })).toBe('rejected')
    expect(await checkWith(first.code, ['of another provider'])).toBe('rejected')
    expect(await checkWith(newest.code, [...both, newest.handle])).toBe('approved')
    const owner = { destination: submitted.destination, appName: submitted.appName }
    expect(await codes.checkCode({ ...submitted, ...owner, code: first.code, earlierHandles: both })).toBe(
      'not-sent',
    )
  })

  test.each(['', 'x', `${'n'.repeat(22)}.${'d'.repeat(42)}`])(
    'without a handle of ours (%j) is not judged, and costs no attempt',
    async (handle) => expect(await checkBy(provider(), '482913', handle)).toBe('not-sent'),
  )

  test('that is typed while it is still being sent costs no attempt, and is no silence of the provider', async () => {
    const report = vi.fn()
    expect(await provider().checkCode({ ...submitted, report, handle: undefined })).toBe('not-sent')
    expect(report.mock.calls).toEqual([[{ asked: false }]])
  })

  test('is not readable in its handle, and equal codes have different handles', async () => {
    const codes = provider({ length: 4 })
    const handles = new Set<string>()
    for (let sends = 0; sends < 50; sends += 1) {
      const { code, handle } = await sendBy(codes)
      expect(handle.length).toBeLessThanOrEqual(200)
      expect(handle).not.toContain(code)
      expect(Buffer.from(handle.split('.')[0] ?? '', 'base64url').toString()).not.toContain(code)
      handles.add(handle)
    }
    expect(handles.size).toBe(50)
  })

  test('that an earlier release has sent is still approved', async () => {
    const handle = 'BwcHBwcHBwcHBwcHBwcHBw.-C_EXx4JI4RayDCadynPE9R8MiuPVpb6Rjxlt5tLz5U'
    expect(await checkBy(provider(), '482913', handle)).toBe('approved')
    for (const other of [`x${handle}`, `${handle}x`]) {
      expect(await checkBy(provider(), '482913', other)).toBe('not-sent')
    }
  })

  test.each([4, 10])('has the length that was asked for: %i', async (length) => {
    const { message } = await sendBy(provider({ length, text: ({ code }) => `code: ${code}` }))
    expect(message).toMatch(new RegExp(`^code: \\d{${length}}$`))
  })

  test('outlives the rotation of the secret', async () => {
    const { code, handle } = await sendBy(provider())
    const rotated = provider({ secret: ['a newer secret of thirty-two bytes', secret] })
    expect(await checkBy(rotated, code, handle)).toBe('approved')
    const foreign = provider({ secret: 'another secret of thirty-two bytes' })
    expect(await checkBy(foreign, code, handle)).toBe('rejected')
  })
})

describe('a message', () => {
  test.each([
    ['en-GB', 90_000, /^\d{6} is your Acme code\. It expires in 1 minute\. Don't share it\.$/],
    ['ES-co', 60_000, /^\d{6} es tu clave temporal de Acme\. Vence en 1 minuto\. No la compartas\.$/],
    ['pt', 300_000, /^\d{6} é seu token Acme\. Expira em 5 minutos\. Nunca compartilhe\.$/],
    ['constructor', 1, /It expires in 1 minute\./],
  ])('is in the language of the person: %s, %i ms', async (locale, expiresInMs, text) => {
    const { message, code } = await sendBy(provider(), { locale, expiresInMs })
    expect(message).toMatch(text)
    expect(message.startsWith(code)).toBe(true)
  })

  test('that is spoken reads the digits one by one', async () => {
    const codes = provider({ voice: 'Mia', retries: 2, origin: 'example.com' })
    const { message, form, code, handle } = await sendBy(codes, { channel: 'call', locale: 'es' })
    expect(message).toMatch(/^Tu código de Acme es: (\d(?:, \d){5})\. Repito: \1\. Vence en 10 minutos\./)
    expect(message).not.toContain('@')
    expect(Object.fromEntries(form)).toMatchObject({ voice: 'Mia', retries: '2', phone: '573001234567' })
    expect(await checkBy(codes, code, handle)).toBe('approved')
  })

  test.each(['Ana\r\n\r\n@evil.example #000000', 'Ana\u2028@evil.example #0\u202e'])(
    'keeps values that a visitor chose in one line: %j',
    async (payee) => {
      const details = { rows: [['To', payee]] } as const
      const { message, code } = await sendBy(provider({ origin: 'example.com' }), { details })
      const lines = message.split(/[\n\r\u2028]/)
      expect(lines).toHaveLength(2)
      expect(lines[1]).toBe(`@example.com #${code}`)
      expect(message).not.toContain('\u202e')
    },
  )

  test('cuts values that would be billed as many parts, and no others', async () => {
    const { message } = await sendBy(provider(), { details: { rows: [['To', 'x'.repeat(5_000)]] } })
    expect(message).toContain(`To ${'x'.repeat(27)}...`)
    const whole = await sendBy(provider(), { details: { rows: [['To', ` Ana \t\r\n ${'x'.repeat(26)}`]] } })
    expect(whole.message).toContain(`To Ana ${'x'.repeat(26)}.`)
  })

  test('reads all details in a call, which is not billed by their length', async () => {
    const rows = Array.from({ length: 12 }, (_, index) => [`Row ${index}`, 'x'.repeat(30)] as const)
    const { message } = await sendBy(provider(), { channel: 'call', details: { rows } })
    for (const row of rows) expect(message).toContain(row.join(' '))
  })

  test('is not sent if the words of the app need too many parts', async () => {
    const wordy = provider({ text: ({ code }) => `${code} ${'x'.repeat(300)}` })
    expect(await wordy.sendCode(order)).toEqual({ result: 'not-sent' })
    expect(recorder.requests).toEqual([])
  })

  test('ends with the domain-bound line, in the form that phones read', async () => {
    const { message, code, handle } = await sendBy(provider({ origin: 'app.example.com' }))
    const [last, ...before] = message.split('\n').reverse()
    // Of the WICG format: an at sign and the host, one space, a number sign and the code, no more.
    expect(last).toBe(`@app.example.com #${code}`)
    expect(before.join('')).toContain(code)
    expect(await checkBy(provider(), last?.split('#')[1] ?? '', handle)).toBe('approved')
  })

  test('is the host’s own when it writes one', async () => {
    const seen: unknown[] = []
    const text: OwnCodesOptions['text'] = (message) => {
      seen.push(message)
      return `Acme: ${message.code}`
    }
    const details = { rows: [['Amount', '100 EUR,\nwhich are a hundred euros']] } as const
    const own = provider({ text, origin: 'example.com' })
    const { message, code } = await sendBy(own, { purpose: 'transfer', locale: 'pt', details })
    expect(message).toBe(`Acme: ${code}\n@example.com #${code}`)
    const call = await sendBy(own, { channel: 'call' })
    expect(call.message).toBe(`Acme: ${[...call.code].join(', ')}`)
    const about = { minutes: 10, appName: 'Acme', locale: 'pt', purpose: 'transfer', channel: 'sms', details }
    expect(seen[0]).toEqual({ ...about, code })
  })
})

describe('a message that is not as it should be', () => {
  test('goes without the advice before it takes two parts', async () => {
    const details = { rows: [['Para', 'María']] } as const
    const { message, code } = await sendBy(provider({ origin: 'example.com' }), { locale: 'es', details })
    expect(message).toBe(
      `${code} es tu clave temporal de Acme. Para María. Vence en 10 minutos.\n@example.com #${code}`,
    )
  })

  const throwing = (error: unknown) => () => {
    throw error
  }
  test.each([
    ['throws', throwing(new Error('482913'))],
    ['has no code in it', () => 'Hello'],
    ['has half a surrogate pair in it', ({ code }: { code: string }) => `${code} for \ud83d`],
    ['rejects', async () => Promise.reject(new Error('no table'))],
    ['is nothing', () => undefined],
  ])('is not sent when it %s', async (_name, text) => {
    const codes = provider({ text: text as never })
    const report = vi.fn()
    expect(await codes.sendCode({ ...order, report })).toEqual({ result: 'not-sent' })
    expect(recorder.requests).toEqual([])
    expect(report.mock.calls).toEqual([[{ reason: 'text', asked: false }]])
  })

  test('is not sent by a channel that its client lacks', async () => {
    const report = vi.fn()
    const codes = provider({ client: { sendSms: async () => undefined } })
    expect(await codes.sendCode({ ...order, channel: 'call', report })).toEqual({ result: 'not-sent' })
    expect(report.mock.calls).toEqual([[{ reason: 'channel', asked: false }]])
  })
})

describe('a send is', () => {
  test('the result of the client, by text and by call', async () => {
    recorder.answer('{"error": 1000}', 520)
    expect(await provider().sendCode(order)).toEqual({ result: 'failed' })
    expect(await provider().sendCode({ ...order, channel: 'call' })).toEqual({ result: 'failed' })
  })

  const answered = (httpStatus: number, raw?: unknown) =>
    new ProviderError({
      ...{ operation: 'sendSms', delivery: 'answered', reason: 'answer', description: '' },
      ...{ httpStatus, raw },
    })
  test.each([
    [
      new ProviderError({ operation: 'sendSms', delivery: 'not-sent', reason: 'refused', description: '' }),
      'not-sent',
      true,
    ],
    [answered(401), 'misconfigured', true],
    [answered(403), 'misconfigured', true],
    [answered(404), 'failed', true],
    [answered(520, { error: '7' }), 'failed', true],
    [answered(520), 'unconfirmed', false],
    [answered(429, { error: '7' }), 'later', true],
    [answered(429, '<html>'), 'later', false],
    [answered(408), 'unconfirmed', false],
    [answered(503, { error: '7' }), 'unconfirmed', false],
    [new Error('of the vendor'), 'unconfirmed', false],
  ] as const)('what a vendor throws: %#', async (error, result, continues) => {
    const own = ownCodes({ client: { sendSms: async () => Promise.reject(error) }, secret, name: 'own' })
    expect(await own.sendCode(order)).toMatchObject({ result })
    const next = {
      name: 'next',
      sendCode: vi.fn(async () => ({ result: 'sent' as const })),
      checkCode: vi.fn(),
    }
    await failover([own, next]).sendCode(order)
    expect(next.sendCode).toHaveBeenCalledTimes(continues ? 1 : 0)
  })

  test('unconfirmed with its handle when a gateway answers: the code works if it arrives', async () => {
    recorder.answer('<html>', 502)
    const codes = provider()
    const { sent, code, handle } = await sendBy(codes)
    expect(sent).toMatchObject({ result: 'unconfirmed', lifetimeMs: 600_000 })
    expect(await checkBy(codes, code, handle)).toBe('approved')
  })
})

describe('of its client', () => {
  test('each send is reported with its operation and its message', async () => {
    const report = vi.fn()
    await provider().sendCode({ ...order, report })
    await provider().sendCode({ ...order, channel: 'call', report })
    expect(report.mock.calls).toEqual([
      [{ operation: 'sendSms', httpStatus: 200, messageId: 'm1' }],
      [{ operation: 'sendCall', httpStatus: 200, messageId: 'm1' }],
    ])
  })

  test('a method sendSms is enough', async () => {
    const answers: unknown[] = [undefined, { id: 'm1' }, { phone: '573007654321' }]
    const codes = ownCodes({ client: { sendSms: async () => answers.shift() }, secret })
    const results = [await codes.sendCode(order), await codes.sendCode(order), await codes.sendCode(order)]
    expect(results.map(({ result }) => result)).toEqual(['sent', 'sent', 'foreign-number'])
    expect(codes).not.toHaveProperty('balance')
    expect(codes).not.toHaveProperty('close')
  })

  test('an answer that leads back to itself is read to its end', async () => {
    const answer: { self?: unknown; readonly id: string } = { id: 'm1' }
    answer.self = [answer]
    const codes = ownCodes({ client: { sendSms: async () => answer }, secret })
    expect(await codes.sendCode(order)).toMatchObject({ result: 'sent' })
  })

  test('it has the balance, the deadline and the end', async () => {
    const [balance, close] = [vi.fn(async () => ({ credits: 5 })), vi.fn(async () => {})]
    const own = { ...client, timeoutMs: 9_000, maxExchanges: 5, balance, close } as never
    const codes = provider({ client: own, name: 'spare' })
    expect(codes).toMatchObject({ name: 'spare', timeoutMs: 9_000, maxExchanges: 5 })
    expect(await codes.balance?.()).toEqual({ credits: 5 })
    await codes.close?.()
    expect(close).toHaveBeenCalledOnce()
  })
})

test('the host name of a text may have digits, hyphens and no dot', () => {
  for (const origin of ['localhost', 'A1.b-2.example.com']) expect(provider({ origin })).toBeDefined()
})

test.each([
  [{ client: {} }, 'client must have a method sendSms, as a client from createClient() has'],
  [{ maxParts: 0 }, 'maxParts must be an integer from 1 to 10'],
  [{ secret: undefined }, 'missing secret; add\n  secret: process.env.TWO_FACTOR_SECRET, // 32 bytes'],
  [{ secret: [] }, 'secret must have 32 bytes or more'],
  [{ secret: [secret, 'short'] }, 'secret[1] must have 32 bytes or more'],
  [{ length: 3 }, 'length must be an integer from 4 to 10'],
  [{ text: 'Hello' }, 'text must be a function ({ code, minutes, appName, '],
  [{ origin: 'example.com:443' }, 'origin must be a host name'],
  [{ origin: '.example.com' }, 'origin must be a host name'],
  [{ origin: 'example.com #1' }, 'origin must be a host name'],
  [{ retries: 4 }, 'retries must be an integer from 1 to 3'],
  [{ orgin: 'example.com' }, 'unknown option "orgin"; did you mean "origin"?'],
])('%j is a mistake: %s', (options, message) => {
  expect(() => provider(options as never)).toThrow(`ownCodes: ${message}`)
})
