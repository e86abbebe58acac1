import assert from 'node:assert/strict'
import { createHash, randomInt } from 'node:crypto'
import {
  type Channel,
  type CodeProvider,
  type CodeSend,
  isMethodName,
  methodNameRule,
  type SendResult,
} from '../../challenge/exchange/code-provider.js'
import { type Checks, checkOptions, func, list, that } from '../../lib/options.js'
import { wrongCode } from './wrong-code.js'

/** A fault instead of a response: a proxy's page with HTTP 200, no response, a cut connection. */
export type ServiceFault = 'error-page' | 'hang' | 'cut-off'

/** Options of `codeProviderContract`. */
export interface CodeProviderContractOptions {
  /** The test function of your runner: `test` of vitest, node:test or Jest, `it` of Mocha. */
  test: (sentence: string, run: () => Promise<void>) => unknown
  /** Creates the provider under test, in front of a working stub of its service. */
  createProvider: () => CodeProvider | Promise<CodeProvider>
  /** Returns the newest code that the service sent to this number. */
  codeFor: (destination: string) => string | Promise<string>
  /** Returns how many sends to this number the service received so far, including failed sends. */
  sendsTo: (destination: string) => number | Promise<number>
  /** Makes every further request to the service fail; undefined repairs it. */
  fail: (fault: ServiceFault | undefined) => void | Promise<void>
  /** Makes the service refuse further requests for now (429); false ends the fault. Without it, skipped. */
  busy?: (isBusy: boolean) => void | Promise<void>
  /** Ends the verification of this number at the service, so that no code is correct. Without it, skipped. */
  end?: (destination: string) => void | Promise<void>
  /** Channels that the provider declares. Default: `['sms', 'call']`. */
  channels?: readonly Channel[]
}

const checks: Checks<CodeProviderContractOptions> = {
  test: func('(sentence, run)'),
  createProvider: func('() => a code provider'),
  codeFor: func('(destination) => the newest code sent there'),
  sendsTo: func('(destination) => number of sends'),
  fail: func('(fault)'),
  busy: func('(isBusy)'),
  end: func('(destination)'),
  channels: list(that(methodNameRule, isMethodName), 'must list methods of the provider', 1),
}
const required = ['test', 'createProvider', 'codeFor', 'sendsTo', 'fail']

/** A provider with its own number, and the operations on both. */
type Trial = ReturnType<typeof trialOf>

type Switch = NonNullable<CodeProviderContractOptions['busy']>
type End = NonNullable<CodeProviderContractOptions['end']>

type Cases = Readonly<Record<string, (trial: Trial) => Promise<void>>>

/** Longest response, longest wait for a silent service, and longest delay after giving up. */
const deadlineMs = 5_000
const shortDeadlineMs = 200
const graceMs = 1_000

const faultyAnswers: Readonly<Record<ServiceFault, string>> = {
  'error-page': 'a page of a proxy',
  hang: 'a late response',
  'cut-off': 'a truncated response',
}

const handleOf = (sent: SendResult) => ('handle' in sent ? sent.handle : undefined)

/**
 * The executable contract of a `CodeProvider`: one test per sentence, in your runner. Numbers are random, so you need
 * not clean up before or after.
 *
 * @example
 * import { test } from 'node:test'
 * import { codeProviderContract } from 'express-two-factor/testing'
 *
 * codeProviderContract({
 *   test,
 *   createProvider: () => acmeCodes({ baseUrl: stub.baseUrl, key: 'test' }),
 *   codeFor: (destination) => stub.codes.get(destination),
 *   sendsTo: (destination) => stub.sends.filter(({ to }) => to === destination).length,
 *   fail: (fault) => { stub.fault = fault },
 * })
 */
export function codeProviderContract(options: CodeProviderContractOptions): void {
  checkOptions('codeProviderContract', options, checks, required)
  const { channels = ['sms', 'call'] } = options
  const define = (sentence: string, run: (trial: Trial) => Promise<void>) => {
    options.test(sentence, async () => {
      const provider = await options.createProvider()
      try {
        await run(trialOf(provider, options))
      } finally {
        await options.fail(undefined)
        await provider.close?.()
      }
    })
  }
  for (const channel of channels)
    define(`a code sent by ${channel} is approved`, (trial) => approved(trial, channel))
  for (const [sentence, run] of Object.entries(cases)) define(sentence, run)
  const { busy, end } = options
  if (busy !== undefined) {
    define('a busy service sends nothing, and the result is later', (trial) => postponed(trial, busy))
    define('a busy service gives no verdict', (trial) => undecided(trial, busy))
  }
  if (end !== undefined) {
    define('no code of an ended verification is approved, and the verdict is over', (trial) =>
      over(trial, end),
    )
  }
  for (const [fault, answer] of Object.entries(faultyAnswers) as [ServiceFault, string][]) {
    define(`${answer} approves no code and rejects no correct code`, (trial) => unjudged(trial, fault))
    define(`${answer} leaves a send unconfirmed, and nothing is sent again`, (trial) =>
      unconfirmed(trial, fault),
    )
  }
}

async function approved({ deliver, check, sends }: Trial, channel: Channel): Promise<void> {
  const { code, handle } = await deliver({ channel })
  assert.equal(await sends(), 1, 'a code was sent more than once, or not at all')
  assert.equal(await check(code, handle), 'approved')
}

const cases: Cases = {
  'a wrong code is rejected, and the right one is still approved after it': async ({ deliver, check }) => {
    const { code, handle } = await deliver()
    assert.equal(await check(wrongCode(code), handle), 'rejected')
    assert.equal(await check(code, handle), 'approved')
  },

  'a code without a handle is not approved under another app-name': async ({ deliver, check }) => {
    const { code, handle } = await deliver()
    if (handle !== undefined) return
    assert.notEqual(await check(code, handle, { appName: 'Contract other' }), 'approved')
  },

  'after another send, the newest code is approved with its own handle': async ({ deliver, check }) => {
    await deliver()
    const { code, handle } = await deliver()
    assert.equal(await check(code, handle), 'approved')
  },

  'a code that the next send cancelled is not approved': async ({ deliver, check }) => {
    const { code, handle } = await deliver()
    const { cancelled } = await deliver()
    if (cancelled) assert.notEqual(await check(code, handle), 'approved')
  },

  'a handle is a string of at most 200 characters that does not reveal the code': async ({ deliver }) => {
    const { code, handle = '' } = await deliver()
    assert.ok(typeof handle === 'string' && handle.length <= 200, 'the handle is too long, or not a string')
    for (const told of spellingsOf(code)) assert.ok(!handle.includes(told), 'the handle reveals the code')
  },

  'a send whose signal was aborted before it began sends nothing': async ({ send, sends }) => {
    const { result } = await send({ signal: AbortSignal.abort() })
    assert.ok(result === 'not-sent' || result === 'unconfirmed', `the result is ${result}`)
    assert.equal(await sends(), 0, 'a code was sent nevertheless')
  },
}

/** A provider that checks codes without its service may check them. No provider may guess. */
async function unjudged({ deliver, check, fail }: Trial, fault: ServiceFault): Promise<void> {
  const { code, handle } = await deliver()
  await fail(fault)
  assert.notEqual(await check(wrongCode(code), handle), 'approved')
  const verdict = await check(code, handle)
  assert.ok(
    verdict === 'approved' || verdict === 'unavailable',
    `the verdict on a correct code is ${verdict}`,
  )
}

async function postponed({ send, sends }: Trial, busy: Switch): Promise<void> {
  await busy(true)
  try {
    assert.equal((await send()).result, 'later')
    assert.ok((await sends()) > 0, 'the service received no request')
  } finally {
    await busy(false)
  }
}

/** A provider that checks codes without its service may check them. */
async function undecided({ deliver, check }: Trial, busy: Switch): Promise<void> {
  const { code, handle } = await deliver()
  await busy(true)
  try {
    const verdict = await check(code, handle)
    assert.ok(
      verdict === 'approved' || verdict === 'unavailable',
      `the verdict on a correct code is ${verdict}`,
    )
  } finally {
    await busy(false)
  }
}

async function over({ destination, deliver, check }: Trial, end: End): Promise<void> {
  const { code, handle } = await deliver()
  await end(destination)
  assert.equal(await check(code, handle), 'over')
}

async function unconfirmed({ send, fail, sends }: Trial, fault: ServiceFault): Promise<void> {
  await fail(fault)
  assert.equal((await send()).result, 'unconfirmed')
  assert.equal(await sends(), 1, 'the code was sent more than once, or not at all')
}

function trialOf(provider: CodeProvider, options: CodeProviderContractOptions) {
  const destination = `+57300${String(randomInt(100_000)).padStart(5, '0')}67`
  const owner = { destination, appName: 'Contract' }
  const order = {
    ...owner,
    channel: options.channels?.[0] ?? 'sms',
    purpose: 'login',
    locale: 'en',
    expiresInMs: 600_000,
  }

  let timeoutMs = deadlineMs
  let previousHandle: string | undefined
  /** Sends as the package does: with the handle of the previous code. */
  async function send(more: Partial<CodeSend> = {}): Promise<SendResult> {
    const previous = previousHandle !== undefined && { previousHandle }
    const sent = await inTime(timeoutMs, (signal) =>
      provider.sendCode({ ...order, ...previous, signal, ...more }),
    )
    previousHandle = handleOf(sent) ?? previousHandle
    return sent
  }
  return {
    destination,
    send,
    check: async (code: string, handle: string | undefined, more: { readonly appName?: string } = {}) =>
      inTime(timeoutMs, (signal) =>
        provider.checkCode({ ...owner, code, signal, ...more, ...(handle !== undefined && { handle }) }),
      ),
    /** Sends a code that arrives. */
    async deliver(more?: Partial<CodeSend>) {
      const sent = await send(more)
      assert.equal(sent.result, 'sent')
      return { code: await options.codeFor(destination), handle: handleOf(sent), cancelled: sent.cancelled }
    },
    async fail(fault: ServiceFault) {
      timeoutMs = shortDeadlineMs
      await options.fail(fault)
    },
    sends: async () => options.sendsTo(destination),
  }
}

/** Checks that the request settles soon after its signal, and never rejects. */
async function inTime<Result>(ms: number, ask: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new assert.AssertionError({ message: 'the call ignored its signal' })),
      ms + graceMs,
    )
  })
  try {
    return await Promise.race([ask(AbortSignal.timeout(ms)), late])
  } catch (error) {
    assert.ok(!(error instanceof assert.AssertionError), 'the call did not settle soon after its signal')
    assert.fail('the call rejected or threw')
  } finally {
    clearTimeout(timer)
  }
}

/** Returns the code as it is, encoded, and hashed without a key: an attacker tries a million codes in a second. */
function spellingsOf(code: string): readonly string[] {
  const hashes = ['md5', 'sha1', 'sha256', 'sha512'].flatMap((algorithm) =>
    (['hex', 'base64', 'base64url'] as const).map((encoding) =>
      createHash(algorithm).update(code).digest(encoding),
    ),
  )
  const bytes = Buffer.from(code)
  const encoded = (['hex', 'base64', 'base64url'] as const).map((encoding) =>
    bytes.toString(encoding).replace(/=+$/, ''),
  )
  return [code, [...code].reverse().join(''), ...encoded, ...hashes]
}
