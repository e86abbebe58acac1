/**
 * What people, keyboards and clipboards put between the characters of a code or a number: white space of all kinds,
 * dashes, dots, quotes, and marks that nobody sees.
 */
export const separators = /[\p{White_Space}\p{Cf}\p{Pd}.·'"`´‘’“”«»]/gu

const decimalDigit = /^\p{Nd}$/u

/** The same text in plain characters: full-width letters as usual ones, and the decimal digits of every script as 0 to 9. */
export function plainCharacters(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(/\p{Nd}/gu, (digit) => (digit <= '9' ? digit : String(worthOf(digit))))
}

/** Unicode keeps the digits of a script side by side, from zero to nine, and some scripts right behind others. */
function worthOf(digit: string): number {
  const code = digit.codePointAt(0) ?? 0
  let zero = code
  while (decimalDigit.test(String.fromCodePoint(zero - 1))) zero -= 1
  return (code - zero) % 10
}
