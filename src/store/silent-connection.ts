import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { ignoreRejection } from '../lib/promises.js'
import type { RunCommand } from './redis-connection.js'

/** A client of the package `redis` with one connection. It replaces a broken connection, and keeps a silent one. */
interface ReplaceableClient {
  readonly isOpen: boolean
  readonly isReady: boolean
  connect(): Promise<unknown>
  destroy(): void
}

/**
 * Intervals of silence after which a connection is replaced. Five seconds are longer than any pause of a healthy Redis.
 */
const silentIntervals = 5

/** Intervals without a command after which the store sends one. With those of silence they are less than ten seconds. */
const idleIntervals = 2

/** Returns whether the client has one connection that only its owner can replace. `ioredis` has `socketTimeout`. */
export function keepsSilentConnection(client: unknown): client is ReplaceableClient {
  const { isReady, isOpen, connect, destroy } = Object(client)
  const hasState = typeof isReady === 'boolean' && typeof isOpen === 'boolean'
  return hasState && typeof connect === 'function' && typeof destroy === 'function'
}

/**
 * Returns `send` for a client whose connection is replaced while commands get no response for five intervals of
 * `intervalMs`. It sends a command of its own if there was none for two intervals, because the commands of other users of
 * the client, such as a session store, are not visible here.
 */
export function replaceSilentConnection(
  client: ReplaceableClient,
  send: RunCommand,
  intervalMs = 1_000,
): RunCommand {
  let pending = 0
  let responses = 0
  let isWatching = false
  let heartbeat: NodeJS.Timeout | undefined

  /** Counts an interval only if the event loop turned: after a pause of this process a response may be unread. */
  async function isSilent(isOver: () => boolean): Promise<boolean> {
    for (let intervals = 0; intervals < silentIntervals; intervals += 1) {
      const before = responses
      await sleep(intervalMs, undefined, { ref: false })
      await turn()
      if (isOver()) return false
      if (responses !== before) intervals = -1
    }
    return true
  }

  async function watch(): Promise<void> {
    isWatching = true
    const isOver = () => pending === 0 || !client.isReady
    try {
      if (await isSilent(isOver)) await replace()
    } finally {
      isWatching = false
    }
  }

  /** The new connection may be silent, too. A client that its owner has closed stays closed. */
  async function replace(): Promise<void> {
    let attempt: Promise<unknown> | undefined
    while (client.isOpen) {
      client.destroy()
      // An attempt beside an earlier one would open a second connection.
      await attempt
      attempt = client.connect().catch(() => undefined)
      if (!(await isSilent(() => client.isReady || !client.isOpen))) return
    }
  }

  /** Keeps no process alive, and ends once the owner has closed the client. The store needs EXISTS for its counters. */
  const startHeartbeat = (key: string) =>
    setTimeout(() => {
      if (pending === 0 && client.isOpen) ignoreRejection(watched(key, ['exists', key]))
    }, idleIntervals * intervalMs).unref()

  const watched: RunCommand = async (key, args) => {
    pending += 1
    if (!isWatching) ignoreRejection(watch())
    try {
      const reply = await send(key, args)
      responses += 1
      return reply
    } catch (error) {
      // An error reply is a response. Without a connection there is none.
      if (client.isReady) responses += 1
      throw error
    } finally {
      pending -= 1
      heartbeat ??= startHeartbeat(key)
      heartbeat.refresh()
    }
  }
  return watched
}
