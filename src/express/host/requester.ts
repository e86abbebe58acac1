import type { Request } from 'express'
import { TwoFactorError } from '../../errors.js'
import { type SessionAdapter, sessionId } from './session.js'
import { readSubject, type SubjectOf } from './subject.js'

/** Who asks, in which session. */
export interface Requester {
  readonly subject: string
  readonly session: string
}

/** Undefined when nobody is signing in or signed in. */
export type Identify = (req: Request) => Requester | undefined

export function createIdentify(subjectOf: SubjectOf, adapter: SessionAdapter): Identify {
  return (req) => {
    const subject = readSubject(subjectOf, req)
    return subject === undefined ? undefined : { subject, session: sessionId(adapter, req) }
  }
}

/** Throws `not_identified` for nobody. */
export function identified(identify: Identify, req: Request): Requester {
  const requester = identify(req)
  if (requester === undefined) throw new TwoFactorError('not_identified')
  return requester
}
