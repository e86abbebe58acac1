import { execFileSync } from 'node:child_process'

/** `dialog.js` and `page.js`, which the routes serve from the built files. */
export function setup(): void {
  execFileSync('npm', ['run', '--silent', 'bundle'], { stdio: ['ignore', 'inherit', 'inherit'] })
}
