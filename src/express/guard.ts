import type { RequestHandler } from 'express'
import { hashBound } from '../challenge/bound.js'
import type { Grant, Grants } from '../challenge/grants.js'
import { TwoFactorError } from '../errors.js'
import type { Answers } from './answers.js'
import type { GuardSettings } from './guard-options.js'
import { type Problem, problemOf } from './problems.js'
import { type Identify, identified, type Requester } from './requester.js'
import type { Requirements } from './requirement.js'
import { returnPathOf } from './return-path.js'
import { carriesBearer } from './session.js'
import type { Views } from './views.js'

/**
 * The guard of one route. With a store that answers at once it needs no promise; whatever goes
 * wrong, it refuses.
 */
export function createGuard(
  settings: GuardSettings,
  parts: {
    readonly identify: Identify
    readonly grants: Grants
    readonly requirements: Requirements
    readonly views: Views
    readonly answers: Answers
    readonly path: string
  },
): RequestHandler {
  const { purpose, maxAgeMs, once, byCode, bind, exempt } = settings
  const { identify, grants, requirements, views, answers, path } = parts

  return function requireTwoFactor(req, res, next) {
    let requester: Requester
    let bound: string | undefined
    let found: Grant | undefined | Promise<Grant | undefined>
    try {
      requester = identified(identify, req)
      bound = bind === undefined ? undefined : hashBound(bind(req))
      const query = { ...requester, purpose, maxAgeMs, ...(bound !== undefined && { bound }) }
      found = once ? grants.take(query) : grants.read(query)
    } catch (error) {
      fail(error)
      return
    }
    if (found instanceof Promise) found.then(decide, fail)
    else decide(found)

    function decide(grant: Grant | undefined): void {
      if (grant === undefined || (byCode && grant.method === 'trusted-device')) {
        refuseUnlessExempt().catch(next)
        return
      }
      req.twoFactor = { grant }
      next()
    }

    async function refuseUnlessExempt(): Promise<void> {
      if ((await exempt?.(req, requester.subject)) === true) next()
      else await refuse(demand())
    }

    /** What has to be proven, signed so that the browser can carry it to the start of a challenge. */
    function demand(): Problem {
      const returnTo = returnPathOf(req)
      const requirement = requirements.issue(
        {
          purpose,
          ...(bound !== undefined && { bound }),
          ...(returnTo !== undefined && { returnTo }),
          ...(byCode && { byCode }),
        },
        requester.session,
      )
      const asked = { code: 'second_factor_required', purpose, maxAgeMs, requirement } as const
      const problem = { ...asked, startUrl: `${path}/start` }
      return carriesBearer(req) ? { ...problem, ...stepUpChallenge(maxAgeMs) } : problem
    }

    async function refuse(problem: Problem): Promise<void> {
      const { requirement } = problem
      const isGet = req.method === 'GET' || req.method === 'HEAD'
      const exchange = { req, res, fields: requirement === undefined ? {} : { requirement } }
      // A page can be asked for again after the code, a form cannot: its page stays where it is.
      if (requirement !== undefined && isGet && answers.wantsPage(req)) {
        answers.redirect(res, `${path}?requirement=${encodeURIComponent(requirement)}`)
        return
      }
      await answers.send(req, res, { reply: 'problem', problem }, (told) => views.of(exchange, told))
    }

    function fail(error: unknown): void {
      if (error instanceof TwoFactorError) refuse(problemOf(error)).catch(next)
      else next(error)
    }
  }
}

/** How a resource says to a client with a token that the login behind it is not enough (RFC 9470). */
function stepUpChallenge(maxAgeMs: number): Pick<Problem, 'status' | 'headers'> {
  const challenge =
    'Bearer error="insufficient_user_authentication", ' +
    'error_description="A fresh second factor is required", ' +
    `max_age="${Math.floor(maxAgeMs / 1_000)}"`
  return { status: 401, headers: { 'WWW-Authenticate': challenge } }
}
