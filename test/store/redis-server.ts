import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from 'redis'
import { onTestFinished } from 'vitest'
import { freePort } from '../free-port.js'
import { atEndOfFile } from '../leftovers.js'

const binary = process.env.REDIS_SERVER ?? 'redis-server'

/** Whether tests with a real Redis are skipped. With CI=true they run, and fail where there is none. */
export const withoutRedis = process.env.CI !== 'true' && spawnSync(binary, ['--version']).error !== undefined
if (withoutRedis)
  console.log(`skipped: there is no ${binary} here; install it, or set REDIS_SERVER to its path`)

/** For every command where no deadline is looked at: a busy machine may answer late. */
export const patientMs = 60_000

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
  const dir = temporaryDir()
  const launch = (port: number) =>
    runRedis(
      ...['--port', `${port}`, '--bind', '127.0.0.1', '--dir', dir, '--save', '', '--appendonly', 'no'],
      ...['--maxmemory-policy', 'noeviction', '--repl-diskless-sync-delay', '0', ...settings],
    )
  const started = await onFreePort(launch)
  const { port } = started
  let { child } = started

  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    ask: (...command) => askPort(port, command),
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    kill: () => killed(child),
    async restart() {
      child = await launch(port)
    },
  }
}

/** A Redis and a client of it. Both end with the test. */
export async function startConnectedRedis() {
  const server = await startRedis()
  const client = createClient({ url: server.url, disableOfflineQueue: true }).on('error', () => {})
  await client.connect()
  onTestFinished(async () => {
    client.destroy()
    await server.kill()
  })
  return { server, client }
}

/** A Sentinel that watches one primary and promotes its replica after two seconds of silence. */
export async function startSentinel(
  primary: RedisServer,
): Promise<Pick<RedisServer, 'port' | 'ask' | 'kill'>> {
  const config = join(temporaryDir(), 'sentinel.conf')
  const settings = [
    'bind 127.0.0.1',
    `sentinel monitor main 127.0.0.1 ${primary.port} 1`,
    'sentinel down-after-milliseconds main 2000',
    'sentinel failover-timeout main 2000',
  ]
  const { port, child } = await onFreePort((free) => {
    writeFileSync(config, [`port ${free}`, ...settings].join('\n'))
    return runRedis(config, '--sentinel')
  })
  return { port, ask: (...command) => askPort(port, command), kill: () => killed(child) }
}

async function askPort(port: number, command: string[]): Promise<unknown> {
  const client = createClient({ url: `redis://127.0.0.1:${port}` }).on('error', () => {})
  await client.connect()
  try {
    return await client.sendCommand(command)
  } finally {
    client.destroy()
  }
}

/** Asks again while the answer is false or an error, for a minute at most. */
export async function until(isSo: () => unknown): Promise<void> {
  const end = Date.now() + 60_000
  for (;;) {
    const answer = await Promise.resolve()
      .then(isSo)
      .catch(() => false)
    if (answer !== false) return
    if (Date.now() > end) throw new Error(`still not so after a minute: ${isSo}`)
    await sleep(20)
  }
}

/** Between the probe of a port and its use, another process may take it: then another one is tried. */
async function onFreePort(
  launch: (port: number) => Promise<ChildProcess>,
  triesLeft = 5,
): Promise<{ readonly port: number; readonly child: ChildProcess }> {
  const port = await freePort()
  try {
    return { port, child: await launch(port) }
  } catch (error) {
    if (triesLeft === 1 || !/in use|too high/i.test(String(error))) throw error
    return onFreePort(launch, triesLeft - 1)
  }
}

async function runRedis(...args: string[]): Promise<ChildProcess> {
  const child = spawn(binary, args)
  // A test that failed half-way has ended nothing.
  atEndOfFile(() => killed(child))
  const said: string[] = []
  for await (const line of createInterface(child.stdout)) {
    said.push(line)
    if (/Ready to accept connections|Sentinel ID is/.test(line)) {
      child.stdout.resume()
      return child
    }
  }
  throw new Error(`redis-server did not start:\n${said.join('\n')}`)
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

export function temporaryDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'two-factor-redis-'))
  atEndOfFile(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}
