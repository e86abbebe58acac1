import { errorMonitor } from 'node:events'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { ignoreRejection } from '../lib/promises.js'
import type { RunCommand } from './redis-connection.js'

/** A client of the package `redis` with one connection. It replaces a broken connection, and keeps a silent one. */
interface ReplaceableClient {
  readonly isOpen: boolean
  readonly isReady: boolean
  connect(): Promise<unknown>
  destroy(): void
  on(event: string | symbol, listener: () => void): unknown
}

/** A `RunCommand` that sends by the function of one store. */
type WatchedCommand = (send: RunCommand, ...command: Parameters<RunCommand>) => Promise<unknown>

/** Shared by the stores of one client, because heartbeat and listeners stay for its life. */
const watches = new WeakMap<object, WatchedCommand>()

/**
 * Intervals of silence after which a connection is replaced. Five seconds are longer than any pause of a healthy Redis.
 */
const silentIntervals = 5

/** Intervals without a command after which the store sends one. With those of silence they are less than ten seconds. */
const idleIntervals = 2

/**
 * Returns whether the client has one connection that only its owner can replace. `ioredis` has `socketTimeout`. A cluster
 * or Sentinel client has several: to destroy it would end those that respond, too.
 */
export function keepsSilentConnection(client: unknown): client is ReplaceableClient {
  const { isReady, isOpen, connect, destroy, on, masters, getSentinelNode } = Object(client)
  const hasState = typeof isReady === 'boolean' && typeof isOpen === 'boolean'
  const hasOneConnection = masters === undefined && getSentinelNode === undefined
  return (
    hasState && hasOneConnection && [connect, destroy, on].every((method) => typeof method === 'function')
  )
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
  const watched = watches.get(client) ?? watchClient(client, intervalMs)
  watches.set(client, watched)
  return (key, args) => watched(send, key, args)
}

function watchClient(client: ReplaceableClient, intervalMs: number): WatchedCommand {
  let pending = 0
  let responses = 0
  let isWatching = false
  let isReplacing = false
  /** Connections of the client that were opened or have failed. */
  let connections = 0
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
    isReplacing = true
    try {
      let attempt: Promise<unknown> | undefined
      while (client.isOpen) {
        client.destroy()
        // An attempt beside an earlier one, of this function or of the client itself, would open a second connection.
        await attempt
        await turn()
        attempt = client.connect().catch(() => undefined)
        if (!(await isSilent(() => client.isReady || !client.isOpen))) break
      }
    } finally {
      isReplacing = false
    }
  }

  /** Replaces a connection that the client has opened itself and whose handshake gets no response. */
  async function watchHandshake(): Promise<void> {
    connections += 1
    const opened = connections
    const isOver = () => isReplacing || client.isReady || !client.isOpen || opened !== connections
    if (await isSilent(isOver)) await replace()
  }

  /** Keeps no process alive, and ends once the owner has closed the client. The store needs EXISTS for its counters. */
  const startHeartbeat = (send: RunCommand, key: string) =>
    setTimeout(() => {
      if (pending === 0 && client.isOpen) ignoreRejection(watched(send, key, ['exists', key]))
    }, idleIntervals * intervalMs).unref()

  const watched: WatchedCommand = async (send, key, args) => {
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
      heartbeat ??= startHeartbeat(send, key)
      heartbeat.refresh()
    }
  }
  client.on('connect', () => ignoreRejection(watchHandshake()))
  // A listener of `error` itself would hide the errors of an app that has none.
  client.on(errorMonitor, () => {
    connections += 1
  })
  return watched
}
