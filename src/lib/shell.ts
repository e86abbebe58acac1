/** One word for a POSIX shell: nothing inside single quotes is expanded. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
