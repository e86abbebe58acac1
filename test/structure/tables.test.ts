import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { defaultLimits, type Limits } from '../../src/challenge/limits.js'
import { en } from '../../src/express/pages/messages/en.js'
import { inWords } from '../../src/options/resolve.js'
import { fixedNumbers } from '../../src/tools/sandbox/index.js'
import { path, read } from '../documents.js'

const row = (...cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
const table = (head: string[], rows: string[][]) =>
  [row(...head), `|${'---|'.repeat(head.length)}`, ...rows.map((cells) => row(...cells))].join('\n')

/** Each limit with the sentence and the source that stand above it. */
const limits = [
  ...read('src/challenge/limits.ts').matchAll(
    /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n(?: *\/\/ (.*)\n)? *(\w+): limit/g,
  ),
].map(([, sentence = '', source = '', name = '']) => [
  `\`${name}\``,
  inWords(name, defaultLimits[name as keyof Limits]),
  sentence
    .replaceAll(/\s+\* /g, ' ')
    .trim()
    .replace(/\.$/, ''),
  source.replace(/\.$/, ''),
])

/** Each text; a title and its text, which are shown together, in one row. */
const english: Readonly<Record<string, string>> = en
const texts = Object.entries(english).flatMap(([key, text]) => {
  if (english[key.replace(/text$/, 'title')] !== undefined && key.endsWith('.text')) return []
  const below = key.endsWith('.title') ? english[key.replace(/title$/, 'text')] : undefined
  return [below === undefined ? [`\`${key}\``, text] : [`\`${key}\`, \`.text\``, `${text} · ${below}`]]
})

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
  ['docs/limits.md', 'limits', table(['limit', 'default', 'what it bounds', 'why so'], limits)],
  ['docs/pages.md', 'text keys', table(['key', 'English'], texts)],
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

it('has every limit in its table', () => {
  expect(limits.map(([name]) => name)).toEqual(Object.keys(defaultLimits).map((name) => `\`${name}\``))
})
