import { execFileSync } from 'node:child_process'

/** Makes `dist` and `build` for the suites that run what a reader would run, once for all of a run. */
export function setup(): void {
  if (process.env.TEST_FILES_MADE !== undefined) return
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: ['ignore', 'inherit', 'inherit'] })
  process.env.TEST_FILES_MADE = 'yes'
}
