/** Deadline of each request of the client, in milliseconds, if the developer sets none. */
export const defaultTimeoutMs = 10_000

/** Returns the deadline that the developer chose, or undefined, so that sends and checks keep their own defaults. */
export function chosenTimeout({
  timeoutMs,
}: {
  readonly timeoutMs?: number | undefined
}): number | undefined {
  return timeoutMs === defaultTimeoutMs ? undefined : timeoutMs
}
