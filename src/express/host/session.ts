import type { Request, Response } from 'express'
import { TwoFactorError } from '../../errors.js'
import { checkOptions, func, optionError } from '../../lib/options.js'

/**
 * Reads and renews the app's session. Any session library fits that exposes an id and can renew it.
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
   * Returns the session id, or undefined if the request has none. If it returns a promise, the guard needs one, too,
   * and `id` itself must create the first id of a session: `save` is then called for saving only.
   */
  id(req: Request): string | undefined | Promise<string | undefined>
  /**
   * Gives the session a new id, keeps the app's data, and has saved both when it resolves. If it rejects, the request
   * gets 503 and no access.
   */
  regenerate(req: Request, res: Response): void | Promise<void>
  /**
   * Saves an anonymous session, so that its id returns with the next request. The id must exist immediately; saving may
   * be asynchronous. Members that it adds to `req.session` are removed after a request that leaves nothing for the next
   * one.
   */
  save?(req: Request, res: Response): void | Promise<void>
  /** True if the id comes from a bearer token, which another site cannot plant in a browser. It need not be renewed. */
  readonly bearer?: boolean
}

/** Members that express-session adds to a request. */
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
 * Creates the adapter for express-session, which is the default.
 *
 * @example
 * twoFactor({ session: expressSession() })
 */
export function expressSession(): SessionAdapter {
  return {
    id(req) {
      refuseUnmounted(req)
      return expressSessionOf(req)?.id
    },

    async regenerate(req) {
      const old = expressSessionOf(req)
      if (old === undefined) throw new TwoFactorError('session_unavailable')
      const { cookie, ...hostData } = old
      await refuseDestroyed(req, old.id)
      await settled((done) => old.regenerate(done))
      const renewed = expressSessionOf(req)
      if (renewed === undefined || renewed.id === old.id) throw new TwoFactorError('session_unavailable')
      Object.assign(renewed, hostData)
      // The app also chooses the lifetime of the session, perhaps per user.
      if (cookie.originalMaxAge !== undefined) renewed.cookie.maxAge = cookie.originalMaxAge
      await settled((done) => renewed.save(done))
    },

    save(req) {
      const session = expressSessionOf(req)
      // With `saveUninitialized: false`, a session is saved only if it contains something.
      const holds = Object.keys(session ?? {}).filter((name) => name !== 'cookie')
      if (session !== undefined && holds.length === 0) session.twoFactor = true
    },
  }
}

/**
 * Creates the adapter for bearer tokens instead of cookies. `idOf` returns the id of the login to which the token
 * belongs. Nothing is renewed. A request without `Authorization: Bearer` is refused, because an attacker could have
 * planted a cookie that is never renewed (session fixation).
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

/** Otherwise a request of a signed-in user would look anonymous. */
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

function expressSessionOf(req: Request): ExpressSession | undefined {
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

/** A renewal must not undo a logout that came during the check. */
async function refuseDestroyed(req: Request, id: string): Promise<void> {
  const { sessionStore } = req as Request & { sessionStore?: ExpressSessionStore }
  if (sessionStore === undefined || !cameWith(req, id)) return
  const stored = await settled((done) => sessionStore.get(id, done))
  if (!stored) throw new TwoFactorError('session_unavailable')
}

/**
 * Returns whether the browser sent this session. A session that started with this request, such as for a trusted
 * browser, is not stored yet.
 */
export function cameWith(req: Request, id: string): boolean {
  return namesSession(req.headers.cookie ?? '', id)
}

/** Returns whether one of these cookies contains the session id. */
export function namesSession(cookies: string, id: string): boolean {
  // Decoded like express-session does: a destroyed session must not look new because of its spelling.
  return cookies.split(';').some((cookie) => decoded(cookie).includes(id))
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
