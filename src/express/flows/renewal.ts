import type { Request, Response } from 'express'
import { TwoFactorError } from '../../errors.js'
import type { Emit } from '../../events.js'
import { withinDeadline } from '../../lib/deadline.js'
import { type SessionAdapter, sessionId } from '../host/session.js'

/** A session under its new id. */
export interface Renewed {
  readonly before: string
  readonly after: string
  /** Done when what hung on the old id hangs on the new one. Not waited for, so that a store is asked together. */
  readonly moved: Promise<void>
}

export interface Renewal {
  /** Gives the session a new id. A session that keeps its id is refused, not elevated. */
  renew(req: Request, res: Response): Promise<Renewed>
  /** The id of the session after the host had it in its hands, which may have renewed it itself. */
  follow(req: Request, renewed: Renewed): Promise<string>
  /**
   * Gives the session one more id, after a failure: what a store that froze writes later lies under an id
   * that nobody was given. Never rejects.
   */
  abandon(req: Request, res: Response): Promise<void>
}

/** `move` takes along what hangs on the old id. */
export function createRenewal(parts: {
  readonly sessions: SessionAdapter
  readonly move: (before: string, after: string) => Promise<void>
  readonly emit: Emit
  /** How long a failure waits for the session before it is answered. */
  readonly storeTimeoutMs: number
}): Renewal {
  const { sessions, move, emit, storeTimeoutMs } = parts

  function unavailable(cause?: unknown): TwoFactorError {
    emit({ type: 'session.failed' })
    return cause instanceof TwoFactorError ? cause : new TwoFactorError('session_unavailable', { cause })
  }

  async function rotate(req: Request, res: Response): Promise<void> {
    await sessions.rotate(req, res)
  }

  return {
    async renew(req, res) {
      const before = sessionId(sessions, req)
      try {
        await rotate(req, res)
      } catch (cause) {
        throw unavailable(cause)
      }
      const after = sessionId(sessions, req)
      // Session fixation: whoever planted the old id would be let in with it. No browser plants a bearer token.
      if (after === before && !sessions.bearer) throw unavailable()
      const moved = after === before ? Promise.resolve() : move(before, after)
      // Nobody waits for it any more when something else has failed by then.
      moved.catch(() => undefined)
      return { before, after, moved }
    },

    async follow(req, { before, after }) {
      const now = sessionId(sessions, req)
      // Session fixation: the host has put the id back that an attacker may have planted.
      if (now === before && now !== after) throw unavailable()
      if (now !== after) await move(after, now)
      return now
    },

    async abandon(req, res) {
      const timedOut = () => new TwoFactorError('session_unavailable')
      await withinDeadline(storeTimeoutMs, () => rotate(req, res), timedOut).catch(() => undefined)
    },
  }
}
