import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { hashBound } from '../challenge/bound.js'
import type { Grant, GrantDemand, Grants } from '../challenge/grants.js'
import type { GuardSettings } from './guard-options.js'
import { hostFunction, isOurs } from './host-function.js'
import { problemOf } from './problems.js'
import type { Refusals } from './refusals.js'
import { type Identify, identified } from './requester.js'

/** One request on its way through the guard. */
interface Passage {
  readonly req: Request
  readonly res: Response
  readonly next: NextFunction
}

/**
 * The guard of one route. With a store that answers at once it needs no promise; whatever goes
 * wrong, it refuses.
 */
export function createGuard(
  settings: GuardSettings,
  parts: { readonly identify: Identify; readonly grants: Grants; readonly refusals: Refusals },
): RequestHandler {
  const { purpose, maxAgeMs, once, byCode, exempt } = settings
  const bind = settings.bind && hostFunction(settings.bind)
  const { identify, grants, refusals } = parts
  const ask = once ? grants.take : grants.read

  function decide(passage: Passage, demand: GrantDemand, grant: Grant | undefined): void {
    if (grant === undefined) {
      refuse(passage, demand).catch(passage.next)
      return
    }
    passage.req.twoFactor = { grant }
    passage.next()
  }

  async function refuse({ req, res, next }: Passage, demand: GrantDemand): Promise<void> {
    if ((await exempt?.(req, demand.subject)) === true) next()
    else await refusals.demandProof(req, res, demand)
  }

  function fail({ req, res, next }: Passage, error: unknown): void {
    if (isOurs(error)) refusals.tell(req, res, problemOf(error)).catch(next)
    else next(error)
  }

  return function requireTwoFactor(req, res, next) {
    const passage = { req, res, next }
    let demand: GrantDemand
    let found: Grant | undefined | Promise<Grant | undefined>
    try {
      const { subject, session } = identified(identify, req)
      demand = { subject, session, purpose, bound: bind && hashBound(bind(req)), maxAgeMs, byCode }
      // Express runs the handler of GET for it: admitted, it would use up what the GET needs; let pass
      // without that, it could run the handler as often as it likes.
      found = once && req.method === 'HEAD' ? undefined : ask(demand)
    } catch (error) {
      fail(passage, error)
      return
    }
    if (found instanceof Promise) {
      found
        .then(
          (grant) => decide(passage, demand, grant),
          (error) => fail(passage, error),
        )
        .catch(next)
    } else {
      decide(passage, demand, found)
    }
  }
}
