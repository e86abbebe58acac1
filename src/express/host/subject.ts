import type { Request } from 'express'

/** How the host app names the account that is signing in or signed in; null and undefined are nobody. */
export type SubjectOf = (req: Request) => SubjectName | null | undefined
export type SubjectName = string | number | bigint

const longest = 256

/** One spelling for every subject. Throws a TypeError for what cannot name one. */
export function subjectText(name: SubjectName): string {
  if (typeof name === 'number' && !Number.isSafeInteger(name))
    throw wrongSubject('a number that is no safe integer')
  if (typeof name !== 'string' && typeof name !== 'number' && typeof name !== 'bigint') {
    const thenable = typeof (name as { then?: unknown } | null)?.then === 'function'
    throw wrongSubject(
      thenable
        ? 'a promise: it must answer at once, the guard asks on every request'
        : `of type ${typeof name}`,
    )
  }
  const text = String(name)
  if (text.length === 0 || text.length > longest) throw wrongSubject(`a text of ${text.length} characters`)
  return text
}

/** Who acts in this request, or undefined. */
export function readSubject(subjectOf: SubjectOf, req: Request): string | undefined {
  const name = subjectOf(req)
  return name === null || name === undefined ? undefined : subjectText(name)
}

function wrongSubject(what: string): TypeError {
  return new TypeError(
    `subject answered ${what}; it must be a text of 1 to ${longest} characters, an integer, a bigint, null or undefined.`,
  )
}
