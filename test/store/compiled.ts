import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('../..', import.meta.url))
const tsc = join(createRequire(import.meta.url).resolve('typescript/package.json'), '../bin/tsc')

/** Compiles src/ for tests that start processes of their own. Inside the repository, so that dependencies resolve. */
export async function compiled(): Promise<{ dir: string; remove: () => Promise<void> }> {
  const dir = await mkdtemp(join(root, 'node_modules', '.compiled-'))
  await promisify(execFile)(process.execPath, [tsc, '-p', join(root, 'tsconfig.json'), '--outDir', dir])
  return { dir, remove: () => rm(dir, { recursive: true, force: true }) }
}
