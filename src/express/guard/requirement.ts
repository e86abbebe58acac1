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
import { findField, type RequestContext } from '../http/request-body.js'
import type { SitePaths } from '../http/site-paths.js'

/** Requirements of a guard in this session, with the way back to the refused request. */
export interface Requirement extends ProofRequirement {
  /** Path to return to. */
  readonly returnTo?: string | undefined
  /** True if the guard requires more than a sign-in. */
  readonly isStepUp?: boolean | undefined
  /** Page that the user came from, for a user who cancels a step-up. */
  readonly cameFrom?: string | undefined
  /** Id of the saved form to post after the code. */
  readonly formId?: string | undefined
  /** Details of the action for the user. */
  readonly details?: Details | undefined
  /** True if a correct code completes the action, with no form after it. */
  readonly completes?: boolean | undefined
}

/** Returns the challenge as a request with this requirement displays it. */
export function challengeFor(requirement: Requirement | undefined, challenge: ChallengeView): ChallengeView {
  const channels = acceptedChannels(challenge.channels, requirement)
  const details = challenge.details ?? requirement?.details
  return { ...challenge, channels, ...(details && { details }) }
}

/** Returns whether a requirement contains more than its purpose. */
export function saysMoreThanPurpose(requirement: Requirement, purpose: Purpose | undefined): boolean {
  const { bound, details, methods, formId, cameFrom, isStepUp, requireCode } = requirement
  return (
    isStepUp === (requirement.purpose === firstPurpose) ||
    // Without it, the next start would accept a trusted browser, which the guard refuses.
    (requireCode === true && purpose?.trustedDevice === true) ||
    [bound, details, methods, formId, cameFrom].some((particular) => particular !== undefined)
  )
}

/** A requirement with its account. */
export interface AddressedRequirement extends Requirement {
  readonly subject: string
}

/**
 * Content of an opened requirement token, with its times in milliseconds since 1970. The guard refused at `issuedAt`.
 */
export type RequirementClaims = AddressedRequirement & {
  readonly issuedAt: number
  readonly expiresAt: number
}

export type Requirements = ReturnType<typeof createRequirements>

const lifetimeMs = 10 * minuteMs

/**
 * Creates and reads requirement tokens. They travel through the browser, its history and the logs of proxies, so they
 * are sealed for one account in one session of one namespace: purpose and bound fields can be neither read nor changed
 * (tampering), nor used by the next account in the browser (IDOR).
 */
export function createRequirements(
  { namespace, secrets, now, limits }: Domain,
  /** Return session id and account of a request. Without either, no token is valid. */
  { sessionOf, subjectOf }: Record<'sessionOf' | 'subjectOf', (req: Request) => string | undefined>,
) {
  const contextOf = (sessionTag: string, subject: string) => `${namespace} ${sessionTag} ${hashId(subject)}`
  const tagOf = (req: Request) => hashId(String(sessionOf(req) ?? ''))

  /**
   * Returns the account, or undefined if `subject` throws, as it may for a user whom the app has just signed out. The
   * refusal still has a page. Before anything is done, `subject` is called again.
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
    // Sealed separately for any session: after a new sign-in, only the return path is still valid.
    return `${sealed}.${secrets.seal('return-path', path, namespace)}`
  }

  function claimsIn(token: string, sessionTag: string, subject: string): RequirementClaims | undefined {
    const [sealed = '', sealedPath, ...more] = token.split('.')
    const opened = secrets.open('requirement', sealed, contextOf(sessionTag, subject))
    if (opened === undefined || more.length > 0) return undefined
    const claims: RequirementClaims = { ...JSON.parse(opened), subject }
    // A token can be followed only by its own return path (tampering).
    const path =
      sealedPath === undefined ? undefined : (secrets.open('return-path', sealedPath, namespace) ?? '')
    return path === pathOf(claims) ? claims : undefined
  }

  return {
    /** Issues a token that only this account can use, in this session, for ten minutes. */
    issue: (req: Request, requirement: AddressedRequirement) => tokenFor(req, requirement, lifetimeMs),
    /**
     * Issues the token again, so that it outlives a code that was just sent, and the next code has the same bound
     * fields.
     */
    reissue: (req: Request, requirement: AddressedRequirement) =>
      tokenFor(req, requirement, limits.codeLifetimeMs + lifetimeMs),

    /** Reads a token, also after its expiry. Returns undefined for any other text, account or session. */
    readIssued(req: Request, token: string): RequirementClaims | undefined {
      const subject = subjectIfAny(req)
      return subject === undefined ? undefined : claimsIn(token, tagOf(req), subject)
    },
    /** Like `readIssued`, for a token of this account in any of these sessions (tags). */
    readIssuedFor: (subject: string, sessions: readonly string[], token: string) =>
      sessions.map((tag) => claimsIn(token, tag, subject)).find((claims) => claims !== undefined),

    /** Returns whether a token has not expired. */
    isLive: (requirement: RequirementClaims) => now() < requirement.expiresAt,

    /** Returns the return path of a token of any session, without its query. */
    returnPath: (token: string) =>
      secrets.open('return-path', token.slice(token.indexOf('.') + 1), namespace),
  }
}

/** Returns the path without its query, which may contain secrets of the session. */
function pathOf({ returnTo }: Requirement): string | undefined {
  return returnTo?.replace(/\?.*/, '')
}

/** Input of a request, as the form or link of the previous page describes it. */
export interface PageIntent {
  /** The guard's requirement, if it is valid. */
  readonly requirement: RequirementClaims | undefined
  /** The guard's requirement, also after its expiry. */
  readonly issuedRequirement: RequirementClaims | undefined
  /** Token of the requirement. */
  readonly requirementToken: string | undefined
  /** True if the request contained a requirement that is no longer valid. */
  readonly isExpired: boolean
  readonly purpose: string | undefined
  /** Path after success. */
  readonly returnTo: string | undefined
  /** Id of the displayed challenge. */
  readonly challenge: string | undefined
}

/**
 * Reads the intent of a request. An unreadable member counts as absent. It must run before the session is renewed,
 * because requirements end with the old id.
 */
export function readIntent(
  { req, fields }: RequestContext,
  parts: { readonly requirements?: Requirements | undefined; readonly fromBrowser: SitePaths['fromBrowser'] },
  purposes: Purposes,
): PageIntent {
  const { requirements, fromBrowser } = parts
  const token = findField(fields, 'requirement')
  const issuedRequirement = token === undefined ? undefined : requirements?.readIssued(req, token)
  const requirement =
    issuedRequirement && requirements?.isLive(issuedRequirement) ? issuedRequirement : undefined
  const isExpired = token !== undefined && requirement === undefined
  const given = fromBrowser(findField(fields, 'returnTo'))
  return {
    requirement,
    issuedRequirement,
    requirementToken: requirement && token,
    isExpired,
    purpose: issuedRequirement?.purpose ?? purposes.find(findField(fields, 'purpose') ?? '')?.name,
    returnTo:
      requirement?.returnTo ??
      given ??
      issuedRequirement?.returnTo ??
      (isExpired ? requirements?.returnPath(token) : undefined),
    challenge: findField(fields, 'challenge'),
  }
}
