import type { Request, Response } from 'express'
import type { SignIn } from '../../challenge/proofs/enrolment.js'
import type { Grants } from '../../challenge/proofs/grants.js'
import { TwoFactorError } from '../../errors.js'
import type { Emit } from '../../events.js'
import { withinDeadline } from '../../lib/deadline.js'
import { HostTimeoutError } from '../host/boundary.js'
import type { Sessions } from '../host/requester.js'
import type { Wiring } from '../host/wiring.js'

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

export interface Renewal {
  /** Gives the session a new id, at a `signIn` or for a proven number. A session that keeps its id is refused, not elevated. */
  renew(req: Request, res: Response, signIn?: SignIn): Promise<Renewed>
  /** The id of the session after the host's own code ran, which may have renewed it itself. */
  follow(req: Request, renewed: Renewed): Promise<string>
  /**
   * Renews the session once more after a failure: what a frozen store writes later ends up under an id
   * that was never issued. Never rejects.
   */
  abandon(req: Request, res: Response): Promise<void>
  /**
   * Abandons the session for good, where a function of the host never settled: whatever it still writes reaches an
   * id that nobody holds. Never rejects.
   */
  giveUp(req: Request, res: Response): Promise<void>
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
    return cause instanceof TwoFactorError ? cause : new TwoFactorError('session_unavailable')
  }

  async function abandon(req: Request, res: Response): Promise<void> {
    await withinDeadline(storeTimeoutMs, () => sessions.rotate(req, res)).catch(() => undefined)
  }

  return {
    abandon,

    async giveUp(req, res) {
      await abandon(req, res)
      sessions.drop(req)
      // Where the adapter keeps its session elsewhere, the id that has just gone out ends as well.
      res.once('close', () => void abandon(req, res))
    },

    async renew(req, res, signIn) {
      const before = sessions.idOf(req)
      const moveOthers = await moves.others(req, before, signIn !== undefined)
      const moveAll: Move = async (from, to) => {
        await Promise.all([moves.own(from, to, signIn), moveOthers(from, to)])
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

    async follow(req, { before, after, moveAll }) {
      await sessions.open(req)
      const last = sessions.idOf(req)
      // Session fixation: the host has restored the id that an attacker may have planted.
      if (last === before && last !== after) throw unavailable()
      if (last !== after) await moveAll(after, last)
      return last
    },
  }
}

/** Moves what is stored under one id of a session to another. */
export type Move = (before: string, after: string) => Promise<void>
/** The same for what a sign-in may leave behind. */
type MoveOwn = (before: string, after: string, signIn: SignIn | undefined) => Promise<void>

/** What moves along when a session gets a new id. */
export interface Moves {
  /** What belongs to this `twoFactor()`, but for the grants of the subject that acts. */
  readonly own: MoveOwn
  /** What the others of the process have in this session. Asked before it is renewed; never rejects. */
  others(req: Request, session: string, isSignIn: boolean): Promise<Move>
  /** Takes this along, too, from now on: without routes that store it, the store is not read. */
  takeAlong(move: MoveOwn): void
  /** Leaves the process to the others. */
  leave(): void
}

/** One `twoFactor()` as the others see it: what it has in the session of a request. */
interface Neighbour {
  readonly namespace: string
  seenIn(
    req: Request,
    isSignIn: boolean,
  ): Promise<{ readonly session: string | undefined; readonly move: Move }>
}

/** Weakly, because an app may be dropped without being closed. */
const neighbours = new Set<WeakRef<Neighbour>>()

/**
 * Several apps of one process may share a session. When one of them renews its id (session fixation), the others
 * would lose their grants to it: each is asked who it sees in that session, and takes its own along. Those of one
 * namespace are one app: what it moves, and when that admits, is for the one that acts to say.
 */
export function createMoves(parts: {
  readonly namespace: string
  readonly whoIn: Wiring['whoIn']
  readonly grants: Grants
}): Moves {
  const { namespace, whoIn, grants } = parts
  const along = new Set<MoveOwn>()

  const own: MoveOwn = async (before, after, signIn) => {
    await Promise.all([...along].map((move) => move(before, after, signIn)))
  }

  const moves: Moves & Neighbour = {
    own,
    namespace,
    takeAlong: (move) => void along.add(move),
    leave: () => void neighbours.delete(self),

    async seenIn(req, isSignIn) {
      const { session, subject } = await whoIn(req)
      const move: Move = async (before, after) => {
        const movesGrants = subject !== undefined && grants.move(subject, before, after)
        await Promise.all([movesGrants, own(before, after, isSignIn ? { subject } : undefined)])
      }
      return { session, move }
    },

    async others(req, session, isSignIn) {
      const seen = await Promise.all(
        [...neighbours].map(async (reference) => {
          const other = reference.deref()
          if (other === undefined) neighbours.delete(reference)
          if (other === undefined || other.namespace === namespace) return undefined
          return other.seenIn(req, isSignIn).catch(() => undefined)
        }),
      )
      // Whoever sees another session has nothing under the id that is being renewed.
      const others = seen.flatMap((other) => (other?.session === session ? [other.move] : []))
      return async (from, to) => {
        // A neighbour whose store fails asks for its code again: this sign-in is none of its business.
        await Promise.all(others.map((move) => move(from, to).catch(() => undefined)))
      }
    },
  }
  const self = new WeakRef<Neighbour>(moves)
  neighbours.add(self)
  return moves
}
