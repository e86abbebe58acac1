import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../../src/store/memory-store.js'
import type { Store } from '../../../src/store/store.js'
import { ana, createService, rightCode } from '../service.js'

const times = Number(process.env.MODEL_RUNS ?? 1)
const seed = Number(process.env.MODEL_SEED ?? 20_260_401)

/** A store and a provider whose every answer waits for its turn, which the scheduler deals out. */
function scheduled(scheduler: fc.Scheduler, inner: Store) {
  const turn = (label: string) => scheduler.schedule(Promise.resolve(), label)
  const store: Store = {
    read: (key) => turn('read').then(() => inner.read(key)),
    swap: (...args) => turn('swap').then(() => inner.swap(...args)),
    increment: (...args) => turn('increment').then(() => inner.increment(...args)),
  }
  return { store, turn }
}

/** A store that puts whatever it is given, as one without compare-and-swap would. */
function blind(inner: Store): Store {
  return {
    ...inner,
    async swap(key, _expected, next, ttlMs) {
      return inner.swap(key, (await inner.read(key))?.version, next, ttlMs)
    },
  }
}

const request = fc.record({
  does: fc.constantFrom('start', 'resend', 'cancel', 'right', 'right', 'wrong', 'wrong', 'wrong'),
  session: fc.constantFrom('session-1', 'session-1', 'session-2'),
} as const)

const manyAtOnce = (makeStore: (now: () => number) => Store) =>
  fc.asyncProperty(
    fc.scheduler(),
    fc.array(request, { minLength: 4, maxLength: 14 }),
    async (scheduler, requests) => {
      let turn: ReturnType<typeof scheduled>['turn'] = () => Promise.resolve()
      const { challenges, provider } = createService({
        store: (now) => {
          const parts = scheduled(scheduler, makeStore(now))
          turn = parts.turn
          return parts.store
        },
      })
      provider.check = (code) => turn('check').then(() => (code === rightCode ? 'approved' : 'rejected'))
      await scheduler.waitFor(challenges.start({ ...ana, purpose: 'login' }))
      const outcomes = await scheduler.waitFor(
        Promise.all(
          requests.map(({ does, session }, index) => {
            const who = { ...ana, session }
            if (does === 'start') return challenges.start({ ...who, purpose: 'login' })
            if (does === 'resend') return challenges.resend(who)
            if (does === 'cancel') return challenges.cancel(who).then(() => undefined)
            return challenges.verify({ ...who, code: does === 'right' ? rightCode : `wrong${index}` })
          }),
        ),
      )
      const approved = outcomes.filter((outcome) => outcome?.outcome === 'approved').length
      expect(approved).toBeLessThanOrEqual(1)
      // A success ends the cooldown, so that one more code may go out.
      expect(provider.sends.length).toBeLessThanOrEqual(1 + approved)
      expect(provider.checks.length).toBeLessThanOrEqual(5 * (1 + approved))
    },
  )

describe('requests at once, in whatever order store and provider answer', () => {
  it('get one success, one send and five checks', async () => {
    await fc.assert(
      manyAtOnce((now) => memoryStore({ now })),
      { seed, numRuns: 250 * times },
    )
  })

  it('get more from a store that compares nothing, which this search finds', async () => {
    const run = await fc.check(
      manyAtOnce((now) => blind(memoryStore({ now }))),
      {
        seed,
        numRuns: 250 * times,
        endOnFailure: true,
      },
    )
    expect(run.errorInstance).toHaveProperty('name', 'AssertionError')
  })
})
