import type { Purposes } from '../../challenge/purposes.js'
import type { Issued, Requirement, Requirements } from '../guard/requirement.js'
import { oneString, type RequestContext } from '../http/request-body.js'
import { safePath } from '../http/return-path.js'

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
  readonly challenge: string | undefined
}

/** What cannot be read counts as absent. Read before the session is renewed: requirements end with its old id. */
export function readIntent(
  { req, fields }: RequestContext,
  /** In the auth lane alone. */
  requirements: Requirements | undefined,
  purposes: Purposes,
): Intent {
  const token = oneString(fields, 'requirement')
  const issued = token === undefined ? undefined : requirements?.readIssued(req, token)
  const demand = requirements?.unexpired(issued)
  const spent = token !== undefined && demand === undefined
  const given = safePath(oneString(fields, 'returnTo'))
  return {
    demand,
    issued,
    requirement: demand && token,
    spent,
    purpose: issued?.purpose ?? purposes.find(oneString(fields, 'purpose') ?? '')?.name,
    returnTo: demand?.returnTo ?? given ?? (spent ? requirements?.returnPath(req, token) : undefined),
    challenge: oneString(fields, 'challenge'),
  }
}
