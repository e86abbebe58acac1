/**
 * Remembers the results of a pure function. When it is full it forgets every result: this is cheaper than keeping an
 * order, and a flood cannot fill the memory.
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
