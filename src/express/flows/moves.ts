import type { Request } from 'express'
import type { Enrolments } from '../../challenge/proofs/enrolment.js'
import type { Grants } from '../../challenge/proofs/grants.js'
import type { Resumption } from '../guard/resumption.js'
import type { Wiring } from '../host/wiring.js'

/** Moves what is stored under one id of a session to another. */
export type Move = (before: string, after: string) => Promise<void>

/** What moves along when a session gets a new id. */
export interface Moves {
  /** What belongs to this `twoFactor()`, but for the grants of the subject that acts. */
  readonly own: Move
  /** What the others of the process have in this session. Asked before it is renewed; never rejects. */
  others(req: Request, session: string): Promise<Move>
  /** From now on there may be phone verifications under way; without them the store is not read. */
  enableEnrolments(): void
  /** Leaves the process to the others. */
  leave(): void
}

/** One `twoFactor()` as the others see it: what it has in the session of a request. */
interface Neighbour {
  readonly namespace: string
  seenIn(req: Request): Promise<{ readonly session: string; readonly move: Move } | undefined>
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
  readonly standing: Wiring['standing']
  readonly grants: Grants
  readonly enrolments: Enrolments
  readonly resumption: Pick<Resumption, 'move'>
}): Moves {
  const { namespace, standing, grants, enrolments, resumption } = parts
  let enrolling = false

  const own: Move = async (before, after) => {
    await Promise.all([enrolling && enrolments.move(before, after), resumption.move(before, after)])
  }

  const moves: Moves & Neighbour = {
    own,
    namespace,
    enableEnrolments() {
      enrolling = true
    },
    leave: () => void neighbours.delete(self),

    async seenIn(req) {
      const seen = await standing(req)
      if (seen === undefined) return undefined
      const { session, subject } = seen
      const move: Move = async (before, after) => {
        await Promise.all([subject !== undefined && grants.move(subject, before, after), own(before, after)])
      }
      return { session, move }
    },

    async others(req, session) {
      const seen = await Promise.all(
        [...neighbours].map(async (reference) => {
          const other = reference.deref()
          if (other === undefined) neighbours.delete(reference)
          if (other === undefined || other.namespace === namespace) return undefined
          return other.seenIn(req).catch(() => undefined)
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
