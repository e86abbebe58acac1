import type { Request } from 'express'
import { isSameOrigin } from './origin-check.js'

const longest = 1_024

/**
 * The text when it is a path on this site, else undefined. It ends up in a `Location` header, so
 * everything that a browser might read as another site is refused: `//host`, `/\host`, tabs and
 * line ends (which browsers drop), other scripts.
 *
 * The text itself is handed back, never its normal form: `/.//host` is this site's, its normal
 * form `//host` is not.
 */
export function safePath(text: string | undefined): string | undefined {
  if (text === undefined || text.length > longest) return undefined
  return /^\/(?!\/)[!-[\]-~]*$/.test(text) ? text : undefined
}

/** Whether a request can be asked for again after the code. A form cannot: the page that held it stays. */
export function isRepeatable({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD'
}

/**
 * Where a person belongs after the code: the page that was asked for, or the page that held the
 * interrupted form.
 */
export function returnPathOf(req: Request): string | undefined {
  if (isRepeatable(req)) return safePath(req.originalUrl)
  const { referer } = req.headers
  if (referer === undefined || !isSameOrigin(req, referer)) return undefined
  const { pathname, search } = new URL(referer)
  return safePath(pathname + search)
}
