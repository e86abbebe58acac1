// Mutation testing: weakens the code in thousands of places, one at a time, and asks whether a test notices.
// Works on a copy outside the repository, with its tools installed beside it. Usage: README.md.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { partsOf } from './parts.js'
import { printKillers, printSurvivors, withBroken } from './report.js'
import { saveTable } from './table.js'

const { values, positionals } = parseArgs({
  options: {
    every: { type: 'string', default: '6' },
    changed: { type: 'string' },
    killers: { type: 'boolean', default: false },
    tests: { type: 'string', multiple: true },
  },
  allowPositionals: true,
})
const every = Number(values.every)
if (!(Number.isInteger(every) && every > 0)) throw new Error('--every takes a whole number from 1')

const root = fileURLToPath(new URL('../..', import.meta.url))
const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
const asked =
  values.changed === undefined
    ? positionals
    : git('diff', '--name-only', values.changed, '--', 'src').split('\n')
/** What is asked, whatever is committed meanwhile. */
const commit = git('rev-parse', '--short', 'HEAD')
const parts = partsOf(root, asked.length === 0 ? ['src'] : asked)
if (parts.length === 0) throw new Error(`nothing to mutate in: ${asked.join(' ')}`)
/** Copies of several working folders share what is installed. */
const tools = join(tmpdir(), 'express-two-factor-mutation')
const copy = join(tools, createHash('sha256').update(root).digest('hex').slice(0, 12))

function run(command, args, { cwd = copy, ...env } = {}) {
  execFileSync(command, args, { cwd, stdio: 'inherit', env: { ...process.env, ...env } })
}

function install() {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const stryker = { '@stryker-mutator/core': '9.6.1', '@stryker-mutator/vitest-runner': '9.6.1' }
  const manifest = JSON.stringify({
    private: true,
    type: 'module',
    dependencies: { ...dependencies, ...devDependencies, ...stryker },
  })
  const installed = join(tools, 'installed.json')
  if (existsSync(installed) && readFileSync(installed, 'utf8') === manifest) return
  mkdirSync(tools, { recursive: true })
  writeFileSync(join(tools, 'package.json'), manifest)
  // The versions that the tests are known to pass with.
  cpSync(join(root, 'package-lock.json'), join(tools, 'package-lock.json'))
  run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: tools })
  writeFileSync(installed, manifest)
}

function copyTree() {
  rmSync(copy, { recursive: true, force: true, maxRetries: 3 })
  const made = ['.git', 'build', 'coverage', 'dist', 'node_modules'].map((name) => join(root, name))
  cpSync(root, copy, { recursive: true, filter: (path) => !made.includes(path) })
}

const settings = {
  testRunner: 'vitest',
  vitest: { related: false, configFile: 'instruments/mutation/vitest.config.ts' },
  coverageAnalysis: 'perTest',
  // Without it, who would have noticed as well is not asked.
  disableBail: values.killers,
  dryRunTimeoutMinutes: 20,
  // One process per core. For a sample half of them only leave mutants out, which takes no time.
  concurrency: every > 1 ? 4 : 2,
  // Generous: on a busy machine a slow test is not a noticed mutant.
  timeoutMS: 60_000,
  timeoutFactor: 4,
  // The copy is ours to write into.
  inPlace: true,
  disableTypeChecks: false,
  // There is no such file: what the tool does with one fails under TypeScript 7.
  tsconfigFile: 'no-tsconfig.json',
  plugins: ['@stryker-mutator/*', './instruments/mutation/sample.js'],
  checkers: every > 1 ? ['sample'] : [],
  reporters: ['json', 'progress-append-only'],
  allowConsoleColors: false,
  warnings: false,
}

/** What became of each mutant of each file of a part. */
function mutate({ name, files, tests }) {
  console.log(`\n${name}: ${files.length} files`)
  const jsonReporter = { fileName: `mutants-${name}.json` }
  writeFileSync(
    join(copy, 'stryker.config.json'),
    JSON.stringify({ ...settings, jsonReporter, mutate: files }),
  )
  const stryker = join(tools, 'node_modules/@stryker-mutator/core/bin/stryker.js')
  const asked = values.tests === undefined ? tests : { include: values.tests }
  try {
    run('node', [stryker, 'run'], { MUTATION_TESTS: JSON.stringify(asked), MUTATION_EVERY: `${every}` })
  } catch {
    // A test was red before anything was weakened. What the other parts give is not thrown away.
    process.exitCode = 1
    return undefined
  }
  return withBroken(JSON.parse(readFileSync(join(copy, jsonReporter.fileName), 'utf8')))
}

install()
copyTree()
for (const part of parts) {
  const result = mutate(part)
  if (result === undefined) continue
  printSurvivors(result.files)
  if (values.killers) printKillers(result)
  if (values.tests === undefined) saveTable(result.files, { every, commit })
}
