import type { Request } from 'express'

/** On a request that `guardCoverage` watches: called when a guard admits it, or a handler of ours responds. */
export const noteGuarded = Symbol('express-two-factor: note guarded')

declare global {
  namespace Express {
    interface Request {
      [noteGuarded]?: () => void
    }
  }
}

/** How each app that `twoFactor()` made identifies its subjects, for `guardCoverage`. */
export const subjectsNamedBy = new WeakMap<object, (req: Request) => string | undefined>()

/** Records whether a guard admits this request, or a handler of the package responds to it. */
export function watch(req: Request): { readonly guarded: boolean } {
  const state = { guarded: false }
  req[noteGuarded] = () => {
    state.guarded = true
  }
  return state
}
