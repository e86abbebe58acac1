import type { Request } from 'express'

/** What is known of a request that is watched. */
interface Watched {
  guarded: boolean
}

const watched = new WeakMap<Request, Watched>()
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
export function watch(req: Request): Readonly<Watched> {
  const state = { guarded: false }
  watched.set(req, state)
  return state
}

export function noteGuarded(req: Request): void {
  const state = watched.get(req)
  if (state !== undefined) state.guarded = true
}
