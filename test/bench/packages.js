// What is compared with here is no dependency of the package: it is installed outside the repository.
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const folder = join(tmpdir(), 'express-two-factor-bench')
const manifest = {
  private: true,
  dependencies: {
    'better-auth': '1.7.25',
    'express-rate-limit': '8.7.4',
    'rate-limiter-flexible': '11.4.0',
    twilio: '6.2.0',
  },
}

export function installPackages() {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  const flags = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel', 'error']
  execFileSync('npm', ['install', ...flags], { cwd: folder, stdio: 'inherit' })
}

/** One of them that is an ES module. */
export const foreignModule = (name) =>
  import(pathToFileURL(createRequire(join(folder, 'package.json')).resolve(name)).href)

/** One of them. */
export const foreign = (name) => createRequire(join(folder, 'package.json'))(name)
