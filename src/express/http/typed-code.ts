import type { VerifyCommand } from '../../challenge/commands.js'
import { separators } from '../../phone-number.js'

const maxTypedLength = 1_000

/** What every authenticator app shows. */
export const appCodePattern = /^\d{6}$/

/** What was typed as a code of each kind that there is; undefined where it can be none. */
export function readCodes(
  typed: string,
  {
    codePattern,
    authenticator,
  }: { readonly codePattern: RegExp; readonly authenticator?: object | undefined },
): Pick<VerifyCommand, 'code' | 'appCode'> | undefined {
  const code = readCode(typed, codePattern)
  const appCode = authenticator && readCode(typed, appCodePattern)
  return (code ?? appCode) === undefined ? undefined : { code, appCode }
}

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
