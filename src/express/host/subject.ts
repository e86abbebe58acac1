import type { Request } from 'express'

/** Returns the account that is signing in or signed in; null or undefined when there is none. */
export type SubjectOf = (req: Request) => SubjectName | null | undefined
export type SubjectName = string | number | bigint

const maxLength = 256

/** The subject as a string. Throws a TypeError for a value that cannot identify one. */
export function subjectText(name: SubjectName): string {
  if (typeof name === 'number' && !Number.isSafeInteger(name))
    throw wrongSubject('a number that is not a safe integer')
  if (typeof name !== 'string' && typeof name !== 'number' && typeof name !== 'bigint') {
    const thenable = typeof (name as { then?: unknown } | null)?.then === 'function'
    throw wrongSubject(
      thenable
        ? 'a promise; it must be synchronous, because the guard calls it on every request'
        : `a value of type ${typeof name}`,
    )
  }
  const subject = String(name)
  if (subject.length === 0 || subject.length > maxLength)
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
    `subject returned ${what}; it must return a string of 1 to ${maxLength} characters, a safe integer, a bigint, null or undefined`,
  )
}
