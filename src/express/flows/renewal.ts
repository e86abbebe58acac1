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
  /** A bearer token keeps its id, so an entry under it counts only when a successful response is certain. */
  readonly provisional: boolean
  /** Resolves when the verified number of the old id has moved. Not awaited, so that store commands run together. */
  readonly numberMoved: Promise<void>
}

export function createRenewal({ phoneVerifications, emit, limits }: Domain, sessions: Sessions) {
  let haveNumbers = false

  /** Moves the verified number of this session, as far as a sign-in allows. */
  async function moveNumber(before: string, after: string, signIn: SignIn | undefined): Promise<void> {
    if (haveNumbers) await phoneVerifications.move(before, after, signIn)
  }

  function unavailable(cause?: unknown): TwoFactorError {
    emit({ type: 'session.failed' })
    return cause instanceof TwoFactorError ? cause : new TwoFactorError('session_unavailable')
  }

  /**
   * Renews the session once more after a failure, so that a late write of a frozen store belongs to an id that was
   * never issued. The failed request waits for the session as long as for the store. Never rejects.
   */
  async function abandon(req: Request, res: Response): Promise<void> {
    await withinDeadline(limits.storeTimeoutMs, () => sessions.regenerate(req, res)).catch(() => undefined)
  }

  return {
    abandon,
    /** Enables the move of verified numbers. Without routes that store one, the store is not read. */
    takeNumbers(): void {
      haveNumbers = true
    },

    /** Gives the session a new id for a `signIn` or a verified number. A session that keeps its id is refused. */
    async renew(req: Request, res: Response, signIn?: SignIn): Promise<Renewed> {
      const before = sessions.idOf(req)
      try {
        await sessions.regenerate(req, res)
      } catch (cause) {
        throw unavailable(cause)
      }
      const after = sessions.idOf(req)
      // An attacker who planted the old id would be signed in with it (session fixation). Bearer tokens cannot be
      // planted.
      if (after === before && !sessions.bearer) throw unavailable()
      const provisional = after === before
      const numberMoved = provisional ? Promise.resolve() : moveNumber(before, after, signIn)
      // Not awaited if something else fails first.
      numberMoved.catch(() => undefined)
      return { before, after, provisional, numberMoved }
    },

    /** Returns the session id after `onVerified`, which may have renewed it. */
    async follow(req: Request, { before, after }: Renewed, signIn: SignIn): Promise<string> {
      await sessions.open(req)
      const last = sessions.idOf(req)
      // `onVerified` has restored the id that an attacker may have planted (session fixation).
      if (last === before && last !== after) throw unavailable()
      if (last !== after) await moveNumber(after, last, signIn)
      return last
    },
  }
}
