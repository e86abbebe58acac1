import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePort } from '../free-port.js'

/** Whether tests with a real PostgreSQL are skipped: its programs must be on the path. */
export const withoutPostgres = ['initdb', 'postgres'].some(
  (name) => spawnSync(name, ['--version']).error !== undefined,
)
if (withoutPostgres) console.log('skipped: there is no PostgreSQL (initdb, postgres) on the path')

/** A PostgreSQL process of our own, in a folder that is removed with it. */
export async function startPostgres(): Promise<{ url: string; stop: () => Promise<void> }> {
  const dir = mkdtempSync(join(tmpdir(), 'two-factor-postgres-'))
  const identity = unprivileged()
  if (identity !== undefined) chownSync(dir, identity.uid, identity.gid)
  const port = await freePort()
  const made = spawnSync('initdb', ['-D', dir, '-U', 'test', '--auth=trust', '--no-sync'], {
    cwd: dir,
    ...identity,
  })
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`)

  const settings = [
    'fsync=off',
    'listen_addresses=127.0.0.1',
    `port=${port}`,
    `unix_socket_directories=${dir}`,
  ]
  const child = spawn('postgres', ['-D', dir, ...settings.flatMap((setting) => ['-c', setting])], {
    cwd: dir,
    stdio: ['ignore', 'ignore', 'pipe'],
    ...identity,
  })
  process.once('exit', () => child.kill('SIGKILL'))
  for await (const line of createInterface(child.stderr)) {
    if (line.includes('ready to accept connections')) break
  }
  child.stderr.resume()
  return {
    url: `postgres://test@127.0.0.1:${port}/postgres`,
    /** Waits for clients that are about to leave. */
    async stop() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** PostgreSQL refuses to run as root. */
function unprivileged(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string) => Number(spawnSync('id', [flag, 'postgres']).stdout)
  return { uid: id('-u'), gid: id('-g') }
}
