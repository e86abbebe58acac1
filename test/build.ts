import { execFileSync } from 'node:child_process'

/** The suites of this project run what a reader would run: the built files. */
export function setup(): void {
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: ['ignore', 'inherit', 'inherit'] })
}
