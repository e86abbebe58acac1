import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { eventUrgency } from '../../src/alarms.js'
import { defaultLimits, type OptionLimits } from '../../src/challenge/limits.js'
import { httpStatusOf } from '../../src/errors.js'
import { inWords } from '../../src/options/resolve.js'
import { path, read } from '../documents.js'
import { membersOfType } from './exported.js'

const row = (...cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
const table = (head: string[], rows: string[][]) =>
  [row(...head), `|${'---|'.repeat(head.length)}`, ...rows.map((cells) => row(...cells))].join('\n')

/** What a docstring says before its first empty line or tag, on one line. */
const said = (docstring: string) =>
  (docstring.split(/\n\s*\*\s*(?:\n|@)/)[0] ?? '')
    .replaceAll(/\s*\n\s*\* ?/g, ' ')
    .replace(/^\*/, '')
    .replaceAll(/\{@link (\w+)\}/g, '`$1`')
    .trim()

/** Its first sentence, and that about its default: an editor shows the rest. */
const inBrief = (docstring: string) =>
  said(docstring)
    .split(/(?<=\.) (?=[A-Z`])/)
    .filter((sentence, index) => index === 0 || /\bdefault\b/i.test(sentence))
    .join(' ')

/** Each entry of a table in the source, with the docstring above it. */
const documented = (source: string, entry: RegExp) =>
  [
    ...source.matchAll(
      new RegExp(`/\\*\\*((?:(?!\\*/)[\\s\\S])*)\\*/\\n(?: *//.*\\n)* *${entry.source}`, 'g'),
    ),
  ].map(([, docstring = '', ...found]) => ({ sentence: said(docstring), found: found.map(String) }))

const limits = documented(read('src/challenge/limits.ts'), /(\w+): limit/).map(
  ({ sentence, found: [name = ''] }) => [
    `\`${name}\``,
    inWords(name, defaultLimits[name as keyof OptionLimits]),
    sentence,
  ],
)

/** The members of a type, each with what its docstring says; `of` is what its users write before a member. */
const membersOf = (file: string, type: string, of = '') =>
  membersOfType(file, type).map(({ name, takes, isRequired, docstring }) => [
    `\`${of}${name}${takes}\`${isRequired && takes === '' ? ' (required)' : ''}`,
    // The first line of the page names the unit.
    inBrief(docstring).replaceAll(/, in milliseconds(?=[.:])/g, ''),
  ])

/** Rows with those of required options first. */
const requiredFirst = (rows: string[][]) => {
  const isRequired = ([name = '']: string[]) => name.endsWith('(required)')
  return [...rows.filter(isRequired), ...rows.filter((cells) => !isRequired(cells))]
}

const options = [
  ...requiredFirst(membersOf('src/options.ts', 'TwoFactorOptions')),
  ...membersOf('src/options.ts', 'PurposeOptions', 'purposes.<name>.'),
  ...membersOf('src/express/settings.ts', 'CodeOptions', 'code.'),
]

/** What `twoFactor` returns; a member that has members of its own, by these. */
const facades: Readonly<Record<string, readonly [file: string, type: string]>> = {
  grants: ['src/express/host/facades.ts', 'GrantsFacade'],
  trustedDevices: ['src/express/host/facades.ts', 'TrustedDevicesFacade'],
  recoveryCodes: ['src/express/host/facades.ts', 'RecoveryCodesFacade'],
  authenticators: ['src/express/flows/authenticators.ts', 'Authenticators'],
  subjects: ['src/express/host/operator.ts', 'SubjectsFacade'],
  signups: ['src/express/host/operator.ts', 'SignupsFacade'],
}
const calls = membersOfType('src/two-factor.ts', 'TwoFactor').flatMap(({ name, takes, docstring }) => {
  const facade = facades[name]
  if (facade !== undefined)
    return membersOf(...facade, `tf.${name}.`).filter(([call = '']) => call.includes(')`'))
  return [[`\`tf.${name}${takes}\``, inBrief(docstring)]]
})

/** Every problem code with its status. */
const problems = documented(read('src/errors.ts'), /(\w+): (\d{3}),/).map(
  ({ sentence, found: [code, status = ''] }) => [`\`${code}\``, status, sentence],
)

/** Every event. */
const eventUnion = read('src/events.ts').split('export type EventBody =')[1]?.split('\n\n')[0] ?? ''
const events = documented(eventUnion, /\|((?:(?!\n {2}\/\*\*)[\s\S])*)/).map(
  ({ sentence, found: [body = ''] }) => [
    (body.match(/(?<=')\w+\.\w+(?=')/g) ?? []).map((type) => `\`${type}\``).join(', '),
    sentence,
  ],
)

const alarms = Object.entries(eventUrgency).flatMap(
  ([type, { level, atLeast = 0, todo = '', section = '' }]) =>
    level === 'alarm' ? [{ type, atLeast, todo, section }] : [],
)
/** A rule of Prometheus for each alarm, over the metrics of the recipe. */
const rules = alarms.map(({ type, atLeast, todo, section }) => {
  const name = type.replaceAll(/(?:^|\.)\w/g, (letters) => letters.slice(-1).toUpperCase())
  return `      - alert: TwoFactor${name}
        expr: sum(increase(two_factor_events_total{type="${type}"}[5m])) >= ${atLeast}
        annotations:
          summary: ${JSON.stringify(todo)}
          runbook: docs/operation.md#${section}
`
})

/** Tables that are made from the code, each between two comments of its document. */
const tables: [document: string, name: string, table: string][] = [
  ['docs/reference.md', 'options', table(['option', 'effect'], options)],
  ['docs/reference.md', 'limits', table(['limit', 'default', 'meaning'], limits)],
  [
    'docs/reference.md',
    'guard',
    table(['option', 'effect'], membersOf('src/express/guard/guard-options.ts', 'GuardOptions')),
  ],
  ['docs/reference.md', 'members', table(['member', 'effect'], calls)],
  ['docs/reference.md', 'problem codes', table(['code', 'status', 'meaning and action'], problems)],
  ['docs/reference.md', 'events', table(['type', 'when'], events)],
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

it('the rules for Prometheus match the alarms', () => {
  const file = 'examples/observability/alerts.yml'
  const place = /(?<=name: express-two-factor-events\n {4}rules:\n).*?(?= {2}# of shares)/s
  if (process.env.WRITE_DOCS === '1') writeFileSync(path(file), read(file).replace(place, rules.join('')))
  expect(place.exec(read(file))?.[0]).toBe(rules.join(''))
})

it('a table has a row for each limit, problem code and event of the code', () => {
  const first = (rows: readonly (readonly (string | undefined)[])[]) => rows.map(([name]) => name)
  const quoted = (names: object) => Object.keys(names).map((name) => `\`${name}\``)
  expect(first(limits)).toEqual(quoted(defaultLimits))
  expect(first(problems)).toEqual(quoted(httpStatusOf))
  expect(first(events).join(', ')).toBe(quoted(eventUrgency).join(', '))
})
