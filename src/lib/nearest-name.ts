/**
 * A sentence about a name that is not known.
 *
 * @example
 * unknownName('option', 'coutries', ['countries', 'channels']) // 'unknown option "coutries"; did you mean "countries"?'
 */
export function unknownName(
  what: string,
  path: string,
  known: readonly string[],
  otherwise?: string,
): string {
  const named = path.split('.').at(-1) ?? ''
  return `unknown ${what} "${path}"; ${didYouMean(named, known, otherwise)}`
}

/** How a sentence about such a name ends: with the one that was probably meant, else with all there are, or `otherwise`. */
export function didYouMean(name: string, known: readonly string[], otherwise?: string): string {
  const near = nearestName(name, known)
  if (near !== undefined) return `did you mean "${near}"?`
  return otherwise ?? `expected: ${known.join(', ') || 'none'}`
}

/**
 * The name that was probably meant: at most two edits away (Levenshtein), fewer for short names.
 *
 * @example
 * nearestName('coutries', ['countries', 'channels']) // 'countries'
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const wanted = name.toLowerCase()
  const distances = known.map((candidate) => ({ candidate, edits: edits(wanted, candidate.toLowerCase()) }))
  return distances
    .filter(({ candidate, edits }) => edits <= Math.min(2, Math.floor(candidate.length / 3)))
    .sort((one, other) => one.edits - other.edits)[0]?.candidate
}

function edits(name: string, candidate: string): number {
  // Also bounds the work below: names are compared that could still be near.
  if (Math.abs(name.length - candidate.length) > 2) return Number.POSITIVE_INFINITY
  let previous = Array.from({ length: candidate.length + 1 }, (_, index) => index)
  for (const [row, letter] of [...name].entries()) {
    const current = [row + 1]
    for (const [column, other] of [...candidate].entries()) {
      const replaced = (previous[column] ?? 0) + (letter === other ? 0 : 1)
      current.push(Math.min(replaced, (previous[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1))
    }
    previous = current
  }
  return previous.at(-1) ?? 0
}
