import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createClient } from 'redis'

const binary = process.env.REDIS_SERVER ?? 'redis-server'

/** Whether tests with a real Redis are skipped. With CI=true they run, and fail where there is none. */
export const withoutRedis = process.env.CI !== 'true' && spawnSync(binary, ['--version']).error !== undefined
if (withoutRedis)
  console.log(`skipped: there is no ${binary} here; install it, or set REDIS_SERVER to its path`)

/** A redis-server process of our own, on a free port of this machine, with nothing on disk. */
export interface RedisServer {
  readonly port: number
  readonly url: string
  /** One command over a connection of its own. */
  ask(...command: string[]): Promise<unknown>
  /** Stops it in its tracks: connections stay open, nothing is answered. */
  freeze(): void
  thaw(): void
  /** Ends it at once, as a power cut would. */
  kill(): Promise<void>
  /** Starts it again on the same port, empty. */
  restart(): Promise<void>
}

export async function startRedis(...settings: string[]): Promise<RedisServer> {
  const port = await freePort()
  const url = `redis://127.0.0.1:${port}`
  const dir = mkdtempSync(join(tmpdir(), 'two-factor-redis-'))
  let child: ChildProcess = await launch()

  process.once('exit', () => {
    child.kill('SIGKILL')
    rmSync(dir, { recursive: true, force: true })
  })

  async function launch(): Promise<ChildProcess> {
    const fixed = [
      '--port',
      `${port}`,
      '--bind',
      '127.0.0.1',
      '--dir',
      dir,
      '--save',
      '',
      '--appendonly',
      'no',
    ]
    const started = spawn(binary, [...fixed, '--maxmemory-policy', 'noeviction', ...settings])
    const said: string[] = []
    for await (const line of createInterface(started.stdout)) {
      said.push(line)
      if (line.includes('Ready to accept connections')) {
        started.stdout.resume()
        return started
      }
    }
    throw new Error(`redis-server did not start:\n${said.join('\n')}`)
  }

  return {
    port,
    url,
    async ask(...command) {
      const client = await createClient({ url })
        .on('error', () => {})
        .connect()
      try {
        return await client.sendCommand(command)
      } finally {
        client.destroy()
      }
    },
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
    async restart() {
      child = await launch()
    },
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}
