// One table of what the tests have noticed, and a list of what they have not.
import { isCore, thresholds } from './parts.js'

const none = { killed: 0, survived: 0, uncovered: 0, timedOut: 0, broken: 0 }

/** Under load a slow test looks like a noticed mutant, so that a timeout counts neither way. An endless loop is noticed. */
function fateOf({ status, statusReason = '' }) {
  if (status === 'Timeout') return statusReason.startsWith('Hit limit') ? 'killed' : 'timedOut'
  return { Killed: 'killed', Survived: 'survived', NoCoverage: 'uncovered', RuntimeError: 'broken' }[status]
}

function count(mutants) {
  const counts = { ...none }
  for (const mutant of mutants) {
    const fate = fateOf(mutant)
    if (fate !== undefined) counts[fate] += 1
  }
  return counts
}

const judged = ({ killed, survived, uncovered }) => killed + survived + uncovered
const percent = (counts) => (judged(counts) === 0 ? 100 : (100 * counts.killed) / judged(counts))
const sum = (rows) =>
  rows.reduce(
    (total, row) => {
      for (const fate of Object.keys(none)) total[fate] += row[fate]
      return total
    },
    { ...none },
  )

const columns = ['killed', 'survived', 'uncovered', 'timedOut', 'broken']
const line = (name, counts) =>
  [
    name.padEnd(44),
    ...columns.map((fate) => String(counts[fate]).padStart(10)),
    (judged(counts) === 0 ? '-' : percent(counts).toFixed(1)).padStart(8),
  ].join('')

/** `src/lib/html.ts:4:9 StringLiteral: '<' -> ""` */
function described(file, source, { location, mutatorName, replacement, status }) {
  const { start, end } = location
  const lines = source.split('\n').slice(start.line - 1, end.line)
  const last = lines.length - 1
  lines[last] = lines[last].slice(0, end.column - 1)
  lines[0] = lines[0].slice(start.column - 1)
  const short = (text) => {
    const flat = text.replaceAll(/\s+/g, ' ')
    return flat.length > 100 ? `${flat.slice(0, 100)} ...` : flat
  }
  const uncovered = status === 'NoCoverage' ? ' (no test comes here)' : ''
  return `${file}:${start.line}:${start.column} ${mutatorName}: ${short(lines.join('\n'))} -> ${short(replacement)}${uncovered}`
}

/** Prints the table; returns whether both groups reach their threshold. */
export function report(files, every) {
  const rows = Object.entries(files)
    .map(([file, { mutants }]) => ({ file, ...count(mutants) }))
    .sort((a, b) => a.file.localeCompare(b.file))
  const groups = Object.entries(thresholds).map(([name, threshold]) => ({
    name,
    threshold,
    rows: rows.filter(({ file }) => isCore(file) === (name === 'core')),
  }))

  for (const [file, { source, mutants }] of Object.entries(files)) {
    for (const mutant of mutants.filter(({ status }) => ['Survived', 'NoCoverage'].includes(status))) {
      console.log(described(file, source, mutant))
    }
  }
  if (every > 1) console.log(`\na sample: one mutant in ${every} of each file`)
  for (const group of groups.filter((group) => group.rows.length > 0)) {
    const heading = ['killed', 'survived', 'uncovered', 'timed out', 'broken', '%']
    console.log(
      `\n${group.name.padEnd(44)}${heading.map((word, at) => word.padStart(at === 5 ? 8 : 10)).join('')}`,
    )
    for (const row of group.rows) console.log(line(row.file, row))
    console.log(line(`all of them, at least ${group.threshold} %`, sum(group.rows)))
  }
  return groups.every(({ rows, threshold }) => percent(sum(rows)) >= threshold)
}
