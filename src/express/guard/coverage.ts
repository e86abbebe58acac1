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

/** Records whether a guard admits this request or a handler of this package responds. */
export function watch(req: Request): { readonly guarded: boolean } {
  const state = { guarded: false }
  req[noteGuarded] = () => {
    state.guarded = true
  }
  return state
}
