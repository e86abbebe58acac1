import { separators } from '../../lib/separators.js'

const maxTypedLength = 1_000

/**
 * The code that was typed or pasted; undefined when there is none or more than one. Spaces, dashes and the like
 * are dropped, full-width digits are read as digits, and of a whole pasted message its one code is taken.
 */
export function readCode(typed: string, pattern: RegExp): string | undefined {
  // Bounded first: the pattern is the host's and may be slow on long strings (ReDoS).
  if (typed.length > maxTypedLength) return undefined
  const normalized = typed.normalize('NFKC')
  const code = normalized.replaceAll(separators, '')
  if (pattern.test(code)) return code
  return onlyCodeIn(normalized, pattern)
}

/** In a sentence only a word with a digit counts as a code. */
function onlyCodeIn(message: string, pattern: RegExp): string | undefined {
  const words = message.match(/[\p{L}\p{N}_+@#/-]+/gu) ?? []
  if (words.length < 2) return undefined
  const codes = new Set(
    words.map((word) => word.replaceAll('-', '')).filter((word) => /\d/.test(word) && pattern.test(word)),
  )
  const [code] = codes
  return codes.size === 1 ? code : undefined
}
