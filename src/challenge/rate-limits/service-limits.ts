import type { ClosedLimitFields } from '../../events.js'
import type { DomainServices } from '../keys.js'
import type { Lane } from '../limits.js'

/** A service-wide limit that was reached, or a pause. Starts are refused. */
export interface ClosedLimit {
  readonly limit: ClosedLimitFields
  /** `auth` for sends to numbers on file, `enrol` for sends of sign-ups. */
  readonly lane: Lane
  /** End of its window, in milliseconds since 1970. */
  readonly endsAt: number
}

export type ServiceLimits = ReturnType<typeof createServiceLimits>

/**
 * Reports that a service-wide limit was reached. Otherwise a launch day of refusals would leave one event per user and
 * no alarm.
 */
export function createServiceLimits({ now, emit }: Pick<DomainServices, 'now' | 'emit'>) {
  /** By lane and limit, which bounds the size. */
  const closed = new Map<string, ClosedLimit>()
  const isRunning = ({ endsAt }: ClosedLimit) => now() < endsAt

  return {
    /** Records that a send found the limit reached. Emitted once per window by this process. */
    close(lane: Lane, limit: ClosedLimitFields, endsInMs: number): void {
      const name = `${lane} ${limit}`
      const known = closed.get(name)
      const isTold = known !== undefined && isRunning(known)
      closed.set(name, { limit, lane, endsAt: now() + endsInMs })
      if (!isTold) emit({ type: 'limit.closed', limit, lane })
    },
    /** Records that a send found the limit open again before its end. */
    open: (lane: Lane, limit: ClosedLimitFields): void => void closed.delete(`${lane} ${limit}`),
    /** Returns the limits that this process knows to be reached now, from memory. */
    closed: (): readonly ClosedLimit[] => [...closed.values()].filter(isRunning),
  }
}
