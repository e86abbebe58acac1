// Mutation testing: weakens the code in a thousand places, one at a time, and asks whether a test notices.
// Works on a copy outside the repository, with its tools installed there.
// `npm run mutation`, or for some files only `npm run mutation -- src/challenge/ledger/attempts.ts ...`.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const copy = join(tmpdir(), 'express-two-factor-mutation')
const asked = process.argv.slice(2)
const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

const manifest = {
  private: true,
  type: 'module',
  dependencies: {
    ...dependencies,
    vitest: devDependencies.vitest,
    'fast-check': devDependencies['fast-check'],
    '@stryker-mutator/core': '9.6.1',
    '@stryker-mutator/vitest-runner': '9.6.1',
  },
}
const everything = ['challenge/**/*', 'store/memory-store', 'store/partition', 'provider/verdict']
const settings = {
  mutate: asked.length > 0 ? asked : everything.map((file) => `src/${file}.ts`),
  testRunner: 'vitest',
  vitest: { related: false },
  coverageAnalysis: 'perTest',
  concurrency: 2,
  timeoutMS: 10_000,
  // The copy is ours to write into.
  inPlace: true,
  // There is no such file: what the tool does with one fails under TypeScript 7.
  tsconfigFile: 'no-tsconfig.json',
  reporters: ['clear-text'],
  clearTextReporter: { logTests: false, allowColor: false },
  thresholds: { high: 100, low: 95, break: 95 },
}
// Without those that go on for seconds: they would do so once per mutant.
const tests = {
  include: [
    'test/challenge/*.test.ts',
    'test/challenge/{ledger,budgets,proofs}/*.test.ts',
    'test/store/memory-store.test.ts',
    'test/store/memory-store-size.test.ts',
    'test/provider/verdict.test.ts',
  ],
  exclude: ['test/challenge/adversary.test.ts'],
  // With every line watched, a flood takes its time.
  testTimeout: 60_000,
}

mkdirSync(copy, { recursive: true })
for (const part of ['src', 'test', 'tsconfig.json']) {
  rmSync(join(copy, part), { recursive: true, force: true })
  cpSync(join(root, part), join(copy, part), { recursive: true })
}
writeFileSync(join(copy, 'package.json'), JSON.stringify(manifest))
writeFileSync(join(copy, 'stryker.config.json'), JSON.stringify(settings))
writeFileSync(join(copy, 'vitest.config.js'), `export default ${JSON.stringify({ test: tests })}`)
const run = (command, ...args) => execFileSync(command, args, { cwd: copy, stdio: 'inherit' })
run('npm', 'install', '--no-audit', '--no-fund')
run('npx', 'stryker', 'run')
