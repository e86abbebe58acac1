import { isNativeError } from 'node:util/types'
import { isThenable } from './promises.js'

const thrownByHost = new WeakSet<Error>()

/**
 * Wraps a function of the host: whatever it throws becomes an Error marked as the host's. An error of this package from
 * it, such as that of a message it sent itself, is not about this request: it goes to the host's error handler.
 */
export function hostFunction<Args extends readonly unknown[], Result>(
  call: (...args: Args) => Result,
): (...args: Args) => Result {
  return throwingErrors(call, (error) => thrownByHost.add(error))
}

/** The same for a function of a session adapter, which is not marked: its errors say that there is no session. */
export function adapterFunction<Args extends readonly unknown[], Result>(
  call: (...args: Args) => Result,
): (...args: Args) => Result {
  return throwingErrors(call, () => undefined)
}

/** Whether a function of the host threw this. */
export const isOfHost = (error: Error): boolean => thrownByHost.has(error)

/** Whatever the function throws or rejects with becomes an Error; what it returns at once costs no promise. */
function throwingErrors<Args extends readonly unknown[], Result>(
  call: (...args: Args) => Result,
  note: (error: Error) => void,
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
    if (!isThenable(result)) return result
    // Query builders run the query at every `then`: call it once.
    const settled = Promise.resolve(result).catch(fail)
    // Where a promise is a mistake it is not awaited, and an unhandled rejection would end the process.
    settled.catch(() => undefined)
    return settled as Result
  }
}

/** What was thrown, as an Error: JavaScript throws anything. That of another realm stays as it is. */
export function asError(thrown: unknown): Error {
  if (thrown instanceof Error || isNativeError(thrown)) return thrown
  return new Error(`A value of type ${typeof thrown} was thrown instead of an Error`, { cause: thrown })
}
