import { type Rehearsal, rehearse } from 'express-two-factor/testing'
import { expect, it } from 'vitest'
import { attacks } from '../../../src/tools/testing/rehearsal/attacks.js'
import { createBank } from './bank.js'
import { loadExamples } from './examples.js'
import { describeRehearsals, fallenOf, inFull, maxRequests } from './rehearsals.js'
import { type RightApp, rightApps } from './right-apps.js'

interface IndexedApp extends RightApp {
  readonly index: number
}

/** Rows that repeat each request of a plan in many forms, and so send most of the requests. */
const rowsOfVariants = ['spellings', 'other-methods', 'other-fields', 'content-types', 'forged-headers']

/**
 * Returns the scope of a right app: all rows in full, for each sixteenth app, and where the judgement of all traffic is
 * asked. The others meet one of the rows of variants in turn, every third of them the row `changed`, and none the rows
 * that need all traffic.
 */
function scopeOf({ isOnTraffic, isAboutFields, index }: IndexedApp): { readonly only?: readonly string[] } {
  if (inFull || isOnTraffic === true || index % 16 === 0) return {}
  const ofVariants = rowsOfVariants[index % rowsOfVariants.length]
  const isChanged = isAboutFields === true || index % 3 === 0
  const isLeftOut = (code: string) =>
    (code !== ofVariants && rowsOfVariants.includes(code)) || (code === 'changed' && !isChanged)
  const needAll = ['secrets', 'warnings']
  return {
    only: attacks.map(({ code }) => code).filter((code) => !needAll.includes(code) && !isLeftOut(code)),
  }
}

describeRehearsals('a rehearsal of right apps', ({ reset, tally }) => {
  Object.assign(tally, { right: 0, accused: 0 })

  function count(result: Rehearsal): void {
    const verdict = fallenOf(result).length === 0 ? 'right' : 'accused'
    tally[verdict] = (tally[verdict] ?? 0) + 1
  }

  const indexedApps = rightApps.map((app, index): IndexedApp => ({ ...app, index }))
  it.each(indexedApps)('reports nothing for $what', async (rightApp) => {
    const { wiring, plan, untried = {}, unsure } = rightApp
    const { sandbox, store } = await reset()
    const bank = createBank(sandbox, wiring, store)
    const scope = scopeOf(rightApp)
    const result = await rehearse({ ...bank, ...plan?.(bank), maxRequests, all: inFull, ...scope })
    count(result)
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
    const { sandbox, store } = await reset()
    const bank = createBank(sandbox, {}, store)
    const apps = { bank, ...(await loadExamples(sandbox)) }
    // At once, since what takes time is a provider that does not respond.
    await Promise.all(
      Object.entries(apps).map(async ([name, app]) => {
        const result = await rehearse({ ...app, maxRequests })
        count(result)
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
