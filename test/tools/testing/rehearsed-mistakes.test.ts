import { type Rehearsal, rehearse } from 'express-two-factor/testing'
import { expect, it } from 'vitest'
import { attacks } from '../../../src/tools/testing/rehearsal/attacks.js'
import { createBank } from './bank.js'
import { missedApps } from './cases.js'
import { laterMistakes } from './later-mistakes.js'
import { type Mistake, mistakes } from './mistakes.js'
import { describeRehearsals, fallenOf, inFull, maxRequests } from './rehearsals.js'
import { shownMistakes } from './shown-mistakes.js'

const all = [...missedApps, ...mistakes, ...laterMistakes, ...shownMistakes]

describeRehearsals('a rehearsal of wrong apps', ({ reset, tally }) => {
  Object.assign(tally, { found: 0, 'not found': 0, requests: 0 })

  async function rehearsed({ row, wiring, plan }: Mistake): Promise<Rehearsal> {
    const { sandbox, store } = await reset()
    const bank = createBank(sandbox, wiring, store)
    // Every row, or where time is short, the one that is to find it.
    const scope = inFull ? { maxRequests } : { maxRequests, only: [row] }
    const result = await rehearse({ ...bank, ...plan?.(bank), ...scope })
    const found = fallenOf(result).includes(row) ? 'found' : 'not found'
    tally[found] = (tally[found] ?? 0) + 1
    tally.requests = Math.max(tally.requests ?? 0, result.requests)
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
})
