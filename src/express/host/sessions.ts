import type { Request, Response } from 'express'
import { TwoFactorError } from '../../errors.js'
import { adapterFunction } from '../../lib/host-function.js'
import { isTypeError } from '../../lib/realms.js'
import { whenGone } from '../../lib/when-gone.js'
import type { SessionAdapter } from './session.js'
import type { Warn } from './warnings.js'

/** Far more requests than a browser has open to one site. */
const maxPerSession = 16

/** The app's sessions, through an adapter that may return a promise. */
export type Sessions = ReturnType<typeof createSessions>

/**
 * Creates access to the app's sessions. A TwoFactorError of the adapter becomes a problem response: adapters throw it
 * if there is no session.
 */
export function createSessions(adapter: SessionAdapter, warn: Warn) {
  /** Created at the first id that is a promise, because most adapters never return one. */
  let pendingIds: WeakMap<Request, () => string | undefined> | undefined
  /** Members that a first id has added to the session. */
  const tentative = new WeakMap<Request, readonly string[]>()
  /** Requests in progress per session of this process, which bounds the size. */
  const inFlight = new Map<string, Set<Response>>()
  const save = adapterFunction((req: Request, res: Response) => adapter.save?.(req, res))
  const regenerate = adapterFunction((req: Request, res: Response) => adapter.regenerate(req, res))
  const ask: SessionAdapter['id'] = adapterFunction((req: Request) => adapter.id(req))

  /**
   * Reads an id that is a promise, so that `find` and `idOf` need none. Called first, and again after a renewal.
   * Returns undefined if there is no promise. Throws if the app has no sessions at all.
   */
  function open(req: Request): Promise<void> | undefined {
    pendingIds?.delete(req)
    const id = idIfAny(req)
    if (!(id instanceof Promise)) return undefined
    pendingIds ??= new WeakMap()
    const ids = pendingIds
    return id.then(
      (found) => void ids.set(req, () => found),
      (error: unknown) => {
        passOver(error)
        ids.set(req, () => {
          throw error
        })
      },
    )
  }

  function idIfAny(req: Request): ReturnType<SessionAdapter['id']> {
    try {
      return ask(req)
    } catch (error) {
      return passOver(error)
    }
  }

  /** A request without the required token is refused when its session is needed, not before. */
  function passOver(error: unknown): undefined {
    if (error instanceof TwoFactorError) return undefined
    if (isTypeError(error)) warn('TWO_FACTOR_NO_SESSION')
    throw error
  }

  /** Returns the session id, if the request has one. */
  function find(req: Request): string | undefined {
    const found = pendingIds?.get(req)
    if (found !== undefined) return found()
    const id = ask(req)
    return id instanceof Promise ? undefined : id
  }

  /** A session without its own id receives one at its first save. */
  function firstId(req: Request): string | undefined {
    const before = new Set(Object.keys(dataOf(req)))
    void save(req, req.res as Response)
    tentative.set(
      req,
      Object.keys(dataOf(req)).filter((name) => !before.has(name)),
    )
    return find(req)
  }

  return {
    open,
    find,
    /** Returns the session id. Throws `session_unavailable` without one, because a grant must belong to a session. */
    idOf(req: Request): string {
      const id = find(req) ?? firstId(req)
      if (typeof id === 'string' && id !== '') return id
      warn('TWO_FACTOR_NO_SESSION')
      throw new TwoFactorError('session_unavailable', { message: 'This request has no session.' })
    },
    /** Gives the session a new id, which `idOf` returns from then on. */
    async regenerate(req: Request, res: Response): Promise<void> {
      tentative.delete(req)
      await regenerate(req, res)
      await open(req)
    },
    /** Saves an anonymous session. */
    async save(req: Request, res: Response): Promise<void> {
      tentative.delete(req)
      await save(req, res)
    },
    /** Removes a first id that `idOf` has created and nothing has saved: a refused request leaves no session behind. */
    release(req: Request): void {
      for (const name of tentative.get(req) ?? []) Reflect.deleteProperty(dataOf(req), name)
    },
    /**
     * Counts a request of a session (id) until the returned function is called or the client disconnects. Returns
     * undefined if there are too many.
     */
    enter(session: string | undefined, res: Response): (() => void) | undefined {
      // Each request without a session has its own.
      if (session === undefined) return () => undefined
      const slots = inFlight.get(session) ?? new Set()
      // Already counted: a handler has called a guard, and the outer call ends it.
      if (slots.has(res)) return () => undefined
      // Requests that wait for the app must not fill the memory from one session (denial of service).
      if (slots.size >= maxPerSession) return undefined
      inFlight.set(session, slots.add(res))
      const leave = () => {
        if (slots.delete(res) && slots.size === 0) inFlight.delete(session)
      }
      // A request that the app never answers must not count after the user has given up and returned.
      whenGone({ res })(leave)
      return leave
    },
    bearer: adapter.bearer === true,
  }
}

/** Returns the session data, where most libraries store it. */
function dataOf(req: Request): object {
  return (req as Request & { session?: object | null }).session ?? {}
}
