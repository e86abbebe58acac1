// Mutation testing: weakens the code in thousands of places, one at a time, and asks whether a test notices.
// Works on a copy outside the repository, with its tools installed beside it.
// `npm run mutation`, for some files or folders only `npm run mutation -- src/challenge/ledger src/lib/html.ts`,
// `--every 7` for every seventh mutant of each file, `--tests 'test/lib/*.test.ts'` to ask those tests alone.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { partsOf } from './parts.js'
import { report } from './report.js'

const { values, positionals } = parseArgs({
  options: { every: { type: 'string', default: '1' }, tests: { type: 'string', multiple: true } },
  allowPositionals: true,
})
const every = Number(values.every)
if (!(Number.isInteger(every) && every > 0)) throw new Error('--every takes a whole number from 1')

const root = fileURLToPath(new URL('../..', import.meta.url))
const parts = partsOf(root, positionals)
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
  run('npm', ['run', '--silent', 'bundle'])
}

const settings = {
  testRunner: 'vitest',
  vitest: { related: false, configFile: 'test/mutation/vitest.config.ts' },
  coverageAnalysis: 'perTest',
  dryRunTimeoutMinutes: 20,
  // One process per core. For a sample half of them only leave mutants out, which takes no time.
  concurrency: every > 1 ? 4 : 2,
  // Generous: on a busy machine a slow test is not a noticed mutant.
  timeoutMS: 20_000,
  timeoutFactor: 4,
  // The copy is ours to write into.
  inPlace: true,
  disableTypeChecks: false,
  // There is no such file: what the tool does with one fails under TypeScript 7.
  tsconfigFile: 'no-tsconfig.json',
  plugins: ['@stryker-mutator/*', './test/mutation/sample.js'],
  checkers: every > 1 ? ['sample'] : [],
  reporters: ['json', 'progress-append-only'],
  allowConsoleColors: false,
  warnings: false,
  jsonReporter: { fileName: 'mutants.json' },
}

/** What became of each mutant of each file of a part. */
function mutate({ path, files, tests }) {
  console.log(`\nsrc/${path}: ${files.length} files`)
  writeFileSync(join(copy, 'stryker.config.json'), JSON.stringify({ ...settings, mutate: files }))
  const stryker = join(tools, 'node_modules/@stryker-mutator/core/bin/stryker.js')
  const asked = values.tests === undefined ? tests : { include: values.tests }
  try {
    run('node', [stryker, 'run'], { MUTATION_TESTS: JSON.stringify(asked), MUTATION_EVERY: `${every}` })
  } catch {
    // A test was red before anything was weakened. What the other parts give, after hours, is not thrown away.
    process.exitCode = 1
    return {}
  }
  return JSON.parse(readFileSync(join(copy, 'mutants.json'), 'utf8')).files
}

install()
copyTree()
const files = Object.assign({}, ...parts.map(mutate))
if (!report(files, every)) process.exitCode = 1
