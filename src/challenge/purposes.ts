import type { Channel } from './code-service.js'

/** Why proof is asked, and how long it stays good. */
export interface Purpose {
  readonly name: string
  /** Age in milliseconds up to which a grant for this purpose admits a request. */
  readonly maxAgeMs: number
  /** Whether a grant admits one request alone. */
  readonly once: boolean
  readonly channels: readonly Channel[]
  /** Whether a trusted device may stand in for the code. */
  readonly trustedDevice: boolean
  /** Whether the browser may start it on the plain routes; false for phone verification. */
  readonly startable: boolean
}

export interface Purposes {
  find(name: string): Purpose | undefined
  /**
   * Makes a purpose known that a guard or a phone verification brings along. One that is already
   * there keeps its settings, but its grants are kept for the longest age that any guard accepts.
   */
  declare(purpose: Purpose): Purpose
}

export function createPurposes(initial: readonly Purpose[]): Purposes {
  const known = new Map(initial.map((purpose) => [purpose.name, purpose]))
  return {
    find: (name) => known.get(name),
    declare(purpose) {
      const before = known.get(purpose.name)
      const settled =
        before === undefined ? purpose : { ...before, maxAgeMs: Math.max(before.maxAgeMs, purpose.maxAgeMs) }
      known.set(purpose.name, settled)
      return settled
    },
  }
}
