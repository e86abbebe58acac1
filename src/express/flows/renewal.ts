import type { Request, Response } from 'express'
import type { Domain } from '../../challenge/domain.js'
import type { SignIn } from '../../challenge/proofs/phone-verifications.js'
import { TwoFactorError } from '../../errors.js'
import { withinDeadline } from '../../lib/promises.js'
import type { Sessions } from '../host/sessions.js'

/** A session under its new id. */
export interface Renewed {
  readonly before: string
  readonly after: string
  /** A bearer token keeps its id: what is written under it counts only once a successful response is certain. */
  readonly provisional: boolean
  /** Resolves when what is stored under the old id has moved. Not awaited, so that store calls run together. */
  readonly moved: Promise<void>
}

export function createRenewal({ phoneVerifications, emit, limits }: Domain, sessions: Sessions) {
  let haveNumbers = false

  /** Takes the number of this session along, as far as a sign-in does. */
  async function moveNumber(before: string, after: string, signIn: SignIn | undefined): Promise<void> {
    if (haveNumbers) await phoneVerifications.move(before, after, signIn)
  }

  function unavailable(cause?: unknown): TwoFactorError {
    emit({ type: 'session.failed' })
    return cause instanceof TwoFactorError ? cause : new TwoFactorError('session_unavailable')
  }

  /**
   * Renews the session once more after a failure: what a frozen store writes later ends up under an id
   * that was never issued. The failed request waits for the session as long as for the store. Never rejects.
   */
  async function abandon(req: Request, res: Response): Promise<void> {
    await withinDeadline(limits.storeTimeoutMs, () => sessions.regenerate(req, res)).catch(() => undefined)
  }

  return {
    abandon,
    /** Looks for a number to take along from now on: without routes that store one, the store is not read. */
    takeNumbers(): void {
      haveNumbers = true
    },

    /** Gives the session a new id, at a `signIn` or for a proven number. A session that keeps its id is refused, not elevated. */
    async renew(req: Request, res: Response, signIn?: SignIn): Promise<Renewed> {
      const before = sessions.idOf(req)
      try {
        await sessions.regenerate(req, res)
      } catch (cause) {
        throw unavailable(cause)
      }
      const after = sessions.idOf(req)
      // Session fixation: an attacker who planted the old id would be let in with it. Bearer tokens cannot be planted.
      if (after === before && !sessions.bearer) throw unavailable()
      const provisional = after === before
      const moved = provisional ? Promise.resolve() : moveNumber(before, after, signIn)
      // It is not awaited when something else fails first.
      moved.catch(() => undefined)
      return { before, after, provisional, moved }
    },

    /** The id of the session after the host's own code ran, which may have renewed it itself. */
    async follow(req: Request, { before, after }: Renewed, signIn: SignIn): Promise<string> {
      await sessions.open(req)
      const last = sessions.idOf(req)
      // Session fixation: the host has restored the id that an attacker may have planted.
      if (last === before && last !== after) throw unavailable()
      if (last !== after) await moveNumber(after, last, signIn)
      return last
    },
  }
}
