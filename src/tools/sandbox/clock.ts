import { createBoundedMap } from './bounded-memory.js'
import { digitsOf, wholeNumber } from './numbers.js'

/**
 * The sandbox's own time: code lifetimes, message states and link expiry follow it. A phone number can be
 * moved further ahead than the rest, so that parallel tests may share one sandbox.
 */
export interface SandboxClock {
  /** Milliseconds since the epoch as the sandbox sees them; with a phone number, as that number sees them. */
  now(phone?: string): number
  /**
   * Moves the time forward at once by a whole number of milliseconds: for everything, or for one number.
   * @example sandbox.clock.advance(300_000, '+573001234567')
   */
  advance(ms: number, phone?: string): void
  /** How far ahead of the real time the sandbox, or this number, is; in ms. */
  aheadMs(phone?: string): number
}

/** Numbers with a time of their own. */
const maxPhones = 10_000

export function createClock(realNow: () => number, changed: () => void) {
  let aheadMs = 0
  const phones = createBoundedMap<number>(maxPhones)
  const extraMs = (phone?: string) => (phone === undefined ? 0 : (phones.get(digitsOf(phone)) ?? 0))

  return {
    now: (phone?: string) => realNow() + aheadMs + extraMs(phone),
    advance(ms: number, phone?: string): void {
      // Moving backwards would revive used codes and make every test result meaningless.
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
