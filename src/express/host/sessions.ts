import type { Request, Response } from 'express'
import { TwoFactorError } from '../../errors.js'
import { adapterFunction } from '../../lib/host-function.js'
import { whenGone } from '../../lib/when-gone.js'
import type { SessionAdapter } from './session.js'
import type { Warn } from './warnings.js'

/** Far more than a browser has open at once to one site. */
const maxPerSession = 16

/** The host's sessions, by an adapter that may take a promise for an id. */
export type Sessions = ReturnType<typeof createSessions>

/** A TwoFactorError of the adapter stays ours: adapters throw it when there is no session. */
export function createSessions(adapter: SessionAdapter, warn: Warn) {
  /** Made for the first id that takes a promise: most adapters never give one. */
  let awaited: WeakMap<Request, () => string | undefined> | undefined
  /** The members that a first id has put into the session. */
  const tentative = new WeakMap<Request, readonly string[]>()
  /** What each session waits for in this process: no more sessions than requests. */
  const inFlight = new Map<string, Set<Response>>()
  const save = adapterFunction((req: Request, res: Response) => adapter.save?.(req, res))
  const regenerate = adapterFunction((req: Request, res: Response) => adapter.regenerate(req, res))
  const ask: SessionAdapter['id'] = adapterFunction((req: Request) => adapter.id(req))

  /**
   * Reads an id that takes a promise, so that `find` and `idOf` need none; asked first, and again after a
   * renewal. Undefined when there is nothing to wait for. Throws what keeps this host from having sessions at all.
   */
  function open(req: Request): Promise<void> | undefined {
    awaited?.delete(req)
    const id = idIfAny(req)
    if (!(id instanceof Promise)) return undefined
    awaited ??= new WeakMap()
    const ids = awaited
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

  /** A request without the token that it needs is refused where its session is asked for, not before. */
  function passOver(error: unknown): undefined {
    if (error instanceof TwoFactorError) return undefined
    if (error instanceof TypeError) warn('TWO_FACTOR_NO_SESSION')
    throw error
  }

  /** The session's id, when the request has one. */
  function find(req: Request): string | undefined {
    const found = awaited?.get(req)
    if (found !== undefined) return found()
    const id = ask(req)
    return id instanceof Promise ? undefined : id
  }

  /** Sessions without an id of their own get one when they are kept for the first time. */
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
    /** The session's id. Throws `session_unavailable` without one: a proof must belong to a session. */
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
    /** Makes an anonymous session be saved. */
    async save(req: Request, res: Response): Promise<void> {
      tentative.delete(req)
      await save(req, res)
    },
    /** Takes a first id back that `idOf` has made and nobody has kept: a refused request leaves no session behind. */
    release(req: Request): void {
      for (const name of tentative.get(req) ?? []) Reflect.deleteProperty(dataOf(req), name)
    },
    /**
     * Gives a request a place among those of its session (id), until what it returns is called or nobody waits for the
     * response any more. Undefined when there are too many.
     */
    enter(session: string | undefined, res: Response): (() => void) | undefined {
      // Each request without a session is alone in its own.
      if (session === undefined) return () => undefined
      const places = inFlight.get(session) ?? new Set()
      // It has one, which is not the inner one's to end: a handler has called a guard by hand.
      if (places.has(res)) return () => undefined
      // Denial of service: requests that wait for the host must not fill the memory from one session.
      if (places.size >= maxPerSession) return undefined
      inFlight.set(session, places.add(res))
      const leave = () => {
        if (places.delete(res) && places.size === 0) inFlight.delete(session)
      }
      // What the host never answers holds no place of a person who has given up, and comes again.
      whenGone({ res })(leave)
      return leave
    },
    bearer: adapter.bearer === true,
  }
}

/** The session's data, where the library keeps it as most do. */
function dataOf(req: Request): object {
  return (req as Request & { session?: object | null }).session ?? {}
}
