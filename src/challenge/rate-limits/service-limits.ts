import type { ClosedLimitFields } from '../../events.js'
import type { DomainServices } from '../keys.js'
import type { Lane } from '../limits.js'

/** A limit of the whole service that has nothing left, or a pause: starts are refused. */
export interface ClosedLimit {
  readonly limit: ClosedLimitFields
  /** Whose sends it counts: `auth` of numbers on file, `enrol` of sign-ups. */
  readonly lane: Lane
  /** When its window ends, in milliseconds since 1970. */
  readonly endsAt: number
}

export type ServiceLimits = ReturnType<typeof createServiceLimits>

/**
 * Tells that a limit of the whole service is closed: otherwise a launch day that is refused leaves no trace but one
 * event for each person.
 */
export function createServiceLimits({ now, emit }: Pick<DomainServices, 'now' | 'emit'>) {
  /** By lane and limit, which bounds them. */
  const closed = new Map<string, ClosedLimit>()
  const isRunning = ({ endsAt }: ClosedLimit) => now() < endsAt

  return {
    /** A send found nothing left of it. Told once in each window, by this process. */
    close(lane: Lane, limit: ClosedLimitFields, endsInMs: number): void {
      const name = `${lane} ${limit}`
      const known = closed.get(name)
      const isTold = known !== undefined && isRunning(known)
      closed.set(name, { limit, lane, endsAt: now() + endsInMs })
      if (!isTold) emit({ type: 'limit.closed', limit, lane })
    },
    /** A send has found it open before its time. */
    open: (lane: Lane, limit: ClosedLimitFields): void => void closed.delete(`${lane} ${limit}`),
    /** Those that this process knows to be closed now. From memory. */
    closed: (): readonly ClosedLimit[] => [...closed.values()].filter(isRunning),
  }
}
