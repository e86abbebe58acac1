import type { Enrolments } from '../../challenge/proofs/enrolment.js'
import type { Grants } from '../../challenge/proofs/grants.js'
import type { Requirements } from '../guard/requirement.js'
import { type Identify, readSubject, type Sessions, type SubjectOf } from '../host/requester.js'
import { type RequestContext, text } from '../http/request-body.js'
import { isRepeatable, type SuccessPaths } from '../http/return-path.js'

/** That this session has proven what a page asks for: in another tab. */
export interface Proven {
  /** The path that the guard wanted to come back to. */
  readonly returnTo?: string | undefined
  /** Where success leads when no request says so. */
  readonly successPath?: string | undefined
}

/**
 * What this session has proven since the page was made; undefined when nothing that fits. It decides which page is
 * shown, never who is let in. `untypedSince`: when the last code was sent that nobody has typed.
 */
export type FindProven = (context: RequestContext, untypedSince: number) => Promise<Proven | undefined>

/** Sign-in and step-up: a grant that came after the requirement, or after the last code that was sent. */
export function createFindGrant(parts: {
  readonly identify: Identify
  readonly grants: Grants
  readonly requirements: Requirements
  readonly successPaths: SuccessPaths
  readonly codeLifetimeMs: number
  readonly now: () => number
}): FindProven {
  const { identify, grants, requirements, successPaths, now } = parts

  return async ({ req, fields }, untypedSince) => {
    const who = identify(req)
    if (who === undefined) return undefined
    const token = text(fields, 'requirement')
    const asked = token && requirements.readIssued(req, token, await grants.earlierSessions(who))
    // IDOR: issued for another session than those that became this one.
    if (token !== undefined && !asked) return undefined
    const { issuedAt, returnTo, ...required } = asked || {
      purpose: text(fields, 'purpose') ?? 'login',
      issuedAt: Math.max(untypedSince, earliest(req, parts)),
      returnTo: undefined,
      recoveryCode: true,
    }
    const grant = await grants.read({ ...who, ...required, maxAgeMs: now() - issuedAt + 1 })
    return grant && { returnTo, successPath: successPaths.of(grant.purpose) }
  }
}

/** A number that the person in this session has just proven to own. */
export interface ProvenPhone {
  /** E.164. */
  readonly phone: string
  /** Milliseconds since 1970. */
  readonly verifiedAt: number
}

/** Phone verification: a proof that was not redeemed yet. */
export function createFindProof(parts: {
  readonly purpose: string
  readonly sessions: Sessions
  readonly subjectOf: SubjectOf
  readonly enrolments: Enrolments
  readonly successPath: string | undefined
  readonly codeLifetimeMs: number
  readonly now: () => number
}): FindProven {
  const { purpose, sessions, subjectOf, enrolments, successPath } = parts

  return async ({ req }) => {
    const proof = await enrolments.peek(sessions.idOf(req), purpose, readSubject(subjectOf, req))
    if (proof === undefined || proof.verifiedAt < earliest(req, parts)) return undefined
    return { successPath }
  }
}

/** Whoever opens the page later than a code lives wants to prove something anew; an old form never does. */
function earliest(
  req: RequestContext['req'],
  { codeLifetimeMs, now }: { readonly codeLifetimeMs: number; readonly now: () => number },
): number {
  return isRepeatable(req) ? now() - codeLifetimeMs : 0
}
