// What is compared with here is no dependency of the package: it is installed outside the repository.
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folder = join(tmpdir(), 'express-two-factor-bench')
const manifest = {
  private: true,
  dependencies: { 'express-rate-limit': '8.7.4', twilio: '6.2.0' },
}

export function installPackages() {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel', 'error']
  execFileSync('npm', ['install', ...flags], { cwd: folder, stdio: 'inherit' })
}

/** One of them. */
export const foreign = (name) => createRequire(join(folder, 'package.json'))(name)
