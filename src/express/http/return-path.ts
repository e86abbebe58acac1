import type { Request } from 'express'
import { isPlainObject } from '../../lib/json.js'
import { optionError } from '../../lib/options.js'
import { isSameOrigin } from './origin.js'
import { oneString } from './request-body.js'

const maxLength = 1_024

/**
 * The string if it is a path on this site, else undefined (open redirect). It ends up in a `Location`
 * header, so everything that a browser might resolve to another site is refused: `//host`, `/\host`,
 * tabs and line breaks (which browsers drop), non-ASCII characters.
 *
 * Returned as it is, never normalized: `/.//host` is on this site, its normalized form `//host` is not.
 */
export function safePath(text: string | undefined): string | undefined {
  if (text === undefined || text.length > maxLength) return undefined
  return /^\/(?!\/)[!-[\]-~]*$/.test(text) ? text : undefined
}

/** Whether a redirect can repeat this request after the code. A form post cannot be repeated. */
export function isRepeatable({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD'
}

/**
 * Where to continue after the code: at the requested page, or at the page with the interrupted form. The form's
 * page is the host's word for it, else the `returnTo` that the form brought, else the Referer, which a page with
 * the referrer policy `no-referrer` does not send.
 */
export function returnPathOf(req: Request, formPath?: string): string | undefined {
  if (isRepeatable(req)) return safePath(req.originalUrl)
  return safePath(formPath) ?? postedPath(req.body) ?? refererPath(req)
}

/** The page that a link of this site was on; undefined for the requested page itself, and for pages below the mount. */
export function pageBefore(req: Request, mount: string): string | undefined {
  const path = refererPath(req)
  const isOwn = path === req.originalUrl || `${path?.replace(/\?.*/, '')}/`.startsWith(`${mount}/`)
  return isOwn ? undefined : path
}

function postedPath(body: unknown): string | undefined {
  return isPlainObject(body) ? safePath(oneString(body, 'returnTo')) : undefined
}

function refererPath(req: Request): string | undefined {
  const { referer } = req.headers
  if (referer === undefined || !isSameOrigin(req, referer)) return undefined
  const { pathname, search } = new URL(referer)
  return safePath(pathname + search)
}

/** Where success of a sign-in or step-up leads. One verify route completes what several start routes began. */
export function createSuccessPaths() {
  const paths = new Map<string | undefined, string>()
  return {
    /** For one purpose; without a name for every purpose that has none of its own. */
    add(where: string, purpose: string | undefined, path: string | undefined): void {
      if (path === undefined) return
      if ((paths.get(purpose) ?? path) !== path) {
        const what = purpose === undefined ? 'every purpose' : `the purpose "${purpose}"`
        throw optionError(
          `${where}: ${what} has another successPath already; send returnTo with the form instead`,
        )
      }
      paths.set(purpose, path)
    },
    /** Where a proof for this purpose leads; undefined when nobody said. */
    of: (purpose: string) => paths.get(purpose) ?? paths.get(undefined),
  }
}

/** Whether an option can be used that is a path of this site (open redirect). */
export function isPath(value: unknown): value is string {
  return typeof value === 'string' && safePath(value) !== undefined
}
