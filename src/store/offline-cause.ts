import { errorMonitor } from 'node:events'
import { isError } from '../lib/realms.js'
import type { RunCommand } from './redis-connection.js'

/** A client of `redis` or `ioredis` with one connection. */
interface ObservableClient {
  /** Only a client of `redis`. */
  readonly isOpen?: boolean
  on(event: string | symbol, listener: (error?: unknown) => void): unknown
}

/** Refusals of both packages while there is no connection. They do not say why. */
const offlinePattern = /client is (?:offline|closed)|stream isn't writeable/i

/** Shared by the stores of one client, because each listener stays for its life. */
const reasons = new WeakMap<object, () => string | undefined>()

/** Returns a function that returns why the client has no connection, if that is known. */
function watchConnection(client: ObservableClient): () => string | undefined {
  let reason = client.isOpen === false ? 'await client.connect() is missing' : undefined
  client.on('connect', () => {
    reason = 'no response to a new connection'
  })
  client.on('ready', () => {
    reason = undefined
  })
  // A listener of `error` itself would hide the errors of an app that has none.
  client.on(errorMonitor, (error) => {
    const { message, code }: Readonly<Record<string, unknown>> = Object(error)
    reason = String(message || code || error)
  })
  return () => reason
}

/** Returns whether all events concern one connection: those of a cluster or of Sentinel concern single nodes. */
function hasOneConnection(client: unknown): client is ObservableClient {
  const { on, isReady, isCluster, masters, getSentinelNode } = Object(client)
  const isOfRedis = typeof isReady === 'boolean' && masters === undefined && getSentinelNode === undefined
  return typeof on === 'function' && (isOfRedis || isCluster === false)
}

/** Returns `send`, whose refusals without a connection begin with its cause: nothing listens, or it is silent. */
export function nameOfflineCause(client: unknown, send: RunCommand): RunCommand {
  if (!hasOneConnection(client)) return send
  const reasonOf = reasons.get(client) ?? watchConnection(client)
  reasons.set(client, reasonOf)
  return async (key, args) => {
    try {
      return await send(key, args)
    } catch (error) {
      const reason = reasonOf()
      if (reason === undefined || !isError(error) || !offlinePattern.test(error.message)) throw error
      throw new Error(`${reason}: ${error.message}`)
    }
  }
}
