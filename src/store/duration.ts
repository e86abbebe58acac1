/**
 * Checks a lifetime before anything is written under it: with NaN or Infinity the entry would never expire.
 *
 * @throws {TypeError} naming the argument
 */
export function duration(name: string, ms: number): number {
  if (Number.isFinite(ms) && ms > 0) return ms
  throw new TypeError(`${name} must be a positive number of milliseconds, not ${ms}`)
}

/**
 * Checks what is added to a counter: a count of NaN exceeds no limit.
 *
 * @throws {TypeError} naming the argument
 */
export function wholeAmount(by: number): number {
  if (Number.isSafeInteger(by)) return by
  throw new TypeError(`by must be an integer, not ${by}`)
}
