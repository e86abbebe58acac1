import { TwoFactorError } from '../errors.js'
import type { Emit } from '../events.js'
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
      return inTime(answer, timeoutMs).catch((cause: unknown) => {
        throw failed(command, cause)
      })
    } catch (cause) {
      throw failed(command, cause)
    }
  }
  return {
    read: (key) => bounded('read', () => store.read(key)),
    swap: (key, version, next, ttlMs) => bounded('swap', () => store.swap(key, version, next, ttlMs)),
    increment: (key, windowMs) => bounded('increment', () => store.increment(key, windowMs)),
    close: () => store.close?.(),
  }
}

/** Clients of stores bring promises of other makes, too. Everybody behind this sees native ones alone. */
function isThenable<T>(answer: Awaitable<T>): answer is Promise<T> {
  return typeof (answer as Partial<Promise<T>> | undefined)?.then === 'function'
}

/** The answer, or a rejection when it takes longer. */
export function inTime<T>(answer: Promise<T>, timeoutMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    // A blocked process is not a dead store. It can swallow one half; between the halves, and before the
    // immediate, the loop writes what a client has not sent yet and reads what lies there.
    let timer = setTimeout(() => {
      timer = setTimeout(
        () => setImmediate(() => reject(new Error(`no answer within ${timeoutMs} ms`))),
        timeoutMs / 2,
      )
    }, timeoutMs / 2)
    Promise.resolve(answer)
      .then(resolve, reject)
      .finally(() => clearTimeout(timer))
  })
}
