import { describe, expect, it } from 'vitest'
import { wholeMs } from '../../src/lib/clock.js'

describe('a clock in whole milliseconds', () => {
  it('drops the fraction, so that waiting times are integers', () => {
    const times = [1_000.75, 1_001, 1_001.999]
    const now = wholeMs(() => times.shift() ?? Number.NaN)
    expect([now(), now(), now(), now()]).toEqual([1_000, 1_001, 1_001, Number.NaN])
  })
})
