import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { eventUrgency } from '../../src/alarms.js'
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

const alarms = Object.entries(eventUrgency).flatMap(([type, { level, atLeast = 0, todo = '' }]) =>
  level === 'alarm' ? [{ type, atLeast, todo }] : [],
)
const warnings = Object.entries(eventUrgency).flatMap(([type, { level }]) =>
  level === 'warning' ? [`\`${type}\``] : [],
)
const urgencies = [
  ...alarms.map(({ type, atLeast, todo }) => [`\`${type}\``, `alarm, from ${atLeast}`, todo]),
  [warnings.join(', '), 'warning', 'For the weekly look.'],
  ['all others', 'record', 'For audits, and whoever investigates.'],
]

/** A rule of Prometheus for each alarm, over the metrics of the recipe. */
const rules = alarms.map(({ type, atLeast, todo }) => {
  const name = type.replaceAll(/(?:^|\.)\w/g, (letters) => letters.slice(-1).toUpperCase())
  return `      - alert: TwoFactor${name}
        expr: sum(increase(two_factor_events_total{type="${type}"}[5m])) >= ${atLeast}
        annotations:
          summary: ${JSON.stringify(todo)}
`
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
  ['docs/events.md', 'alarms', table(['type', 'level', 'what to do'], urgencies)],
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

it('the rules for Prometheus are those of the alarms', () => {
  const file = 'examples/observability/prometheus-rules.yaml'
  const comment =
    '# A rule for each alarm, over the metrics of prometheus.ts: who is called, and how, is yours to add.\n'
  const made = `${comment}groups:\n  - name: express-two-factor\n    rules:\n${rules.join('')}`
  if (process.env.WRITE_DOCS === '1') writeFileSync(path(file), made)
  expect(read(file)).toBe(made)
})

it('has every limit in its table', () => {
  expect(limits.map(([name]) => name)).toEqual(Object.keys(defaultLimits).map((name) => `\`${name}\``))
})
