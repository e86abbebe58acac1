import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { twilioVerify } from '../../../examples/providers/twilio-verify.js'
import { vonageVerify } from '../../../examples/providers/vonage-verify.js'
import type { CodeProvider, SendResult } from '../../../src/challenge/exchange/code-provider.js'
import { createClient, failover, ownCodes, providerCodes } from '../../../src/provider/index.js'
import { type FaultEffect, type Sandbox, startSandbox } from '../../../src/tools/sandbox/index.js'
import {
  type CodeProviderContractOptions,
  codeProviderContract,
  type ServiceFault,
} from '../../../src/tools/testing/index.js'
import { type CodeService, startCodeService, twilio, vonage } from './code-services.js'

type Service = Pick<CodeProviderContractOptions, 'codeFor' | 'sendsTo' | 'fail' | 'busy'>

describe('over the sandbox', () => {
  let sandbox: Sandbox
  beforeAll(async () => {
    sandbox = await startSandbox({ port: 0 })
  })
  afterAll(() => sandbox.close())

  const faults: Readonly<Record<ServiceFault, FaultEffect>> = {
    'error-page': { kind: 'body', status: 200, body: '<html>verified</html>' },
    hang: { kind: 'hang' },
    'cut-off': { kind: 'reset', midBody: true },
  }
  const service: Service = {
    codeFor: async (destination) => (await sandbox.inbox.waitFor(destination, { timeoutMs: 10_000 })).code,
    sendsTo: (destination) =>
      sandbox.requests
        .list()
        .filter(
          ({ operation, fields }) =>
            operation.startsWith('send') && destination.endsWith(String(fields.phone)),
        ).length,
    fail(fault) {
      sandbox.faults.clear()
      if (fault !== undefined) sandbox.faults.add({ ...faults[fault], times: Number.POSITIVE_INFINITY })
    },
    busy(isBusy) {
      sandbox.faults.clear()
      const refusal = { kind: 'body', status: 429, body: '{"error": 1029}' } as const
      if (isBusy) sandbox.faults.add({ ...refusal, times: Number.POSITIVE_INFINITY })
    },
  }
  const client = () => createClient({ baseUrl: sandbox.baseUrl, ...sandbox.credentials })
  const own = () =>
    ownCodes({ name: 'own', client: client(), secret: 'a secret of thirty-two bytes or more' })
  const theirs = () =>
    providerCodes({ name: 'main', client: client(), approvedStatuses: sandbox.approvedStatuses })
  const down: CodeProvider = {
    name: 'down',
    sendCode: async () => ({ result: 'not-sent' }),
    checkCode: async () => 'not-sent',
  }

  describe.each([
    ["the provider's own codes", theirs],
    ['codes of our own', own],
    ['failover, the first one sending', () => failover([theirs(), own()])],
    ['failover, the second one sending', () => failover([down, own()])],
  ])('%s keep the contract:', (_name, createProvider) => {
    codeProviderContract({ test, createProvider, ...service })
  })
})

describe.each([
  [
    'Twilio Verify',
    twilio,
    ['sms', 'call', 'whatsapp', 'rcs'],
    (baseUrl: string) =>
      twilioVerify({
        baseUrl,
        accountSid: 'AC1',
        authToken: 't',
        serviceSid: 'VA1',
        signUpServiceSid: 'VA2',
      }),
  ],
  [
    'Vonage Verify',
    vonage,
    ['sms', 'call', 'rcs'],
    (baseUrl: string) => vonageVerify({ baseUrl, apiKey: 'k', apiSecret: 's' }),
  ],
])('%s keeps the contract:', (_name, play, channels, createProvider) => {
  let service: CodeService
  beforeAll(async () => {
    service = await startCodeService(play)
  })
  afterAll(() => service.close())
  codeProviderContract({
    test,
    createProvider: () => createProvider(service.baseUrl),
    codeFor: (destination) => service.codeFor(destination),
    sendsTo: (destination) => service.sendsTo(destination),
    fail: (fault) => service.fail(fault),
    busy: (isBusy) => service.busy(isBusy),
    end: (destination) => service.end(destination),
    channels,
  })
})

// ── what the contract finds ──────────────────────────────────────────────────────────────────────

/** A service in memory, and a right adapter for it: what a break changes is all that is wrong with it. */
function plain(change: (right: CodeProvider, world: World) => Partial<CodeProvider> = () => ({})) {
  const codes = new Map<string, { readonly code: string; readonly owner: string }>()
  const sends: string[] = []
  const newest = new Map<string, string>()
  const world: World = {
    fault: undefined,
    async request(signal) {
      if (world.fault === 'error-page') return '<html>'
      if (world.fault === 'cut-off') throw new Error('cut off')
      if (world.fault === 'hang') {
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      }
      return 'ok'
    },
    send(destination) {
      sends.push(destination)
      const code = String(482_913 + sends.length)
      newest.set(destination, code)
      return code
    },
  }
  const right: CodeProvider = {
    async sendCode({ destination, appName, channel, signal }): Promise<SendResult> {
      if (signal.aborted) return { result: 'not-sent' }
      if (channel !== 'sms' && channel !== 'call') return { result: 'failed' }
      const code = world.send(destination)
      const handle = `handle-${codes.size}`
      codes.set(handle, { code, owner: destination + appName })
      try {
        return { result: (await world.request(signal)) === 'ok' ? 'sent' : 'unconfirmed', handle }
      } catch {
        return { result: 'unconfirmed', handle }
      }
    },
    async checkCode({ destination, appName, code, handle = '', signal }) {
      const kept = codes.get(handle)
      try {
        if (kept === undefined || (await world.request(signal)) !== 'ok') return 'unavailable'
      } catch {
        return 'unavailable'
      }
      return kept.code === code && kept.owner === destination + appName ? 'approved' : 'rejected'
    },
  }
  const service: Service = {
    codeFor: (destination) => newest.get(destination) ?? '',
    sendsTo: (destination) => sends.filter((to) => to === destination).length,
    fail: (fault) => {
      world.fault = fault
    },
  }
  return { ...service, createProvider: () => ({ ...right, ...change(right, world) }) }
}

interface World {
  fault: ServiceFault | undefined
  request(signal: AbortSignal): Promise<string>
  send(destination: string): string
}

/** Runs the contract without a test runner; gives the sentences that do not hold, each with what was seen. */
async function violations(options: Omit<CodeProviderContractOptions, 'test'>): Promise<string[]> {
  const cases: [string, () => Promise<void>][] = []
  codeProviderContract({ ...options, test: (sentence, run) => cases.push([sentence, run]) })
  const violated: string[] = []
  for (const [sentence, run] of cases) {
    await run().catch((error: Error) => {
      violated.push(`${sentence}: ${error.message}`)
      // Whoever writes an adapter has to see what is wrong with it.
      expect(error.message).not.toBe('')
    })
  }
  return violated
}

type Break = NonNullable<Parameters<typeof plain>[0]>

/** An adapter that makes something else of what a send has brought. */
const afterSend =
  (change: (sent: SendResult, world: World, again: () => Promise<SendResult>) => unknown): Break =>
  (right, world) => ({
    async sendCode(send) {
      const sent = await right.sendCode(send)
      return change(sent, world, () => right.sendCode(send)) as SendResult
    },
  })

/** An adapter that does something before it sends, or in place of it. */
const beforeSend =
  (change: (send: Parameters<CodeProvider['sendCode']>[0], world: World) => unknown): Break =>
  (right, world) => ({
    sendCode: async (send) => ((await change(send, world)) as SendResult | undefined) ?? right.sendCode(send),
  })

/** Puts something else in the place of each handle, and takes it back before a check. */
const handles =
  (told: (handle: string, code: string) => string): Break =>
  (right, world) => ({
    async sendCode(send) {
      const sent = await right.sendCode(send)
      const code = String(Number(world.send(`spare ${send.destination}`)) - 1)
      return 'handle' in sent ? { ...sent, handle: told(`${sent.handle}`, code) } : sent
    },
    checkCode: ({ handle = '', ...check }) => right.checkCode({ ...check, handle: handle.split('.')[0] }),
  })

/** A service that holds one code of a number, and an adapter that knows it and cancels nothing. */
const oneCode: Break = (right) => {
  const live = new Map<string, string>()
  return {
    async sendCode(send) {
      if (live.has(send.destination)) return { result: 'failed' }
      const sent = await right.sendCode(send)
      if ('handle' in sent && sent.handle !== undefined) live.set(send.destination, sent.handle)
      return sent
    },
    checkCode: async (check) =>
      live.get(check.destination) === check.handle ? right.checkCode(check) : 'rejected',
  }
}

/** Codes of which only their number is known. */
const filedByNumber: Break = (_right, world) => {
  const codes = new Map<string, string>()
  return {
    async sendCode({ destination }) {
      codes.set(destination, world.send(destination))
      return { result: 'sent' }
    },
    checkCode: async ({ destination, code }) => (codes.get(destination) === code ? 'approved' : 'rejected'),
  }
}

const breaks: readonly (readonly [what: string, found: RegExp, of: Break])[] = [
  [
    'approves on an error page',
    /a page of a proxy approves no code/,
    (right, world) => ({
      checkCode: async (check) =>
        (await world.request(check.signal)) === 'ok' ? right.checkCode(check) : 'approved',
    }),
  ],
  [
    'swallows a time-out as a wrong code',
    /late response approves no code and rejects no correct code/,
    (right) => ({
      checkCode: async (check) => ((await right.checkCode(check)) === 'approved' ? 'approved' : 'rejected'),
    }),
  ],
  [
    'calls a time-out not sent',
    /late response leaves a send unconfirmed/,
    afterSend((sent) => (sent.result === 'unconfirmed' ? { result: 'not-sent' } : sent)),
  ],
  ['cancels nothing', /after another send, the newest code is approved/, oneCode],
  [
    'says that it has cancelled a code, and has not',
    /a code that the next send cancelled is not approved/,
    afterSend((sent) => ({ ...sent, cancelled: true })),
  ],
  [
    'knows no calls',
    /a code sent by call is approved/,
    beforeSend(({ channel }) => (channel === 'call' ? { result: 'failed' } : undefined)),
  ],
  [
    'takes an error page for a send',
    /a page of a proxy leaves a send unconfirmed/,
    afterSend((sent, { fault }) => (fault === 'error-page' ? { ...sent, result: 'sent' } : sent)),
  ],
  [
    'sends twice',
    /a code sent by sms is approved/,
    beforeSend(({ destination }, world) => void world.send(destination)),
  ],
  [
    'sends again when the response was lost',
    /truncated response leaves a send unconfirmed/,
    afterSend((sent, _world, again) => (sent.result === 'unconfirmed' ? again() : sent)),
  ],
  [
    'rejects',
    /truncated response leaves a send unconfirmed.*: the call rejected or threw/,
    beforeSend(async ({ signal }, world) => void (await world.request(signal))),
  ],
  [
    'throws before there is a promise',
    /a wrong code is rejected/,
    () => ({
      checkCode() {
        throw null
      },
    }),
  ],
  [
    'never settles once its service is silent',
    /late response approves no code.*: the call did not settle soon after its signal/,
    (right, world) => ({
      checkCode: (check) => (world.fault === 'hang' ? new Promise(() => {}) : right.checkCode(check)),
    }),
  ],
  [
    'ignores the abort signal',
    /late response leaves a send unconfirmed/,
    (right) => ({ sendCode: (send) => right.sendCode({ ...send, signal: new AbortController().signal }) }),
  ],
  [
    'sends what was given up, and says that it did not',
    /aborted before it began sends nothing/,
    beforeSend(({ signal, destination }, world) => void (signal.aborted && world.send(destination))),
  ],
  [
    'calls failed what was given up',
    /aborted before it began sends nothing: the result is failed/,
    beforeSend(({ signal }) => (signal.aborted ? { result: 'failed' } : undefined)),
  ],
  [
    'returns the code in the handle',
    /does not reveal the code/,
    handles((handle, code) => `${handle}.${Buffer.from(code).toString('base64')}`),
  ],
  [
    'returns the code in the handle backwards',
    /does not reveal the code/,
    handles((handle, code) => `${handle}.${[...code].reverse().join('')}`),
  ],
  [
    'returns a hash of the code in the handle, without a key',
    /does not reveal the code/,
    handles((handle, code) => `${handle}.${createHash('sha256').update(code).digest('hex')}`),
  ],
  [
    'has handles that do not fit a cookie',
    /at most 200 characters/,
    handles((handle) => `${handle}.`.padEnd(201, '-')),
  ],
  ['files codes under the number alone', /not approved under another app-name/, filedByNumber],
]

test('a right adapter violates nothing, with handles of any length that is allowed', async () => {
  expect(await violations(plain())).toEqual([])
  expect(await violations(plain(handles((handle) => `${handle}.`.padEnd(200, '-'))))).toEqual([])
})

// Most of the time goes by in waiting for services that are silent.
test.concurrent.each(breaks)('the contract finds an adapter that %s', async (_name, found, of) => {
  expect(await violations(plain(of))).toContainEqual(expect.stringMatching(found))
})

test.each([
  [{ test: 5 }, 'codeProviderContract: test must be a function (sentence, run)'],
  [{ sendsTo: undefined }, 'codeProviderContract: missing sendsTo'],
  [{ channels: [] }, 'channels must list methods of the provider'],
  [{ channels: ['+57'] }, 'channels[0] must be 1 to 32 letters, digits, dots, hyphens or underscores'],
])('the options %j are a mistake: %s', (options, message) => {
  expect(() => codeProviderContract({ test, ...plain(), ...options } as never)).toThrow(message)
})
