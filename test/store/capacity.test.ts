import { expect, test } from 'vitest'
import { memoryStore } from '../../src/store/memory-store.js'
import { minute } from '../challenge/kit.js'
import { ana, createService, rightCode } from '../challenge/service.js'
import { figure } from '../prove/figure.js'

test('a locked number stays locked under a flood of twenty times the capacity of the store', async () => {
  const capacity = 200
  const { challenges, provider } = createService({
    store: (now) => memoryStore({ now, maxLedgers: capacity, maxGrants: 100_000 }),
    limits: { failuresBeforeLock: 5, serviceSendsPerMinute: 1_000_000 },
  })
  await challenges.start({ ...ana, purpose: 'login' })
  for (let wrong = 0; wrong < 5; wrong += 1) await challenges.verify({ ...ana, code: `wrong${wrong}` })

  const phones = Array.from({ length: 20 * capacity }, (_, index) => `+57300${2_000_000 + index}`)
  const answers: Record<string, number> = {}
  for (const phone of phones) {
    const order = { subject: phone, session: phone, phone, purpose: 'login' }
    const answer = await challenges.start(order).then(
      ({ outcome }) => outcome,
      (error: { code: string }) => error.code,
    )
    answers[answer] = (answers[answer] ?? 0) + 1
  }
  expect(answers).toEqual({ started: capacity - 1, capacity: 19 * capacity + 1 })
  figure(8, `${answers.capacity} of ${20 * capacity} new numbers refused, the locked one still locked`)
  expect(provider.sends).toHaveLength(capacity)
  expect(await challenges.subjects.state('ana')).toMatchObject({ locked: true, lockedForMs: 15 * minute })
  expect(await challenges.verify({ ...ana, code: rightCode })).toMatchObject({ code: 'account_locked' })
  // Nor did those lose anything who came before the store was full.
  const early = phones[0] ?? ''
  expect(
    await challenges.verify({ subject: early, session: early, phone: early, code: rightCode }),
  ).toMatchObject({
    outcome: 'approved',
  })
})
