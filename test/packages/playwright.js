// The fixtures under Playwright's own runner, from the packed package. They speak HTTP alone, so no browser is installed.
import { execFileSync } from 'node:child_process'
import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const { devDependencies } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
const compiler = new URL('../../node_modules/.bin/tsc', import.meta.url).pathname

/** Adds Playwright to a project that has the package already, and type-checks and runs one file of tests. */
export function runPlaywright(project) {
  const run = (command, args) => execFileSync(command, args, { cwd: project, encoding: 'utf8' })
  const runner = `@playwright/test@${devDependencies['playwright-core']}`
  const quietly = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel', 'error']
  run('npm', ['install', ...quietly, runner])
  copyFileSync(new URL('fixtures.spec.ts', import.meta.url), join(project, 'fixtures.spec.ts'))
  run(compiler, ['-p', 'tsconfig.json'])
  const output = run(join(project, 'node_modules', '.bin', 'playwright'), ['test', '--workers', '2'])
  const passed = /^ *(\d+ passed)/m.exec(output)?.[1]
  if (passed !== '6 passed') throw new Error(`Playwright did not pass six tests: ${output}`)
  console.log(`the fixtures under Playwright: ${passed} in two workers, no mistake in their types`)
}
