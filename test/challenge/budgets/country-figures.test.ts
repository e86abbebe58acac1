import { describe, expect, it } from 'vitest'
import {
  createCountryFigures,
  type Figures,
  usualOf,
  windowAt,
} from '../../../src/challenge/budgets/suspicion.js'
import { type Background, createBackground } from '../../../src/lib/promises.js'
import { memoryStore } from '../../../src/store/memory-store.js'
import type { Store } from '../../../src/store/store.js'
import { basisOf, day, hour } from '../kit.js'

const rules = { floor: 100, ratio: 2 }
const days = (count: number, sent: number, approved: number): Figures[] =>
  Array.from({ length: count }, () => ({ sent, approved }))

describe('how many codes usually stay unproven for each that is proven', () => {
  it.each<[string, Figures[], number | undefined]>([
    ['half of them', days(14, 100, 50), 1],
    ['four of ten', days(14, 100, 40), 1.5],
    ['fewer than three of ten count as three', days(14, 100, 10), 7 / 3],
    ['three of ten', days(14, 1_000, 290), 7 / 3],
    ['more than two of three count as two', days(14, 1_000, 950), 0.5],
    ['49 proven numbers say nothing', [{ sent: 98, approved: 49 }], undefined],
    ['50 do', [{ sent: 100, approved: 50 }], 1],
    ['more proven elsewhere than sent here', days(14, 10, 90), 0.5],
    ['nothing at all', [], undefined],
    ['a day that was suspect is left out', [...days(5, 200, 100), ...days(3, 5_000, 200)], 1],
    [
      'the first days, too, where hardly anything was proven',
      [...days(5, 5_000, 200), ...days(1, 100, 50)],
      1,
    ],
    [
      'a slow decline is followed',
      [...days(5, 1_000, 600), ...days(9, 1_000, 500)],
      1 / (7_500 / 14_000) - 1,
    ],
  ])('%s', (_what, given, usual) => {
    if (usual === undefined) expect(usualOf(given, rules)).toBeUndefined()
    else expect(usualOf(given, rules)).toBeCloseTo(usual, 9)
  })
})

describe('what is usual in a country', () => {
  function open() {
    const state = { now: 40 * day, asked: [] as string[], isDown: false, tasks: [] as Promise<void>[] }
    const store: Store = {
      ...memoryStore(),
      async increment(key) {
        state.asked.push(key)
        if (state.isDown) throw new Error('down')
        return { count: /sent/.test(key) ? 100 : 50, resetInMs: day }
      },
    }
    const background: Background = {
      ...createBackground(),
      run: (task) => void state.tasks.push(task().catch(() => undefined)),
    }
    const basis = basisOf({ store, background, now: () => state.now })
    const { usual } = createCountryFigures(basis, rules)
    const { keys } = basis
    const sentOn = (at: number) => keys.counter('count-country-sent', windowAt('day', 'CO', at).tag)
    return { state, usual, sentOn, settled: () => Promise.all(state.tasks) }
  }

  it('is read of the fourteen days before, and no request waits for it', async () => {
    const { state, usual, sentOn, settled } = open()
    expect(usual('CO')).toBeUndefined()
    await settled()
    expect(usual('CO')).toBe(1)
    state.now += hour - 1
    expect(usual('CO')).toBe(1)
    const asked = state.asked.filter((key) => key.includes('sent'))
    expect(asked).toHaveLength(14)
    expect(asked[0]).toBe(sentOn(26 * day))
    expect(asked.at(-1)).toBe(sentOn(39 * day))
  })

  it('is read again in the next hour, and what was known counts until then', async () => {
    const { state, usual, settled } = open()
    state.isDown = true
    usual('CO')
    await settled()
    expect(usual('CO')).toBeUndefined()
    state.isDown = false
    state.now += hour
    usual('CO')
    await settled()
    state.isDown = true
    state.now += hour
    expect(usual('CO')).toBe(1)
    await settled()
    expect(usual('CO')).toBe(1)
  })
})
