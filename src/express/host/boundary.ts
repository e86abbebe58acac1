import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { TwoFactorError } from '../../errors.js'
import { asError, hostFunction, isOfHost } from '../../lib/host-function.js'

/** Whether the request goes on to the next handler; false when it was answered. */
export type DecideMiddleware = (req: Request, res: Response) => boolean | Promise<boolean>

/**
 * The only place of the package that calls `next`. Express reads `next(undefined)`, `next(null)`, `next('')`,
 * `next('route')` and the like as "go on", so whatever is thrown is an Error before Express sees it: an
 * unproven request is let in by no failure (OWASP ASVS 5.0, 16.5.3: fail securely).
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

/** Whether an error becomes a problem response: a TwoFactorError that no function of the host threw. */
export function isOurs(error: unknown): error is TwoFactorError {
  return error instanceof TwoFactorError && !isOfHost(error)
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
