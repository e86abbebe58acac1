import { TwoFactorError } from '../errors.js'
import type { Emit } from '../events.js'
import { withinDeadline } from '../lib/deadline.js'
import type { Awaitable, Store } from '../store/store.js'

/**
 * Bounds every command of a store: whatever fails or is late becomes `store_unavailable`. A synchronous
 * store stays synchronous, because the guard needs no promise then.
 */
export function withStoreDeadline(store: Store, timeoutMs: number, emit: Emit): Store {
  const failed = (command: string, cause: unknown): TwoFactorError => {
    emit({ type: 'store.failed', command })
    return cause instanceof TwoFactorError
      ? cause
      : new TwoFactorError('store_unavailable', { message: 'The store did not respond.', cause })
  }
  const bounded = <T>(command: string, ask: () => Awaitable<T>): Awaitable<T> => {
    try {
      const result = ask()
      if (!isThenable(result)) return result
      return withinDeadline(
        timeoutMs,
        () => Promise.resolve(result),
        () => new Error(`no response within ${timeoutMs} ms`),
      ).catch((cause: unknown) => {
        throw failed(command, cause)
      })
    } catch (cause) {
      throw failed(command, cause)
    }
  }
  return {
    read: (key) => bounded('read', () => store.read(key)),
    swap: (key, version, next, ttlMs) => bounded('swap', () => store.swap(key, version, next, ttlMs)),
    increment: (key, windowMs, by) => bounded('increment', () => store.increment(key, windowMs, by)),
    close: () => store.close?.(),
  }
}

/** Store clients may return foreign thenables; behind this point there are only native promises. */
function isThenable<T>(result: Awaitable<T>): result is Promise<T> {
  return typeof (result as Partial<Promise<T>> | undefined)?.then === 'function'
}
