import type { Request, Response } from 'express'

/** Returns the cookies of a request in their order, undecoded. */
export function cookiesIn({
  headers,
}: Request): readonly { readonly name: string; readonly value: string }[] {
  return (headers.cookie ?? '').split(';').flatMap((pair) => {
    const at = pair.indexOf('=')
    return at < 0 ? [] : [{ name: pair.slice(0, at).trim(), value: pair.slice(at + 1).trim() }]
  })
}

/** Returns the lines by which a response sets cookies so far. */
export const cookiesSetBy = (res: Response): readonly string[] =>
  [res.getHeader('Set-Cookie') ?? []].flat().map(String)
