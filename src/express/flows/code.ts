const longestTyped = 64

/** The code that was typed, without the spaces and hyphens people group it by; undefined when it cannot be one. */
export function readCode(typed: string, pattern: RegExp): string | undefined {
  // Bounded first: the pattern is the host's and may be slow on long texts.
  if (typed.length > longestTyped) return undefined
  const code = typed.replaceAll(/[ -]/g, '')
  return pattern.test(code) ? code : undefined
}
