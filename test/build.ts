import { execFileSync } from 'node:child_process'
import type { TestProject } from 'vitest/node'

/**
 * Makes what the suites take from `dist` and `build`, once for all projects of a run: all of it for those that
 * run what a reader would run; for the others `dialog.js` and `page.js`, which the routes serve, and the inbox's script.
 */
export function setup({ name }: TestProject): void {
  const script = name.endsWith('built') ? 'build' : 'bundle'
  const made = process.env.TEST_FILES_MADE
  if (made === script || made === 'build') return
  execFileSync('npm', ['run', '--silent', script], { stdio: ['ignore', 'inherit', 'inherit'] })
  process.env.TEST_FILES_MADE = script
}
