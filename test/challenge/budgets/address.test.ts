import { describe, expect, it } from 'vitest'
import { day, minute } from '../kit.js'
import { createService, purposeIn, rightCode } from '../service.js'

const address = '203.0.113.7'
let issued = 0
/** A number that nobody used before. */
const newPhone = () => {
  issued += 1
  return `+57300${1_000_000 + issued}`
}

const lanes = [
  ['auth', { sendsPerAddressPer10Min: 8 }],
  ['enrol', { enrolSendsPerAddressPer10Min: 8 }],
] as const

const of = (lane: 'auth' | 'enrol', session: string) => ({ lane, session, subject: session, address })
/** Somebody else each time. */
const order = (lane: 'auth' | 'enrol', from = address) => {
  const phone = newPhone()
  return { ...of(lane, phone), phone, purpose: purposeIn(lane), address: from }
}

describe.each(lanes)('what is sent to an address (%s lane)', (lane, limits) => {
  it('is no more because of what the numbers there refuse', async () => {
    const { challenges } = createService({ limits })
    const visitor = order(lane)
    await challenges.start(visitor)
    for (let clicks = 0; clicks < 30; clicks += 1) {
      await challenges.start(visitor)
      await challenges.resend(visitor)
      await challenges.start({ ...visitor, session: `other-${clicks}` })
    }
    for (let code = 0; code < 30; code += 1) await challenges.verify({ ...visitor, code: `wrong${code}` })
    for (let others = 0; others < 7; others += 1) {
      expect(await challenges.start(order(lane))).toMatchObject({ outcome: 'started' })
    }
    expect(await challenges.start(order(lane))).toMatchObject({
      code: 'send_limit',
      limit: 'address',
      retryAfterMs: 10 * minute,
    })
  })

  it('is begun anew ten minutes after its first code', async () => {
    const { challenges, wait } = createService({ limits })
    for (let people = 0; people < 8; people += 1) {
      await challenges.start(order(lane))
      wait(minute)
    }
    expect(await challenges.start(order(lane))).toMatchObject({ limit: 'address', retryAfterMs: 2 * minute })
    wait(2 * minute)
    for (let people = 0; people < 8; people += 1) {
      expect(await challenges.start(order(lane))).toMatchObject({ outcome: 'started' })
    }
  })

  const asking = (told: boolean | (() => never), more: object = {}) => {
    const asked: string[] = []
    const service = createService({ limits: { ...limits, ...more } })
    const beforeSend = async ({ subject }: { subject: string }) => {
      await new Promise((resolve) => setImmediate(resolve))
      asked.push(subject)
      return typeof told === 'boolean' ? told : told()
    }
    const start = () =>
      service.challenges.start({ ...order(lane), beforeSend }).catch(() => ({ outcome: 'thrown' }))
    return { ...service, asked, start }
  }

  it('is what beforeSend is asked about at once, and no more', async () => {
    const { provider, asked, start } = asking(true)
    const told = await Promise.all(Array.from({ length: 256 }, start))
    expect(told.filter(({ outcome }) => outcome === 'started')).toHaveLength(8)
    expect(told.filter((one) => 'limit' in one && one.limit === 'address')).toHaveLength(248)
    expect([asked.length, provider.sends.length]).toEqual([8, 8])
  })

  it.each<[string, boolean | (() => never), object]>([
    ['it refuses', false, {}],
    [
      'it throws',
      () => {
        throw new Error('risk engine down')
      },
      {},
    ],
    ['a limit refuses after it', true, { serviceSendsPerMinute: 0 }],
  ])('is no less where %s', async (_, told, more) => {
    const { challenges, provider, asked, start } = asking(told, more)
    for (let rounds = 0; rounds < 2; rounds += 1) {
      await Promise.all(Array.from({ length: 50 }, start))
      for (let one = 0; one < 4; one += 1) await start()
    }
    expect([asked.length, provider.sends.length]).toEqual([24, 0])
    if (told === true) return
    for (let others = 0; others < 8; others += 1) {
      expect(await challenges.start(order(lane))).toMatchObject({ outcome: 'started' })
    }
  })

  it('is no less where another start of the number came first, while it was asked', async () => {
    const { challenges } = createService({ limits })
    const twice = order(lane)
    const beforeSend = async () => {
      await challenges.start({ ...twice, session: 'other', address: undefined })
      return true
    }
    expect(await challenges.start({ ...twice, beforeSend })).toMatchObject({ code: 'resend_too_soon' })
    for (let others = 0; others < 8; others += 1) {
      expect(await challenges.start(order(lane))).toMatchObject({ outcome: 'started' })
    }
  })

  it('uses up nothing of what the other lane may be sent', async () => {
    const { challenges } = createService({ limits: { ...lanes[0][1], ...lanes[1][1] } })
    for (let people = 0; people < 20; people += 1) await challenges.start(order(lane))
    const other = order(lane === 'auth' ? 'enrol' : 'auth')
    expect(await challenges.start(other)).toMatchObject({ outcome: 'started' })
    expect(await challenges.verify({ ...other, code: rightCode })).toMatchObject({ outcome: 'approved' })
  })

  const startedFrom = async (addressOf: (index: number) => string, more: object = {}) => {
    const few = { sendsPerAddressPer10Min: 2, enrolSendsPerAddressPer10Min: 2 }
    const { challenges, provider } = createService({
      limits: { ...few, enrolSendsPerAddressPerDay: false, serviceSendsPerMinute: 1_000 },
    })
    const requests = Array.from({ length: 100 }, (_, index) =>
      challenges.start({ ...order(lane, addressOf(index)), ...more }),
    )
    await Promise.all(requests)
    return provider.sends.length
  }
  const hex = (value: number) => value.toString(16)

  it('is counted for the /56 of IPv6, in whatever spelling', async () => {
    expect(await startedFrom((index) => `2001:db8:1:100::${hex(index + 1)}`)).toBe(2)
    expect(await startedFrom((index) => `2001:0DB8:1:1${hex(index + 16)}::1`)).toBe(2)
    expect(await startedFrom((index) => `2001:db8:1:${hex((index + 1) * 256)}::1`)).toBe(100)
    expect(await startedFrom((index) => (index % 2 ? '::ffff:203.0.113.7' : '203.0.113.7'))).toBe(2)
  })

  it('is ten times as much where the address may be that of a proxy', async () => {
    expect(await startedFrom(() => '10.0.0.1', { proxied: true })).toBe(20)
    expect(await startedFrom(() => '10.0.0.1')).toBe(2)
  })
})

describe('the unproven sends of an address', () => {
  const limits = { enrolSendsPerAddressPer10Min: 1_000, enrolSendsPerAddressPerDay: 10 }
  const visitor = (from = address) => order('enrol', from)
  const refusedDay = { code: 'send_limit', limit: 'address', retryAfterMs: day }

  it('are 10 a day, and no more from a whole /48, one by one or all at once', async () => {
    const { challenges, provider } = createService({ limits })
    const sendsFrom = async (addressOf: (index: number) => string) => {
      const before = provider.sends.length
      const starts = Array.from({ length: 20 }, (_, index) => challenges.start(visitor(addressOf(index))))
      await Promise.all(starts)
      for (let index = 20; index < 40; index += 1) await challenges.start(visitor(addressOf(index)))
      return provider.sends.length - before
    }
    expect(await sendsFrom(() => address)).toBe(10)
    expect(await challenges.start(visitor())).toMatchObject(refusedDay)
    expect(await sendsFrom((index) => `2001:db8:1:1${(index + 16).toString(16)}::1`)).toBe(10)
    expect(await sendsFrom((index) => `2001:db8:2:${(index + 1).toString(16)}00::1`)).toBe(10)
  })

  it('come back with the proof of the number, those of a resend too, and when nothing was sent', async () => {
    const { challenges, provider, wait } = createService({ limits })
    for (let people = 0; people < 15; people += 1) {
      const person = visitor()
      await challenges.start(person)
      wait(minute)
      await challenges.resend(person)
      expect(await challenges.verify({ ...person, code: rightCode })).toMatchObject({ outcome: 'approved' })
    }
    provider.send = () => ({ result: 'not-sent' })
    for (let people = 0; people < 15; people += 1) {
      await challenges.start(visitor()).catch(() => undefined)
      wait(minute)
    }
    provider.send = () => ({ result: 'sent' })
    expect(await challenges.start(visitor())).toMatchObject({ outcome: 'started' })
  })

  it('are counted without end where the limit is off', async () => {
    const { challenges, provider } = createService({
      limits: { ...limits, enrolSendsPerAddressPerDay: false },
    })
    for (let people = 0; people < 12; people += 1) await challenges.start(visitor())
    expect(provider.sends).toHaveLength(12)
  })

  it('are those that the provider refused, too', async () => {
    const { challenges, provider, wait } = createService({ limits })
    provider.send = () => ({ result: 'failed' })
    for (let people = 0; people < 12; people += 1) {
      await challenges.start(visitor()).catch(() => undefined)
      wait(minute)
    }
    expect(provider.sends).toHaveLength(10)
  })

  it('let whoever has a code type it, when others have used up what is left', async () => {
    const { challenges } = createService({ limits })
    const first = visitor()
    await challenges.start(first)
    for (let people = 0; people < 20; people += 1) await challenges.start(visitor())
    expect(await challenges.verify({ ...first, code: rightCode })).toMatchObject({ outcome: 'approved' })
  })
})
