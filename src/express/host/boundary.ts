import { isNativeError } from 'node:util/types'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { TwoFactorError } from '../../errors.js'
import { isThenable } from '../../lib/promises.js'

/** Whether the request goes on to the next handler; false when it was answered. */
export type Decide = (req: Request, res: Response) => boolean | Promise<boolean>

/**
 * The only place of the package that calls `next`. Express reads `next(undefined)`, `next(null)`, `next('')`,
 * `next('route')` and the like as "go on", so whatever is thrown is an Error before Express sees it: an
 * unproven request is let in by no failure (OWASP ASVS 5.0, 16.5.3: fail securely).
 */
export function middleware(decide: Decide): RequestHandler {
  return (req, res, next) => {
    let decided: boolean | Promise<boolean>
    try {
      decided = decide(req, res)
    } catch (thrown) {
      fail(next, thrown)
      return
    }
    if (decided === true) next()
    else if (decided instanceof Promise) {
      decided.then((admitted) => admitted === true && next()).catch((thrown) => fail(next, thrown))
    }
  }
}

function fail(next: NextFunction, thrown: unknown): void {
  next(asError(thrown))
}

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

/** The same for a function of a session adapter, whose TwoFactorErrors are ours: it throws them without a session. */
export function adapterFunction<Args extends readonly unknown[], Result>(
  call: (...args: Args) => Result,
): (...args: Args) => Result {
  return throwingErrors(call, () => undefined)
}

/** Whether an error becomes a problem response: a TwoFactorError that no function of the host threw. */
export function isOurs(error: unknown): error is TwoFactorError {
  return error instanceof TwoFactorError && !thrownByHost.has(error)
}

/**
 * The host's clock in whole milliseconds, so that every duration computed from it is an integer. Checked,
 * because comparisons with NaN or a promise are always false.
 */
export function hostClock(now: () => number): () => number {
  const ask = hostFunction(now)
  return () => {
    const ms = ask()
    if (!Number.isFinite(ms)) throw new TypeError('now must return a finite number of milliseconds')
    return Math.floor(ms)
  }
}

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
function asError(thrown: unknown): Error {
  if (thrown instanceof Error || isNativeError(thrown)) return thrown
  return new Error(`A value of type ${typeof thrown} was thrown instead of an Error`, { cause: thrown })
}
