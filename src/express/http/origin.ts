import type { Request } from 'express'
import { isPlainObject } from '../../lib/json.js'
import { optionError } from '../../lib/options.js'
import { isForm, oneString } from './request-body.js'

// The site of the app: which requests come from a page of it (CSRF), and which paths lead to one (open redirect).

/**
 * Returns whether another site made the browser send this request (CSRF), so that forms need no token.
 *
 * Browsers state the origin of a request (Fetch Metadata, `Origin`), and no page can forge these headers.
 * `Sec-Fetch-Site` is checked first, because a page with the referrer policy `no-referrer` sends `Origin: null` even to
 * its own site.
 */
export function isCrossSite(req: Request, allowedOrigins: readonly string[]): boolean {
  const { origin } = req.headers
  if (origin !== undefined && allowedOrigins.includes(origin)) return false
  const site = req.headers['sec-fetch-site']
  if (site !== undefined) return site !== 'same-origin' && site !== 'none'
  // Without either header the client is no browser, so it sends no cookie of a victim.
  return origin !== undefined && !isSameOrigin(req, origin)
}

/**
 * Returns whether a page of this origin certainly posted the form. Only then may a code be sent without a click (SMS
 * pumping).
 */
export function isOwnForm(req: Request): boolean {
  if (req.method !== 'POST' || !isForm(req)) return false
  const { origin, 'sec-fetch-site': site } = req.headers
  return site === undefined ? origin !== undefined && isSameOrigin(req, origin) : site === 'same-origin'
}

/** Returns whether a URL belongs to the site that received this request. */
function isSameOrigin(req: Request, url: string): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, host } = new URL(url)
  // Behind a proxy that terminates TLS, Express sees https as http without `trust proxy`.
  const sameScheme = protocol === `${req.protocol}:` || (protocol === 'https:' && req.protocol === 'http')
  const ours = hostOf(req)
  // A request of HTTP/1.0 may name no host, and then matches no site.
  if (ours === undefined || !URL.canParse(`${protocol}//${ours}`)) return false
  // Proxies may add the default port, which an origin omits.
  return sameScheme && new URL(`${protocol}//${ours}`).host === host
}

function hostOf(req: Request): string | undefined {
  const forwarded = req.app.enabled('trust proxy') ? req.get('x-forwarded-host') : undefined
  // A bridge from HTTP/2 may pass its pseudo-header only (RFC 9113, 8.3.1).
  const authority: unknown = req.headers.host ?? req.headers[':authority']
  return forwarded?.split(',')[0] ?? (typeof authority === 'string' ? authority : undefined)
}

const maxLength = 4_096

/**
 * Returns the text if it is a path on this site, or undefined (open redirect). The path becomes a `Location` header, so
 * everything that a browser might resolve to another site is refused: `//host`, `/\host`, tabs and line breaks (which
 * browsers drop), non-ASCII characters.
 *
 * The path is returned unchanged: `/.//host` is on this site, and its normalized form `//host` is not.
 */
export function safePath(text: string | undefined): string | undefined {
  if (text === undefined || !/^\/(?!\/)[!-[\]-~]*$/.test(text)) return undefined
  if (text.length <= maxLength) return text
  tellTooLong()
  return undefined
}

let isTold = false

/** Once per process: users would wonder why they do not return to their page. */
function tellTooLong(): void {
  if (isTold) return
  isTold = true
  process.emitWarning(
    `A way back of more than ${maxLength} characters was dropped: after the code, people land at successPath. Keep long state out of the address.`,
    'TwoFactorWarning',
  )
}

/** Returns whether a redirect can repeat this request after the code. A form post cannot be repeated. */
export function isRepeatable({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD'
}

/**
 * Returns the path after the code: the requested page, or the page of the interrupted form. The app names the form's
 * page, otherwise the form's `returnTo` or the Referer does. A page with the referrer policy `no-referrer` sends none.
 */
export function returnPathOf(req: Request, formPath?: string): string | undefined {
  if (isRepeatable(req)) return safePath(req.originalUrl)
  return safePath(formPath) ?? postedPath(req.body) ?? refererPath(req)
}

/** Returns the page whose link was followed. Undefined for the requested page itself, and for pages below the mount. */
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

/** Stores the paths after a sign-in or step-up. One verify route completes the challenges of several start routes. */
export function createSuccessPaths() {
  const paths = new Map<string | undefined, string>()
  return {
    /** Sets the path of one purpose. Without a purpose, of every purpose without its own. */
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
    /** Returns the path of a purpose, or undefined if none is set. */
    of: (purpose: string) => paths.get(purpose) ?? paths.get(undefined),
  }
}

/** Returns whether an option is a path of this site (open redirect). */
export function isPath(value: unknown): value is string {
  return typeof value === 'string' && safePath(value) !== undefined
}
