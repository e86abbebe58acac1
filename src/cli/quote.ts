/** Text of others, fit for a terminal: what it would obey, or an eye not see, is written out. */
export function printable(text: string): string {
  return text.replaceAll(/(?! )[\p{C}\p{Z}]/gu, (hidden) => `\\u{${hidden.codePointAt(0)?.toString(16)}}`)
}

/** A text as it is written in a program. */
export function quote(text: string): string {
  return `'${printable(text.replaceAll(/[\\']/g, '\\$&'))}'`
}
