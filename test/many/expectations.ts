import { expect } from 'vitest'
import type { ProviderStub } from '../provider-stub.js'
import type { RedisServer } from '../store/redis-server.js'
import { challenged } from './people.js'
import type { Instance, Told } from './processes.js'

/** Long enough for a Redis that is well on a busy machine. */
export const storeTimeoutMs = 1_000

/** The whole of it works, for somebody new. */
export async function expectWell(instance: Instance, stub: ProviderStub): Promise<void> {
  const person = await challenged(instance)
  const { rightCode } = stub
  const told = [await person.verify('wrong1'), await person.verify(rightCode), await person.account()]
  expect(told.map(({ status }) => status)).toEqual([422, 200, 200])
}

export function expectUnavailable(told: Told, what: string): void {
  expect([what, told.status, told.body.code]).toEqual([what, 503, 'store_unavailable'])
}

/** What Redis holds at the end: every key has an end, and nothing was counted below nothing. */
export async function expectSound(servers: readonly RedisServer[]): Promise<void> {
  for (const server of servers) {
    // In a cluster a replica says nothing of its keys.
    if (String(await server.ask('ROLE')).startsWith('slave')) continue
    for (const key of (await server.ask('KEYS', '*')) as string[]) {
      const end = Number(await server.ask('PTTL', key))
      const atRest = String(await server.ask('GET', key))
      // It may have ended between two questions.
      if (end === -2 || atRest === 'null') continue
      expect(end, key).toBeGreaterThanOrEqual(0)
      if (key.includes(':count-')) expect(Number(atRest), key).toBeGreaterThan(0)
      for (const [, count] of atRest.matchAll(/"(?:failures|attempts|judged)":(-?[\d.]+)/g)) {
        expect(Number(count), `${key} ${atRest}`).toBeGreaterThanOrEqual(0)
      }
    }
  }
}
