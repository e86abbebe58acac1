import type { Store } from 'express-two-factor'
import { memoryStore } from 'express-two-factor'
import { redisStore } from 'express-two-factor/redis'
import { type Sandbox, startSandbox } from 'express-two-factor/sandbox'
import type { Rehearsal } from 'express-two-factor/testing'
import { createClient } from 'redis'
import { afterAll, beforeAll, describe } from 'vitest'
import { startRedis, withoutRedis } from '../../store/redis-server.js'

export const inFull = process.env.IN_FULL !== undefined

/** A store for one app after the other. */
interface Stores {
  readonly next: () => Promise<Store>
  readonly close: () => unknown
}

const inMemory = async (): Promise<Stores> => ({ next: async () => memoryStore(), close: () => {} })

async function onRedis(): Promise<Stores> {
  const server = await startRedis()
  const client = await createClient({ url: server.url }).connect()
  return {
    async next() {
      await client.flushAll()
      return redisStore({ client, timeoutMs: 5_000 })
    },
    async close() {
      client.destroy()
      await server.kill()
    },
  }
}

const kinds = { memory: inMemory, ...(inFull && !withoutRedis && { Redis: onRedis }) }

/** As many as all rows need, with bursts as small as can be; in full, larger ones. */
export const maxRequests = inFull ? 3_000 : 2_000

export const fallenOf = ({ rows }: Rehearsal) =>
  rows.flatMap(({ code, verdict }) => (verdict === 'fell' ? [code] : []))

/** What the rehearsals of one kind of store share. */
export interface Stage {
  /** Returns the sandbox without earlier codes, and an empty store. */
  readonly reset: () => Promise<{ readonly sandbox: Sandbox; readonly store: Store }>
  /** Printed at the end. */
  readonly tally: Record<string, number>
}

/** Defines the tests for each kind of store. */
export function describeRehearsals(what: string, define: (stage: Stage) => void): void {
  describe.each(Object.entries(kinds))(`${what} on %s`, (kind, begin) => {
    let sandbox: Sandbox
    let stores: Stores
    const tally: Record<string, number> = {}
    beforeAll(async () => {
      sandbox = await startSandbox()
      stores = await begin()
    })
    afterAll(async () => {
      console.log(`${kind}: ${JSON.stringify(tally)}`)
      await stores.close()
      await sandbox.close()
    })
    define({
      tally,
      async reset() {
        sandbox.reset()
        return { sandbox, store: await stores.next() }
      },
    })
  })
}
