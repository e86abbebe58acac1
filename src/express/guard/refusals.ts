import type { Request, Response } from 'express'
import type { GrantQuery } from '../../challenge/proofs/grants.js'
import { carriesBearer } from '../host/session.js'
import type { Problem } from '../http/problems.js'
import type { Responder } from '../http/responder.js'
import { isRepeatable, returnPathOf } from '../http/return-path.js'
import type { Views } from '../pages/views.js'
import type { GuardSettings } from './guard-options.js'
import type { Requirements } from './requirement.js'

/** How one guard says no. */
export interface Refusals {
  /** Says what has to be proven, and leads there. */
  demandProof(req: Request, res: Response, query: GrantQuery): Promise<void>
  tell(req: Request, res: Response, problem: Problem): Promise<void>
}

export function createRefusals(
  { purpose, maxAgeMs, requireCode }: Pick<GuardSettings, 'purpose' | 'maxAgeMs' | 'requireCode'>,
  parts: {
    readonly requirements: Requirements
    readonly views: Views
    readonly responder: Responder
    readonly path: string
  },
): Refusals {
  const { requirements, views, responder, path } = parts

  /** Signed, so that the browser can carry it to the start of a challenge. */
  function requirementFor(req: Request, { bound }: GrantQuery): string {
    return requirements.issue(req, { purpose, bound, requireCode, returnTo: returnPathOf(req) })
  }

  async function tell(req: Request, res: Response, problem: Problem): Promise<void> {
    const { requirement } = problem
    const context = { req, res, fields: requirement === undefined ? {} : { requirement } }
    await responder.send(req, res, { reply: 'problem', problem }, (told) => views.of(context, told))
  }

  return {
    tell,
    async demandProof(req, res, query) {
      const toPage = isRepeatable(req) && responder.wantsPage(req)
      const startUrl = `${path}/start`
      refuseCircle(req, toPage ? path : startUrl)
      const requirement = requirementFor(req, query)
      if (toPage) {
        responder.redirect(res, `${path}?requirement=${encodeURIComponent(requirement)}`)
        return
      }
      await tell(req, res, {
        code: 'second_factor_required',
        purpose,
        maxAgeMs,
        requirement,
        startUrl,
        ...(carriesBearer(req) && stepUpChallenge(maxAgeMs)),
      })
    },
  }
}

/** Whoever is led to what the same guard refuses is led in a circle. */
function refuseCircle({ baseUrl, path }: Request, target: string): void {
  const asked = (baseUrl + path).replace(/\/$/, '')
  if (asked.toLowerCase() !== target.toLowerCase()) return
  throw new TypeError(
    `requireTwoFactor() guards its own routes at ${target}: mount tf.routes() before the guard`,
  )
}

/** How a resource says to a client with a token that the login behind it is not enough (RFC 9470). */
function stepUpChallenge(maxAgeMs: number): Pick<Problem, 'status' | 'headers'> {
  const challenge =
    'Bearer error="insufficient_user_authentication", ' +
    'error_description="A fresh second factor is required", ' +
    `max_age="${Math.floor(maxAgeMs / 1_000)}"`
  return { status: 401, headers: { 'WWW-Authenticate': challenge } }
}
