import type { Request, Response } from 'express'
import { TwoFactorError } from '../../errors.js'
import type { Emit } from '../../events.js'
import { withinDeadline } from '../../lib/deadline.js'
import type { Sessions } from '../host/sessions.js'
import type { Move, Moves } from './moves.js'

/** A session under its new id. */
export interface Renewed {
  readonly before: string
  readonly after: string
  /** Resolves when everything stored under the old id has moved. Not awaited, so that store calls run together. */
  readonly moved: Promise<void>
  /** Moves what others of the process have in this session. */
  readonly moveOthers: Move
}

export interface Renewal {
  /** Gives the session a new id. A session that keeps its id is refused, not elevated. */
  renew(req: Request, res: Response): Promise<Renewed>
  /** The id of the session after the host's own code ran, which may have renewed it itself. */
  follow(req: Request, renewed: Renewed): Promise<string>
  /**
   * Renews the session once more after a failure: what a frozen store writes later ends up under an id
   * that was never issued. Never rejects.
   */
  abandon(req: Request, res: Response): Promise<void>
}

export function createRenewal(parts: {
  readonly sessions: Sessions
  readonly moves: Pick<Moves, 'own' | 'others'>
  readonly emit: Emit
  /** How long a failed request waits for the session before it responds. */
  readonly storeTimeoutMs: number
}): Renewal {
  const { sessions, moves, emit, storeTimeoutMs } = parts

  function unavailable(cause?: unknown): TwoFactorError {
    emit({ type: 'session.failed' })
    return cause instanceof TwoFactorError ? cause : new TwoFactorError('session_unavailable', { cause })
  }

  async function moveAll(before: string, after: string, moveOthers: Move): Promise<void> {
    await Promise.all([moves.own(before, after), moveOthers(before, after)])
  }

  return {
    async renew(req, res) {
      const before = sessions.idOf(req)
      const moveOthers = await moves.others(req, before)
      try {
        await sessions.rotate(req, res)
      } catch (cause) {
        throw unavailable(cause)
      }
      const after = sessions.idOf(req)
      // Session fixation: an attacker who planted the old id would be let in with it. Bearer tokens cannot be planted.
      if (after === before && !sessions.bearer) throw unavailable()
      const moved = after === before ? Promise.resolve() : moveAll(before, after, moveOthers)
      // It is not awaited when something else fails first.
      moved.catch(() => undefined)
      return { before, after, moved, moveOthers }
    },

    async follow(req, { before, after, moveOthers }) {
      await sessions.open(req)
      const now = sessions.idOf(req)
      // Session fixation: the host has restored the id that an attacker may have planted.
      if (now === before && now !== after) throw unavailable()
      if (now !== after) await moveAll(after, now, moveOthers)
      return now
    },

    async abandon(req, res) {
      const timedOut = () => new TwoFactorError('session_unavailable')
      await withinDeadline(storeTimeoutMs, () => sessions.rotate(req, res), timedOut).catch(() => undefined)
    },
  }
}
