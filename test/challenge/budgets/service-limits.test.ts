import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../../src/store/memory-store.js'
import { hour, minute } from '../kit.js'
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
  it('says nothing while a fifth of it is left', async () => {
    const { signUps, told, serviceLimits } = open()
    await signUps(7, 0)
    expect([told(), serviceLimits.states()]).toEqual([[], []])
  })

  it('tells once that it nears, closes, and opens with the first send after its window', async () => {
    const { signUps, told, serviceLimits, wait } = open()
    await signUps(8, 0)
    expect(told()).toMatchObject([{ type: 'limit.near', ...about }])
    expect(serviceLimits.states()).toMatchObject([{ ...about, state: 'near' }])

    await signUps(40, 100)
    await signUps(1, 200)
    expect(told().slice(1)).toMatchObject([{ type: 'limit.closed', ...about }])
    expect(serviceLimits.states()).toMatchObject([{ ...about, state: 'closed' }])

    wait(hour)
    expect(serviceLimits.states()).toEqual([])
    await signUps(1, 300)
    await signUps(1, 301)
    expect(told().slice(2)).toMatchObject([{ type: 'limit.opened', ...about }])
  })

  it('may be a function: a launch is let through without a restart', async () => {
    let most: unknown = 10
    const { signUps, told, serviceLimits } = open({
      limits: { serviceEnrolSendsPerHour: () => most as number },
    })
    const started = async (first: number) =>
      (await signUps(20, first)).filter(({ outcome }) => outcome === 'started').length
    expect(await started(0)).toBe(10)
    most = 100
    expect(await started(100)).toBe(20)
    expect(told().map(({ type }) => type)).toEqual(['limit.near', 'limit.closed', 'limit.opened'])
    expect(serviceLimits.states()).toEqual([])
    for (const wrong of [Number.NaN, -1, '5', undefined]) {
      most = wrong
      await expect(signUps(1, 200)).rejects.toThrow('must return an integer, 0 or more')
    }
    most = 100
    expect(await started(200)).toBe(20)
  })

  it('is told of a day that slides as its hours leave: that it opens, and not that it still nears', async () => {
    const { signUps, told, serviceLimits, wait, now } = open({ limits: { serviceEnrolSendsPerDay: 10 } })
    const types = () => told().map(({ type }) => type.replace('limit.', ''))
    const day = { limit: 'serviceEnrolSendsPerDay', lane: 'enrol' }
    const begun = now()
    const endsAt = (hours: number) => begun + hours * hour
    wait(minute)
    await signUps(2, 0)
    wait(hour)
    await signUps(7, 100)
    // Without the first two there is a fifth of the day again.
    expect(serviceLimits.states()).toEqual([{ ...day, state: 'near', endsAt: endsAt(25) }])
    wait(hour)
    await signUps(1, 200)
    expect(serviceLimits.states()).toEqual([{ ...day, state: 'near', endsAt: endsAt(26) }])
    await signUps(1, 201)
    expect(serviceLimits.states()).toEqual([{ ...day, state: 'closed', endsAt: endsAt(25) }])
    expect(types()).toEqual(['near', 'closed'])

    wait(23 * hour)
    await signUps(1, 300)
    expect(serviceLimits.states()).toEqual([{ ...day, state: 'near', endsAt: endsAt(26) }])
    await signUps(2, 400)
    expect(serviceLimits.states()).toEqual([{ ...day, state: 'closed', endsAt: endsAt(26) }])
    expect(types()).toEqual(['near', 'closed', 'opened', 'closed'])
    wait(hour)
    await signUps(1, 500)
    expect([types().slice(4), serviceLimits.states()]).toEqual([['opened'], []])
  })

  it('is told by one of the processes that share the store', async () => {
    const store = memoryStore()
    const [one, other] = [open({ store: () => store }), open({ store: () => store })]
    await Promise.all([one.signUps(20, 0), other.signUps(20, 100)])
    expect([...one.told(), ...other.told()].map(({ type }) => type).sort()).toEqual([
      'limit.closed',
      'limit.near',
    ])
  })

  it('is that of a minute for sign-ins, too', async () => {
    const { challenges, told, wait } = open({ limits: { serviceSendsPerMinute: 1 } })
    const who = (index: number) => ({
      ...visitor(index),
      lane: 'auth' as const,
      anonymous: false,
      purpose: 'login',
    })
    await challenges.start(who(1))
    await challenges.start(who(2))
    wait(minute)
    await challenges.start(who(3))
    const limit = { limit: 'serviceSendsPerMinute', lane: 'auth' }
    expect(told()).toMatchObject([
      { type: 'limit.near', ...limit },
      { type: 'limit.closed', ...limit },
      { type: 'limit.opened', ...limit },
    ])
  })

  it('costs nobody a code when the store fails to count what was told', async () => {
    const { signUps, told } = open({
      commands: (well) => ({
        increment(key, ...rest) {
          if (key.includes('-told')) throw new Error('down')
          return well.increment(key, ...rest)
        },
      }),
    })
    expect(await signUps(9, 0)).toEqual(Array(9).fill(expect.objectContaining({ outcome: 'started' })))
    expect(told()).toEqual([])
  })
})
