// The table of `table.md`: `npm run mutation` writes it, and `npm run check` asks how old it is (`node table.js`).
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { partOf, thresholds } from './parts.js'
import { countOf, fates } from './report.js'

const path = fileURLToPath(new URL('table.md', import.meta.url))
const root = fileURLToPath(new URL('../..', import.meta.url))
/** So many commits to `src` make it old. */
const old = 200

const git = (...args) =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()

/** One row per file: its counts, one mutant in how many was asked about, and the commit that was asked. */
function read() {
  if (!existsSync(path)) return []
  const rows = readFileSync(path, 'utf8').matchAll(/^\| `(src\/.+)` \| (.+) \|$/gm)
  return [...rows].map(([, file, cells]) => {
    const [killed, survived, uncovered, timedOut, , every, commit] = cells.split(' | ')
    return { file, counts: { killed, survived, uncovered, timedOut }, every, commit }
  })
}

/** Each mutant of a row stands for those beside it that were left out. */
function sumOf(rows) {
  const sum = (fate) => rows.reduce((total, { counts, every }) => total + every * counts[fate], 0)
  return Object.fromEntries(fates.map((fate) => [fate, sum(fate)]))
}

function percentOf({ killed, survived, uncovered }) {
  const judged = Number(killed) + Number(survived) + Number(uncovered)
  return judged === 0 ? '-' : ((100 * killed) / judged).toFixed(1)
}

const line = (name, counts, ...more) =>
  `| ${[name, ...fates.map((fate) => counts[fate]), percentOf(counts), ...more].join(' | ')} |`
const heading = (first, ...more) => {
  const cells = [first, 'killed', 'survived', 'uncovered', 'timed out', '%', ...more]
  return [`| ${cells.join(' | ')} |`, `| ${cells.map((_, at) => (at === 0 ? '---' : '--:')).join(' | ')} |`]
}

/** Returns when the commits of the rows were made. The history need not contain all of them. */
function daysOf(rows) {
  const dayOf = (commit) => {
    try {
      return [git('log', '-1', '--format=%cs', commit)]
    } catch {
      return []
    }
  }
  const days = [...new Set(rows.map(({ commit }) => commit))].flatMap(dayOf).sort()
  return [...new Set([days[0], days.at(-1)])].join(' to ')
}

/** Puts what was found into the table, and prints the sums of it by part. */
export function saveTable(files, { every, commit }) {
  const found = Object.entries(files).map(([file, { mutants }]) => {
    return { file, counts: countOf(mutants), every, commit }
  })
  const kept = read().filter(({ file }) => !(file in files) && existsSync(join(root, file)))
  const rows = [...kept, ...found].sort((a, b) => (a.file < b.file ? -1 : 1))
  const names = [...new Set(rows.map(({ file }) => partOf(file)))]
  const sums = [
    ...names.map((name) => [name, sumOf(rows.filter(({ file }) => partOf(file) === name))]),
    ['all', sumOf(rows)],
  ]
  const byPart = [...heading('part'), ...sums.map(([name, counts]) => line(name, counts))]
  writeFileSync(
    path,
    [
      '# What the tests notice',
      '',
      'Written by `npm run mutation`. Of each file one mutant in so many was asked about, at the commit of its row; a file without a row has not been asked about. In the sums by part each row counts as often as its `one in` says. A mutant that timed out counts neither way.',
      '',
      `The rows were sampled on commits of ${daysOf(rows)}. A file may have changed since its commit.`,
      '',
      ...byPart,
      '',
      ...heading('file', 'one in', 'commit'),
      ...rows.map(({ file, counts, every, commit }) => line(`\`${file}\``, counts, every, commit)),
      '',
    ].join('\n'),
  )
  console.log(['', ...byPart].join('\n'))
  for (const [name, counts] of sums) {
    if (Number(percentOf(counts)) < (thresholds[name] ?? 0)) {
      console.log(`${name}: less than ${thresholds[name]} %`)
      process.exitCode = 1
    }
  }
}

function age(commit) {
  try {
    return Number(git('rev-list', '--count', `${commit}..HEAD`, '--', 'src'))
  } catch {
    // No repository, or one without its history.
    return 0
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const oldest = Math.max(0, ...[...new Set(read().map(({ commit }) => commit))].map(age))
  if (oldest > old)
    console.log(`warning: instruments/mutation/table.md is ${oldest} commits of src old: npm run mutation`)
}
