/**
 * Random integers below a bound, the same in every run: a failure can be repeated.
 *
 * @example
 * const random = seeded(1)
 * random(10) // 0 to 9
 */
export function seeded(seed: number): (below: number) => number
