import type { Request, RequestHandler, Response } from 'express'
import type { Grant, RequiredGrant } from '../../challenge/proofs/grants.js'
import { hostFunction, isOurs, middleware } from '../host/boundary.js'
import { identified } from '../host/requester.js'
import { problemOf, tooManyAtOnce } from '../http/problems.js'
import type { HttpParts } from '../http-parts.js'
import type { Views } from '../pages/views.js'
import { noteGuarded } from './coverage.js'
import type { GuardSettings } from './guard-options.js'
import { createRefusals } from './refusals.js'

/**
 * The guard of one route. With a synchronous store it needs no promise; whatever goes wrong, it refuses
 * (fail closed).
 */
export function createGuard(http: HttpParts, views: Views, settings: GuardSettings): RequestHandler {
  const { purpose, maxAgeMs, once, requireCode, recoveryCode, methods, resume } = settings
  const { sessions, identify, resumption, explainFailure, inFlight } = http
  const { grants, hashBound } = http.domain
  const bind = settings.bind && hostFunction(settings.bind)
  const exempt = settings.exempt && hostFunction(settings.exempt, http.within('exempt'))
  const refusals = createRefusals(http, views, settings)
  http.shownChecks.guard(settings)
  if (resume) http.renewal.takeAlong(resumption.move)
  const ask = once ? grants.take : grants.read

  function requirementOf(req: Request): RequiredGrant {
    const { subject, session } = identified(identify, req)
    const bound = bind && boundTo(req, bind)
    return { subject, session, purpose, bound, maxAgeMs, requireCode, recoveryCode, methods }
  }

  function boundTo(req: Request, fieldsOf: NonNullable<GuardSettings['bind']>): string {
    try {
      return hashBound(fieldsOf(req))
    } catch (error) {
      throw explainFailure(req, error)
    }
  }

  function decide(
    req: Request,
    res: Response,
    required: RequiredGrant,
    grant: Grant | undefined,
    formId: string | undefined,
  ): boolean | Promise<boolean> {
    if (grant === undefined) return refuse(req, res, required)
    req[noteGuarded]?.()
    req.twoFactor = { grant }
    return formId === undefined || resumption.admitted(required, formId).then(() => true)
  }

  async function refuse(req: Request, res: Response, required: RequiredGrant): Promise<boolean> {
    const leave = inFlight.enter(required.session)
    if (leave === undefined) {
      await refusals.respond(req, res, tooManyAtOnce)
      return false
    }
    try {
      if ((await exempt?.(req, required.subject)) === true) {
        req[noteGuarded]?.()
        return true
      }
      // The requirement is for this session only, which has to come back with the next request.
      await sessions.keep(req, res)
      await refusals.demandProof(req, res, required)
      return false
    } catch (error) {
      return await fail(req, res, error)
    } finally {
      leave()
    }
  }

  async function fail(req: Request, res: Response, error: unknown): Promise<boolean> {
    if (!isOurs(error)) throw error
    await refusals.respond(req, res, problemOf(error))
    return false
  }

  function admit(req: Request, res: Response): boolean | Promise<boolean> {
    try {
      const formId = resume ? resumption.claim(req) : undefined
      const required = requirementOf(req)
      // Express runs the GET handler for HEAD: admitted, it would use up the grant that the GET needs; admitted
      // without using it up, it could run the handler any number of times.
      const found = once && req.method === 'HEAD' ? undefined : ask(required)
      if (!(found instanceof Promise)) return decide(req, res, required, found, formId)
      return found.then(
        (grant) => decide(req, res, required, grant, formId),
        (error) => fail(req, res, error),
      )
    } catch (error) {
      return fail(req, res, error)
    }
  }

  return middleware(function requireTwoFactor(req, res) {
    const opened = sessions.open(req)
    return opened === undefined ? admit(req, res) : opened.then(() => admit(req, res))
  })
}
