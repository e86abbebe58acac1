import { isThenable } from './promises.js'
import { isError } from './realms.js'

const thrownByHost = new WeakSet<Error>()

/**
 * Wraps a function of your app, so that each error is marked as your app's. An error of this package thrown inside it,
 * such as that of a message your app sent, is not about this request: your error handler receives it.
 */
export function hostFunction<Args extends readonly unknown[], Result>(
  call: (...args: Args) => Result,
): (...args: Args) => Result {
  return throwingErrors(call, (error) => thrownByHost.add(error))
}

/** Wraps a function of a session adapter. Its errors are not marked, because they mean that there is no session. */
export function adapterFunction<Args extends readonly unknown[], Result>(
  call: (...args: Args) => Result,
): (...args: Args) => Result {
  return throwingErrors(call, () => undefined)
}

/** Returns whether a function of the app threw this error. */
export const isOfHost = (error: Error): boolean => thrownByHost.has(error)

/** Turns every thrown or rejected value into an Error. A synchronous result needs no promise. */
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
    // Called once, because query builders run the query at every `then`.
    const settled = Promise.resolve(result).catch(fail)
    // A promise may be returned by mistake and never awaited. Its rejection must not end the process.
    settled.catch(() => undefined)
    return settled as Result
  }
}

/**
 * Turns a thrown value into an Error, because JavaScript throws any value. An Error of another realm stays as it is.
 */
export function asError(thrown: unknown): Error {
  if (isError(thrown)) return thrown
  return new Error(`A value of type ${typeof thrown} was thrown instead of an Error`, { cause: thrown })
}
