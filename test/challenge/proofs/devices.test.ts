import { describe, expect, it, vi } from 'vitest'
import { day } from '../kit.js'
import { createService, type ServiceOptions } from '../service.js'

function setUp(knownMaxAgeMs = 90 * day, commands: ServiceOptions['commands'] = () => ({})) {
  const service = createService({ knownMaxAgeMs, trustedMaxAgeMs: 30 * day, commands })
  const open = (subject: string, token = '') => service.devices.open(subject, [token])
  const devices = {
    ...service.devices,
    open,
    trust: async (subject: string, token?: string, label?: string) =>
      (await open(subject, token).succeed({ trust: { label } })) ?? '',
    has: async (subject: string, token: string) => (await open(subject, token).trusted()) !== undefined,
    knows: async (subject: string, token?: string) => open(subject, token).isKnown(),
  }
  return { ...service, devices }
}

const idIn = (token: string) => token.split('.')[0]

/** A store whose next change is made, and answered too late. */
function lateStore() {
  const late = { isLate: false }
  const inTime = <Result>(result: Result): Result => {
    if (late.isLate) throw new Error('late')
    return result
  }
  const commands: ServiceOptions['commands'] = (well) => ({
    swap: (...change) => inTime(well.swap(...change)),
    read: (key) => inTime(well.read(key)),
  })
  return { late, commands }
}

describe('a trusted device', () => {
  it('keeps its id for any number of uses, and has a different one for each subject', async () => {
    const { wait, devices, events } = setUp()
    const token = await devices.trust('ana', undefined, 'Firefox, Linux')
    for (const pause of [1, day]) {
      wait(pause)
      expect(await devices.open('ana', token).standIn()).toBe(true)
    }
    expect(await devices.open('ben', token).standIn()).toBe(false)
    const [device, ...others] = await devices.list('ana')
    expect(others).toEqual([])
    expect(device).toMatchObject({ id: idIn(token), label: 'Firefox, Linux' })
    expect([device?.usedAt, device?.endsAt].map((at = 0) => at - (device?.trustedAt ?? 0))).toEqual([
      day + 1,
      30 * day,
    ])
    expect(events).toEqual([
      { type: 'device.trusted', subject: 'ana' },
      { type: 'device.used', subject: 'ana' },
      { type: 'device.used', subject: 'ana' },
    ])
  })

  it('ends by our clock, exactly, even when the store still has it, and stays known', async () => {
    const { devices, wait } = setUp(90 * day, (well) => ({
      swap: (key, version, next) => well.swap(key, version, next, 365 * day),
    }))
    const token = await devices.trust('ana')
    wait(30 * day - 1)
    expect(await devices.has('ana', token)).toBe(true)
    expect(await devices.list('ana')).toHaveLength(1)
    wait(1)
    expect(await devices.has('ana', token)).toBe(false)
    expect(await devices.list('ana')).toEqual([])
    wait(60 * day - 1)
    expect(await devices.knows('ana', token)).toBe(true)
    wait(1)
    expect(await devices.knows('ana', token)).toBe(false)
  })

  it('is removed as the least recently used after twenty', async () => {
    const { devices } = setUp()
    const tokens = []
    for (let count = 0; count < 20; count += 1) tokens.push(await devices.trust('ana'))
    const [first = '', second = ''] = tokens
    await devices.open('ana', first).standIn()
    await devices.trust('ana')
    expect(await devices.list('ana')).toHaveLength(20)
    expect(await devices.has('ana', first)).toBe(true)
    expect(await devices.has('ana', second)).toBe(false)
  })

  it('is one device, with an id of its own, however often its person asks for it', async () => {
    const { devices } = setUp()
    const known = (await devices.open('ana').succeed()) ?? ''
    const first = await devices.trust('ana', known)
    const second = await devices.trust('ana', first)
    // What was copied before is trusted by neither.
    expect(new Set([known, first, second].map(idIn)).size).toBe(3)
    expect(await devices.has('ana', known)).toBe(false)
    expect(await devices.has('ana', first)).toBe(false)
    expect(await devices.list('ana')).toMatchObject([{ id: idIn(second) }])
  })

  it('can be revoked and stays known, or ends with all others that are then unknown; only a change emits an event', async () => {
    const { devices, events } = setUp()
    const [first, second] = [await devices.trust('ana'), await devices.trust('ana')]
    const left = async () =>
      Promise.all(
        [first, second].flatMap((token) => [devices.has('ana', token), devices.knows('ana', token)]),
      )
    await devices.revoke('ana', idIn(first) ?? '')
    await devices.revoke('ana', 'no such device')
    await devices.revoke('ana', undefined as never)
    expect(await left()).toEqual([false, true, true, true])
    for (const subject of ['ana', 'ana', 'nobody']) await devices.revokeSubject(subject)
    expect(await left()).toEqual([false, false, false, false])
    expect(await devices.list('ana')).toEqual([])
    expect(events.filter(({ type }) => type === 'device.revoked')).toHaveLength(2)
  })

  it('is not listed and replaces no code after a revocation, even if its row still exists', async () => {
    const { devices, grants, wait } = setUp()
    const token = await devices.trust('ana')
    await grants.endDevices('ana')
    expect([await devices.has('ana', token), await devices.list('ana')]).toEqual([false, []])
    wait(1)
    const next = await devices.trust('ana', token)
    expect(await devices.list('ana', devices.open('ana', next))).toMatchObject([
      { id: idIn(next), isThis: true },
    ])
  })
})

describe('a trusted device that is ended while its sign-in runs', () => {
  it.each<[string, (devices: ReturnType<typeof setUp>['devices'], token: string) => Promise<void>]>([
    ['alone', (devices, token) => devices.revoke('ana', idIn(token) ?? '')],
    ['with all others', (devices) => devices.revokeSubject('ana')],
  ])('stands in for no code, and is not stored anew: %s', async (_name, revoke) => {
    const { devices } = setUp()
    const token = await devices.trust('ana')
    const device = devices.open('ana', token)
    expect(await device.trusted()).toBeDefined()
    await revoke(devices, token)
    expect(await device.standIn()).toBe(false)
    expect(await devices.list('ana')).toEqual([])
    // Nor does undoing it touch anything.
    const other = await devices.trust('ben')
    await device.undo()
    expect(await devices.has('ben', other)).toBe(true)
  })

  it('rejects the success of a request from before its end', async () => {
    const { devices, wait } = setUp()
    const device = devices.open('ana')
    wait(1)
    await devices.revokeSubject('ana')
    wait(1)
    const token = (await device.succeed({ trust: {} })) ?? ''
    expect([await devices.has('ana', token), await devices.knows('ana', token)]).toEqual([false, false])
    expect(await devices.list('ana')).toEqual([])
  })
})

describe('trust that is taken back', () => {
  it('is removed, and other devices stay', async () => {
    const { devices } = setUp()
    const other = await devices.trust('ana')
    const fresh = devices.open('ana')
    await fresh.undo()
    const token = (await fresh.succeed({ trust: {} })) ?? ''
    await fresh.undo()
    expect(await devices.has('ana', token)).toBe(false)
    expect(await devices.has('ana', other)).toBe(true)
    expect(await devices.list('ana')).toHaveLength(1)
  })

  it('is removed if a slow store added it too late, and the browser stays known', async () => {
    const { late, commands } = lateStore()
    const { devices, events } = setUp(90 * day, commands)
    const device = devices.open('ana')
    await device.isKnown()
    vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] })
    late.isLate = true
    const succeeded = device.succeed({ trust: {} })
    await vi.advanceTimersByTimeAsync(1_500)
    const token = (await succeeded) ?? ''
    late.isLate = false
    await vi.advanceTimersByTimeAsync(100)
    vi.useRealTimers()
    expect(await devices.list('ana')).toEqual([])
    expect([await devices.has('ana', token), await devices.knows('ana', token)]).toEqual([false, true])
    expect(events.filter(({ type }) => type === 'device.trusted')).toEqual([])
  })
})

describe('a known browser', () => {
  it('is one in which this subject has succeeded, and no other subject', async () => {
    const { devices } = setUp()
    const fresh = devices.open('ana')
    expect(await fresh.isKnown()).toBe(false)
    const token = await fresh.succeed()
    expect(token).toMatch(/^[\w-]{22}\.[0-9a-z]{8}\.[\w-]{43}$/)
    expect(await devices.knows('ana', token)).toBe(true)
    expect(await devices.knows('ben', token)).toBe(false)
    expect(await devices.knows('ana')).toBe(false)
  })

  it('needs no store and is not trusted, listed or announced, for any number of successes', async () => {
    const { devices, events, store, keys, wait } = setUp()
    const first = (await devices.open('ana').succeed()) ?? ''
    wait(1)
    const second = (await devices.open('ana', first).succeed()) ?? ''
    expect([idIn(second) === idIn(first), second === first]).toEqual([true, false])
    expect(await devices.has('ana', second)).toBe(false)
    expect(await devices.list('ana')).toEqual([])
    expect(events).toEqual([])
    for (const key of [keys.devices('ana'), keys.grants('ana')]) expect(await store.read(key)).toBeUndefined()
  })

  it('does not exist without the option: only a trusted one is stored', async () => {
    const { devices, wait } = setUp(0)
    expect(await devices.open('ana').succeed()).toBeUndefined()
    const token = await devices.trust('ana')
    expect(await devices.open('ana', token).succeed()).toBeUndefined()
    expect([await devices.has('ana', token), await devices.knows('ana', token)]).toEqual([true, false])
    // Not by a clock that is behind the one which made it, either.
    wait(-1)
    expect(await devices.knows('ana', token)).toBe(false)
  })

  it('is ended for as long as its cookie may live', async () => {
    for (const known of [90 * day, day]) {
      const { devices, store, keys, wait } = setUp(known)
      await devices.revokeSubject('ana')
      wait(Math.max(known, 30 * day) - 1)
      expect(await store.read(keys.grants('ana'))).toBeDefined()
      wait(1)
      expect(await store.read(keys.grants('ana'))).toBeUndefined()
    }
  })
})

it('a device has a different, random name for each subject', () => {
  const { devices } = setUp()
  const [ana, ben] = ['ana', 'ben'].map((subject) => devices.namesFor(subject))
  for (const names of [ana, ben]) expect(names).toEqual([expect.stringMatching(/^[\w-]{12}$/)])
  expect(ana).not.toEqual(ben)
})
