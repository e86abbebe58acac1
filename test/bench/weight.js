// Bar 10: what an app installs besides Express.
import { execFileSync } from 'node:child_process'
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { absolute } from './rounds.js'

const root = fileURLToPath(new URL('../..', import.meta.url))

export const bars = [
  {
    bar: 10,
    what: 'packages besides Express and this one',
    atMost: 5,
    unit: '',
    measure: () => absolute(1, () => installed().packages),
  },
  {
    bar: 10,
    what: 'what they weigh together with this one',
    atMost: 26,
    unit: 'MB',
    measure: () => absolute(1, () => installed().megabytes),
  },
]

let weighed

/** Installs the packed package in a project outside the repository. */
function installed() {
  weighed ??= weigh()
  return weighed
}

function weigh() {
  const project = mkdtempSync(join(tmpdir(), 'express-two-factor-weight-'))
  const npm = (cwd, ...args) =>
    execFileSync('npm', [...args, '--loglevel', 'error'], { cwd, encoding: 'utf8' })
  try {
    const [packed] = JSON.parse(
      npm(root, 'pack', '--json', '--ignore-scripts', '--pack-destination', project),
    )
    writeFileSync(join(project, 'package.json'), '{ "private": true }')
    const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--legacy-peer-deps']
    npm(project, 'install', ...flags, join(project, packed.filename))
    const folder = join(project, 'node_modules')
    const { packages } = JSON.parse(readFileSync(join(folder, '.package-lock.json'), 'utf8'))
    return { packages: Object.keys(packages).length - 1, megabytes: bytesIn(folder) / 1e6 }
  } finally {
    rmSync(project, { recursive: true })
  }
}

function bytesIn(path) {
  const entry = lstatSync(path)
  if (!entry.isDirectory()) return entry.size
  return readdirSync(path).reduce((sum, name) => sum + bytesIn(join(path, name)), 0)
}
