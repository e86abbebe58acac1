import { spawn, spawnSync } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

const program = fileURLToPath(new URL('../../../dist/tools/cli/index.js', import.meta.url))

/** A program as people run it: built, in a process of its own, which ends with its test. */
export interface Run {
  readonly out: () => string
  readonly err: () => string
  readonly line: () => Promise<string>
  /** Waits until the program has said this on either stream. */
  readonly saying: (text: string | RegExp) => Promise<void>
  readonly type: (text: string) => void
  readonly endInput: () => void
  readonly interrupt: (signal?: NodeJS.Signals) => void
  /** Null when a signal ended it. */
  readonly exitCode: Promise<number | null>
  readonly signal: Promise<NodeJS.Signals | null>
}

export function run(args: readonly string[], env: NodeJS.ProcessEnv = {}, cwd?: string): Run {
  return observe(process.execPath, [program, ...args], env, cwd)
}

/** Whether tests with a terminal are skipped: util-linux brings `script`, which lends one. */
export const withoutTerminal =
  process.env.CI !== 'true' && !String(spawnSync('script', ['--version']).stdout).includes('util-linux')
if (withoutTerminal) console.log('skipped: there is no script of util-linux here, which lends a terminal')

/** In a terminal, where both streams are one, and what is typed comes back unless it is hidden. */
export function runInTerminal(args: readonly string[], env: NodeJS.ProcessEnv = {}): Run {
  const command = [process.execPath, program, ...args].map((word) => `'${word}'`).join(' ')
  return observe('script', ['-qefc', command, '/dev/null'], { TERM: 'xterm', ...env })
}

/** Any other one. */
export function observe(command: string, args: readonly string[], env: NodeJS.ProcessEnv, cwd?: string): Run {
  // Node takes each of these for a word about colours.
  const { FORCE_COLOR: _force, NO_COLOR: _no, CI: _ci, ...inherited } = process.env
  const child = spawn(command, args, { env: { ...inherited, NODE_ENV: '', ...env }, cwd })
  const heard = new EventEmitter()
  let out = ''
  let err = ''
  child.stdout.on('data', (chunk) => {
    out += chunk
    heard.emit('more')
  })
  child.stderr.on('data', (chunk) => {
    err += chunk
    heard.emit('more')
  })
  // A program that has ended takes no more input.
  child.stdin.on('error', () => {})
  let isSilent = false
  // Not at its exit: what it said last may be on its way still.
  child.once('close', () => {
    isSilent = true
    heard.emit('more')
  })
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>
  onTestFinished(() => void child.kill('SIGKILL'))

  async function until(text: string | RegExp, said: () => string): Promise<void> {
    const isSaid = () => (typeof text === 'string' ? said().includes(text) : text.test(said()))
    while (!isSaid()) {
      if (isSilent) throw new Error(`it ended without saying ${text}:\n${out}${err}`)
      await once(heard, 'more')
    }
  }

  return {
    out: () => out,
    err: () => err,
    async line() {
      await until('\n', () => out)
      return out
    },
    saying: (text) => until(text, () => out + err),
    type: (text) => void child.stdin.write(text),
    endInput: () => void child.stdin.end(),
    interrupt: (signal = 'SIGINT') => void child.kill(signal),
    exitCode: ended.then(([code]) => code),
    signal: ended.then(([, signal]) => signal),
  }
}
