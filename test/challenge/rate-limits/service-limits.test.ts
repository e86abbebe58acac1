import { describe, expect, it } from 'vitest'
import { hour, minute } from '../kit.js'
import { createService, person, visitor } from '../service.js'

function open() {
  const service = createService({ limits: { serviceEnrolSendsPerHour: 10, serviceSendsPerMinute: 50 } })
  const signUps = (count: number, first: number) =>
    Promise.all(Array.from({ length: count }, (_, index) => service.challenges.start(visitor(first + index))))
  const told = () => service.events.flatMap((event) => (event.type.startsWith('limit.') ? [event] : []))
  return { ...service, signUps, told }
}

const about = { limit: 'serviceEnrolSendsPerHour', lane: 'enrol' } as const

describe('a limit of the whole service', () => {
  it('emits nothing while it refuses no request', async () => {
    const { signUps, told, serviceLimits } = open()
    await signUps(10, 0)
    expect([told(), serviceLimits.closed()]).toEqual([[], []])
  })

  it('emits one event per window, for no longer than the window lasts', async () => {
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

  it('is a limit per minute for sign-ins, too', async () => {
    const { challenges, told } = open()
    for (let index = 0; index < 51; index += 1) await challenges.start(person(index))
    expect(told()).toEqual([{ type: 'limit.closed', limit: 'serviceSendsPerMinute', lane: 'auth' }])
  })
})
