import type { Request } from 'express'
import { TwoFactorError } from '../../errors.js'
import { type SessionAdapter, sessionId } from './session.js'
import { readSubject, type SubjectOf } from './subject.js'

/** Who makes the request, in which session. */
export interface Requester {
  readonly subject: string
  readonly session: string
}

/** Undefined for an anonymous request. */
export type Identify = (req: Request) => Requester | undefined

export function createIdentify(subjectOf: SubjectOf, adapter: SessionAdapter): Identify {
  return (req) => {
    const subject = readSubject(subjectOf, req)
    return subject === undefined ? undefined : { subject, session: sessionId(adapter, req) }
  }
}

/** Throws `not_identified` for an anonymous request. */
export function identified(identify: Identify, req: Request): Requester {
  const requester = identify(req)
  if (requester === undefined) throw new TwoFactorError('not_identified')
  return requester
}
