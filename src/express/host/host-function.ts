import { TwoFactorError } from '../../errors.js'
import { asError } from '../../lib/as-error.js'

const thrownByHost = new WeakSet<Error>()

/**
 * Wraps a function of the host: whatever it throws becomes an Error marked as the host's. A TwoFactorError
 * from it, such as that of a message it sent itself, is not about this request: it goes to the host's error
 * handler.
 */
export function hostFunction<Args extends readonly unknown[], Result>(
  call: (...args: Args) => Result,
): (...args: Args) => Result {
  return throwingErrors(call, (error) => thrownByHost.add(error))
}

/** Whether an error becomes a problem response: a TwoFactorError that no function of the host threw. */
export function isOurs(error: unknown): error is TwoFactorError {
  return error instanceof TwoFactorError && !thrownByHost.has(error)
}

/** The host's clock, checked: comparisons with NaN or a promise are always false. */
export function hostClock(now: () => number): () => number {
  const ask = hostFunction(now)
  return () => {
    const ms = ask()
    if (!Number.isFinite(ms)) throw new TypeError('now must return a finite number of milliseconds')
    return ms
  }
}

/** Wraps a function of the host: whatever it throws or rejects with becomes an Error. */
export function throwingErrors<Args extends readonly unknown[], Result>(
  call: (...args: Args) => Result,
  note: (error: Error) => void = () => undefined,
): (...args: Args) => Result {
  const fail = (thrown: unknown): never => {
    const error = asError(thrown)
    note(error)
    throw error
  }
  return (...args) => {
    let result: Result
    try {
      result = call(...args)
    } catch (thrown) {
      return fail(thrown)
    }
    if (typeof Object(result).then !== 'function') return result
    // Query builders run the query at every `then`: call it once.
    const settled = Promise.resolve(result).catch(fail)
    // Where a promise is a mistake it is not awaited, and an unhandled rejection would end the process.
    settled.catch(() => undefined)
    return settled as Result
  }
}
