import type { Request, Response } from 'express'
import type { Domain } from '../../challenge/domain.js'
import type { SignIn } from '../../challenge/proofs/enrolment.js'
import { TwoFactorError } from '../../errors.js'
import { withinDeadline } from '../../lib/promises.js'
import { HostTimeoutError } from '../host/boundary.js'
import type { Sessions } from '../host/sessions.js'

/** A session under its new id. */
export interface Renewed {
  readonly before: string
  readonly after: string
  /** A bearer token keeps its id: what is written under it counts only once a successful response is certain. */
  readonly provisional: boolean
  /** Resolves when everything stored under the old id has moved. Not awaited, so that store calls run together. */
  readonly moved: Promise<void>
  /** Moves what this app and others of the process have in this session. */
  readonly moveAll: Move
}

/** Moves what is stored under one id of a session to another. */
type Move = (before: string, after: string) => Promise<void>

/** One `twoFactor()` as the others see it. */
interface Neighbour {
  readonly namespace: string
  /** How to move what it has in this session; undefined where it sees another one. */
  moveIn(req: Request, session: string, isSignIn: boolean): Promise<Move | undefined>
}

/**
 * Several apps of one process may share a session. When one of them renews its id (session fixation), the others
 * would lose their grants to it: each takes its own along. Those of one namespace are one app: what it moves, and
 * when that admits, is for the one that acts to say. An app is among them until it is closed.
 */
const neighbours = new Set<Neighbour>()

export function createRenewal(
  { namespace, grants, enrolments, emit, limits }: Domain,
  sessions: Sessions,
  subjectOf: (req: Request) => string | undefined,
) {
  let haveNumbers = false

  /** Takes the number of this session along, as far as a sign-in does. */
  async function moveNumber(before: string, after: string, signIn: SignIn | undefined): Promise<void> {
    if (haveNumbers) await enrolments.move(before, after, signIn)
  }

  const self: Neighbour = {
    namespace,
    async moveIn(req, session, isSignIn) {
      if ((await sessions.ask(req)) !== session) return undefined
      const subject = subjectOf(req)
      return async (before, after) => {
        const movesGrants = subject !== undefined && grants.move(subject, before, after)
        await Promise.all([movesGrants, moveNumber(before, after, isSignIn ? { subject } : undefined)])
      }
    },
  }
  neighbours.add(self)

  /** Asked before the session is renewed. A neighbour that fails asks for its code again: no reason to refuse here. */
  async function othersIn(req: Request, session: string, isSignIn: boolean): Promise<readonly Move[]> {
    const others = [...neighbours].filter((other) => other.namespace !== namespace)
    const moves = others.map((other) => other.moveIn(req, session, isSignIn).catch(() => undefined))
    return (await Promise.all(moves)).filter((move) => move !== undefined)
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
    await withinDeadline(limits.storeTimeoutMs, () => sessions.rotate(req, res)).catch(() => undefined)
  }

  return {
    abandon,
    /** Looks for a number to take along from now on: without routes that store one, the store is not read. */
    takeNumbers(): void {
      haveNumbers = true
    },
    /** Leaves the sessions of this process to its other apps. */
    leave: () => void neighbours.delete(self),

    /**
     * Abandons the session for good, where a function of the host never settled: whatever it still writes reaches an
     * id that nobody holds. Never rejects.
     */
    async giveUp(req: Request, res: Response): Promise<void> {
      await abandon(req, res)
      sessions.drop(req)
      // Where the adapter keeps its session elsewhere, the id that has just gone out ends as well.
      res.once('close', () => void abandon(req, res))
    },

    /** Gives the session a new id, at a `signIn` or for a proven number. A session that keeps its id is refused, not elevated. */
    async renew(req: Request, res: Response, signIn?: SignIn): Promise<Renewed> {
      const before = sessions.idOf(req)
      const others = await othersIn(req, before, signIn !== undefined)
      const moveAll: Move = async (from, to) => {
        const othersMoved = others.map((move) => move(from, to).catch(() => undefined))
        await Promise.all([moveNumber(from, to, signIn), ...othersMoved])
      }
      try {
        await sessions.rotate(req, res)
      } catch (cause) {
        // Express waits for the session before it responds: for ever, where its store is frozen.
        if (cause instanceof HostTimeoutError) sessions.drop(req)
        throw unavailable(cause)
      }
      const after = sessions.idOf(req)
      // Session fixation: an attacker who planted the old id would be let in with it. Bearer tokens cannot be planted.
      if (after === before && !sessions.bearer) throw unavailable()
      const provisional = after === before
      const moved = provisional ? Promise.resolve() : moveAll(before, after)
      // It is not awaited when something else fails first.
      moved.catch(() => undefined)
      return { before, after, provisional, moved, moveAll }
    },

    /** The id of the session after the host's own code ran, which may have renewed it itself. */
    async follow(req: Request, { before, after, moveAll }: Renewed): Promise<string> {
      await sessions.open(req)
      const last = sessions.idOf(req)
      // Session fixation: the host has restored the id that an attacker may have planted.
      if (last === before && last !== after) throw unavailable()
      if (last !== after) await moveAll(after, last)
      return last
    },
  }
}
