import { afterAll, describe, expect, test } from 'vitest'
import { parseJson } from '../../src/lib/json.js'
import type { ProviderClient } from '../../src/provider/client.js'
import { providerCodes } from '../../src/provider/code-adapter.js'
import { type OperationName, operations } from '../../src/provider/operations.js'
import { masked, ProviderError } from '../../src/provider/provider-error.js'
import { judge, type VerifyAnswer } from '../../src/provider/verdict.js'
import { readAnswer } from '../../src/provider/wire.js'
import { figure } from '../prove/figure.js'

const cap = 64 * 1024
const fill = (unit: string, size = cap - 100) => unit.repeat(Math.floor(size / unit.length))
const form = 'client=1&key=canary-key&phone=573001234567&sms=Your+code+is+482913'

/** Strings that make a careless pattern scan from each of their characters to the end. */
const strings: Readonly<Record<string, string>> = {
  'words joined by dots': fill('a.'),
  'schemes without an address': fill('ab:/'),
  'one address': `http://${fill('y')}`,
  'digits and spaces': fill('1 '),
  'six digits and separators': `${fill(`123456${' '.repeat(500)}`)}x`,
  'digits far apart': fill(`1${'-'.repeat(5_000)}`),
  'keys and spaces': fill(`key${' '.repeat(500)}`),
  'one key and spaces': `key${fill(' ')}`,
  backslashes: fill('\\'),
  'the start of the key sent': fill('canary-ke'),
}

/** Bodies that are as deep, as wide or as often repeated as the size cap allows. */
const bodies: Readonly<Record<string, string>> = {
  'deep lists': `{"status":"verified","data":${fill('[', cap / 2 - 100)}${fill(']', cap / 2 - 100)}}`,
  'deep objects': `${fill('{"a":', cap * (5 / 6) - 100)}1${fill('}', cap / 6 - 20)}`,
  'many entries': `{"status":"verified","data":[${fill('{},')}{}]}`,
  'many metrics': `{"metrics":[${fill('{"date":{}},')}{}]}`,
  'many numbers': `{"data":{"phone":[${fill('1,')}1]}}`,
  'many members': `{"status":"verified"${Array.from({ length: 7_000 }, (_, i) => `,"${i.toString(36)}":0`).join('')}}`,
  'one member again and again': `{${fill('"a":0,')}"a":0}`,
  'a long name': `{"${fill('-a')}":1}`,
  'a long figure': `{"status":${fill('1', cap / 2)},"minutes_to_expire":"${fill('1', cap / 3)}"}`,
  'a long fraction': `{"balance":"${fill('1', cap / 2)}.${fill('1', cap / 3)}x"}`,
  'spaces before every colon': `{"a"${fill(' ')}:1}`,
  'spaces behind a string': `{"a":"b"${fill(' ')}}`,
  'escaped quotes': `{"a":"${fill('\\"')}"}`,
}

const limitMs = 50
let longestMs = 0

async function cpuMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

/** Parsing and writing JSON, which takes `calmMs` of CPU where nothing else runs. */
const reference = () => JSON.stringify(JSON.parse(many))
const many = JSON.stringify(Array.from({ length: 50_000 }, (_, index) => ({ index })))
const calmMs = 12

/**
 * How long one piece of work keeps the event loop, in CPU time. Others who use the machine take caches and turns from
 * it, which CPU time does not leave out: so it counts by what the same moment makes of the reference. What is slow by
 * itself is slow in each of a hundred runs.
 */
async function blockedMs(work: () => unknown): Promise<number> {
  let best = Number.POSITIVE_INFINITY
  for (let run = 0; run < 100 && best >= limitMs; run += 1) {
    const taken = await cpuMs(work)
    const slower = taken < limitMs ? 1 : Math.max(1, (await cpuMs(reference)) / calmMs)
    best = Math.min(best, taken / slower)
  }
  longestMs = Math.max(longestMs, best)
  return best
}

afterAll(() => figure(20, `${longestMs.toFixed(0)} ms of CPU for the slowest answer`))

const adapterOptions = {
  approvedStatuses: ['verified'],
  rejectedCodes: [],
  accountErrorCodes: ['1003'],
  voice: 'Mariana',
  callRetries: 1,
} as const

function read(operation: OperationName, httpStatus: number, text: string): void {
  try {
    const result = readAnswer(operation, { delivery: 'answered', httpStatus, headers: {}, text }, form)
    if (operation === 'verifyCode') judge(result as VerifyAnswer, { approvedStatuses: ['verified'] })
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
  }
}

describe('no answer keeps the event loop for more than 50 ms', () => {
  test.each(Object.entries(strings))('whose text is %s', async (_what, text) => {
    expect(await blockedMs(() => masked(text, form))).toBeLessThan(limitMs)
    const body = JSON.stringify({ error: text, msg: text.slice(0, 100) })
    expect(await blockedMs(() => read('sendSms', 520, body))).toBeLessThan(limitMs)
    const status = JSON.stringify({ status: text, verified: text, balance: text, phone: text })
    for (const operation of ['balance', 'sendSmsCode', 'verifyCode'] as const) {
      expect(await blockedMs(() => read(operation, 200, status))).toBeLessThan(limitMs)
    }
  })

  test.each(Object.entries(bodies))('whose body is %s', async (_what, body) => {
    expect(body.length).toBeLessThanOrEqual(cap)
    for (const operation of Object.keys(operations) as OperationName[]) {
      expect(await blockedMs(() => read(operation, 200, body))).toBeLessThan(limitMs)
      expect(await blockedMs(() => read(operation, 520, body))).toBeLessThan(limitMs)
    }
  })

  test.each(Object.entries(bodies))('to a code that was sent, whose body is %s', async (_what, body) => {
    const raw = parseJson(body)
    const answer = async () => ({ raw, data: [] })
    const asked = { sendSmsCode: answer, sendCallCode: answer, verifyCode: answer }
    const client = { timeoutMs: 1_000, ...asked, balance: answer, close: answer }
    const codes = providerCodes({ client: client as unknown as ProviderClient, ...adapterOptions })
    const request = { destination: '+573001234567', appName: 'Acme', channel: 'sms' } as const
    const send = () => codes.sendCode(request as Parameters<typeof codes.sendCode>[0])
    expect(await blockedMs(send)).toBeLessThan(limitMs)
  })

  test.each([
    ['the same word 4,000 times', 4_000, () => '4829'],
    ['a thousand words that begin as the answer does', 1_000, (index: number) => String(4_000 + index)],
  ])('however long the text was that was sent: %s', async (_what, length, word) => {
    const words = Array.from({ length }, (_, index) => word(index)).join(' ')
    const sent = new URLSearchParams({ key: 'k'.repeat(100), sms: `${fill('a', 20_000)} ${words}` })
    expect(await blockedMs(() => masked(fill('4829'), sent.toString()))).toBeLessThan(limitMs)
  })
})
