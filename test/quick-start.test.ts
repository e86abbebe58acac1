import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import packageJson from '../package.json' with { type: 'json' }
import { path } from './documents.js'

interface QuickStart {
  signInTwice(project: string): Promise<void>
}

const { signInTwice } = (await import(new URL('packages/quick-start.js', import.meta.url).href)) as QuickStart

it('the quick start of the README signs in, pasted beside the package as it is published', async () => {
  const project = mkdtempSync(join(tmpdir(), 'express-two-factor-quick-start-'))
  onTestFinished(() => rmSync(project, { recursive: true }))
  const modules = join(project, 'node_modules')
  const unpacked = join(modules, packageJson.name)
  mkdirSync(unpacked, { recursive: true })
  mkdirSync(join(modules, '.bin'))
  for (const name of [...Object.keys(packageJson.dependencies), 'express', 'express-session']) {
    symlinkSync(path(`node_modules/${name}`), join(modules, name))
  }

  // What is to be packed was built before this suite began.
  const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', project]
  const [packed] = JSON.parse(execFileSync('npm', pack, { cwd: path('.'), encoding: 'utf8' }))
  execFileSync('tar', ['-xf', join(project, packed.filename), '-C', unpacked, '--strip-components=1'])
  // As npm does when it installs.
  const program = join(unpacked, packageJson.bin['express-two-factor'])
  chmodSync(program, 0o755)
  symlinkSync(program, join(modules, '.bin/express-two-factor'))

  await expect(signInTwice(project)).resolves.toBeUndefined()
})
