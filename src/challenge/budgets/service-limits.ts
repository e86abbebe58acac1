import type { Emit, ServiceLimit } from '../../events.js'
import { hourMs } from '../../lib/time.js'
import type { Store } from '../../store/store.js'
import type { Keys } from '../keys.js'
import type { Lane } from '../limits.js'
import type { Hit } from './counter-table.js'

/** A limit of the whole service that has little left, or nothing. */
export interface LimitState {
  readonly limit: ServiceLimit
  /** Whose sends it counts: `auth` of numbers on file, `enrol` of sign-ups. */
  readonly lane: Lane
  /** `near`: four fifths are used. `closed`: nothing is left, and starts are refused. */
  readonly state: 'near' | 'closed'
  /** When that ends unless more is sent, in milliseconds since 1970. */
  readonly endsAt: number
}

export type ServiceLimits = ReturnType<typeof createServiceLimits>

/** What part of a limit is used when it nears. */
export const near = 0.8

/**
 * Tells that a limit of the whole service nears, closes and opens again: otherwise a launch day that is refused
 * leaves no trace but one event for each person.
 */
export function createServiceLimits(parts: {
  readonly store: Pick<Store, 'increment'>
  readonly keys: Keys
  readonly now: () => number
  readonly emit: Emit
}) {
  const { store, keys, now, emit } = parts
  /** By lane and limit, which bounds them. */
  const seen = new Map<string, LimitState>()

  /** Once per window over all processes: whoever counts the first emits it. */
  async function tell(type: 'near' | 'closed' | 'opened', lane: Lane, limit: ServiceLimit, windowMs: number) {
    const key = keys.counter(`count-${lane}-service-told`, `${limit}.${type}`)
    const { count } = await store.increment(key, Math.max(1, windowMs))
    if (count === 1) emit({ type: `limit.${type}`, limit, lane })
  }

  async function noteHit(lane: Lane, limit: ServiceLimit, hit: Hit, isRefused: boolean): Promise<void> {
    const { count, max, resetInMs, windowMs, row } = hit
    const name = `${lane} ${limit}`
    const at = now()
    const last = seen.get(name)
    const running = last !== undefined && at < last.endsAt ? last.state : undefined
    const isNear = count >= near * max
    // A limit that was raised opens before its time.
    if (running === 'closed' && isNear) return
    const state = isRefused && count >= max ? 'closed' : isNear ? 'near' : undefined
    if (state === undefined) seen.delete(name)
    else seen.set(name, { limit, lane, state, endsAt: at + resetInMs })
    if (last?.state === 'closed' && state !== 'closed') {
      // One that slides may close again within the hour, and open when the next has begun.
      await tell('opened', lane, limit, row.slides ? hourMs - (at % hourMs) : windowMs)
    } else if (state !== undefined && state !== running) await tell(state, lane, limit, resetInMs)
  }

  return {
    /** What one send has counted, and whether it was refused. Nobody waits for it, and it never rejects. */
    note(lane: Lane, hits: readonly Hit[], isRefused: boolean): void {
      for (const hit of hits) {
        const limit = hit.row.told?.service
        // An event that is lost must not keep a code from being sent.
        if (limit !== undefined) noteHit(lane, limit, hit, isRefused).catch(() => undefined)
      }
    },
    /** What this process knows of the windows that run. From memory. */
    states: (): readonly LimitState[] => [...seen.values()].filter(({ endsAt }) => now() < endsAt),
  }
}
