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

test('an eviction of counters gives an account and a number no new guesses', async () => {
  const { challenges, provider } = createService({
    store: (now) => memoryStore({ now, maxCounters: 1 }),
    limits: { serviceSendsPerMinute: 1_000_000, sendsPerAddressPer10Min: 1 },
  })
  const from = (address: string) => ({ ...ana, purpose: 'login', address })
  expect(await challenges.start(from('203.0.113.1'))).toMatchObject({ outcome: 'started' })
  for (let wrong = 0; wrong < 5; wrong += 1) await challenges.verify({ ...ana, code: `wrong${wrong}` })
  const other = (index: number) => `+57300${2_000_000 + index}`
  const start = (index: number, address: string) =>
    challenges.start({
      subject: other(index),
      session: other(index),
      phone: other(index),
      purpose: 'login',
      address,
    })
  expect(await start(0, '203.0.113.1')).toMatchObject({ code: 'send_limit' })
  for (let index = 1; index < 50; index += 1) await start(index, `203.0.${index}.1`)
  // The counter of the address was evicted.
  expect(await start(50, '203.0.113.1')).toMatchObject({ outcome: 'started' })
  expect(await challenges.verify({ ...ana, code: rightCode })).toMatchObject({ code: 'attempts_exhausted' })
  const { judged, number } = await challenges.subjects.state('ana', { phone: ana.phone })
  expect([judged, number?.wrongCodesInDay.count, number?.sendsInDay.count]).toEqual([5, 5, 1])
  expect(provider.checks).toHaveLength(5)
})
