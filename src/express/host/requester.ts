import type { Request } from 'express'
import { TwoFactorError } from '../../errors.js'
import type { Sessions } from './sessions.js'
import { readSubject, type SubjectOf } from './subject.js'

/** Who makes the request, in which session. */
export interface Requester {
  readonly subject: string
  readonly session: string
}

/** Undefined for an anonymous request. Asked after `Sessions.open`. */
export type Identify = (req: Request) => Requester | undefined

export function createIdentify(subjectOf: SubjectOf, sessions: Sessions): Identify {
  return (req) => {
    const subject = readSubject(subjectOf, req)
    return subject === undefined ? undefined : { subject, session: sessions.idOf(req) }
  }
}

/** The same where nobody has opened the session yet. */
export type IdentifyLater = (req: Request) => Promise<Requester | undefined>

export function createIdentifyLater(subjectOf: SubjectOf, sessions: Sessions): IdentifyLater {
  return async (req) => {
    const subject = readSubject(subjectOf, req)
    if (subject === undefined) return undefined
    await sessions.open(req)
    return { subject, session: sessions.idOf(req) }
  }
}

/** Throws `not_identified` for an anonymous request. */
export function identified(identify: Identify, req: Request): Requester {
  const requester = identify(req)
  if (requester === undefined) throw new TwoFactorError('not_identified')
  return requester
}
