import type { Request, Response } from 'express'
import { TwoFactorError } from '../../errors.js'
import { checkOptions, func, optionError } from '../../lib/options.js'

/**
 * How the host's session is found and renewed. Any session library fits that exposes an id and can
 * renew it.
 *
 * @example
 * // cookie-session keeps no id of its own: keep one in it.
 * const session: SessionAdapter = {
 *   id: (req) => req.session?.sid,
 *   regenerate: (req) => { req.session.sid = randomUUID() },
 *   save: (req) => { req.session.sid ??= randomUUID() },
 * }
 */
export interface SessionAdapter {
  /**
   * The session's id; undefined when this request has none. Where it takes a promise, the guard takes one too,
   * and `id` itself has to make the first id of a session: `save` is then asked for nothing but saving it.
   */
  id(req: Request): string | undefined | Promise<string | undefined>
  /**
   * Gives the session a new id, keeps the host's data and has saved both when it resolves. Rejects
   * when it cannot: the request then gets 503 and no access.
   */
  regenerate(req: Request, res: Response): void | Promise<void>
  /**
   * Makes an anonymous session be saved, so that its id comes back with the next request. The id must be
   * there at once; saving it may take a promise. What it has put into `req.session` is taken out again after a
   * request that leaves nothing behind for the next one.
   */
  save?(req: Request, res: Response): void | Promise<void>
  /** The id comes from a bearer token, which no other site can plant in a browser: it need not be renewed. */
  readonly bearer?: boolean
}

/** What express-session puts on a request. */
interface ExpressSession {
  readonly id: string
  readonly cookie: { readonly originalMaxAge?: number | null; maxAge?: number | null }
  twoFactor?: unknown
  regenerate(done: (error?: unknown) => void): void
  save(done: (error?: unknown) => void): void
}

interface ExpressSessionStore {
  get(id: string, done: (error: unknown, session?: unknown) => void): void
}

/**
 * Sessions of express-session: the default.
 *
 * @example
 * twoFactor({ session: expressSession() })
 */
export function expressSession(): SessionAdapter {
  return {
    id(req) {
      refuseUnmounted(req)
      return sessionOf(req)?.id
    },

    async regenerate(req) {
      const old = sessionOf(req)
      if (old === undefined) throw new TwoFactorError('session_unavailable')
      const { cookie, ...hostData } = old
      await refuseDestroyed(req, old.id)
      await settled((done) => old.regenerate(done))
      const renewed = sessionOf(req)
      if (renewed === undefined || renewed.id === old.id) throw new TwoFactorError('session_unavailable')
      Object.assign(renewed, hostData)
      // How long it is remembered is the host's choice too; it may differ from person to person.
      if (cookie.originalMaxAge !== undefined) renewed.cookie.maxAge = cookie.originalMaxAge
      await settled((done) => renewed.save(done))
    },

    save(req) {
      const session = sessionOf(req)
      // With `saveUninitialized: false` only a session that holds something is saved.
      const holds = Object.keys(session ?? {}).filter((name) => name !== 'cookie')
      if (session !== undefined && holds.length === 0) session.twoFactor = true
    },
  }
}

/**
 * For requests that carry a bearer token instead of a cookie: `idOf` returns the id of the login that
 * the token belongs to. Nothing is renewed, and a request without `Authorization: Bearer` is refused,
 * because a cookie that is never renewed could have been planted by an attacker (session fixation).
 *
 * @example
 * twoFactor({ session: tokenSession((req) => req.auth?.payload.sid) })
 */
export function tokenSession(idOf: SessionAdapter['id']): SessionAdapter {
  checkOptions('tokenSession', { idOf }, { idOf: func('(req) => id') }, ['idOf'])
  return {
    id(req) {
      if (!carriesBearer(req)) throw new TwoFactorError('not_identified')
      return idOf(req)
    },
    regenerate() {},
    bearer: true,
  }
}

export function carriesBearer(req: Request): boolean {
  return /^bearer /i.test(req.headers.authorization ?? '')
}

/** Without this, a request of somebody signed in would look like that of nobody. */
function refuseUnmounted(req: Request): void {
  const { session, sessionStore } = req as Request & { session?: unknown; sessionStore?: unknown }
  // A session that was destroyed during this request leaves its store.
  if (session !== undefined || sessionStore !== undefined) return
  throw optionError(
    'This request has no session. Mount one before tf.routes() and every guard: ' +
      'app.use(session({ secret, resave: false, saveUninitialized: false, cookie: { sameSite: "lax" } })). Other session libraries need ' +
      'the option `session`: { id, regenerate, save }; bearer tokens tokenSession(idOf).',
  )
}

function sessionOf(req: Request): ExpressSession | undefined {
  const { session } = req as Request & { session?: ExpressSession | null }
  if (session === undefined || session === null) return undefined
  if (typeof session.regenerate !== 'function') {
    throw new TypeError(
      'session: req.session has no regenerate(), so it does not come from express-session. With cookie-session ' +
        'pass { id, regenerate, save } as the `session` option, with bearer tokens tokenSession(idOf).',
    )
  }
  return session
}

/** A logout that came while the code was being checked must not be undone by the renewal. */
async function refuseDestroyed(req: Request, id: string): Promise<void> {
  const { sessionStore } = req as Request & { sessionStore?: ExpressSessionStore }
  if (sessionStore === undefined || !cameWith(req, id)) return
  const stored = await settled((done) => sessionStore.get(id, done))
  if (!stored) throw new TwoFactorError('session_unavailable')
}

/**
 * Whether the browser brought this session along. One that began with this request is not stored yet: that of a
 * trusted browser which signs in.
 */
export function cameWith(req: Request, id: string): boolean {
  return namesSession(req.headers.cookie ?? '', id)
}

/** Whether one of these cookies holds the id of a session. */
export function namesSession(cookies: string, id: string): boolean {
  // Decoded as express-session does it: a destroyed session must not pass for a new one by its spelling.
  return cookies.split(';').some((cookie) => decoded(cookie).includes(id))
}

/** Whether the session of a request may come from another site: by the settings of its cookie, or because it did. */
export function crossesSites(req: Request): boolean {
  // As express-session and cookie-session keep them.
  const { session, sessionOptions } = req as Request & {
    session?: { readonly cookie?: { readonly sameSite?: unknown } } | null
    sessionOptions?: { readonly sameSite?: unknown }
  }
  const sameSite = session?.cookie?.sameSite ?? sessionOptions?.sameSite
  return String(sameSite).toLowerCase() === 'none' || req.headers['sec-fetch-site'] === 'cross-site'
}

function decoded(cookie: string): string {
  try {
    return decodeURIComponent(cookie)
  } catch {
    return cookie
  }
}

function settled(call: (done: (error?: unknown, result?: unknown) => void) => void): Promise<unknown> {
  return new Promise((resolve, reject) => call((error, result) => (error ? reject(error) : resolve(result))))
}
