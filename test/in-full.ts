/**
 * How many of something a test takes: enough to meet its bound, or, where `npm run prove` sets `IN_FULL`, as
 * many as the bound speaks of.
 */
export const enough = (few: number, { inFull }: { readonly inFull: number }): number =>
  process.env.IN_FULL === undefined ? few : inFull
