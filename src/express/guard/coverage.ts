import type { Request } from 'express'

/**
 * Member of a request that `guardCoverage` watches. Called when a guard admits it or a handler of this package
 * responds.
 */
export const noteGuarded = Symbol('express-two-factor: note guarded')

declare global {
  namespace Express {
    interface Request {
      [noteGuarded]?: () => void
    }
  }
}

/** How each app of `twoFactor()` identifies its accounts, for `guardCoverage`. */
export const subjectsNamedBy = new WeakMap<object, (req: Request) => string | undefined>()

/** Records whether a guard admits this request or a handler of this package responds. Several may watch one request. */
export function watch(req: Pick<Request, typeof noteGuarded>): { readonly guarded: boolean } {
  const state = { guarded: false }
  const others = req[noteGuarded]
  req[noteGuarded] = () => {
    state.guarded = true
    others?.()
  }
  return state
}
