import { TwoFactorError } from '../errors.js'
import type { Emit } from '../events.js'
import { withinDeadline } from '../lib/deadline.js'
import type { Awaitable, Store } from '../store/store.js'

/**
 * A store that answers in time or says so: whatever else goes wrong becomes `store_unavailable`.
 * What answers at once stays free of promises, for the guard's sake.
 */
export function withStoreDeadline(store: Store, timeoutMs: number, emit: Emit): Store {
  const failed = (command: string, cause: unknown): TwoFactorError => {
    emit({ type: 'store.failed', command })
    return cause instanceof TwoFactorError
      ? cause
      : new TwoFactorError('store_unavailable', { message: 'The store did not answer.', cause })
  }
  const bounded = <T>(command: string, ask: () => Awaitable<T>): Awaitable<T> => {
    try {
      const answer = ask()
      if (!isThenable(answer)) return answer
      return withinDeadline(
        timeoutMs,
        () => Promise.resolve(answer),
        () => new Error(`no answer within ${timeoutMs} ms`),
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

/** Clients of stores bring promises of other makes, too. Everybody behind this sees native ones alone. */
function isThenable<T>(answer: Awaitable<T>): answer is Promise<T> {
  return typeof (answer as Partial<Promise<T>> | undefined)?.then === 'function'
}
