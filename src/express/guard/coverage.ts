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

const subjectsOf = new WeakMap<object, (req: Request) => string | undefined>()

/** Registers how an app identifies its subjects, for `guardCoverage`. */
export function nameSubjects(app: object, subjectOf: (req: Request) => string | undefined): void {
  subjectsOf.set(app, subjectOf)
}

/** How this app identifies its subjects; undefined unless `twoFactor()` created it. */
export function subjectsNamedBy(app: object): ((req: Request) => string | undefined) | undefined {
  return subjectsOf.get(app)
}

/** Records whether a guard admits this request, or a handler of the package responds to it. */
export function watch(req: Request): { readonly guarded: boolean } {
  const state = { guarded: false }
  req[noteGuarded] = () => {
    state.guarded = true
  }
  return state
}
