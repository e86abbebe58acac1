import type { Request } from 'express'
import { isPlainObject } from '../../lib/json.js'
import { isSameOrigin } from './origin.js'
import { findField } from './request-body.js'

// Paths of this site (open redirect), as the app names them and as a browser sees them.

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
  warnTooLong()
  return undefined
}

/** Returns whether an option is a path of this site (open redirect). */
export function isPath(value: unknown): value is string {
  return typeof value === 'string' && safePath(value) !== undefined
}

let hasWarned = false

/** Once per process: users would wonder why they do not return to their page. */
function warnTooLong(): void {
  if (hasWarned) return
  hasWarned = true
  process.emitWarning(
    `A returnTo of more than ${maxLength} characters was ignored: after the code, users are redirected to successPath. Keep long state out of the URL.`,
    'TwoFactorWarning',
  )
}

/** Returns whether a redirect can repeat this request after the code. A form post cannot be repeated. */
export function isRepeatable({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD'
}

export type SitePaths = ReturnType<typeof createSitePaths>

/**
 * Creates the only functions that read and write paths of browsers. A proxy removes `prefix` from the front of every
 * path, so a path of the app gets it back, and a path of a browser must lie under it.
 */
export function createSitePaths(prefix: string) {
  /** Returns the path that a browser requests for a path of the app. */
  const toBrowser = (appPath: string): string => prefix + appPath

  /** As `toBrowser`, for a path that your app or Express names; undefined for anything but a path of this site. */
  function fromApp(path: string | undefined): string | undefined {
    const safe = safePath(path)
    return safe === undefined ? undefined : toBrowser(safe)
  }

  /** Returns a path that a browser sent, or undefined outside of this site and this prefix (open redirect). */
  function fromBrowser(path: string | undefined): string | undefined {
    const safe = safePath(path)
    return safe !== undefined && isUnder(prefix, safe) ? safe : undefined
  }

  const postedPath = (body: unknown): string | undefined =>
    isPlainObject(body) ? fromBrowser(findField(body, 'returnTo')) : undefined

  function refererPath(req: Request): string | undefined {
    const { referer } = req.headers
    if (referer === undefined || !isSameOrigin(req, referer)) return undefined
    const { pathname, search } = new URL(referer)
    return fromBrowser(pathname + search)
  }

  return {
    prefix,
    toBrowser,
    fromApp,
    fromBrowser,
    /** Returns the mount of the router that handles this request; empty at the root. */
    mountOf: ({ baseUrl }: Request): string => fromApp(baseUrl) ?? prefix,

    /**
     * Returns the path after the code: the requested page, or the page of the interrupted form. The app names the
     * form's page, otherwise the form's `returnTo` or the Referer does. A page with the referrer policy `no-referrer`
     * sends none.
     */
    returnPathOf(req: Request, formPath?: string): string | undefined {
      if (isRepeatable(req)) return fromApp(req.originalUrl)
      return fromApp(formPath) ?? postedPath(req.body) ?? refererPath(req)
    },

    /** Returns the page whose link was followed. Undefined for the requested page itself, and for pages below the mount. */
    pageBefore(req: Request, mount: string): string | undefined {
      const path = refererPath(req)
      const isOwn =
        path === toBrowser(req.originalUrl) || `${path?.replace(/\?.*/, '')}/`.startsWith(`${mount}/`)
      return isOwn ? undefined : path
    },
  }
}

/** Returns whether a path lies under a prefix by whole segments, however browser and proxy resolve it. */
function isUnder(prefix: string, path: string): boolean {
  if (prefix === '') return true
  const [pathname = ''] = path.split(/[?#]/)
  if (pathname !== prefix && !pathname.startsWith(`${prefix}/`)) return false
  // Dot segments leave the prefix, and the app would read the rest of `/shop//host` as another site, to which browsers
  // shorten `/shop/.//host`.
  return !/\.\.|\/\.(?:\/|$)|%2e/i.test(pathname) && !pathname.startsWith(`${prefix}//`)
}
