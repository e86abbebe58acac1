// Bar 10: what an app installs besides Express.
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { install, manifest, pack } from '../../test/packages/projects.js'
import { once } from './rounds.js'

export const bars = [
  {
    bar: 10,
    what: 'packages besides Express and this one',
    atMost: 5,
    unit: '',
    rounds: once,
    ours: () => installed().packages,
  },
  {
    bar: 10,
    what: 'what they weigh together with this one',
    atMost: 26,
    unit: 'MB',
    rounds: once,
    ours: () => installed().megabytes,
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
  try {
    const { filename } = pack(project, '--ignore-scripts')
    const dependencies = { [manifest.name]: `file:${join(project, filename)}` }
    install(project, { dependencies }, '--legacy-peer-deps')
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
