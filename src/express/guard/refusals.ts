import type { Request, Response } from 'express'
import type { Details } from '../../challenge/code-provider.js'
import type { RequiredGrant } from '../../challenge/proofs/grants.js'
import { hostFunction } from '../host/boundary.js'
import { carriesBearer } from '../host/session.js'
import type { Problem } from '../http/problems.js'
import { isRepeatable, returnPathOf } from '../http/return-path.js'
import type { HttpParts } from '../http-parts.js'
import type { Views } from '../pages/views.js'
import { readDetails } from './details.js'
import type { GuardSettings } from './guard-options.js'

/** How one guard refuses. */
export interface Refusals {
  /** Responds with what has to be proven, or redirects to the page. */
  demandProof(req: Request, res: Response, required: RequiredGrant): Promise<void>
  respond(req: Request, res: Response, problem: Problem): Promise<void>
}

export function createRefusals(http: HttpParts, views: Views, settings: GuardSettings): Refusals {
  const { purpose, maxAgeMs, requireCode, recoveryCode, methods, resume, formPath } = settings
  const { requirements, resumption, responder, mounts, explainFailure, languageOf, shownChecks } = http
  const describe = settings.describe && hostFunction(settings.describe, http.within('describe'))

  function formPathOf(req: Request): string | undefined {
    return typeof formPath === 'function' ? hostFunction(formPath)(req) : formPath
  }

  async function detailsOf(req: Request, required: RequiredGrant): Promise<Details | undefined> {
    if (describe === undefined) return undefined
    const { locale } = languageOf(req)
    try {
      const details = readDetails(await describe(req, { locale }))
      shownChecks.rows({ ...required, locale }, details)
      return details
    } catch (error) {
      throw explainFailure(req, error)
    }
  }

  async function respond(req: Request, res: Response, problem: Problem): Promise<void> {
    const { requirement } = problem
    // Without a requirement the page itself has to know the way back: to sign in, or to try again.
    const fields = requirement === undefined ? { returnTo: returnPathOf(req) } : { requirement }
    const context = { req, res, fields }
    await responder.send(req, res, { reply: 'problem', problem }, (shown) => views.of(context, shown))
  }

  return {
    respond,
    async demandProof(req, res, required) {
      const toPage = isRepeatable(req) && responder.wantsPage(req)
      const path = http.path.of(req)
      const startUrl = `${path}/start`
      refuseCircle(req, toPage ? path : startUrl)
      mounts.checkMade(toPage)
      const details = await detailsOf(req, required)
      const { bound } = required
      const returnTo = returnPathOf(req, formPathOf(req))
      const formId = resume ? await resumption.keep(req, res, required, details) : undefined
      const asked = { purpose, bound, requireCode, recoveryCode, methods, formId, details, returnTo }
      const requirement = requirements.issue(req, asked)
      if (toPage) {
        responder.redirect(res, `${path}?requirement=${encodeURIComponent(requirement)}`)
        return
      }
      await respond(req, res, {
        code: 'second_factor_required',
        purpose,
        maxAgeMs,
        requirement,
        startUrl,
        ...(methods && { methods }),
        ...(details && { details }),
        ...(carriesBearer(req) && stepUpChallenge(maxAgeMs)),
      })
    },
  }
}

/** Throws where the guard protects the very page it redirects to: an endless redirect. */
function refuseCircle({ baseUrl, path }: Request, target: string): void {
  const asked = (baseUrl + path).replace(/\/$/, '')
  if (asked.toLowerCase() !== target.toLowerCase()) return
  throw new TypeError(
    `requireTwoFactor() guards its own routes at ${target}: mount tf.routes() before the guard`,
  )
}

/** Tells a client with a token that its authentication is too old or too weak (RFC 9470). */
function stepUpChallenge(maxAgeMs: number): Pick<Problem, 'status' | 'headers'> {
  const challenge =
    'Bearer error="insufficient_user_authentication", ' +
    'error_description="A fresh second factor is required", ' +
    `max_age="${Math.floor(maxAgeMs / 1_000)}"`
  return { status: 401, headers: { 'WWW-Authenticate': challenge } }
}
