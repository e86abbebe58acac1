import { type Rehearsal, type RehearsalOptions, rehearse } from 'express-two-factor/testing'
import { expect, it } from 'vitest'
import { attacks } from '../../../src/tools/testing/rehearsal/attacks.js'
import { judgements } from '../../../src/tools/testing/rehearsal/leaks.js'
import { createBank, type User } from './bank.js'
import { missedApps } from './cases.js'
import { laterMistakes } from './later-mistakes.js'
import { type Mistake, mistakes } from './mistakes.js'
import { describeRehearsals, fallenOf, inFull, maxRequests } from './rehearsals.js'
import { shownMistakes } from './shown-mistakes.js'

const all = [...missedApps, ...mistakes, ...laterMistakes, ...shownMistakes]

/** Returns the plan for one row. A row that judges all traffic gets that of pages and actions only. */
function inShort(plan: RehearsalOptions<User>, row: string): RehearsalOptions<User> {
  if (!judgements.some(({ code }) => code === row)) return plan
  const { account, signUp, signOut, changePassword, ...ofPagesAndActions } = plan
  return { ...ofPagesAndActions, all: false }
}

describeRehearsals('a rehearsal of wrong apps', ({ reset, tally }) => {
  Object.assign(tally, { found: 0, 'not found': 0, requests: 0 })

  async function rehearsed({ row, wiring, plan }: Mistake): Promise<Rehearsal> {
    const { sandbox, store } = await reset()
    const bank = createBank(sandbox, wiring, store)
    const whole = { ...bank, ...plan?.(bank), maxRequests }
    // Every row, or where time is short, the one that is to find it.
    const result = await rehearse(inFull ? whole : { ...inShort(whole, row), only: [row] })
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
