/** By how much the clocks of two machines may differ. Machines run NTP; beyond this one of them is wrong. */
export const clockLeewayMs = 5_000

/** A clock in whole milliseconds, so that every duration computed from it is an integer. */
export function wholeMs(now: () => number): () => number {
  return () => Math.floor(now())
}
