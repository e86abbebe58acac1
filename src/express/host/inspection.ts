import type { Request } from 'express'
import type { Warn } from './warnings.js'

/** Warns, on the first request, about settings that only a running app reveals. */
export function createInspection(warn: Warn): (req: Request) => void {
  let inspected = false
  return (req) => {
    if (inspected) return
    inspected = true
    if (req.app.get('trust proxy') === true) warn('TWO_FACTOR_TRUST_PROXY_ALL')
    const cookie = sessionCookieOf(req)
    if (cookie === undefined) return
    const overTls = req.secure || process.env.NODE_ENV === 'production'
    if (overTls && cookie.secure !== true) warn('TWO_FACTOR_COOKIE_NOT_SECURE')
    if (![true, 'lax', 'strict'].includes(cookie.sameSite as never)) warn('TWO_FACTOR_COOKIE_SAME_SITE')
  }
}

/** The settings of the session's cookie, as express-session keeps them. */
function sessionCookieOf(
  req: Request,
): { readonly secure?: unknown; readonly sameSite?: unknown } | undefined {
  const { session } = req as Request & { session?: { cookie?: object } | null }
  return session?.cookie
}
