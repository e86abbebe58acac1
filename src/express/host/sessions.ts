import type { Request, Response } from 'express'
import { TwoFactorError } from '../../errors.js'
import { throwingErrors } from './boundary.js'
import type { SessionAdapter } from './session.js'
import type { Warn } from './warnings.js'

/** The host's sessions, by an adapter that may take a promise for an id. */
export interface Sessions {
  /**
   * Reads an id that takes a promise, so that `find` and `idOf` need none; asked first, and again after a
   * renewal. Undefined when there is nothing to wait for. Throws what keeps this host from having sessions at all.
   */
  open(req: Request): Promise<void> | undefined
  /** The session's id, when the request has one. */
  find(req: Request): string | undefined
  /** The session's id. Throws `session_unavailable` without one: a proof must belong to a session. */
  idOf(req: Request): string
  /** Gives the session a new id, which `idOf` returns from then on. */
  rotate(req: Request, res: Response): Promise<void>
  /** Makes an anonymous session be saved. */
  keep(req: Request, res: Response): Promise<void>
  readonly bearer: boolean
}

/** A TwoFactorError of the adapter stays ours: adapters throw it when there is no session. */
export function createSessions(adapter: SessionAdapter, warn: Warn): Sessions {
  const awaited = new WeakMap<Request, string | undefined>()
  const keep = throwingErrors((req: Request, res: Response) => adapter.keep?.(req, res))
  const rotate = throwingErrors((req: Request, res: Response) => adapter.rotate(req, res))
  const ask = throwingErrors((req: Request) => {
    try {
      return adapter.id(req)
    } catch (error) {
      if (error instanceof TypeError) warn('TWO_FACTOR_NO_SESSION')
      throw error
    }
  })

  function open(req: Request): Promise<void> | undefined {
    awaited.delete(req)
    const id = asked(req)
    return id instanceof Promise ? id.then((found) => void awaited.set(req, found)) : undefined
  }

  /** A request without the token that it needs is refused where its session is asked for, not before. */
  function asked(req: Request): ReturnType<typeof ask> {
    try {
      return ask(req)
    } catch (error) {
      if (error instanceof TwoFactorError) return undefined
      throw error
    }
  }

  function find(req: Request): string | undefined {
    if (awaited.has(req)) return awaited.get(req)
    const id = ask(req)
    return id instanceof Promise ? undefined : id
  }

  /** Sessions without an id of their own get one when they are kept for the first time. */
  function firstId(req: Request): string | undefined {
    // A session that could not be saved is lost; the next request gets a new id.
    keep(req, req.res as Response)?.catch(() => undefined)
    return find(req)
  }

  return {
    open,
    find,
    idOf(req) {
      const id = find(req) ?? firstId(req)
      if (typeof id === 'string' && id !== '') return id
      warn('TWO_FACTOR_NO_SESSION')
      throw new TwoFactorError('session_unavailable', { message: 'This request has no session.' })
    },
    async rotate(req, res) {
      await rotate(req, res)
      await open(req)
    },
    keep: async (req, res) => keep(req, res),
    bearer: adapter.bearer === true,
  }
}
