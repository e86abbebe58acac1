import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { hashBound } from '../challenge/bound.js'
import type { Grant, Grants, RequiredGrant } from '../challenge/grants.js'
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

  function decide(passage: Passage, required: RequiredGrant, grant: Grant | undefined): void {
    if (grant === undefined) {
      refuse(passage, required).catch(passage.next)
      return
    }
    passage.req.twoFactor = { grant }
    passage.next()
  }

  async function refuse({ req, res, next }: Passage, required: RequiredGrant): Promise<void> {
    if ((await exempt?.(req, required.subject)) === true) next()
    else await refusals.demandProof(req, res, required)
  }

  function fail({ req, res, next }: Passage, error: unknown): void {
    if (isOurs(error)) refusals.tell(req, res, problemOf(error)).catch(next)
    else next(error)
  }

  return function requireTwoFactor(req, res, next) {
    const passage = { req, res, next }
    let required: RequiredGrant
    let found: Grant | undefined | Promise<Grant | undefined>
    try {
      const { subject, session } = identified(identify, req)
      required = { subject, session, purpose, bound: bind && hashBound(bind(req)), maxAgeMs, byCode }
      // Express runs the handler of GET for it: admitted, it would use up what the GET needs; let pass
      // without that, it could run the handler as often as it likes.
      found = once && req.method === 'HEAD' ? undefined : ask(required)
    } catch (error) {
      fail(passage, error)
      return
    }
    if (found instanceof Promise) {
      found
        .then(
          (grant) => decide(passage, required, grant),
          (error) => fail(passage, error),
        )
        .catch(next)
    } else {
      decide(passage, required, found)
    }
  }
}
