/** A text as it is written in a program. What a terminal would obey, or an eye not see, is written out. */
export function quote(text: string): string {
  const escaped = text
    .replaceAll(/[\\']/g, '\\$&')
    .replaceAll(/(?! )[\p{C}\p{Z}]/gu, (hidden) => `\\u{${hidden.codePointAt(0)?.toString(16)}}`)
  return `'${escaped}'`
}
