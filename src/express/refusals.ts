import type { Request, Response } from 'express'
import type { GrantQuery } from '../challenge/grants.js'
import type { Answers } from './answers.js'
import type { GuardSettings } from './guard-options.js'
import type { Problem } from './problems.js'
import type { Requirements } from './requirement.js'
import { isRepeatable, returnPathOf } from './return-path.js'
import { carriesBearer } from './session.js'
import type { Views } from './views.js'

/** How one guard says no. */
export interface Refusals {
  /** Says what has to be proven, and leads there. */
  demandProof(req: Request, res: Response, query: GrantQuery): Promise<void>
  tell(req: Request, res: Response, problem: Problem): Promise<void>
}

export function createRefusals(
  { purpose, maxAgeMs, byCode }: Pick<GuardSettings, 'purpose' | 'maxAgeMs' | 'byCode'>,
  parts: {
    readonly requirements: Requirements
    readonly views: Views
    readonly answers: Answers
    readonly path: string
  },
): Refusals {
  const { requirements, views, answers, path } = parts

  /** Signed, so that the browser can carry it to the start of a challenge. */
  function requirementFor(req: Request, { bound }: GrantQuery): string {
    return requirements.issue(req, { purpose, bound, byCode, returnTo: returnPathOf(req) })
  }

  async function tell(req: Request, res: Response, problem: Problem): Promise<void> {
    const { requirement } = problem
    const exchange = { req, res, fields: requirement === undefined ? {} : { requirement } }
    await answers.send(req, res, { reply: 'problem', problem }, (told) => views.of(exchange, told))
  }

  return {
    tell,
    async demandProof(req, res, query) {
      const toPage = isRepeatable(req) && answers.wantsPage(req)
      const startUrl = `${path}/start`
      refuseCircle(req, toPage ? path : startUrl)
      const requirement = requirementFor(req, query)
      if (toPage) {
        answers.redirect(res, `${path}?requirement=${encodeURIComponent(requirement)}`)
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
  throw new TypeError(`requireTwoFactor stands in front of ${target}: mount routes() before it`)
}

/** How a resource says to a client with a token that the login behind it is not enough (RFC 9470). */
function stepUpChallenge(maxAgeMs: number): Pick<Problem, 'status' | 'headers'> {
  const challenge =
    'Bearer error="insufficient_user_authentication", ' +
    'error_description="A fresh second factor is required", ' +
    `max_age="${Math.floor(maxAgeMs / 1_000)}"`
  return { status: 401, headers: { 'WWW-Authenticate': challenge } }
}
