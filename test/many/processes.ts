import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('process.js', import.meta.url))

export interface Instance {
  readonly origin: string
  /** One request with a token, in JSON. */
  ask(method: 'GET' | 'POST', path: string, token: string, body?: object): Promise<Told>
  /** Sends codes to instances as fast as they answer, and counts the answers by status. */
  guess(codes: readonly string[], from: Guessing): Promise<Readonly<Record<string, number>>>
  isAlive(): boolean
  end(): Promise<void>
}

export interface Told {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
  readonly tookMs: number
}

interface Guessing {
  readonly origins: readonly string[]
  readonly tokens: readonly string[]
  readonly atOnce: number
}

/** What an instance of the built package runs on: a provider, and Redis by one of the clients. */
export interface Setting {
  readonly provider: string
  readonly clientName: 'redis' | 'ioredis' | 'cluster of redis' | 'cluster of ioredis'
  readonly redisPorts: readonly number[]
  readonly storeTimeoutMs: number
  /** The option of this name. */
  readonly balance?: { readonly everyMs: number }
}

/** An app in a process of its own. It ends with `end()`, and whenever this process does. */
export async function startInstance(setting: Setting): Promise<Instance> {
  const child = fork(program, [JSON.stringify(setting)])
  const origin = `http://127.0.0.1:${await messageOf(child)}`
  return {
    origin,

    async ask(method, path, token, body = {}) {
      const start = performance.now()
      const response = await fetch(origin + path, {
        method,
        headers: {
          accept: 'application/json',
          'content-type': 'application/json',
          authorization: `Bearer ${token}`,
        },
        ...(method === 'POST' && { body: JSON.stringify(body) }),
      })
      const told = JSON.parse((await response.text()) || '{}')
      return { status: response.status, body: told, tookMs: performance.now() - start }
    },

    async guess(codes, from) {
      child.send({ codes, ...from })
      return (await messageOf(child)) as Record<string, number>
    },

    isAlive: () => child.exitCode === null && child.signalCode === null,

    async end() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
}

async function messageOf(child: ChildProcess): Promise<unknown> {
  const ended = new Promise<never>((_, reject) => {
    child.once('exit', (code) => reject(new Error(`the process ended with ${code}`)))
  })
  const [message] = await Promise.race([once(child, 'message'), ended])
  return message
}
