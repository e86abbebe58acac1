import { coloured } from './terminal.js'

/** Result of one check. `code` is stable, for programs. */
export type Row = { readonly code: string; readonly name: string; readonly text: string } & (
  | { readonly found: 'ok' | 'skipped' }
  /** A warning deserves a check; nothing has failed yet. */
  | { readonly found: 'warning' | 'wrong'; readonly fix: string }
)

/** Creates the rows of one subject. */
export function rowsAbout(name: string) {
  return {
    ok: (code: string, text: string): Row => ({ code, name, found: 'ok', text }),
    skipped: (code: string, text: string): Row => ({ code, name, found: 'skipped', text }),
    warning: (code: string, text: string, fix: string): Row => ({ code, name, found: 'warning', text, fix }),
    wrong: (code: string, text: string, fix: string): Row => ({ code, name, found: 'wrong', text, fix }),
  }
}

const marks = {
  ok: ['ok', 'green'],
  skipped: ['--', 'gray'],
  warning: ['look', 'red'],
  wrong: ['WRONG', 'red'],
} as const
const indent = ' '.repeat(19)

/** Formats a row as aligned text: one line per sentence, the fix last. */
export function describeRow(row: Row, stream: NodeJS.WriteStream): string {
  const [mark, colour] = marks[row.found]
  const text = row.text.replaceAll(/\. (?=[A-Z])/g, `.\n${indent}`)
  const line = `  ${coloured(colour, mark.padEnd(7), stream)}${row.name.padEnd(10)}${text}`
  return 'fix' in row ? `${line}\n${indent}Fix: ${row.fix}.` : line
}
