/** By how much the clocks of two machines may differ. Machines run NTP; beyond this one of them is wrong. */
export const clockLeewayMs = 5_000
