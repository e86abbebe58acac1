import { expect, test } from 'vitest'
import { memoryStore } from '../../src/store/memory-store.js'
import { createService, rightCode } from '../challenge/service.js'

test('a memory store with room for 400 accounts lets 400 people sign in', async () => {
  const capacity = 400
  const { challenges } = createService({
    store: (now) => memoryStore({ now, maxLedgers: capacity, maxGrants: capacity }),
    limits: { serviceSendsPerMinute: 1_000_000 },
  })
  const outcomes: Record<string, number> = {}
  for (let index = 0; index < capacity; index += 1) {
    const phone = `+57300${2_000_000 + index}`
    const person = { subject: phone, session: phone, phone }
    await challenges.start({ ...person, purpose: 'login' }).catch(() => undefined)
    const outcome = await challenges.verify({ ...person, code: rightCode }).then(
      (result) => result.outcome,
      (error: { code: string }) => error.code,
    )
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
  }
  expect(outcomes).toEqual({ approved: capacity })
})
