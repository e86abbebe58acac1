import type { Request, Response } from 'express'
import { cookiesSetBy } from './cookie-headers.js'

/** Where browsers send the session cookie. */
export interface SessionCookie {
  /** True if it is sent from other sites, such as from a frame there. */
  readonly crossesSites: boolean
  /** True if it belongs to the site that frames the app (CHIPS). */
  readonly partitioned: boolean
}

interface CookieSettings {
  readonly sameSite?: unknown
  readonly partitioned?: unknown
}

/**
 * Returns where browsers send the session cookie, by the settings of express-session or cookie-session. Other session
 * libraries keep their settings to themselves. Then the cookies that this response sets so far show it, because a
 * success renews the session.
 */
export function sessionCookieOf(req: Request, res: Response): SessionCookie {
  const { session, sessionOptions } = req as Request & {
    session?: { readonly cookie?: CookieSettings } | null
    sessionOptions?: CookieSettings
  }
  const settings = session?.cookie ?? sessionOptions
  if (settings !== undefined) {
    const { sameSite, partitioned } = settings
    return { crossesSites: String(sameSite).toLowerCase() === 'none', partitioned: partitioned === true }
  }
  const set = cookiesSetBy(res)
  return {
    crossesSites: set.some((line) => /; *samesite=none/i.test(line)),
    partitioned: set.some((line) => /; *partitioned/i.test(line)),
  }
}
