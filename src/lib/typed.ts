/**
 * Characters that people, keyboards and clipboards add to a code or number: white space, dashes, dots, quotes and
 * invisible marks.
 */
export const separators = /[\p{White_Space}\p{Cf}\p{Pd}.·'"`´‘’“”«»]/gu

const decimalDigit = /^\p{Nd}$/u

/** Replaces full-width letters by usual ones, and the decimal digits of every script by 0 to 9. */
export function plainCharacters(text: string): string {
  return text.normalize('NFKC').replaceAll(/(?!\d)\p{Nd}/gu, (digit) => String(worthOf(digit)))
}

/** Unicode places the digits of a script side by side from zero to nine, and some scripts directly behind others. */
function worthOf(digit: string): number {
  const code = digit.codePointAt(0) ?? 0
  let zero = code
  while (decimalDigit.test(String.fromCodePoint(zero - 1))) zero -= 1
  return (code - zero) % 10
}

const maxNameLength = 60

/** Returns the name of a thing as it is stored: one line without characters that a database may refuse. */
export const readName = (typed: string): string =>
  typed
    .replaceAll(/\p{Cc}/gu, '')
    .trim()
    .slice(0, maxNameLength)
    // Half of a character that was cut.
    .replaceAll(/\p{Surrogate}/gu, '')
