import type { Store } from 'express-two-factor'
import { memoryStore } from 'express-two-factor'
import { redisStore } from 'express-two-factor/redis'
import { type Sandbox, startSandbox } from 'express-two-factor/sandbox'
import { type Rehearsal, rehearse } from 'express-two-factor/testing'
import { createClient } from 'redis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { attacks } from '../../../src/tools/testing/rehearsal/attacks.js'
import { startRedis, withoutRedis } from '../../store/redis-server.js'
import { createBank } from './bank.js'
import { missedApps } from './cases.js'
import { loadExamples } from './examples.js'
import { laterMistakes } from './later-mistakes.js'
import { type Mistake, mistakes } from './mistakes.js'
import { rightApps } from './right-apps.js'

const inFull = process.env.IN_FULL !== undefined

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

const all = [...missedApps, ...mistakes, ...laterMistakes]

/** As many as all rows need, with bursts as small as can be; in full, larger ones. */
const maxRequests = inFull ? 3_000 : 2_000

/** Rows that repeat each request of a plan in many forms, and so send most of the requests. */
const rowsOfVariants = ['spellings', 'other-methods', 'other-fields', 'content-types', 'forged-headers']

/**
 * Returns the scope of a right app: all rows in full, and for each sixteenth app. The others meet one of the rows of
 * variants in turn, and not those that need all traffic.
 */
function scopeOf(index: number): { readonly only?: readonly string[] } {
  if (inFull || index % 16 === 0) return {}
  const ofVariants = rowsOfVariants[index % rowsOfVariants.length]
  const isLeftOut = (code: string) => code !== ofVariants && rowsOfVariants.includes(code)
  const needAll = ['secrets', 'warnings']
  return {
    only: attacks.map(({ code }) => code).filter((code) => !needAll.includes(code) && !isLeftOut(code)),
  }
}

const fallenOf = ({ rows }: Rehearsal) =>
  rows.flatMap(({ code, verdict }) => (verdict === 'fell' ? [code] : []))

describe.each(Object.entries(kinds))('a rehearsal of apps on %s', (kind, begin) => {
  let sandbox: Sandbox
  let stores: Stores
  const tally = { found: 0, 'not found': 0, right: 0, accused: 0, requests: 0 }
  beforeAll(async () => {
    sandbox = await startSandbox()
    stores = await begin()
  })
  afterAll(async () => {
    console.log(`${kind}: ${JSON.stringify(tally)}`)
    await stores.close()
    await sandbox.close()
  })

  async function rehearsed({ row, wiring, plan }: Mistake): Promise<Rehearsal> {
    sandbox.reset()
    const bank = createBank(sandbox, wiring, await stores.next())
    // Every row, or where time is short, the one that is to find it.
    const scope = inFull ? { maxRequests } : { maxRequests, only: [row] }
    const result = await rehearse({ ...bank, ...plan?.(bank), ...scope })
    tally[fallenOf(result).includes(row) ? 'found' : 'not found'] += 1
    tally.requests = Math.max(tally.requests, result.requests)
    expect(result.requests).toBeLessThanOrEqual(maxRequests)
    return result
  }

  it.each(all)('finds $what by the row $row', async (mistake) => {
    const result = await rehearsed(mistake)
    expect(fallenOf(result)).toContain(mistake.row)
    expect(result.rows.find(({ code }) => code === mistake.row)?.seen).toMatch(/\w/)
  })

  it('has a wrong app for each row', () => {
    const found = new Set(all.map(({ row }) => row))
    expect(attacks.map(({ code }) => code).filter((code) => !found.has(code))).toEqual([])
  })

  const indexedApps = rightApps.map((app, index) => ({ ...app, index }))
  it.each(indexedApps)('reports nothing for $what', async ({ wiring, plan, untried = {}, unsure, index }) => {
    sandbox.reset()
    const bank = createBank(sandbox, wiring, await stores.next())
    const scope = scopeOf(index)
    const result = await rehearse({ ...bank, ...plan?.(bank), maxRequests, all: inFull, ...scope })
    tally[fallenOf(result).length === 0 ? 'right' : 'accused'] += 1
    expect(fallenOf(result)).toEqual([])
    if (unsure !== undefined) return expect(result.hindrance).toMatch(unsure)
    expect(result.ok, result.hindrance).toBe(true)
    // Rows on the package's own routes take time, and have wrong apps above.
    const isOwn = new Set(
      result.rows.flatMap(({ code, lacks }) => (lacks?.startsWith('own: ') ? [code] : [])),
    )
    const others = result.rows.filter(({ code, verdict }) => verdict !== 'held' && !isOwn.has(code))
    const isAsked = (code: string) => scope.only?.includes(code) ?? true
    const expected = Object.entries(untried).filter(([code]) => isAsked(code) && !isOwn.has(code))
    expect(Object.fromEntries(others.map(({ code, lacks }) => [code, lacks]))).toEqual(
      Object.fromEntries(expected),
    )
  })

  it('accuses none of the right ones: the demo bank, three examples of this package, and Auth.js behind it', async () => {
    sandbox.reset()
    const bank = createBank(sandbox, {}, await stores.next())
    const apps = { bank, ...(await loadExamples(sandbox)) }
    // At once, since what takes time is a provider that does not respond.
    await Promise.all(
      Object.entries(apps).map(async ([name, app]) => {
        const result = await rehearse({ ...app, maxRequests })
        tally[fallenOf(result).length === 0 ? 'right' : 'accused'] += 1
        expect(fallenOf(result), name).toEqual([])
        const cookieless = result.rows.flatMap(({ code, lacks }) => (lacks === 'a cookie' ? [code] : []))
        expect(cookieless, name).toEqual(
          name === 'tokens' ? ['session-renewal', 'cross-site', 'cookies'] : [],
        )
        const held = result.rows.filter(({ verdict }) => verdict === 'held')
        expect(held.length, name).toBeGreaterThan(14)
        const why = result.rows.flatMap(({ lacks, tried }) => (lacks === 'a cookie' ? [tried] : []))
        const ofTokens = ['no cookie identifies the session']
        expect([...new Set(why)], name).toEqual(name === 'tokens' ? ofTokens : [])
        expect(result.requests).toBeLessThanOrEqual(maxRequests)
      }),
    )
  })
})
