/** Durations in milliseconds. */
export const secondMs = 1_000
export const minuteMs = 60 * secondMs
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

/** Node's timers hold 31 bits and fire immediately beyond them. */
export const maxTimerMs = 2 ** 31 - 1

/**
 * Maximum difference between the clocks of two machines. Machines run NTP; a larger difference means that one clock is
 * wrong.
 */
export const clockLeewayMs = 5_000
