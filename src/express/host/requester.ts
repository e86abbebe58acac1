import type { Request } from 'express'
import { TwoFactorError } from '../../errors.js'
import { isThenable } from '../../lib/promises.js'
import type { Sessions } from './sessions.js'

/** Returns the account that is signing in or signed in; null or undefined when there is none. */
export type SubjectOf = (req: Request) => SubjectName | null | undefined
export type SubjectName = string | number | bigint

const maxSubjectLength = 256

/** The subject as a string. Throws a TypeError for a value that cannot identify one. */
export function subjectText(name: SubjectName): string {
  if (typeof name === 'number' && !Number.isSafeInteger(name))
    throw wrongSubject('a number that is not a safe integer')
  if (typeof name !== 'string' && typeof name !== 'number' && typeof name !== 'bigint') {
    throw wrongSubject(
      isThenable(name)
        ? 'a promise; it must be synchronous, because the guard calls it on every request'
        : `a value of type ${typeof name}`,
    )
  }
  const subject = String(name)
  if (subject.length === 0 || subject.length > maxSubjectLength)
    throw wrongSubject(`a string of ${subject.length} characters`)
  return subject
}

/** The subject of this request, or undefined. */
export function readSubject(subjectOf: SubjectOf, req: Request): string | undefined {
  const name = subjectOf(req)
  return name === null || name === undefined ? undefined : subjectText(name)
}

function wrongSubject(what: string): TypeError {
  return new TypeError(
    `subject returned ${what}; it must return a string of 1 to ${maxSubjectLength} characters, a safe integer, a bigint, null or undefined`,
  )
}

/** Who makes the request, in which session. */
export interface Requester {
  readonly subject: string
  readonly session: string
}

/** Undefined for an anonymous request. Asked after `Sessions.open`. */
export type Identify = (req: Request) => Requester | undefined

export function createIdentify(subjectOf: SubjectOf, sessions: Sessions) {
  const identify: Identify = (req) => {
    const subject = readSubject(subjectOf, req)
    return subject === undefined ? undefined : { subject, session: sessions.idOf(req) }
  }
  return {
    identify,
    /** The same where nobody has opened the session yet. */
    async identifyLater(req: Request): Promise<Requester | undefined> {
      const subject = readSubject(subjectOf, req)
      if (subject === undefined) return undefined
      await sessions.open(req)
      return { subject, session: sessions.idOf(req) }
    },
  }
}

/** Throws `not_identified` for an anonymous request. */
export function identified(identify: Identify, req: Request): Requester {
  const requester = identify(req)
  if (requester === undefined) throw new TwoFactorError('not_identified')
  return requester
}
