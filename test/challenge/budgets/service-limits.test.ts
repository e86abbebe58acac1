import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../../src/store/memory-store.js'
import { day, hour, minute } from '../kit.js'
import { createService, type ServiceOptions, visitor } from '../service.js'

function open(options: ServiceOptions = {}) {
  const service = createService({ limits: { serviceEnrolSendsPerHour: 10 }, ...options })
  const signUps = (count: number, first: number) =>
    Promise.all(Array.from({ length: count }, (_, index) => service.challenges.start(visitor(first + index))))
  const told = () => service.events.flatMap((event) => (event.type.startsWith('limit.') ? [event] : []))
  return { ...service, signUps, told }
}

const about = { limit: 'serviceEnrolSendsPerHour', lane: 'enrol' } as const

describe('a limit of the whole service', () => {
  it('says nothing while it refuses nobody', async () => {
    const { signUps, told, serviceLimits } = open()
    await signUps(10, 0)
    expect([told(), serviceLimits.closed()]).toEqual([[], []])
  })

  it('tells once in a window that it is closed, and no longer than the window lasts', async () => {
    const { signUps, told, serviceLimits, now, wait } = open()
    const begun = now()
    await signUps(1, 0)
    wait(20 * minute)
    await signUps(40, 100)
    await signUps(1, 200)
    expect(told()).toEqual([{ type: 'limit.closed', ...about }])
    expect(serviceLimits.closed()).toEqual([{ ...about, endsAt: begun + hour }])

    wait(40 * minute)
    expect(serviceLimits.closed()).toEqual([])
    await signUps(10, 300)
    expect(told()).toHaveLength(1)
    await signUps(2, 400)
    expect(told()).toHaveLength(2)
    expect(serviceLimits.closed()).toEqual([{ ...about, endsAt: begun + 2 * hour }])
  })

  it('of nothing at all tells it once, too', async () => {
    const { signUps, told } = open({ limits: { serviceEnrolSendsPerDay: 0 } })
    for (let turn = 0; turn < 3; turn += 1) await signUps(2, 10 * turn)
    expect(told()).toEqual([{ type: 'limit.closed', limit: 'serviceEnrolSendsPerDay', lane: 'enrol' }])
  })

  it('lets so many through in a day from the first on, whenever in it they come', async () => {
    const { signUps, provider, wait } = open({ limits: { serviceEnrolSendsPerDay: 10 } })
    await signUps(1, 0)
    for (let hours = 1; hours < 24; hours += 1) {
      wait(hour)
      await signUps(2, 100 * hours)
    }
    expect(provider.sends).toHaveLength(10)
    wait(hour)
    await signUps(20, 3_000)
    expect(provider.sends).toHaveLength(20)
    wait(day)
    await signUps(20, 4_000)
    expect(provider.sends).toHaveLength(30)
  })

  it('is told by each of the processes that share the store', async () => {
    const store = memoryStore()
    const [one, other] = [open({ store: () => store }), open({ store: () => store })]
    await Promise.all([one.signUps(20, 0), other.signUps(20, 100)])
    expect([...one.told(), ...other.told()]).toEqual(Array(2).fill({ type: 'limit.closed', ...about }))
  })

  it('is that of a minute for sign-ins, too', async () => {
    const { challenges, told } = open({ limits: { serviceSendsPerMinute: 1 } })
    const who = (index: number) => ({
      ...visitor(index),
      lane: 'auth' as const,
      purpose: 'login',
    })
    await challenges.start(who(1))
    await challenges.start(who(2))
    expect(told()).toEqual([{ type: 'limit.closed', limit: 'serviceSendsPerMinute', lane: 'auth' }])
  })
})
