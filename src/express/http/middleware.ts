import type { Request, RequestHandler, Response } from 'express'
import { asError } from '../../lib/as-error.js'

/** Whether the request goes on to the next handler; false when it was answered. */
export type Decide = (req: Request, res: Response) => boolean | Promise<boolean>

/**
 * The only place of the package that calls `next`. Express reads `next(undefined)`, `next(null)`, `next('')`,
 * `next('route')` and the like as "go on", so whatever is thrown is an Error before Express sees it: an
 * unproven request is let in by no failure (OWASP ASVS 5.0, 16.5.3: fail securely).
 */
export function middleware(decide: Decide): RequestHandler {
  return (req, res, next) => {
    const proceed = (admitted: boolean) => {
      if (admitted === true) next()
    }
    const fail = (thrown: unknown) => next(asError(thrown))
    let decided: boolean | Promise<boolean>
    try {
      decided = decide(req, res)
    } catch (thrown) {
      fail(thrown)
      return
    }
    if (decided instanceof Promise) decided.then(proceed).catch(fail)
    else proceed(decided)
  }
}
