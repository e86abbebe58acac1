import type { Request, Response } from 'express'
import { TwoFactorError } from '../../errors.js'
import type { Emit } from '../../events.js'
import { type SessionAdapter, sessionId } from '../host/session.js'

/** A session under its new id. */
export interface Renewed {
  readonly before: string
  readonly after: string
  /** Done when what hung on the old id hangs on the new one. Not waited for, so that a store is asked together. */
  readonly moved: Promise<void>
}

export type Renew = (req: Request, res: Response) => Promise<Renewed>

/** `move` takes along what hangs on the old id. A session that keeps its id is refused, not elevated. */
export function createRenewal(parts: {
  readonly sessions: SessionAdapter
  readonly move: (before: string, after: string) => Promise<void>
  readonly emit: Emit
}): Renew {
  const { sessions, move, emit } = parts

  function unavailable(cause?: unknown): TwoFactorError {
    emit({ type: 'session.failed' })
    return cause instanceof TwoFactorError ? cause : new TwoFactorError('session_unavailable', { cause })
  }

  return async (req, res) => {
    const before = sessionId(sessions, req)
    try {
      await sessions.rotate(req, res)
    } catch (cause) {
      throw unavailable(cause)
    }
    const after = sessionId(sessions, req)
    // Somebody who planted the old id would be let in with it. No browser plants a bearer token.
    if (after === before && !sessions.bearer) throw unavailable()
    const moved = after === before ? Promise.resolve() : move(before, after)
    // Nobody waits for it any more when something else has failed by then.
    moved.catch(() => undefined)
    return { before, after, moved }
  }
}
