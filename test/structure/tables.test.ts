import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { en } from '../../src/express/pages/messages/en.js'
import { fixedNumbers } from '../../src/sandbox/index.js'
import { path, read } from '../documents.js'

const row = (...cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
const table = (head: string[], rows: string[][]) =>
  [row(...head), `|${'---|'.repeat(head.length)}`, ...rows.map((cells) => row(...cells))].join('\n')

/** Tables that are made from the code, each between two comments of its document. */
const tables: [document: string, name: string, table: string][] = [
  [
    'docs/sandbox.md',
    'fixed numbers',
    table(
      ['number ends in', 'what happens'],
      fixedNumbers.map(({ ending, meaning }) => [`\`${ending}\``, meaning]),
    ),
  ],
  [
    'docs/pages.md',
    'text keys',
    table(
      ['key', 'English'],
      Object.entries(en).map(([key, text]) => [`\`${key}\``, text]),
    ),
  ],
]

// `npm run docs` writes them.
describe('a table of the documents', () => {
  it.each(tables)('in %s holds the %s of the code', (document, name, made) => {
    const place = new RegExp(`(?<=<!-- table: ${name} -->\n).*?(?=<!-- end -->)`, 's')
    if (process.env.WRITE_DOCS === '1')
      writeFileSync(path(document), read(document).replace(place, `${made}\n`))
    expect(place.exec(read(document))?.[0]).toBe(`${made}\n`)
  })
})
