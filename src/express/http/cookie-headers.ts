import type { Request, Response } from 'express'

/** The cookies of a request, in their order and as they came. */
export function cookiesIn({
  headers,
}: Request): readonly { readonly name: string; readonly value: string }[] {
  return (headers.cookie ?? '').split(';').flatMap((pair) => {
    const at = pair.indexOf('=')
    return at < 0 ? [] : [{ name: pair.slice(0, at).trim(), value: pair.slice(at + 1).trim() }]
  })
}

/** What a response sets up to now: a line for each cookie. */
export const cookiesSetBy = (res: Response): readonly string[] =>
  [res.getHeader('Set-Cookie') ?? []].flat().map(String)
