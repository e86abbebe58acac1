import { describe, expect, it } from 'vitest'
import { createBackground } from '../../src/lib/promises.js'
import { createService, visitor } from '../challenge/service.js'
import { redisOfFile, times } from '../express/redis.js'

const { stores } = redisOfFile()

describe.each(Object.entries(stores))('the day of all sign-ups, %s,', (_, open) => {
  it('stays within its limit for 300 at the turn of an hour, in two processes whose clocks differ', async () => {
    // Hundreds at once, on a machine that may be busy.
    const limits = { serviceEnrolSendsPerDay: 40, storeTimeoutMs: 20_000 }
    const background = createBackground()
    const turn = 1_800_000_000_000
    const store = open(() => turn)
    const [early, late] = [turn - 2_000, turn + 2_000].map((at) =>
      createService({ limits, store: () => store, clock: { now: () => at, background } }),
    )
    const outcomes = await times(
      300,
      (index) => (index % 2 === 0 ? early : late)?.challenges.start(visitor(index)) ?? expect.unreachable(),
    )
    const started = outcomes.filter(({ outcome }) => outcome === 'started').length
    expect(started).toBeLessThanOrEqual(40)
    // What was refused is given back: the rest of the day is there.
    for (let index = started; index < 40; index += 1) {
      expect(await late?.challenges.start(visitor(1_000 + index))).toMatchObject({ outcome: 'started' })
    }
    expect(await late?.challenges.start(visitor(2_000))).toMatchObject({ code: 'sending_paused' })
  })
})
