/**
 * Checks a lifetime before anything is written under it: NaN or Infinity would be kept for ever.
 *
 * @throws {TypeError} naming the argument
 */
export function duration(name: string, ms: number): number {
  if (Number.isFinite(ms) && ms > 0) return ms
  throw new TypeError(`${name} must be a positive number of milliseconds, not ${ms}`)
}
