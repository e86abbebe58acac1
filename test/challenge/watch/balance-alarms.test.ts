import { describe, expect, it } from 'vitest'
import {
  type BalanceRecord,
  isOvertaken,
  nextBalance,
  type Reading,
} from '../../../src/challenge/watch/balance-watch.js'
import { day, hour, minute } from '../kit.js'

const rules = { everyMs: 5 * minute, low: 50, warnBeforeMs: day }

/** What follows from one reading after the other, five minutes apart. */
function follow(readings: readonly Reading[]) {
  let record: BalanceRecord | undefined
  return readings.map((reading, index) => {
    const next = nextBalance(record, reading, { sends: 0, at: index * 5 * minute }, rules)
    record = next.record
    return next.events.map(({ type }) => type).join(' ')
  })
}

const low = 'balance.low'
const empty = 'balance.empty'
const recovered = 'balance.recovered'
const unknown = 'balance.unknown'

describe('the balance', () => {
  it.each<[string, readonly Reading[], readonly string[]]>([
    ['says nothing while there is enough', [900, 800, 700], ['', '', '']],
    ['says once that it is low', [60, 50, 40, 30], ['', low, '', '']],
    ['says once that it is empty', [10, 0, 0], [low, empty, '']],
    ['says that an account without credits is empty at the first look', [0], [empty]],
    ['keeps its alarm while the account tells no figure', ['failed', 1, 'failed'], [unknown, '', '']],
    ['takes a debt for empty', [-5], [empty]],
    ['says that a recharge ended it', [40, 0, 900, 800], [low, empty, recovered, '']],
    ['says that a small recharge leaves it low', [0, 20, 10], [empty, `${recovered} ${low}`, '']],
    [
      'says once that the account cannot be asked',
      [900, 'failed', 'failed', 900],
      ['', unknown, '', recovered],
    ],
    ['says so at the first look, too', ['failed', 'failed'], [unknown, '']],
    ['raises no alarm by a mere flag', [1, 1, undefined, 1], ['', '', '', '']],
    ['takes 1 for a figure once there was another one', [2, 1, 0], [low, '', empty]],
    ['says that a figure is missing where there was one', [900, undefined], ['', unknown]],
    ['stays low while it is only refunded', [40, 39, 39], [low, '', '']],
  ])('%s', (_, readings, events) => {
    expect(follow(readings)).toEqual(events)
  })

  it('has been asked for later when that was shortly after; otherwise a clock was set back', () => {
    const { record } = nextBalance(undefined, 900, { sends: 0, at: hour }, rules)
    expect(isOvertaken(undefined, hour)).toBe(false)
    const askedAfter = [0, 1, 19_999, 20_000].map((ms) => isOvertaken(record, hour - ms))
    expect(askedAfter).toEqual([false, true, true, false])
  })

  it('tells the last figure when the account cannot be asked, if there was one', () => {
    const known = nextBalance(undefined, 900, { sends: 0, at: 0 }, rules)
    const failed = nextBalance(known.record, 'failed', { sends: 0, at: hour }, rules)
    expect(failed.events).toStrictEqual([{ type: unknown, credits: 900 }])
    expect(failed.record).toMatchObject({ credits: 900, alarm: 'unknown', askedAt: hour })
    const never = nextBalance(undefined, 'failed', { sends: 0, at: 0 }, rules)
    expect(never.events).toStrictEqual([{ type: unknown }])
    expect(never.record).not.toHaveProperty('credits')
  })

  it('stays low through a quiet night, though it would now last for long, and ends with the recharge', () => {
    const day1 = { condition: 'ok', credits: 400, askedAt: 0, sendsPerHour: 20, creditsPerSend: 1 } as const
    const alarm = nextBalance(day1, 390, { sends: 10, at: hour / 2 }, rules)
    expect(alarm.events).toMatchObject([{ type: low }])
    const night = nextBalance(alarm.record, 390, { sends: 0, at: 10 * hour }, rules)
    expect(night).toMatchObject({ record: { condition: 'low', alarm: 'low' }, events: [] })
    const morning = nextBalance(night.record, 391, { sends: 0, at: 11 * hour }, rules)
    expect(morning).toMatchObject({ record: { condition: 'ok' }, events: [{ type: recovered }] })
    expect(morning.record).not.toHaveProperty('alarm')
  })

  it('is low when it lasts for less than a day, at the price of a send, and not when it lasts for one', () => {
    const before = { condition: 'ok', askedAt: 0, sendsPerHour: 10, creditsPerSend: 5 } as const
    const at = (credits: number) =>
      nextBalance({ ...before, credits: credits + 25 }, credits, { sends: 5, at: hour / 2 }, rules)
    expect(at(10 * 5 * 24).events).toEqual([])
    expect(at(10 * 5 * 24 - 1).events).toMatchObject([{ type: low, lastsMs: 23.98 * hour }])
  })

  it('learns what a send costs', () => {
    const first = nextBalance(undefined, 10_000, { sends: 0, at: 0 }, rules)
    const next = nextBalance(first.record, 9_500, { sends: 100, at: hour }, rules)
    expect(next.record.creditsPerSend).toBe(5)
    expect(next.record.sendsPerHour).toBeCloseTo(100 * (1 - 1 / Math.E))
    // After a recharge the difference is not a price.
    const recharged = nextBalance(next.record, 20_000, { sends: 100, at: 2 * hour }, rules)
    expect(recharged.record.creditsPerSend).toBe(5)
    // Nor is that of an account which settles later, or could not be asked.
    const later = nextBalance(next.record, 9_500, { sends: 100, at: 2 * hour }, rules)
    expect(later.record.creditsPerSend).toBe(5)
    const failed = nextBalance(next.record, 'failed', { sends: 100, at: 2 * hour }, rules)
    expect(failed.record.creditsPerSend).toBe(5)
  })
})
