import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { hashBound } from '../../challenge/proofs/bound.js'
import type { Grant, Grants, RequiredGrant } from '../../challenge/proofs/grants.js'
import { hostFunction, isOurs } from '../host/host-function.js'
import { type Identify, identified } from '../host/requester.js'
import { problemOf } from '../http/problems.js'
import type { GuardSettings } from './guard-options.js'
import type { Refusals } from './refusals.js'

/** One request on its way through the guard. */
interface GuardContext {
  readonly req: Request
  readonly res: Response
  readonly next: NextFunction
}

/**
 * The guard of one route. With a store that responder at once it needs no promise; whatever goes
 * wrong, it refuses.
 */
export function createGuard(
  settings: GuardSettings,
  parts: { readonly identify: Identify; readonly grants: Grants; readonly refusals: Refusals },
): RequestHandler {
  const { purpose, maxAgeMs, once, requireCode, exempt } = settings
  const bind = settings.bind && hostFunction(settings.bind)
  const { identify, grants, refusals } = parts
  const ask = once ? grants.take : grants.read

  function decide(context: GuardContext, required: RequiredGrant, grant: Grant | undefined): void {
    if (grant === undefined) {
      refuse(context, required).catch(context.next)
      return
    }
    context.req.twoFactor = { grant }
    context.next()
  }

  async function refuse({ req, res, next }: GuardContext, required: RequiredGrant): Promise<void> {
    if ((await exempt?.(req, required.subject)) === true) next()
    else await refusals.demandProof(req, res, required)
  }

  function fail({ req, res, next }: GuardContext, error: unknown): void {
    if (isOurs(error)) refusals.tell(req, res, problemOf(error)).catch(next)
    else next(error)
  }

  return function requireTwoFactor(req, res, next) {
    const context = { req, res, next }
    let required: RequiredGrant
    let found: Grant | undefined | Promise<Grant | undefined>
    try {
      const { subject, session } = identified(identify, req)
      required = { subject, session, purpose, bound: bind && hashBound(bind(req)), maxAgeMs, requireCode }
      // Express runs the handler of GET for it: admitted, it would use up what the GET needs; let pass
      // without that, it could run the handler as often as it likes.
      found = once && req.method === 'HEAD' ? undefined : ask(required)
    } catch (error) {
      fail(context, error)
      return
    }
    if (found instanceof Promise) {
      found
        .then(
          (grant) => decide(context, required, grant),
          (error) => fail(context, error),
        )
        .catch(next)
    } else {
      decide(context, required, found)
    }
  }
}
