import { tracingChannel } from 'node:diagnostics_channel'
import { TwoFactorError } from '../errors.js'
import type { Emit } from '../events.js'
import { type Awaitable, isThenable, traced, withinDeadline } from '../lib/promises.js'
import type { Store } from '../store/store.js'

/** The context of the tracing channel `express-two-factor:store`: no key and no value. */
export interface StoreTrace {
  /** Which command of the store. */
  readonly command: 'read' | 'swap' | 'increment'
  /** The kind of the entry, such as `auth` for the ledger of a number on file. */
  readonly kind: string
}

const traces = tracingChannel<unknown, StoreTrace>('express-two-factor:store')

/**
 * Bounds every command of a store that does not do so itself: whatever fails or is late is a promise that rejects
 * with `store_unavailable`. A value that is there at once stays one, because the guard needs no promise then.
 */
export function withStoreDeadline(
  store: Store,
  timeoutMs: number,
  { now, emit }: { readonly now: () => number; readonly emit: Emit },
): Store {
  const keepsIt = store.timeoutMs !== undefined && store.timeoutMs <= timeoutMs
  const failed = (command: string, cause: unknown, durationMs: number): TwoFactorError => {
    emit({ type: 'store.failed', command, durationMs })
    return cause instanceof TwoFactorError
      ? cause
      : new TwoFactorError('store_unavailable', { message: 'The store did not respond.', cause })
  }
  async function bounded<T>(command: string, result: PromiseLike<T>): Promise<T> {
    const startedAt = now()
    // Store clients may return foreign thenables; behind this point there are only native promises.
    const native = Promise.resolve(result)
    try {
      return await (keepsIt ? native : withinDeadline(timeoutMs, () => native))
    } catch (cause) {
      throw failed(command, cause, Math.max(0, now() - startedAt))
    }
  }
  const run = <T>(command: string, ask: () => Awaitable<T>): Awaitable<T> => {
    try {
      const result = ask()
      return isThenable(result) ? bounded(command, result) : result
    } catch (cause) {
      // A rejection like any other: what was asked together with it is not left unawaited.
      return Promise.reject(failed(command, cause, 0))
    }
  }
  const observed = <T>(command: StoreTrace['command'], key: string, ask: () => Awaitable<T>): Awaitable<T> =>
    traced(
      traces,
      () => ({ command, kind: String(key.split(':')[2]) }),
      () => run(command, ask),
    )
  return {
    read: (key) => observed('read', key, () => store.read(key)),
    swap: (key, version, next, ttlMs) => observed('swap', key, () => store.swap(key, version, next, ttlMs)),
    increment: (key, windowMs, by) => observed('increment', key, () => store.increment(key, windowMs, by)),
    close: () => store.close?.(),
  }
}
