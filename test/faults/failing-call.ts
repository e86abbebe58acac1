import { setImmediate } from 'node:timers/promises'
import { inspect } from 'node:util'
import { expect, vi } from 'vitest'
import {
  type ClientOptions,
  createClient,
  type ProviderClient,
  ProviderError,
} from '../../src/provider/index.js'
import { spellingsOf } from '../spellings.js'
import { answerOf, startSocketServer } from './socket-server.js'

/** Values that would be recognised anywhere. */
export const canary = {
  client: '918273645546372819',
  key: 'kenari/K3y+ñ=',
  phone: '+573148765093',
  code: 'Xq7Wz9',
}

/** The deadline of a call that runs into it. */
export const deadlineMs = 300
/** The deadline of every other call: a test that waits for it ends before. */
const patienceMs = 2 ** 31 - 1

export function canaryClient(baseUrl: string, options: Partial<ClientOptions> = {}): ProviderClient {
  return createClient({ baseUrl, client: canary.client, key: canary.key, timeoutMs: patienceMs, ...options })
}

/** Loads and compiles what a first call loads, so that no deadline here pays for it. */
export async function warmUp(): Promise<void> {
  const server = await startSocketServer((socket) => socket.write(answerOf('{}')))
  const client = canaryClient(server.baseUrl)
  await client.balance()
  await client.close()
  await server.close()
}

export const check = (client: ProviderClient) =>
  client.verifyCode({ phone: canary.phone, appName: 'Acme', code: canary.code })
export const send = (client: ProviderClient) =>
  client.sendSms({ phone: canary.phone, sms: `Your code is ${canary.code}` })
export const read = (client: ProviderClient) => client.balance()

/** Makes a call that has to fail, without a leak, and gives its error. */
export async function failureOf(call: Promise<unknown>): Promise<ProviderError> {
  const failing = call.then(
    (result) => expect.fail(`resolved with ${inspect(result)}`),
    (thrown: unknown) => thrown,
  )
  const error = await failing
  expect(error).toBeInstanceOf(ProviderError)
  expectNoLeak(error)
  return error as ProviderError
}

/** The same of a call whose deadline comes once it has arrived, however long a busy machine takes to send it. */
export async function lateOnce(
  hasArrived: () => boolean,
  call: () => Promise<unknown>,
): Promise<ProviderError> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const failing = failureOf(call())
    while (!hasArrived()) await setImmediate()
    vi.advanceTimersByTime(deadlineMs)
    return await failing
  } finally {
    vi.useRealTimers()
  }
}

/** Everything that a log, a serializer or a debugger makes of a value. */
function shownBy(value: unknown): string {
  const shown = [inspect(value, { depth: 10 }), JSON.stringify(value), String(value)]
  for (let cause = value; cause instanceof Error; cause = cause.cause) {
    shown.push(cause.message, String(cause.stack), inspect(cause, { depth: 10 }), inspect({ ...cause }))
  }
  return shown.join('\n')
}

/** With the plus of a number, and without it. */
const forms = Object.values(canary).flatMap((secret) => [
  ...spellingsOf(secret),
  ...spellingsOf(secret.replace(/^\+/, '')),
])

function expectNoLeak(value: unknown): void {
  const shown = shownBy(value)
  expect(forms.filter((form) => shown.includes(form))).toEqual([])
  expect(shown).not.toMatch(/https?:/)
}
