import { expect, it } from 'vitest'
import { createSpendAlarms, windowAt } from '../../../src/challenge/budgets/suspicion.js'
import type { EventBody } from '../../../src/events.js'
import { memoryStore } from '../../../src/store/memory-store.js'
import { basisOf, day, hour, minute } from '../kit.js'

const start = Date.parse('2026-03-01T12:00:00.000Z')

/** Two processes on one store. */
function openTwo() {
  const clock = { now: start }
  const now = () => clock.now
  const store = memoryStore({ now })
  const events: EventBody[] = []
  const parts = basisOf({ store, now, emit: (event) => void events.push(event) })
  return { clock, store, events, alarms: [createSpendAlarms(parts), createSpendAlarms(parts)] as const }
}

const figures = { sent: 40, approved: 3 }
const read = async () => ({ sent: 0, approved: 0 })

it('tells an hour and a day once each, and the end of the hour alone, whichever process finds out', async () => {
  const { clock, events, alarms } = openTwo()
  for (const alarm of alarms) {
    await alarm.raise(windowAt('hour', 'CO', start), figures)
    await alarm.tellDay(windowAt('day', 'CO', start), figures)
  }
  expect(events).toEqual([
    { type: 'spend.suspected', country: 'CO', window: 'hour', ...figures },
    { type: 'spend.suspected', country: 'CO', window: 'day', ...figures },
  ])
  clock.now += day + 2 * hour
  await Promise.all(alarms.map((alarm) => alarm.clear(read)))
  expect(events.slice(2)).toEqual([
    { type: 'spend.cleared', country: 'CO', window: 'hour', sent: 0, approved: 0 },
  ])
})

it('tells what the store has refused once it takes it', async () => {
  const { store, alarms, events } = openTwo()
  const { swap } = store
  store.swap = () => Promise.reject(new Error('down')) as never
  const hourly = windowAt('hour', 'CO', start)
  await expect(alarms[0].raise(hourly, figures)).rejects.toThrow('down')
  store.swap = swap
  await alarms[0].raise(hourly, figures)
  expect(events.map(({ type }) => type)).toEqual(['spend.suspected'])
})

it('lets stand what was suspected anew while its end was being told', async () => {
  const { clock, events, alarms } = openTwo()
  const [one, other] = alarms
  await one.clear(read)
  await one.raise(windowAt('hour', 'CO', start), figures)
  clock.now += 2 * hour
  await one.clear(async () => {
    await other.raise(windowAt('hour', 'CO', clock.now), figures)
    return { sent: 0, approved: 0 }
  })
  clock.now += minute
  await one.clear(read)
  expect(events.map(({ type }) => type)).toEqual(['spend.suspected'])
})
