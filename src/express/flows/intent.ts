import type { Request } from 'express'
import type { ChallengeView } from '../../challenge/commands.js'
import type { Purposes } from '../../challenge/purposes.js'
import { takesRecoveryCode } from '../guard/accepted.js'
import type { Issued, Requirement, Requirements } from '../guard/requirement.js'
import { oneString, type RequestContext } from '../http/request-body.js'
import { safePath } from '../http/return-path.js'
import { pageUrl } from '../pages/links.js'

/** What a request is for, as the form or link says that brought it along from the page before. */
export interface Intent {
  /** What a guard asks for, while its requirement is worth something. */
  readonly demand: Requirement | undefined
  /** What it asked for, also after its end. */
  readonly issued: Issued | undefined
  /** The token of the demand. */
  readonly requirement: string | undefined
  /** A requirement came along that is worth nothing any more. */
  readonly spent: boolean
  readonly purpose: string | undefined
  /** Where success leads. */
  readonly returnTo: string | undefined
  /** Id of the challenge that the person was shown. */
  readonly challenge: ChallengeView['id'] | undefined
}

/** Reads what requests of one lane are for. What cannot be read counts as absent. */
export interface Intents {
  of(context: RequestContext): Intent
  /** The page again, with what came along. */
  page(context: RequestContext): string
  /** The page of a code that was sent just now. */
  codePage(context: RequestContext): string
  /** Where this request wants to go after success. Asked before the session is renewed: requirements end with the old id. */
  back(context: RequestContext): string | undefined
}

export function createIntents(parts: {
  readonly basePathOf: (req: Request) => string
  readonly purposes: Purposes
  /** In the auth lane alone. */
  readonly requirements?: Requirements | undefined
}): Intents {
  const { basePathOf, purposes, requirements } = parts

  function of({ req, fields }: RequestContext): Intent {
    const token = oneString(fields, 'requirement')
    const issued = token === undefined ? undefined : requirements?.readIssued(req, token)
    const demand = requirements?.unexpired(issued)
    const spent = token !== undefined && demand === undefined
    const asked = safePath(oneString(fields, 'returnTo'))
    return {
      demand,
      issued,
      requirement: demand && token,
      spent,
      purpose: issued?.purpose ?? purposes.find(oneString(fields, 'purpose') ?? '')?.name,
      returnTo: demand?.returnTo ?? asked ?? (spent ? requirements?.returnPath(req, token) : undefined),
      challenge: oneString(fields, 'challenge'),
    }
  }

  return {
    of,

    page(context) {
      const { requirement, purpose, returnTo } = of(context)
      return pageUrl(basePathOf(context.req), { requirement, purpose, returnTo })
    },

    codePage(context) {
      const { demand, purpose, returnTo } = of(context)
      // Often the purpose says it all, and it never gets too old.
      const byPurpose = takesRecoveryCode(purposes.find(demand?.purpose ?? ''), undefined)
      const requirement =
        demand && saysMore(demand, byPurpose) ? requirements?.reissue(context.req, demand) : undefined
      return pageUrl(basePathOf(context.req), { requirement, purpose, returnTo })
    },

    back(context) {
      const { demand, returnTo } = of(context)
      const formId = demand?.formId
      return formId === undefined ? returnTo : pageUrl(basePathOf(context.req), { formId, returnTo })
    },
  }
}

/** Whether a requirement says more than its purpose does. */
function saysMore(requirement: Requirement, recoveryByPurpose: boolean): boolean {
  const { bound, details, methods, formId, recoveryCode } = requirement
  return (
    recoveryCode !== recoveryByPurpose ||
    [bound, details, methods, formId].some((particular) => particular !== undefined)
  )
}
