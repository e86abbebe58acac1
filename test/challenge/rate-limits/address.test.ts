import { describe, expect, it } from 'vitest'
import { day, minute } from '../kit.js'
import { createService, purposeIn, rightCode } from '../service.js'

const address = '203.0.113.7'
let issued = 0

/** Somebody else each time, with a number that nobody used before. */
function order(lane: 'auth' | 'enrol', from = address) {
  issued += 1
  const phone = `+57300${1_000_000 + issued}`
  return { lane, session: phone, subject: phone, phone, purpose: purposeIn(lane), address: from }
}

const limitsOf = {
  auth: (limit: number) => ({ sendsPerAddressPer10Min: limit }),
  enrol: (limit: number) => ({ enrolSendsPerAddressPer10Min: limit }),
}

describe.each(['auth', 'enrol'] as const)('what is sent to an address (%s lane)', (lane) => {
  const open = (more: object = {}) => {
    const service = createService({ limits: { ...limitsOf[lane](8), ...more } })
    /** How many of so many others, one after the other, are sent a code. */
    const sendsTo = async (people: number) => {
      let sent = 0
      for (let index = 0; index < people; index += 1) {
        if ((await service.challenges.start(order(lane))).outcome === 'started') sent += 1
      }
      return sent
    }
    return { ...service, sendsTo }
  }

  it('does not rise with numbers that refuse', async () => {
    const { challenges, sendsTo } = open()
    const visitor = order(lane)
    await challenges.start(visitor)
    for (let clicks = 0; clicks < 30; clicks += 1) {
      await challenges.start(visitor)
      await challenges.resend(visitor)
      await challenges.start({ ...visitor, session: `other-${clicks}` })
    }
    for (let code = 0; code < 30; code += 1) await challenges.verify({ ...visitor, code: `wrong${code}` })
    expect(await sendsTo(20)).toBe(7)
  })

  it('starts again ten minutes after its first code', async () => {
    const { challenges, sendsTo, wait } = open()
    expect(await sendsTo(1)).toBe(1)
    wait(8 * minute)
    expect(await sendsTo(20)).toBe(7)
    expect(await challenges.start(order(lane))).toMatchObject({
      code: 'send_limit',
      limit: 'address',
      retryAfterMs: 2 * minute,
    })
    wait(2 * minute)
    expect(await sendsTo(20)).toBe(8)
  })

  const asking = (told: () => boolean, more: object = {}) => {
    let asked = 0
    const service = open(more)
    const beforeSend = async () => {
      await new Promise((resolve) => setImmediate(resolve))
      asked += 1
      return told()
    }
    const start = () =>
      service.challenges.start({ ...order(lane), beforeSend }).catch(() => ({ outcome: 'thrown' }))
    return { ...service, asked: () => asked, start }
  }

  it('limits parallel calls of beforeSend', async () => {
    const { provider, asked, start } = asking(() => true)
    const told = await Promise.all(Array.from({ length: 256 }, start))
    expect(told.filter(({ outcome }) => outcome === 'started')).toHaveLength(8)
    expect(told.filter((one) => 'limit' in one && one.limit === 'address')).toHaveLength(248)
    expect([asked(), provider.sends.length]).toEqual([8, 8])
  })

  it.each<[string, () => boolean]>([
    ['refuses', () => false],
    [
      'throws',
      () => {
        throw new Error('risk engine down')
      },
    ],
  ])('is no less where beforeSend %s', async (_, told) => {
    const { sendsTo, provider, asked, start } = asking(told)
    for (let rounds = 0; rounds < 2; rounds += 1) await Promise.all(Array.from({ length: 50 }, start))
    expect([asked(), provider.sends.length]).toEqual([16, 0])
    expect(await sendsTo(20)).toBe(8)
  })

  it('is no less where a limit refuses after beforeSend was asked', async () => {
    const { asked, start } = asking(() => true, { serviceSendsPerMinute: 0 })
    for (let rounds = 0; rounds < 12; rounds += 1) await start()
    expect(asked()).toBe(12)
  })

  it('is no less where another start of the number came first, while beforeSend was asked', async () => {
    const { challenges, sendsTo } = open()
    const twice = order(lane)
    const beforeSend = async () => {
      await challenges.start({ ...twice, session: 'other', address: undefined })
      return true
    }
    expect(await challenges.start({ ...twice, beforeSend })).toMatchObject({ code: 'resend_too_soon' })
    expect(await sendsTo(20)).toBe(8)
  })

  it('uses no sends of the second lane', async () => {
    const { challenges, sendsTo } = open({ ...limitsOf.auth(8), ...limitsOf.enrol(8) })
    expect(await sendsTo(20)).toBe(8)
    const other = order(lane === 'auth' ? 'enrol' : 'auth')
    expect(await challenges.start(other)).toMatchObject({ outcome: 'started' })
    expect(await challenges.verify({ ...other, code: rightCode })).toMatchObject({ outcome: 'approved' })
  })

  const hex = (value: number) => value.toString(16)

  it.each<[string, number, (index: number) => string, object?]>([
    ['for the /56 of IPv6', 2, (index) => `2001:db8:1:100::${hex(index + 1)}`],
    ['for it in whatever spelling', 2, (index) => `2001:0DB8:1:1${hex(index + 16)}::1`],
    ['for each /56', 100, (index) => `2001:db8:1:${hex((index + 1) * 256)}::1`],
    ['for IPv4 within IPv6', 2, (index) => (index % 2 ? '::ffff:203.0.113.7' : '203.0.113.7')],
    ['ten times where it may be that of a proxy', 20, () => '10.0.0.1', { proxied: true }],
    ['once where it is not', 2, () => '10.0.0.1'],
  ])('is counted %s', async (_, sends, addressOf, more = {}) => {
    const { challenges, provider } = open({ ...limitsOf[lane](2), enrolSendsPerAddressPerDay: false })
    const requests = Array.from({ length: 100 }, (_, index) =>
      challenges.start({ ...order(lane, addressOf(index)), ...more }),
    )
    await Promise.all(requests)
    expect(provider.sends).toHaveLength(sends)
  })
})

describe('the unproven sends of an address', () => {
  const limits = { enrolSendsPerAddressPer10Min: 1_000, enrolSendsPerAddressPerDay: 10 }
  const visitor = (from = address) => order('enrol', from)

  it.each<[string, (index: number) => string]>([
    ['one address', () => address],
    ['one /56', (index) => `2001:db8:1:1${(index + 16).toString(16)}::1`],
    ['a whole /48', (index) => `2001:db8:2:${(index + 1).toString(16)}00::1`],
  ])('are 10 a day from %s, all at once and one by one', async (_, addressOf) => {
    const { challenges, provider } = createService({ limits })
    await Promise.all(Array.from({ length: 20 }, (_, index) => challenges.start(visitor(addressOf(index)))))
    const late = await challenges.start(visitor(addressOf(20)))
    expect(late).toMatchObject({ code: 'send_limit', limit: 'address', retryAfterMs: day })
    expect(provider.sends).toHaveLength(10)
  })

  it('are refunded after the number was verified, with its resends, and if nothing was sent', async () => {
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

  it('include sends that the provider refused', async () => {
    const { challenges, provider, wait } = createService({ limits })
    provider.send = () => ({ result: 'failed' })
    for (let people = 0; people < 12; people += 1) {
      await challenges.start(visitor()).catch(() => undefined)
      wait(minute)
    }
    expect(provider.sends).toHaveLength(10)
  })

  it('still allow to enter a sent code after they are used up', async () => {
    const { challenges } = createService({ limits })
    const first = visitor()
    await challenges.start(first)
    for (let people = 0; people < 20; people += 1) await challenges.start(visitor())
    expect(await challenges.verify({ ...first, code: rightCode })).toMatchObject({ outcome: 'approved' })
  })
})
