import { describe, expect, it } from 'vitest'
import { createKeys } from '../../../src/challenge/keys.js'
import { createDevices } from '../../../src/challenge/proofs/devices.js'
import { createSecrets } from '../../../src/challenge/secrets.js'
import type { TwoFactorEvent } from '../../../src/events.js'
import { type MemoryStore, memoryStore } from '../../../src/store/memory-store.js'

const day = 24 * 60 * 60_000

function setUp(wrap: (store: MemoryStore) => MemoryStore = (store) => store) {
  const clock = { now: 1_000_000 }
  const now = () => clock.now
  const events: TwoFactorEvent[] = []
  const keys = createKeys('', createSecrets(['a secret of thirty-two bytes or more']))
  const parts = {
    store: wrap(memoryStore({ now })),
    keys,
    now,
    emit: (event: TwoFactorEvent) => void events.push(event),
  }
  return { clock, events, keys, store: parts.store, devices: createDevices({ ...parts, maxAgeMs: 30 * day }) }
}

describe('a trusted device', () => {
  it('is known by its secret, and by the next one after each use', async () => {
    const { clock, devices, events } = setUp()
    const first = await devices.trust('ana')
    const second = await devices.use('ana', first.token)
    expect(second?.next?.endsAt).toBe(first.endsAt)
    expect(events).toHaveLength(2)
    clock.now += 30_000
    expect(await devices.use('ana', first.token)).toBeUndefined()
    expect(await devices.has('ana', first.token)).toBe(false)
    expect(await devices.has('ana', second?.next?.token ?? '')).toBe(true)
    expect(await devices.has('ben', second?.next?.token ?? '')).toBe(false)
    expect(events).toEqual([
      { type: 'device.trusted', subject: 'ana' },
      { type: 'device.used', subject: 'ana' },
    ])
  })

  it('is used by parallel requests, of which one is given the next secret', async () => {
    const { devices } = setUp()
    const { token } = await devices.trust('ana')
    const used = await Promise.all(Array.from({ length: 20 }, () => devices.use('ana', token)))
    expect(used.filter((one) => one !== undefined)).toHaveLength(20)
    expect(used.filter((one) => one?.next !== undefined)).toHaveLength(1)
  })

  it('is known by the secret before its last one for half a minute, which no use moves', async () => {
    const { clock, devices } = setUp()
    const { token } = await devices.trust('ana')
    const second = await devices.use('ana', token)
    clock.now += 29_999
    expect(await devices.has('ana', token)).toBe(true)
    expect(await devices.use('ana', token)).toEqual({})
    clock.now += 1
    expect(await devices.use('ana', token)).toBeUndefined()
    const third = await devices.use('ana', second?.next?.token ?? '')
    expect(third?.next).toBeDefined()
    // Two back is none any more.
    expect(await devices.use('ana', token)).toBeUndefined()
  })

  it('ends at its age, which no use moves', async () => {
    const { devices, clock } = setUp()
    const { token } = await devices.trust('ana')
    clock.now += 29 * day
    const later = await devices.use('ana', token)
    clock.now += day
    expect(await devices.use('ana', later?.next?.token ?? '')).toBeUndefined()
    expect(await devices.list('ana')).toEqual([])
  })

  it('ends by our clock, exactly, even when the store still has it', async () => {
    const { devices, clock } = setUp((store) => ({
      ...store,
      swap: (key, version, next) => store.swap(key, version, next, 365 * day),
    }))
    const { token } = await devices.trust('ana')
    clock.now += 30 * day - 1
    expect(await devices.has('ana', token)).toBe(true)
    expect(await devices.list('ana')).toHaveLength(1)
    clock.now += 1
    expect(await devices.has('ana', token)).toBe(false)
    expect(await devices.list('ana')).toEqual([])
  })

  it('leaves the store with the last of its subject', async () => {
    const { devices, store, keys, clock } = setUp()
    await devices.trust('ana')
    clock.now += day
    await devices.trust('ana')
    clock.now += 30 * day - 1
    expect(store.read(keys.devices('ana'))).toBeDefined()
    clock.now += 1
    expect(store.read(keys.devices('ana'))).toBeUndefined()
  })

  it('is one of twenty: the one longest unused goes', async () => {
    const { devices } = setUp()
    const tokens = []
    for (let count = 0; count < 20; count += 1) tokens.push((await devices.trust('ana')).token)
    const kept = await devices.use('ana', tokens[0] ?? '')
    await devices.trust('ana')
    expect(await devices.list('ana')).toHaveLength(20)
    expect(await devices.has('ana', kept?.next?.token ?? '')).toBe(true)
    expect(await devices.has('ana', tokens[1] ?? '')).toBe(false)
  })

  it('is revoked alone or with all others, and only a change is told', async () => {
    const { devices, events } = setUp()
    await devices.trust('ana')
    const { token } = await devices.trust('ana')
    const [oldest] = await devices.list('ana')
    await devices.revoke('ana', oldest?.id ?? '')
    expect(await devices.has('ana', token)).toBe(true)
    await devices.revoke('ana', 'no such device')
    await devices.revokeSubject('ana')
    await devices.revokeSubject('ana')
    await devices.revokeSubject('nobody')
    expect(await devices.has('ana', token)).toBe(false)
    expect(events.filter(({ type }) => type === 'device.revoked')).toHaveLength(2)
  })
})
