// Counts what a user of the package can meet by name, so that two versions can be compared. Usage: npm run counted
import { readdirSync, readFileSync } from 'node:fs'
import { defaultLimits } from '../build/modules/challenge/limits.js'
import { en } from '../build/modules/express/pages/messages/en.js'
import { optionChecks } from '../build/modules/options/checks.js'

const root = new URL('../', import.meta.url)
const read = (file) => readFileSync(new URL(file, root), 'utf8')
const allIn = (text, pattern) => [...text.matchAll(pattern)].map(([, found]) => found)

/** The members of the option at a path, as the error about an unknown one lists them; none of a leaf. */
function membersOf([top, ...path]) {
  const value = path.reduceRight((inner, name) => ({ [name]: inner }), { unheardOf: {} })
  try {
    optionChecks[top](value, top)
  } catch ({ message }) {
    if (message.includes('unknown option')) return message.split('expected: ')[1]?.split(', ') ?? []
  }
  return []
}

/** What can be set in an option, or the option itself. The names in a record, such as purposes, are the host's: `*`. */
function leavesOf(path) {
  if (path[0] === 'limits') return []
  const named = membersOf(path)
  const inRecord = named.length === 0 ? membersOf([...path, '*']).map((name) => ['*', name]) : []
  const members = [...named.map((name) => [name]), ...inRecord]
  return members.length === 0 ? [path.join('.')] : members.flatMap((names) => leavesOf([...path, ...names]))
}

const sources = readdirSync(new URL('src/', root), { recursive: true })
  .filter((file) => file.endsWith('.ts') && !file.startsWith('tools'))
  .map((file) => read(`src/${file}`))

const { exports } = JSON.parse(read('package.json'))
const entries = Object.values(exports)
  .filter((entry) => typeof entry === 'object')
  .map(({ types }) => read(types.replace('./dist/', 'src/').replace('.d.ts', '.ts')))
  .join('\n')
const listed = [...entries.matchAll(/^export (type )?\{([^}]*)\}/gm)].flatMap(([, type = '', names]) =>
  names.split(',').map((name) => (type + name.trim()).trim()),
)
const declared = [
  ...entries.matchAll(/^export (?:async )?(interface|type|class|function|const) (\w+)/gm),
].map(([, kind, name]) => (/interface|type/.test(kind) ? `type ${name}` : name))
const symbols = [...listed, ...declared].filter((name) => !/^(?:type)?$/.test(name))

const counted = {
  options: Object.keys(optionChecks),
  'members of options': Object.keys(optionChecks).flatMap((name) => leavesOf([name])),
  limits: Object.keys(defaultLimits),
  events: allIn(read('src/events.ts'), /readonly type: ((?:'[^']+'(?: \| )?)+)/g).flatMap((types) =>
    allIn(types, /'([^']+)'/g),
  ),
  warnings: sources.flatMap((source) => allIn(source, /(?<![\w.])TWO_FACTOR_([A-Z]\w*)/g)),
  texts: Object.keys(en),
  'exported types': symbols.flatMap((name) => (name.startsWith('type ') ? name.slice('type '.length) : [])),
  'exported values': symbols.filter((name) => !name.startsWith('type ')),
}

for (const [what, found] of Object.entries(counted)) {
  const names = [...new Set(found)].sort()
  console.log(`${what}: ${names.length}\n  ${names.join(', ')}`)
}
