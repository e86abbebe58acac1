import type { Request } from 'express'
import type { ChallengeView } from '../../challenge/commands.js'
import type { Domain } from '../../challenge/domain.js'
import type { Details } from '../../challenge/exchange/code-provider.js'
import { hashId } from '../../challenge/keys.js'
import {
  acceptedChannels,
  firstPurpose,
  type ProofRequirement,
  type Purpose,
  type Purposes,
} from '../../challenge/purposes.js'
import { minuteMs } from '../../lib/time.js'
import { safePath } from '../http/origin.js'
import { oneString, type RequestContext } from '../http/request-body.js'

/** What a guard asks for in this session, and what it remembers of the request that it refused. */
export interface Requirement extends ProofRequirement {
  /** Path to come back to. */
  readonly returnTo?: string | undefined
  /** Whether more is asked for than a sign-in. */
  readonly isStepUp?: boolean | undefined
  /** The page that the person came from, where one who gives up a step-up goes back to. */
  readonly cameFrom?: string | undefined
  /** The form that waits for this proof, to be posted again after it. */
  readonly formId?: string | undefined
  /** What the person is shown of the action. */
  readonly details?: Details | undefined
  /** Whether the right code alone completes the action: nothing is submitted after it. */
  readonly completes?: boolean | undefined
}

/** The challenge as it is shown to a request that came with this requirement. */
export function challengeFor(demand: Requirement | undefined, challenge: ChallengeView): ChallengeView {
  const channels = acceptedChannels(challenge.channels, demand)
  const details = challenge.details ?? demand?.details
  return { ...challenge, channels, ...(details && { details }) }
}

/** Whether a requirement says more than its purpose does. */
export function saysMoreThanPurpose(requirement: Requirement, purpose: Purpose | undefined): boolean {
  const { bound, details, methods, formId, cameFrom, isStepUp, requireCode } = requirement
  return (
    isStepUp === (requirement.purpose === firstPurpose) ||
    // Without it the next start would take a trusted browser, which the guard refuses.
    (requireCode === true && purpose?.trustedDevice === true) ||
    [bound, details, methods, formId, cameFrom].some((particular) => particular !== undefined)
  )
}

/** A requirement, and the account that it is asked of. */
export interface AddressedRequirement extends Requirement {
  readonly subject: string
}

/** The same with its life, in milliseconds since 1970. The guard refused when it was issued. */
export type RequirementClaims = AddressedRequirement & {
  readonly issuedAt: number
  readonly expiresAt: number
}

export type Requirements = ReturnType<typeof createRequirements>

const lifetimeMs = 10 * minuteMs

/**
 * Requirements travel through the browser, its history and the logs of proxies. They are sealed for one account in one
 * session of one namespace, so that purpose and bound fields can be neither read nor changed (tampering), nor by
 * whoever signs in after that account (IDOR).
 */
export function createRequirements(
  { namespace, secrets, now, limits }: Domain,
  /** The session's id and the account, where the request has them: without either no token is valid. */
  { sessionOf, subjectOf }: Record<'sessionOf' | 'subjectOf', (req: Request) => string | undefined>,
) {
  const contextOf = (sessionTag: string, subject: string) => `${namespace} ${sessionTag} ${hashId(subject)}`
  const tagOf = (req: Request) => hashId(String(sessionOf(req) ?? ''))

  /**
   * Nobody where the host throws, as it may for somebody whom it has just signed out: that refusal still has a page.
   * Before anybody acts, the host is asked again.
   */
  function subjectIfAny(req: Request): string | undefined {
    try {
      return subjectOf(req)
    } catch {
      return undefined
    }
  }

  function tokenFor(req: Request, { subject, ...requirement }: AddressedRequirement, forMs: number): string {
    const issuedAt = now()
    const claims: Omit<RequirementClaims, 'subject'> = {
      ...requirement,
      issuedAt,
      expiresAt: issuedAt + forMs,
    }
    const sealed = secrets.seal('requirement', JSON.stringify(claims), contextOf(tagOf(req), subject))
    const path = pathOf(requirement)
    if (path === undefined) return sealed
    // Sealed separately, for any session: after a new sign-in only the return path is still valid.
    return `${sealed}.${secrets.seal('return-path', path, namespace)}`
  }

  function claimsIn(token: string, sessionTag: string, subject: string): RequirementClaims | undefined {
    const [sealed = '', way, ...more] = token.split('.')
    const opened = secrets.open('requirement', sealed, contextOf(sessionTag, subject))
    if (opened === undefined || more.length > 0) return undefined
    const claims: RequirementClaims = { ...JSON.parse(opened), subject }
    // Tampering: nothing may stand behind a token but its own return path.
    const path = way === undefined ? undefined : (secrets.open('return-path', way, namespace) ?? '')
    return path === pathOf(claims) ? claims : undefined
  }

  return {
    /** A token that only this account can use, in the session of this request, for ten minutes. */
    issue: (req: Request, requirement: AddressedRequirement) => tokenFor(req, requirement, lifetimeMs),
    /** The same, but it outlives a code sent just now, so that the code after it is bound alike. */
    reissue: (req: Request, requirement: AddressedRequirement) =>
      tokenFor(req, requirement, limits.codeLifetimeMs + lifetimeMs),

    /** What the token asked for, also after its end; undefined when it is not ours, or of another account or session. */
    readIssued(req: Request, token: string): RequirementClaims | undefined {
      const subject = subjectIfAny(req)
      return subject === undefined ? undefined : claimsIn(token, tagOf(req), subject)
    },
    /** The same of one that this subject was asked in any of these sessions (tags). */
    readIssuedFor: (subject: string, sessions: readonly string[], token: string) =>
      sessions.map((tag) => claimsIn(token, tag, subject)).find((claims) => claims !== undefined),

    /** Whether it is still worth a proof. */
    isLive: (issued: RequirementClaims) => now() < issued.expiresAt,

    /** The return path of a token of any session, without its query. */
    returnPath: (token: string) =>
      secrets.open('return-path', token.slice(token.indexOf('.') + 1), namespace),
  }
}

/** The return path without its query, which may hold what only this session may know. */
function pathOf({ returnTo }: Requirement): string | undefined {
  return returnTo?.replace(/\?.*/, '')
}

/** What a request is for, as the form or link says that brought it along from the page before. */
export interface PageIntent {
  /** What a guard asks for, while its requirement is worth something. */
  readonly demand: RequirementClaims | undefined
  /** What it asked for, also after its end. */
  readonly issued: RequirementClaims | undefined
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
  { requirements }: { readonly requirements?: Requirements | undefined },
  purposes: Purposes,
): PageIntent {
  const token = oneString(fields, 'requirement')
  const issued = token === undefined ? undefined : requirements?.readIssued(req, token)
  const demand = issued && requirements?.isLive(issued) ? issued : undefined
  const spent = token !== undefined && demand === undefined
  const given = safePath(oneString(fields, 'returnTo'))
  return {
    demand,
    issued,
    requirement: demand && token,
    spent,
    purpose: issued?.purpose ?? purposes.find(oneString(fields, 'purpose') ?? '')?.name,
    returnTo:
      demand?.returnTo ?? given ?? issued?.returnTo ?? (spent ? requirements?.returnPath(token) : undefined),
    challenge: oneString(fields, 'challenge'),
  }
}
