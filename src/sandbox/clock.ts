/** The sandbox's own time: code lifetimes, message states and link expiry move with it. */
export interface SandboxClock {
  /** Milliseconds since the epoch, as the sandbox sees them. */
  now(): number
  /** Moves the time forward at once, by a whole number of milliseconds. */
  advance(ms: number): void
  /** How far ahead of the real time it was moved, in ms. */
  aheadMs(): number
}

export function createClock(realNow: () => number): SandboxClock & { reset(): void } {
  let ahead = 0
  return {
    now: () => realNow() + ahead,
    advance(ms) {
      // Backwards, a used code could become valid again and no test result would mean anything.
      if (!Number.isSafeInteger(ms) || ms < 0) {
        throw new TypeError('clock.advance: give a whole number of milliseconds, 0 or more')
      }
      ahead += ms
    },
    aheadMs: () => ahead,
    reset() {
      ahead = 0
    },
  }
}
