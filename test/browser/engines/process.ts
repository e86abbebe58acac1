import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder of a browser, removed with it. */
export interface Folder {
  readonly path: string
  remove(): void
}

export function makeFolder(name: string): Folder {
  const path = mkdtempSync(join(tmpdir(), `two-factor-${name}-`))
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 10 }) }
}

/** A program with all the processes that it starts. They end together, and with this process at the latest. */
export function startGroup(
  command: string,
  args: readonly string[],
  options: SpawnOptions = {},
): { readonly child: ChildProcess; end(): Promise<void> } {
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'], ...options, detached: true })
  const kill = () => {
    if (child.pid === undefined || child.exitCode !== null) return
    try {
      process.kill(-child.pid, 'SIGKILL')
    } catch {
      // It has ended meanwhile.
    }
  }
  process.once('exit', kill)
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve())
    child.once('close', () => resolve())
  })
  return {
    child,
    end() {
      process.off('exit', kill)
      kill()
      return ended
    },
  }
}

/** Waits until a stream of a program contains a pattern. Resolves with its first group. */
export function readFrom(stream: NodeJS.ReadableStream | null | undefined, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = ''
    stream?.on('data', (chunk) => {
      said += chunk
      const [, found] = pattern.exec(said) ?? []
      if (found !== undefined) resolve(found)
    })
    stream?.once('close', () => reject(new Error(`${pattern} was not printed:\n${said}`)))
  })
}
