/**
 * The source of a `code.pattern` for codes like this one. Letters bring digits along: one code of four letters
 * does not say that the next one has no digit.
 */
export function codePatternOf(code: string): string {
  if (/^\d+$/.test(code)) return `^\\d{${code.length}}$`
  const letters = code === code.toUpperCase() ? 'A-Z' : code === code.toLowerCase() ? 'a-z' : 'A-Za-z'
  return `^[0-9${letters}]{${code.length}}$`
}
