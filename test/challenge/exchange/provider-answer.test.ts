import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ExchangeReport, SendResult, Verdict } from '../../../src/challenge/exchange/code-provider.js'
import {
  answerOf,
  readSendResult,
  readVerdict,
  reportFields,
} from '../../../src/challenge/exchange/provider-answer.js'

const deadlineMs = 40
/** For what it still knows. */
const graceMs = 100
const request = { destination: '+573001234567', code: 'K7PQ2M' }

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** What is read of an adapter at a send and at a check, once its time is up. */
async function answered(ask: Parameters<typeof answerOf>[1]) {
  const both = Promise.all([
    answerOf(deadlineMs, ask, (given) => readSendResult(given), request),
    answerOf(deadlineMs, ask, readVerdict, request),
  ])
  await vi.advanceTimersByTimeAsync(2 * (deadlineMs + graceMs))
  const [sent, checked] = await both
  const { messageId } = sent.reported
  return { sent: sent.result, verdict: checked.result, fields: reportFields(sent.reported), messageId }
}

/** Adapters that break the port, as they come in plain JavaScript. */
const broken: Readonly<Record<string, () => unknown>> = {
  'rejects with an error': () => Promise.reject(new Error('482913 +573001234567')),
  'throws null': () => {
    throw null
  },
  'never settles': () => new Promise(() => {}),
  'returns nothing': () => undefined,
  'returns null': async () => null,
  'returns a list': async () => ['approved'],
  'returns an object that turns into an approval': async () => ({ toString: () => 'approved' }),
  'returns a result that does not exist': async () => ({ result: 'delivered' }),
  'returns a result of another type': async () => ({ result: ['sent'] }),
  'returns the verdict of another method': async () => ({ result: 'over' }),
  'returns what throws when it is read': async () => ({
    get result() {
      throw new Error('unreadable')
    },
  }),
}

it.each(Object.entries(broken))('an adapter that %s has given no answer', async (_name, ask) => {
  expect(await answered(ask as never)).toMatchObject({
    sent: { result: 'unconfirmed' },
    verdict: 'unavailable',
  })
})

describe('the result of a send', () => {
  const sent = { result: 'sent' } as const
  const unconfirmed = { result: 'unconfirmed' } as const
  const more = { lifetimeMs: 300_000, handle: 'h1', id: 'm1' }
  const longest = 'h'.repeat(200)
  it.each<[given: object, read: SendResult]>([
    [sent, sent],
    [
      { ...sent, lifetimeMs: 300_000, handle: longest, id: 'm1' },
      { ...sent, lifetimeMs: 300_000, handle: longest },
    ],
    [
      { ...unconfirmed, handle: 'h1' },
      { ...unconfirmed, handle: 'h1' },
    ],
    [
      { ...sent, handle: 'h1', byNumber: true },
      { ...sent, handle: 'h1', byNumber: true },
    ],
    [{ ...sent, byNumber: 'yes' }, sent],
    // A refusal, and nothing else.
    [{ result: 'failed', ...more }, { result: 'failed' }],
    [{ result: 'foreign-number', ...more }, { result: 'foreign-number' }],
    [{ result: 'not-sent', ...more }, { result: 'not-sent' }],
    [{ result: 'misconfigured', ...more }, { result: 'misconfigured' }],
    // Nobody could check its code.
    [{ ...sent, handle: 482_913 }, unconfirmed],
    [{ ...sent, handle: `${longest}h` }, unconfirmed],
    [{ ...sent, lifetimeMs: 0 }, sent],
    [{ ...sent, lifetimeMs: 1.5 }, sent],
    [{ ...sent, lifetimeMs: '600000' }, sent],
    // By one of its methods, which `passkey` is not: only the host can have seen one.
    [
      { ...sent, channel: 'call' },
      { ...sent, channel: 'call' },
    ],
    [{ ...sent, channel: 'rcs' }, sent],
    [{ ...sent, channel: 'passkey' }, sent],
    [{ ...sent, channel: ['call'] }, sent],
    [
      { result: 'later', retryAfterMs: 2_000, unrecognized: true, ...more },
      { result: 'later', retryAfterMs: 2_000, unrecognized: true },
    ],
    [{ result: 'later', retryAfterMs: '2', unrecognized: 'yes' }, { result: 'later' }],
    // The code before was ended, unless another has its place.
    [
      { result: 'not-sent', cancelled: true },
      { result: 'not-sent', cancelled: true },
    ],
    [{ result: 'failed', cancelled: 'yes' }, { result: 'failed' }],
    [{ ...sent, cancelled: true }, sent],
  ])('%j counts as %j', (given, read) => {
    expect(readSendResult(given)).toStrictEqual(read)
  })

  it('may name any channel that its provider declares', () => {
    const methods = [{ name: 'sms' }, { name: 'rcs' }]
    expect(readSendResult({ result: 'sent', channel: 'rcs' }, methods)).toHaveProperty('channel', 'rcs')
  })
})

it.each<Verdict>(['approved', 'rejected', 'misconfigured', 'unavailable', 'not-sent'])(
  'a verdict is taken as it is: %s',
  (verdict) => {
    expect(readVerdict(verdict)).toBe(verdict)
  },
)

describe('the deadline of an adapter', () => {
  it('aborts its signal, after which the adapter may return its result so far', async () => {
    const reasons: unknown[] = []
    const ask: Parameters<typeof answerOf>[1] = ({ signal }) =>
      new Promise((resolve) =>
        signal.addEventListener('abort', () => {
          reasons.push(signal.reason)
          resolve({ result: 'unconfirmed', handle: 'h1' })
        }),
      )
    expect((await answered(ask)).sent).toEqual({ result: 'unconfirmed', handle: 'h1' })
    const late = expect.objectContaining({ message: `no response within ${deadlineMs} ms` })
    expect(reasons).toEqual([late, late])
  })

  it('does not abort the signal of an adapter that has failed', async () => {
    const signals: AbortSignal[] = []
    await answered(async ({ signal }) => {
      signals.push(signal)
      throw new Error('broken')
    })
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false])
  })
})

describe('what an adapter reports', () => {
  const reported = async (...reports: unknown[]) => {
    const { fields } = await answered(async ({ report }) => {
      for (const one of reports) report(one as ExchangeReport)
    })
    return fields
  }

  it('is passed on as far as it is of the known members, in a bounded length', async () => {
    const junk = { code: '482913', operation: { toString: () => 'no' }, httpStatus: '200', reason: 7 }
    const long = { reason: 'x'.repeat(500), providerError: 'y'.repeat(500) }
    expect(await reported(junk, long, null)).toEqual({
      reason: 'x'.repeat(40),
      providerError: 'y'.repeat(200),
    })
  })

  it('loses numbers and codes, however they are written, and keeps short codes of errors', async () => {
    const providerError = '21211: invalid To +57 300-123-4567, code 482913, error 1003'
    expect(await reported({ providerError, unexpectedStatus: '4, 8, 2, 9, 1, 3' })).toEqual({
      providerError: '••••: invalid To +••••, code ••••, error 1003',
      status: '••••',
    })
  })

  it.each(['K7PQ2M', 'k7-pq2m', 'K 7 P Q 2 M', 'Ｋ７ＰＱ２Ｍ'])(
    'loses the submitted code: %s',
    async (code) => {
      expect(await reported({ providerError: `no ${code}`, unexpectedStatus: code })).toEqual({
        providerError: 'no ••••',
        status: '••••',
      })
    },
  )

  it.each(['573001234567', '5 7 3 0 0 1 2 3 4 5 6 7', '573-001-234-567', '３００１２３４５６７'])(
    'loses an id of a message that contains the number: %s',
    async (number) => {
      const messageIdOf = async (messageId: string) =>
        (await answered(async ({ report }) => report({ messageId }))).messageId
      expect(await messageIdOf(`m-${number}`)).toBeUndefined()
      expect(await messageIdOf('550e8400-e29b-41d4-a716-446655440000')).toMatch(/^550e/)
    },
  )

  it.each([
    [new TypeError('482913'), 'TypeError'],
    [Object.assign(new Error('+573001234567'), { code: 'ECONNREFUSED' }), 'Error ECONNREFUSED'],
    [Object.assign(new Error(), { name: '482 913', code: 'my key' }), 'a value that is not an Error'],
    [null, 'a value that is not an Error'],
  ])('names what it throws, and quotes nothing: %s', async (thrown, named) => {
    const { fields } = await answered(async () => {
      throw thrown
    })
    expect(fields).toEqual({ reason: 'error', cause: `The adapter threw ${named}: check its own log.` })
  })

  it('is a timeout where it was late, also in its own word', async () => {
    expect((await answered(() => new Promise(() => {}))).fields).toEqual({ reason: 'timeout' })
    expect(await reported({ reason: 'aborted' })).toEqual({ reason: 'timeout' })
  })
})
