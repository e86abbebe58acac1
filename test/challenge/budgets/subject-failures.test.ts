import { describe, expect, it } from 'vitest'
import { createSubjectFailures } from '../../../src/challenge/budgets/subject-failures.js'
import { createKeys } from '../../../src/challenge/keys.js'
import { createSecrets } from '../../../src/challenge/secrets.js'
import { memoryStore } from '../../../src/store/memory-store.js'
import { day, hour } from '../kit.js'

/** The store's own clock stands still: what the tally itself says decides. */
function createTally(failuresPerDay: number) {
  let clock = 1_800_000_000_000
  const keys = createKeys('', createSecrets(['a secret of at least thirty-two bytes']))
  const failuresOf = createSubjectFailures({
    store: memoryStore({ now: () => 0 }),
    keys,
    now: () => clock,
    failuresPerDay,
  })
  return {
    // Each command in a request of its own: nothing is updater from one to the next.
    count: (subject: string) => failuresOf(subject).count(),
    takeBack: (subject: string) => failuresOf(subject).takeBack(),
    wait(ms: number) {
      clock += ms
    },
  }
}

describe('the wrong codes of a subject', () => {
  it('are refused past the limit until a day after the first one, exactly', async () => {
    const tally = createTally(2)
    await tally.count('ana')
    tally.wait(hour)
    expect(await tally.count('ana')).toBeUndefined()
    expect(await tally.count('ana')).toEqual({
      outcome: 'refused',
      code: 'attempts_exhausted',
      retryAfterMs: 23 * hour,
      limit: 'subject',
    })
    tally.wait(23 * hour - 1)
    expect(await tally.count('ana')).toMatchObject({ retryAfterMs: 1 })
    tally.wait(1)
    expect(await tally.count('ana')).toBeUndefined()
  })

  it('are counted for each subject alone', async () => {
    const tally = createTally(1)
    await tally.count('ana')
    expect(await tally.count('bob')).toBeUndefined()
    expect(await tally.count('ana')).toMatchObject({ code: 'attempts_exhausted' })
  })

  it('are never fewer than none, whatever is taken back', async () => {
    const tally = createTally(1)
    await tally.takeBack('ana')
    await tally.count('ana')
    await tally.takeBack('ana')
    await tally.takeBack('ana')
    expect(await tally.count('ana')).toBeUndefined()
    expect(await tally.count('ana')).toMatchObject({ code: 'attempts_exhausted' })
  })

  it('leave the end of their day where it was when one is taken back', async () => {
    const tally = createTally(2)
    await tally.count('ana')
    await tally.count('ana')
    tally.wait(hour)
    await tally.takeBack('ana')
    await tally.count('ana')
    expect(await tally.count('ana')).toMatchObject({ retryAfterMs: day - hour })
  })
})
