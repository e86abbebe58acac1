/** A port that nobody listens on, and that the system hands out to nobody. */
export function freePort(): Promise<number>
