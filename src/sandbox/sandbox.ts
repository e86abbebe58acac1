import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { OperationName } from '../provider/operations.js'
import { type AccountControl, createAccount } from './account.js'
import { createAnswers } from './answers.js'
import { createApp } from './app.js'
import { createClock, type SandboxClock } from './clock.js'
import { codeOperations } from './code-operations.js'
import { createCodes } from './codes.js'
import { createFaults, type Faults } from './faults.js'
import { createMailroom, type Inbox } from './inbox.js'
import { type SandboxOptions, settle } from './options.js'
import { createRequestLog, type RequestLog } from './request-log.js'
import { createService, type Handlers } from './service.js'

/** A running stand-in for the provider. */
export interface Sandbox {
  /** For `createClient`: where the operations are, with the version segment. */
  readonly baseUrl: string
  /** The inbox page. */
  readonly inboxUrl: string
  readonly credentials: { readonly client: number; readonly key: string }
  /** What a right code is answered with, for the option of the same name. */
  readonly approvedStatuses: readonly string[]
  readonly inbox: Inbox
  readonly account: AccountControl
  readonly faults: Faults
  readonly clock: SandboxClock
  readonly requests: RequestLog
  /** Forgets everything that happened; options and port stay. */
  reset(): void
  /** Ends every connection and frees the port. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Starts a sandbox on the loopback address: the whole service, with an inbox in place of phones. Throws a
 * TypeError for a wrong option and in production, where a service that accepts everyone has no place.
 *
 * @example
 * await using sandbox = await startSandbox()
 * const client = createClient({ baseUrl: sandbox.baseUrl, ...sandbox.credentials })
 * await client.sendSmsCode({ phone: '+573001234567', appName: 'Acme' })
 * const { code } = await sandbox.inbox.waitFor('+573001234567')
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  if (process.env.NODE_ENV === 'production') {
    throw new TypeError(
      'startSandbox: NODE_ENV is production, and the sandbox sends nothing; use the real provider',
    )
  }
  const settings = settle(options)
  const clock = createClock(settings.now)
  const account = createAccount(settings, clock.now)
  const codeRules = {
    alphabet: settings.codeAlphabet,
    length: settings.codeLength,
    lifetimeMs: settings.codeLifetimeMs,
    resend: settings.resend,
  }
  const codes = createCodes(codeRules, clock.now)
  const mailroom = createMailroom(clock.now)
  const faults = createFaults()
  const requests = createRequestLog(clock.now)
  const answers = createAnswers(settings, clock.now)
  const { appNames } = settings

  const handlers: Handlers = {
    balance: () => ({ body: answers.balance(account.credits()) }),
    ...codeOperations({ account, codes, codeRules, mailroom, answers, appNames, now: clock.now }),
  }
  const answerTo = createService(account, answers, handlers)
  const served = Object.keys(handlers) as OperationName[]

  let port = 0
  const app = createApp({ served, answerTo, faults, log: requests, inbox: mailroom, port: () => port })
  const server = createServer(app)
  port = await listen(server, settings.port)
  const origin = `http://127.0.0.1:${port}`

  let closed: Promise<void> | undefined
  function close(): Promise<void> {
    closed ??= new Promise((resolve) => {
      mailroom.close()
      server.close(() => resolve())
      server.closeAllConnections()
    })
    return closed
  }

  return {
    baseUrl: `${origin}/v1`,
    inboxUrl: `${origin}/`,
    credentials: settings.credentials,
    approvedStatuses: [String(settings.approvedStatus)],
    inbox: mailroom,
    account,
    faults,
    clock,
    requests,
    reset() {
      clock.reset()
      account.reset()
      codes.clear()
      mailroom.clear()
      faults.clear()
      requests.clear()
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    // Loopback only: whoever reaches this port reads every code.
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}
