import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { TwoFactorError } from '../../errors.js'
import { asError, hostFunction, isOfHost } from '../../lib/host-function.js'

/** Returns whether the request continues to the next handler. False if it was answered. */
export type DecideMiddleware = (req: Request, res: Response) => boolean | Promise<boolean>

/**
 * Wraps a decision as middleware. No other code calls `next`. Express reads `next(undefined)`, `next(null)`, `next('')`,
 * `next('route')` and similar values as "continue", so every thrown value becomes an Error first: no failure lets an
 * unverified request pass (OWASP ASVS 5.0, 16.5.3: fail securely).
 */
export function middleware(decide: DecideMiddleware): RequestHandler {
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

/** Returns whether an error becomes a problem response: a TwoFactorError that no function of the app threw. */
export function isOurs(error: unknown): error is TwoFactorError {
  return error instanceof TwoFactorError && !isOfHost(error)
}

/**
 * Returns the app's clock in whole milliseconds, so that durations are integers. Checked, because comparisons with NaN
 * or a promise are always false.
 */
export function hostClock(now: () => number): () => number {
  const ask = hostFunction(now)
  return () => {
    const ms = ask()
    if (!Number.isFinite(ms)) throw new TypeError('now must return a finite number of milliseconds')
    return Math.floor(ms)
  }
}
