import { createBoundedMap } from './bounded-memory.js'
import { digitsOf, wholeNumber } from './numbers.js'

/**
 * The simulated time for code lifetimes, message states and link expiry. A phone number can have a later time than the
 * rest, so that parallel tests can share one sandbox.
 */
export interface SandboxClock {
  /** Returns the sandbox time in milliseconds since the epoch; with a phone number, the time of that number. */
  now(phone?: string): number
  /**
   * Moves the time forward by a whole number of milliseconds, for everything or for one number.
   *
   * @example sandbox.clock.advance(300_000, '+573001234567')
   */
  advance(ms: number, phone?: string): void
  /** Returns by how many milliseconds the sandbox, or this number, is ahead of the real time. */
  aheadMs(phone?: string): number
}

/** Most numbers with their own time. */
const maxPhones = 10_000

export function createClock(realNow: () => number, changed: () => void) {
  let aheadMs = 0
  const phones = createBoundedMap<number>(maxPhones)
  const extraMs = (phone?: string) => (phone === undefined ? 0 : (phones.get(digitsOf(phone)) ?? 0))

  return {
    now: (phone?: string) => realNow() + aheadMs + extraMs(phone),
    advance(ms: number, phone?: string): void {
      // Moving backwards would make used codes valid again, and test results meaningless.
      if (!Number.isSafeInteger(ms) || ms < 0) {
        throw new TypeError('clock.advance: ms must be a non-negative integer')
      }
      if (phone !== undefined && !wholeNumber.test(phone)) {
        throw new TypeError('clock.advance: phone must be one whole number, such as +573001234567')
      }
      if (phone === undefined) aheadMs += ms
      else phones.set(digitsOf(phone), extraMs(phone) + ms)
      changed()
    },
    aheadMs: (phone?: string) => aheadMs + extraMs(phone),
    reset(): void {
      aheadMs = 0
      phones.clear()
    },
  }
}
