// Builds the package and opens the demo: `npm start`. A question about its options needs no build.
import { execSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const root = new URL('..', import.meta.url)

if (process.argv.includes('--help')) {
  process.stdout.write(readFileSync(new URL('examples/demo/usage.txt', root), 'utf8'))
} else {
  console.log('Building the package, a few seconds …')
  try {
    execSync('npm run --silent build', { cwd: root, stdio: 'inherit' })
  } catch {
    // The build has printed why.
    process.exit(1)
  }
  await import(new URL('build/examples/start.js', root).href)
}
