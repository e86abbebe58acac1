/** Quotes a text as one word for a POSIX shell. A shell expands nothing inside single quotes. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
