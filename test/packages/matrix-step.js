// One step of the matrix, in the project that is the working directory and by the Node that runs this.
import { execFileSync } from 'node:child_process'
import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { argv, cwd } from 'node:process'
import { signInTwice } from './quick-start.js'

const { exports, name } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))

const node = (...args) => execFileSync('node', args, { stdio: ['ignore', 'pipe', 'pipe'] })

const steps = {
  types: () => node(join('node_modules', 'typescript', 'bin', 'tsc'), '-p', 'tsconfig.json'),

  entries() {
    for (const entry of Object.keys(exports).filter((path) => !path.endsWith('.json'))) {
      const specifier = join(name, entry)
      node('--input-type=module', '--eval', `import '${specifier}'`)
      node('--input-type=commonjs', '--eval', `require('${specifier}')`)
    }
  },

  login: () => signInTwice(cwd()),

  phone() {
    copyFileSync(new URL('phone-verification.js', import.meta.url), 'phone-verification.mjs')
    node('phone-verification.mjs')
  },
}

await steps[argv[2]]()
