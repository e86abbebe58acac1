// What became of the mutants.

/**
 * Under load a slow test looks like a noticed mutant, so that a timeout counts neither way. An endless loop is
 * noticed, and so is an error outside of all tests, which turns a run red as well.
 */
function fateOf({ status, statusReason = '' }) {
  if (status === 'Timeout') return statusReason.startsWith('Hit limit') ? 'killed' : 'timedOut'
  return { Killed: 'killed', RuntimeError: 'killed', Survived: 'survived', NoCoverage: 'uncovered' }[status]
}

/**
 * Where a file of tests no longer loads, or what its tests begin with fails, none of its tests fails: they do not
 * run. The runner calls that survived, and a run of the tests is red.
 */
export function withBroken({ files, testFiles }) {
  const all = Object.values(testFiles).reduce((sum, { tests }) => sum + tests.length, 0)
  const judged = (mutant) => {
    const meant = mutant.static ? all : mutant.coveredBy?.length
    const isBroken = mutant.status === 'Survived' && mutant.testsCompleted < meant
    return isBroken ? { ...mutant, status: 'RuntimeError' } : mutant
  }
  const found = Object.entries(files).map(([file, { mutants, ...more }]) => {
    return [file, { ...more, mutants: mutants.map(judged) }]
  })
  return { files: Object.fromEntries(found), testFiles }
}

export const fates = ['killed', 'survived', 'uncovered', 'timedOut']

export function countOf(mutants) {
  const found = mutants.map(fateOf)
  return Object.fromEntries(fates.map((fate) => [fate, found.filter((each) => each === fate).length]))
}

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

export function printSurvivors(files) {
  for (const [file, { source, mutants }] of Object.entries(files)) {
    for (const mutant of mutants.filter((mutant) => ['survived', 'uncovered'].includes(fateOf(mutant)))) {
      console.log(described(file, source, mutant))
    }
  }
}

/**
 * The files of tests that could go: of what each of them notices, another one notices all. Two that notice the
 * same go one after the other, so that one of them stays; the one that notices least goes first.
 */
export function printKillers({ files, testFiles }) {
  const fileOf = new Map(
    Object.entries(testFiles).flatMap(([file, { tests }]) => tests.map(({ id }) => [id, file])),
  )
  const killed = Object.values(files)
    .flatMap(({ mutants }) => mutants)
    .filter(({ status }) => status === 'Killed')
    .map(({ killedBy }) => new Set(killedBy.map((id) => fileOf.get(id))))
  const noticed = (file) => killed.filter((killers) => killers.has(file))
  console.log(`\nnever the only one to notice one of ${killed.length} mutants:`)
  const inOrder = Object.keys(testFiles).sort((a, b) => noticed(a).length - noticed(b).length)
  for (const file of inOrder) {
    const count = noticed(file).length
    if (noticed(file).some((killers) => killers.size === 1)) continue
    for (const killers of killed) killers.delete(file)
    console.log(`${file} (notices ${count})`)
  }
}
