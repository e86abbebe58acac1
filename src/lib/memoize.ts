/**
 * Remembers the results of a pure function. Bounded: full, it forgets everything, which is cheaper than keeping
 * an order and cannot be used to fill the memory.
 */
export function memoize<Result>(
  compute: (key: string) => Result,
  maxEntries = 1_000,
): (key: string) => Result {
  const results = new Map<string, Result>()
  return (key) => {
    const known = results.get(key)
    if (known !== undefined) return known
    const result = compute(key)
    if (results.size >= maxEntries) results.clear()
    results.set(key, result)
    return result
  }
}
