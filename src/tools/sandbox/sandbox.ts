import type { AccountControl } from './account.js'
import type { SandboxClock } from './clock.js'
import type { Faults } from './faults.js'
import { createApp } from './http/app.js'
import type { Inbox } from './inbox.js'
import { resolveOptions, type SandboxOptions } from './options.js'
import { createProviderSimulation } from './provider-simulation.js'
import { type Connection, listen, reachOf } from './reach.js'
import type { RequestLog } from './request-log.js'
import type { Links } from './short-links.js'

/** A running sandbox of the provider. */
export interface Sandbox extends Connection {
  /** URL of the inbox page. */
  readonly inboxUrl: string
  /** Credits and blocked numbers. */
  readonly account: AccountControl
  /** Moves the time of codes, states and links. */
  readonly clock: SandboxClock
  /** Simulated failures. */
  readonly faults: Faults
  /** Received messages. */
  readonly inbox: Inbox
  /** Short URLs and their clicks. */
  readonly links: Links
  /** Received requests, for counts in tests. */
  readonly requests: RequestLog
  /** Deletes all recorded events and the advance of the clock. Options and port stay. */
  reset(): void
  /** Closes every connection and frees the port. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Starts a sandbox, on the loopback addresses unless `host` differs: the whole service, with an inbox in place of
 * phones. Throws a TypeError for an invalid option, and in production, where no person would get a code.
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
      'startSandbox: refused with NODE_ENV=production, because nothing is sent; use the provider there',
    )
  }
  const settings = resolveOptions(options)
  const listening = await listen(settings.host, settings.port)
  const { origin, baseUrl, allowedHosts } = reachOf(settings, listening.port)
  const simulation = createProviderSimulation(settings, origin)
  const { credentials, approvedStatus } = settings
  const connection = { baseUrl, credentials, approvedStatuses: [String(approvedStatus)] }
  listening.serve(createApp(simulation, connection, allowedHosts, settings))

  function close(): Promise<void> {
    simulation.messages.close()
    return listening.close()
  }

  return {
    ...connection,
    inboxUrl: `${origin}/`,
    account: simulation.account,
    clock: simulation.clock,
    faults: simulation.faults,
    inbox: simulation.messages,
    links: simulation.links,
    requests: simulation.requests,
    reset: simulation.reset,
    close,
    [Symbol.asyncDispose]: close,
  }
}
