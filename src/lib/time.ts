/** Spans of time in milliseconds. */
export const secondMs = 1_000
export const minuteMs = 60 * secondMs
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

/** Node's timers hold 31 bits and fire at once beyond them. */
export const maxTimerMs = 2 ** 31 - 1

/** By how much the clocks of two machines may differ. Machines run NTP; beyond this one of them is wrong. */
export const clockLeewayMs = 5_000
