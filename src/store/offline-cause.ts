import { errorMonitor } from 'node:events'
import type { RunCommand } from './redis-connection.js'

/** A client of `redis` or `ioredis` with one connection, whose events tell what becomes of it. */
interface ObservableClient {
  on(event: string | symbol, listener: (error?: unknown) => void): unknown
}

/** Refusals of both packages while there is no connection. They do not say why. */
const offlinePattern = /client is offline|stream isn't writeable/i

/** Shared by the stores of one client, because each listener stays for its life. */
const reasons = new WeakMap<object, () => string | undefined>()

/** Returns a function that returns why the client has no connection, if that is known. */
function watchConnection(client: ObservableClient): () => string | undefined {
  let reason: string | undefined
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

/** Returns `send`, whose refusals without a connection begin with its cause: nothing listens, or it is silent. */
export function nameOfflineCause(client: unknown, send: RunCommand): RunCommand {
  if (typeof Object(client).on !== 'function') return send
  const observable = client as ObservableClient
  const reasonOf = reasons.get(observable) ?? watchConnection(observable)
  reasons.set(observable, reasonOf)
  return async (key, args) => {
    try {
      return await send(key, args)
    } catch (error) {
      const reason = reasonOf()
      if (reason === undefined || !(error instanceof Error) || !offlinePattern.test(error.message))
        throw error
      throw new Error(`${reason}: ${error.message}`)
    }
  }
}
