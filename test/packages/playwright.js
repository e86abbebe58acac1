// The fixtures under Playwright's own runner, from the packed package. They speak HTTP alone, so no browser is installed.
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { manifest, npmInstall, root, run } from './projects.js'

/** Adds Playwright to a project that has the package already, and type-checks and runs one file of tests. */
export function runPlaywright(project) {
  npmInstall(project, `@playwright/test@${manifest.devDependencies['playwright-core']}`)
  copyFileSync(new URL('fixtures.spec.ts', import.meta.url), join(project, 'fixtures.spec.ts'))
  run(join(root, 'node_modules', '.bin', 'tsc'), ['-p', 'tsconfig.json'], project)
  const runner = join(project, 'node_modules', '.bin', 'playwright')
  const output = run(runner, ['test', '--workers', '2'], project)
  const passed = /^ *(\d+ passed)/m.exec(output)?.[1]
  if (passed !== '6 passed') throw new Error(`Playwright did not pass six tests: ${output}`)
  console.log(`the fixtures under Playwright: ${passed} in two workers, no mistake in their types`)
}
