import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Limits } from '../../src/challenge/limits.js'
import { createAgent } from '../../src/tools/testing/rehearsal/agent.js'
import { postAtOnce } from '../../src/tools/testing/rehearsal/bursts.js'
import { createWire } from '../../src/tools/testing/rehearsal/wire.js'

const program = fileURLToPath(new URL('process.js', import.meta.url))

export interface Instance {
  readonly origin: string
  /** One request with a token, in JSON. */
  ask(method: 'GET' | 'POST', path: string, token: string, body?: object): Promise<Told>
  isAlive(): boolean
  end(): Promise<void>
}

export interface Told {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

/** What an instance of the built package runs on: a provider, and Redis by one of the clients. */
export interface Setting {
  readonly provider: string
  readonly clientName: 'redis' | 'ioredis' | 'cluster of redis' | 'cluster of ioredis'
  readonly redisPorts: readonly number[]
  readonly storeTimeoutMs: number
  readonly limits?: Partial<Limits>
  readonly namespace?: string
}

/** An app in a process of its own. It ends with `end()`, and whenever this process does. */
export async function startInstance(setting: Setting): Promise<Instance> {
  const child = fork(program, [JSON.stringify(setting)])
  const origin = `http://127.0.0.1:${await messageOf(child)}`
  return {
    origin,

    async ask(method, path, token, body = {}) {
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
      return { status: response.status, body: told }
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

/** Sends codes to all instances, with each of the tokens, as fast as they answer. Counts the answers by status. */
export async function guess(
  instances: readonly Instance[],
  tokens: readonly string[],
  codes: readonly string[],
): Promise<Readonly<Record<string, number>>> {
  const wires = instances.map(({ origin }) => createWire(origin))
  const browsers = tokens.flatMap((token) =>
    wires.map((wire) => {
      const browser = createAgent(wire)
      browser.headers.authorization = `Bearer ${token}`
      return browser
    }),
  )
  const bodies = codes.map((code) => ({ code }))
  const statuses = await postAtOnce(browsers, '/two-factor/verify', bodies)
  for (const wire of wires) wire.close()
  return Object.fromEntries(statuses)
}

async function messageOf(child: ChildProcess): Promise<unknown> {
  const ended = new Promise<never>((_, reject) => {
    child.once('exit', (code) => reject(new Error(`the process ended with ${code}`)))
  })
  const [message] = await Promise.race([once(child, 'message'), ended])
  return message
}
