import { expect, it } from 'vitest'
import { hostClock } from '../../src/express/host/boundary.js'

it('drops fractions of a millisecond from the clock of the host, so that waiting times are integers', () => {
  const times = [1_000.75, 1_001, 1_001.999]
  const now = hostClock(() => times.shift() ?? 0)
  expect([now(), now(), now()]).toEqual([1_000, 1_001, 1_001])
})

it.each([Number.NaN, Number.POSITIVE_INFINITY, '1000', undefined, Promise.resolve(1_000)])(
  'refuses a clock that returns %s: no limit would ever be reached',
  (time) => {
    expect(hostClock(() => time as number)).toThrow('now must return a finite number of milliseconds')
  },
)
