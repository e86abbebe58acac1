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
type Neighbour = (req: Request) => Promise<{ readonly session: string; readonly move: Move } | undefined>

/** Weakly, because an app may be dropped without being closed. */
const neighbours = new Set<WeakRef<Neighbour>>()

/**
 * Several apps of one process may share a session. When one of them renews its id (session fixation), the others
 * would lose their grants to it: each is asked who it sees in that session, and takes its own along.
 */
export function createMoves(parts: {
  readonly standing: Wiring['standing']
  readonly grants: Grants
  readonly enrolments: Enrolments
  readonly resumption: Pick<Resumption, 'move'>
}): Moves {
  const { standing, grants, enrolments, resumption } = parts
  let enrolling = false

  const own: Move = async (before, after) => {
    await Promise.all([enrolling && enrolments.move(before, after), resumption.move(before, after)])
  }

  const neighbour: Neighbour = async (req) => {
    const seen = await standing(req)
    if (seen === undefined) return undefined
    const { session, subject } = seen
    const move: Move = async (before, after) => {
      await Promise.all([subject !== undefined && grants.move(subject, before, after), own(before, after)])
    }
    return { session, move }
  }
  const self = new WeakRef(neighbour)
  neighbours.add(self)

  return {
    own,
    enableEnrolments() {
      enrolling = true
    },
    leave: () => void neighbours.delete(self),

    async others(req, session) {
      const seen = await Promise.all(
        [...neighbours].map(async (reference) => {
          const other = reference.deref()
          if (other === undefined) neighbours.delete(reference)
          return other === undefined || other === neighbour ? undefined : other(req).catch(() => undefined)
        }),
      )
      // Whoever sees another session has nothing under the id that is being renewed.
      const moves = seen.flatMap((other) => (other?.session === session ? [other.move] : []))
      return async (from, to) => {
        // A neighbour whose store fails asks for its code again: this sign-in is none of its business.
        await Promise.all(moves.map((move) => move(from, to).catch(() => undefined)))
      }
    },
  }
}
