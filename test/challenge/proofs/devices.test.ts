import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { day } from '../kit.js'
import { createService, type ServiceOptions } from '../service.js'

function setUp(knownMaxAgeMs = 0, commands: ServiceOptions['commands'] = () => ({})) {
  const service = createService({ knownMaxAgeMs, trustedMaxAgeMs: 30 * day, commands })
  const { open } = service.devices
  const devices = {
    ...service.devices,
    async trust(subject: string) {
      return (await open(subject, undefined).succeed(true)) ?? { token: '', expiresAt: 0 }
    },
    async use(subject: string, token: string) {
      const device = open(subject, token)
      const stood = (await device.read()).isTrusted ? await device.standIn() : undefined
      return stood && { next: stood.kept }
    },
    has: async (subject: string, token: string) => (await open(subject, token).read()).isTrusted,
    knows: async (subject: string, token?: string) => (await open(subject, token).read()).isKnown,
  }
  return { ...service, devices }
}

describe('a trusted device', () => {
  it('is known by its secret, and by the next one after each use', async () => {
    const { wait, devices, events } = setUp()
    const first = await devices.trust('ana')
    const second = await devices.use('ana', first.token)
    expect(second?.next?.expiresAt).toBe(first.expiresAt)
    wait(30_000)
    expect(await devices.has('ana', second?.next?.token ?? '')).toBe(true)
    expect(await devices.has('ben', second?.next?.token ?? '')).toBe(false)
    expect(events).toEqual([
      { type: 'device.trusted', subject: 'ana' },
      { type: 'device.used', subject: 'ana' },
    ])
  })

  it('is known by the secret before its last one for half a minute, which no use moves', async () => {
    const { wait, devices } = setUp()
    const { token } = await devices.trust('ana')
    const second = await devices.use('ana', token)
    wait(29_999)
    expect(await devices.has('ana', token)).toBe(true)
    expect(await devices.use('ana', token)).toEqual({})
    const third = await devices.use('ana', second?.next?.token ?? '')
    expect(third?.next).toBeDefined()
  })

  it('ends by our clock, exactly, even when the store still has it', async () => {
    const { devices, wait } = setUp(0, (well) => ({
      swap: (key, version, next) => well.swap(key, version, next, 365 * day),
    }))
    const { token } = await devices.trust('ana')
    wait(30 * day - 1)
    expect(await devices.has('ana', token)).toBe(true)
    expect(await devices.list('ana')).toHaveLength(1)
    wait(1)
    expect(await devices.has('ana', token)).toBe(false)
    expect(await devices.list('ana')).toEqual([])
  })

  it('leaves the store with the last of its subject', async () => {
    const { devices, store, keys, wait } = setUp()
    await devices.trust('ana')
    wait(day)
    await devices.trust('ana')
    wait(30 * day - 1)
    expect(await store.read(keys.devices('ana'))).toBeDefined()
    wait(1)
    expect(await store.read(keys.devices('ana'))).toBeUndefined()
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

describe('a trusted device that is revoked while its sign-in runs', () => {
  it.each([
    ['also where browsers are known', 90 * day],
    ['where they are not', 0],
  ])('stands in for no code, and is not stored anew: %s', async (_name, knownMaxAgeMs) => {
    const { devices, events } = setUp(knownMaxAgeMs)
    const { token } = await devices.trust('ana')
    const other = await devices.trust('ana')
    const device = devices.open('ana', token)
    expect(await device.read()).toMatchObject({ isTrusted: true })
    const [mine] = await devices.list('ana')
    await devices.revoke('ana', mine?.id ?? '')
    expect(await device.standIn()).toBeUndefined()
    expect(await devices.list('ana')).toHaveLength(1)
    expect(await devices.knows('ana', token)).toBe(false)
    expect(events.at(-1)).toEqual({ type: 'device.revoked', subject: 'ana' })
    // Nor does undoing it touch anything.
    await device.undo()
    expect(await devices.has('ana', other.token)).toBe(true)
  })

  it('stands in for none where only its trust was taken back', async () => {
    const { devices } = setUp(90 * day)
    const known = await devices.open('ana', undefined).succeed(false)
    const trusting = devices.open('ana', known?.token)
    const trusted = await trusting.succeed(true)
    const device = devices.open('ana', trusted?.token)
    expect(await device.read()).toMatchObject({ isTrusted: true })
    await trusting.undo(true)
    expect(await device.standIn()).toBeUndefined()
    expect(await devices.knows('ana', trusted?.token)).toBe(true)
  })

  it('is known anew where a code was typed in it', async () => {
    const { devices } = setUp(90 * day)
    const { token } = await devices.trust('ana')
    const device = devices.open('ana', token)
    expect(await device.read()).toMatchObject({ isKnown: true })
    await devices.revokeSubject('ana')
    const kept = await device.succeed(false)
    expect(await devices.knows('ana', kept?.token)).toBe(true)
    expect(await devices.has('ana', kept?.token ?? '')).toBe(false)
  })
})

describe('a success that is taken back when the browser holds its token already', () => {
  it('leaves that token known, and trust as it was before', async () => {
    const { wait, devices, events } = setUp(90 * day)
    const first = await devices.trust('ana')
    const [before] = await devices.list('ana')
    wait(day)
    const later = devices.open('ana', first.token)
    const second = await later.succeed(true)
    await later.undo(true)
    expect((await devices.list('ana')).map(({ endsAt }) => endsAt)).toEqual([before?.endsAt])
    // The other request of two that were sent together.
    expect(await devices.use('ana', first.token)).toEqual({})
    wait(30_000)
    expect((await devices.use('ana', second?.token ?? ''))?.next).toBeDefined()
    expect(events.map(({ type }) => type)).not.toContain('device.reused')
    // What was replaced stays replaced: a copy is found out.
    expect(await devices.use('ana', first.token)).toBeUndefined()
    expect(events.at(-1)?.type).toBe('device.reused')
  })
})

describe('the token of a device', () => {
  it('is valid again where the store made the next one known, but said so too late for it to go out', async () => {
    let isLate = false
    const { wait, devices, events } = setUp(90 * day, (well) => ({
      swap(...change) {
        const swapped = well.swap(...change)
        if (!isLate) return swapped
        isLate = false
        throw new Error('late')
      },
    }))
    const { token } = await devices.trust('ana')
    for (const succeed of ['standIn', 'succeed'] as const) {
      isLate = true
      await expect(devices.open('ana', token)[succeed](false)).rejects.toMatchObject({
        cause: { message: 'late' },
      })
      wait(30_000)
      expect(await devices.has('ana', token)).toBe(true)
    }
    expect(events.map(({ type }) => type)).not.toContain('device.reused')
  })

  it('is stored as hashes alone, the same in every release', async () => {
    const { devices, store, keys } = setUp()
    const { token } = await devices.trust('ana')
    const stored = (await store.read(keys.devices('ana')))?.value as { devices: object[] }
    const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('base64url')
    const family = sha256(Buffer.from(token, 'base64url').subarray(0, 16))
    expect(stored.devices).toMatchObject([{ hash: sha256(token), family }])
    expect(JSON.stringify(stored)).not.toContain(token)
  })

  it('that was revoked is not taken for a stolen one where its browser is trusted anew', async () => {
    const { devices, events } = setUp()
    const { token } = await devices.trust('ana')
    await devices.revokeSubject('ana')
    const fresh = await devices.open('ana', token).succeed(true)
    expect(await devices.has('ana', token)).toBe(false)
    expect(await devices.has('ana', fresh?.token ?? '')).toBe(true)
    expect(events.map(({ type }) => type)).not.toContain('device.reused')
  })
})

describe('a replaced token shown later than half a minute after', () => {
  it.each([
    ['the last one', 1],
    ['one from long ago', 5],
  ])('ends the device and is reported: %s', async (_name, uses) => {
    const { wait, devices, events } = setUp()
    const stolen = await devices.trust('ana')
    const other = await devices.trust('ana')
    let { token } = stolen
    for (let count = 0; count < uses; count += 1) {
      token = (await devices.use('ana', token))?.next?.token ?? ''
    }
    wait(30_000)
    expect(await devices.use('ana', stolen.token)).toBeUndefined()
    expect(events.at(-1)).toEqual({ type: 'device.reused', subject: 'ana' })
    expect(await devices.has('ana', token)).toBe(false)
    expect(await devices.has('ana', other.token)).toBe(true)
    expect(await devices.list('ana')).toHaveLength(1)
    // Shown again it is the token of no device.
    expect(await devices.use('ana', stolen.token)).toBeUndefined()
    expect(events.filter(({ type }) => type === 'device.reused')).toHaveLength(1)
  })
})

describe('a known browser', () => {
  const known = () => setUp(90 * day)

  it('is one in which this subject has succeeded, and no other subject', async () => {
    const { devices } = known()
    const fresh = devices.open('ana', undefined)
    expect(await fresh.read()).toMatchObject({ isKnown: false })
    const kept = await fresh.succeed(false)
    expect(kept?.token).toMatch(/^[\w-]{43}$/)
    expect(await devices.knows('ana', kept?.token)).toBe(true)
    expect(await devices.knows('ben', kept?.token)).toBe(false)
    expect(await devices.knows('ana', undefined)).toBe(false)
  })

  it('is not trusted by that, nor listed or told about, however often it succeeds', async () => {
    const { devices, events } = known()
    const kept = await devices.open('ana', undefined).succeed(false)
    expect(await devices.has('ana', kept?.token ?? '')).toBe(false)
    const next = await devices.open('ana', kept?.token).succeed(false)
    expect(await devices.has('ana', next?.token ?? '')).toBe(false)
    expect(await devices.list('ana')).toEqual([])
    expect(events).toEqual([])
  })

  it('is known no longer than ninety days when another one keeps the record', async () => {
    const { devices, wait, store, keys } = known()
    const first = await devices.open('ana', undefined).succeed(false)
    wait(1)
    await devices.open('ana', undefined).succeed(false)
    wait(90 * day - 2)
    expect(await devices.knows('ana', first?.token)).toBe(true)
    wait(1)
    expect(await devices.knows('ana', first?.token)).toBe(false)
    expect(await store.read(keys.devices('ana'))).toBeDefined()
  })

  it('is known for ninety days after its last success, to the millisecond', async () => {
    const { devices, wait, now } = known()
    const first = await devices.open('ana', undefined).succeed(false)
    wait(89 * day)
    const second = await devices.open('ana', first?.token).succeed(false)
    expect(second?.expiresAt).toBe(now() + 90 * day)
    expect(second?.token).not.toBe(first?.token)
    wait(90 * day - 1)
    expect(await devices.knows('ana', second?.token)).toBe(true)
    wait(1)
    expect(await devices.knows('ana', second?.token)).toBe(false)
  })

  it('becomes a trusted one in the same record, and stays known when its trust has expired', async () => {
    const { devices, wait } = known()
    const first = await devices.open('ana', undefined).succeed(false)
    const second = await devices.open('ana', first?.token).succeed(true)
    expect(await devices.list('ana')).toHaveLength(1)
    expect(await devices.has('ana', second?.token ?? '')).toBe(true)
    wait(30 * day)
    expect(await devices.has('ana', second?.token ?? '')).toBe(false)
    expect(await devices.knows('ana', second?.token)).toBe(true)
  })

  it('makes room before a trusted one', async () => {
    const { devices } = known()
    const trusted = await devices.trust('ana')
    for (let count = 0; count < 25; count += 1) await devices.open('ana', undefined).succeed(false)
    expect(await devices.has('ana', trusted.token)).toBe(true)
  })

  it('is what it was before a success that was taken back', async () => {
    const { devices } = known()
    const first = await devices.open('ana', undefined).succeed(false)
    const again = devices.open('ana', first?.token)
    await again.undo()
    await again.succeed(true)
    await again.undo()
    expect(await devices.list('ana')).toEqual([])
    expect(await devices.knows('ana', first?.token)).toBe(true)
    const fresh = devices.open('ana', undefined)
    const kept = await fresh.succeed(false)
    await fresh.undo()
    expect(await devices.knows('ana', kept?.token)).toBe(false)
  })

  it('does not come back when it alone was revoked, and undoing leaves the others as they are', async () => {
    const { devices } = known()
    const other = await devices.trust('ana')
    const trusted = await devices.trust('ana')
    const later = devices.open('ana', trusted.token)
    await later.succeed(false)
    const [, mine] = await devices.list('ana')
    await devices.revoke('ana', mine?.id ?? '')
    await later.undo()
    expect(await devices.list('ana')).toHaveLength(1)
    const fresh = devices.open('ana', undefined)
    await fresh.succeed(true)
    await fresh.undo()
    expect(await devices.list('ana')).toHaveLength(1)
    expect(await devices.has('ana', other.token)).toBe(true)
  })

  it('is none without the option, and nothing is written then', async () => {
    const { devices, store, keys } = setUp()
    expect(await devices.open('ana', undefined).succeed(false)).toBeUndefined()
    expect(await store.read(keys.devices('ana'))).toBeUndefined()
    const trusted = await devices.trust('ana')
    expect(await devices.knows('ana', trusted.token)).toBe(false)
  })
})
