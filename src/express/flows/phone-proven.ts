import type { Enrolments } from '../../challenge/proofs/enrolment.js'
import { readSubject, type Sessions, type SubjectOf } from '../host/requester.js'
import { pathAfter, type SuccessPath } from '../http/return-path.js'
import type { ProvenNumber } from './phone-verification.js'
import { earliest, type FindProven } from './proven.js'

/** Phone verification: a proof that was not redeemed yet. */
export function createFindProof(parts: {
  readonly purpose: string
  readonly sessions: Sessions
  readonly subjectOf: SubjectOf
  readonly enrolments: Enrolments
  readonly successPath: SuccessPath<ProvenNumber> | undefined
  readonly codeLifetimeMs: number
  readonly now: () => number
}): FindProven {
  const { purpose, sessions, subjectOf, enrolments } = parts

  return async ({ req }) => {
    const proof = await enrolments.peek(sessions.idOf(req), purpose, readSubject(subjectOf, req))
    if (proof === undefined || proof.verifiedAt < earliest(req, parts)) return undefined
    return { successPath: await pathAfter(parts.successPath, { purpose, ...proof }) }
  }
}
