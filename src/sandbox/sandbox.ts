import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { AccountControl } from './account.js'
import type { SandboxClock } from './clock.js'
import type { Faults } from './faults.js'
import { createApp } from './http/app.js'
import type { Inbox } from './inbox.js'
import { createMachine } from './machine.js'
import { type SandboxOptions, settle } from './options.js'
import type { RequestLog } from './request-log.js'
import type { Links } from './short-links.js'

/** A running stand-in for the provider. */
export interface Sandbox {
  /** For `createClient`: where the operations are, with the version segment. */
  readonly baseUrl: string
  /** The inbox page. */
  readonly inboxUrl: string
  readonly credentials: { readonly client: number; readonly key: string }
  /** What a right code is answered with, for the option of the same name. */
  readonly approvedStatuses: readonly string[]
  readonly account: AccountControl
  readonly clock: SandboxClock
  readonly faults: Faults
  readonly inbox: Inbox
  readonly links: Links
  readonly requests: RequestLog
  /** Forgets everything that happened, the clock's advance too; options and port stay. */
  reset(): void
  /** Ends every connection and frees the port. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Starts a sandbox on the loopback address: the whole service, with an inbox in place of phones. Throws a
 * TypeError for a wrong option, and in production, where nobody would get a code.
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
      'startSandbox: it sends nothing and refuses NODE_ENV=production; use the provider there',
    )
  }
  const settings = settle(options)
  const server = createServer()
  const port = await listen(server, settings.port)
  const origin = `http://127.0.0.1:${port}`
  const connection = { baseUrl: `${origin}/v1`, credentials: settings.credentials }
  const machine = createMachine(settings, origin)
  server.on('request', createApp(machine, connection))

  let closed: Promise<void> | undefined
  function close(): Promise<void> {
    closed ??= new Promise((resolve) => {
      machine.mailroom.close()
      server.close(() => resolve())
      server.closeAllConnections()
    })
    return closed
  }

  return {
    ...connection,
    inboxUrl: `${origin}/`,
    approvedStatuses: [String(settings.approvedStatus)],
    account: machine.account,
    clock: machine.clock,
    faults: machine.faults,
    inbox: machine.mailroom,
    links: machine.links,
    requests: machine.requests,
    reset: machine.reset,
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
