import { coloured } from './terminal.js'

/** What one look came to. */
export type Row = { readonly name: string } & (
  | { readonly found: 'ok' | 'skipped'; readonly text: string }
  | { readonly found: 'wrong'; readonly text: string; readonly fix?: string }
)

const marks = { ok: ['ok', 'green'], skipped: ['--', 'gray'], wrong: ['WRONG', 'red'] } as const
const indent = ' '.repeat(19)

/** One row as aligned text: each sentence on a line of its own, the fix last. */
export function describeRow(row: Row, stream: NodeJS.WriteStream): string {
  const [mark, colour] = marks[row.found]
  const text = row.text.replaceAll(/\. (?=[A-Z])/g, `.\n${indent}`)
  const line = `  ${coloured(colour, mark.padEnd(7), stream)}${row.name.padEnd(10)}${text}`
  return row.found === 'wrong' && row.fix !== undefined ? `${line}\n${indent}Fix: ${row.fix}.` : line
}
