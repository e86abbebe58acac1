import { setTimeout as sleep } from 'node:timers/promises'

/** What one node says of itself when it is inspected. */
interface Node {
  readonly version?: string
  readonly role?: 'master' | 'slave'
  readonly leadMs?: number
  /** How long each of its answers takes. */
  readonly takesMs?: number
}

/** How it fails: at the connection, or at every command. */
interface Failing {
  readonly connection?: string
  readonly commands?: string
}

/** The package `redis` of an app, whose server is as it is told: too old, far away, or without an address. */
export function redisPackage({
  version = '7.2.4',
  role = 'master',
  leadMs = 0,
  takesMs = 0,
  ...fails
}: Node & Failing) {
  const client = {
    isOpen: true,
    on: () => undefined,
    destroy: () => undefined,
    async connect() {
      if (fails.connection !== undefined) throw new Error(fails.connection)
    },
    async sendCommand() {
      if (fails.commands !== undefined) throw new Error(fails.commands)
      await sleep(takesMs)
      const time = Date.now() + leadMs
      const clock = [`${Math.floor(time / 1_000)}`, `${(time % 1_000) * 1_000}`]
      return ['a', '6379', version, 'noeviction', role, '1', ...clock]
    },
  }
  return { createClient: () => client }
}
