// Runs the tests that hold the bounds of the package, and prints each bound with the figures of this run.
// `npm run prove`; with `-- --weaken` it switches protections off, one at a time, and tells which bound falls;
// `-- --weaken session` those with this word.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { argv, env } from 'node:process'
import { fileURLToPath } from 'node:url'
import { bounds } from './bounds.js'
import { weakened } from './weakened.js'
import { weakenings } from './weakenings.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'express-two-factor-proof-'))
try {
  process.exitCode = argv[2] === '--weaken' ? weaken(argv[3] ?? '') : prove()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** Vitest on these files: its report, and the figures that the tests handed over. */
function runTests(files, { cwd = root, more = [], inFull } = {}) {
  const [report, figures] = [join(folder, 'report.json'), join(folder, 'figures.jsonl')]
  writeFileSync(figures, '')
  rmSync(report, { force: true })
  const options = ['--config', 'test/vitest.config.ts', '--reporter=json', `--outputFile=${report}`, ...more]
  spawnSync('npx', ['vitest', 'run', ...options, ...files], {
    cwd,
    env: { ...env, PROOF_FILE: figures, ...(inFull && { IN_FULL: '1' }) },
    stdio: 'ignore',
  })
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'))
  const tests = testResults.flatMap(({ name, assertionResults, status }) =>
    assertionResults.length === 0
      ? [{ file: name, status }]
      : assertionResults.map((test) => ({ ...test, file: name })),
  )
  const lines = readFileSync(figures, 'utf8').split('\n').filter(Boolean)
  return { tests, figures: lines.map((line) => JSON.parse(line)) }
}

function prove() {
  const files = [...new Set(bounds.flatMap(({ tests }) => tests))]
  const { tests, figures } = runTests(files, { inFull: true })
  let broken = 0
  for (const { number, says, tests: paths } of bounds) {
    const own = tests.filter(({ file }) => paths.some((path) => file.startsWith(join(root, path))))
    const count = (status) => own.filter((test) => test.status === status).length
    const [passed, failed] = [count('passed'), count('failed')]
    const skipped = own.length - passed - failed
    if (failed > 0 || passed === 0) broken += 1
    console.log(`${String(number).padStart(2)}  ${failed > 0 || passed === 0 ? 'BROKEN' : 'holds '}  ${says}`)
    const told = new Set(figures.filter(({ bound }) => bound === number).map(({ text }) => text))
    const tally = [`${passed} tests`, failed > 0 && `${failed} failed`, skipped > 0 && `${skipped} skipped`]
    for (const line of [...told, tally.filter(Boolean).join(', ')]) console.log(`            ${line}`)
  }
  return broken === 0 ? 0 : 1
}

/** Which of the two runs of the suite has a test that falls, and the test. */
function noticed(tests, cwd) {
  for (const [by, more] of [
    ['npm test', ['--project=usual', '--project=built']],
    ['test:full', ['--project=full*']],
  ]) {
    // To the end: a run that stops at the first may lose the report of the very test that fell.
    const run = runTests(tests, { cwd, more: [...more, '--passWithNoTests'] })
    const fallen = run.tests.find(({ status }) => status === 'failed')
    if (fallen !== undefined) return [by, fallen]
  }
  return ['', undefined]
}

/** On a copy, so that nothing that is weakened can be left behind. */
function weaken(word) {
  const copy = join(folder, 'copy')
  execFileSync('git', ['clone', '--quiet', '--shared', root, copy])
  execFileSync('ln', ['-s', join(root, 'node_modules'), join(copy, 'node_modules')])
  let silent = 0
  for (const { bound, what, file, find, replace, tests } of weakenings.filter((one) =>
    one.what.includes(word),
  )) {
    const path = join(copy, file)
    const source = readFileSync(path, 'utf8')
    const without = weakened(source, { find, replace })
    if (without === undefined) throw new Error(`${file}: "${find}" must occur once`)
    writeFileSync(path, without)
    const [by, fallen] = noticed(tests, copy)
    writeFileSync(path, source)
    if (fallen === undefined) silent += 1
    const told = fallen === undefined ? 'SILENT' : `bound ${bound} falls`
    console.log(`${told.padEnd(15)} ${by.padEnd(10)} ${what}`)
    if (fallen !== undefined) console.log(`${' '.repeat(27)}${fallen.fullName ?? fallen.file}`)
  }
  return silent === 0 ? 0 : 1
}
