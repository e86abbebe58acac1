import { describe, expect, it } from 'vitest'
import { day, minute } from '../kit.js'
import { createService, keysCounted, purposeIn, rightCode } from '../service.js'

const address = '203.0.113.7'
let issued = 0
/** A number that nobody used before. */
const newPhone = () => {
  issued += 1
  return `+57300${1_000_000 + issued}`
}

const lanes = [
  ['auth', { sendsPerAddressPer10Min: 8, verificationsPerAddressPer10Min: 40 }],
  ['enrol', { enrolSendsPerAddressPer10Min: 8, enrolVerificationsPerAddressPer10Min: 40 }],
] as const

/** What keeps one session within bounds of its own is lifted, to see what the address bears. */
const lifted = {
  sendsPerSessionPerHour: 1_000,
  sendsPerSubjectPerDay: 1_000,
  numbersPerSessionPerDay: 1_000,
  failuresPerSubjectPerDay: 1_000,
}

const of = (lane: 'auth' | 'enrol', session: string) => ({ lane, session, subject: session, address })

describe.each(lanes)('one visitor behind a shared address (%s lane)', (lane, limits) => {
  const order = (session: string) => ({ ...of(lane, session), phone: newPhone(), purpose: purposeIn(lane) })

  it('adds at most five sends to it, one by one or all at once', async () => {
    for (const atOnce of [true, false]) {
      const { challenges, provider } = createService({ limits: { ...limits, ...lifted } })
      const requests = Array.from({ length: 40 }, () => () => challenges.start(order('first')))
      if (atOnce) await Promise.all(requests.map((request) => request()))
      else for (const request of requests) await request()
      expect(provider.sends.length).toBeGreaterThan(4)
      for (const session of ['second', 'third', 'fourth']) {
        expect(await challenges.start(order(session))).toMatchObject({ outcome: 'started' })
      }
      expect(await challenges.start(order('fifth'))).toMatchObject({ limit: 'address' })
    }
  })

  it('adds at most five within each window of the address, not of its own', async () => {
    const { challenges, wait } = createService({ limits: { ...limits, ...lifted } })
    await challenges.start(order('other'))
    wait(9 * minute)
    for (let sends = 0; sends < 5; sends += 1) await challenges.start(order('first'))
    // The window of the address ends, and with it the share: a full one may be added to the next.
    wait(minute)
    for (let sends = 0; sends < 7; sends += 1) await challenges.start(order('first'))
    wait(9 * minute)
    for (let sends = 0; sends < 7; sends += 1) await challenges.start(order('first'))
    for (const session of ['second', 'third', 'fourth']) {
      expect(await challenges.start(order(session))).toMatchObject({ outcome: 'started' })
    }
    expect(await challenges.start(order('fifth'))).toMatchObject({ limit: 'address', retryAfterMs: minute })
  })

  it('adds at most twenty verifications to it', async () => {
    const { challenges, provider, store } = createService({ limits: { ...limits, ...lifted } })
    const counted = keysCounted(store)
    for (let number = 0; number < 10; number += 1) {
      const who = order('first')
      await challenges.start({ ...who, address: undefined })
      for (const code of ['wrong1', 'wrong2', 'wrong3', 'wrong4']) await challenges.verify({ ...who, code })
    }
    expect(provider.checks).toHaveLength(40)
    const asked = counted.filter((key) => key.includes(`:count-${lane}-address-verifications:`))
    expect(new Set(asked).size).toBe(1)
    expect((await store.read(asked[0] ?? ''))?.value).toBe(20)
  })

  it('asks beforeSend twenty times at once, and his address as often as it may verify, until a code goes out', async () => {
    let says = false
    const asked: string[] = []
    const beforeSend = async ({ subject }: { subject: string }) => {
      await new Promise((resolve) => setImmediate(resolve))
      return asked.push(subject) > 0 && says
    }
    const high = { sendsPerAddressPer10Min: 1_000, enrolSendsPerAddressPer10Min: 1_000 }
    const { challenges } = createService({ limits: { ...limits, ...lifted, ...high } })
    const start = (session: string) => challenges.start({ ...order(session), beforeSend })
    const told = await Promise.all(Array.from({ length: 256 }, () => start('first')))
    expect(asked).toHaveLength(20)
    expect(told.filter((one) => 'limit' in one && one.limit === 'session')).toHaveLength(236)
    for (let session = 0; session < 50; session += 1) await start(`s${session}`)
    expect(asked).toHaveLength(40)
    expect(await start('last')).toMatchObject({ code: 'send_limit', limit: 'address' })

    says = true
    const other = createService({ limits: { ...limits, ...lifted, ...high } })
    for (let session = 0; session < 50; session += 1) {
      const outcome = await other.challenges.start({ ...order(`s${session}`), beforeSend })
      expect(outcome).toMatchObject({ outcome: 'started' })
    }
    // What it allows may be refused after it, as often as he likes.
    const closed = createService({ limits: { ...limits, ...lifted, serviceSendsPerMinute: 0 } })
    asked.length = 0
    for (let starts = 0; starts < 50; starts += 1) {
      await closed.challenges.start({ ...order('first'), beforeSend })
    }
    expect(asked).toHaveLength(20)
  })

  it('adds nothing by what his own number refuses', async () => {
    const { challenges } = createService({ limits: { ...limits, ...lifted } })
    const visitor = order('first')
    await challenges.start(visitor)
    for (let clicks = 0; clicks < 30; clicks += 1) {
      await challenges.start(visitor)
      await challenges.resend(visitor)
      await challenges.start({ ...visitor, session: `other-${clicks}` })
    }
    for (let code = 0; code < 30; code += 1) await challenges.verify({ ...visitor, code: `wrong${code}` })
    for (let session = 0; session < 7; session += 1) {
      expect(await challenges.start(order(`neighbour-${session}`))).toMatchObject({ outcome: 'started' })
    }
  })

  it('leaves to the second that he signs up and signs in, whatever he does within his session', async () => {
    const { challenges, wait } = createService()
    for (let round = 0; round < 60; round += 1) {
      const who = order('first')
      await challenges.start(who)
      await challenges.resend(who)
      for (let code = 0; code < 7; code += 1) await challenges.verify({ ...who, code: `wrong${code}` })
      wait(1)
    }
    for (const second of ['enrol', 'auth'] as const) {
      const who = { ...of(second, 'second'), phone: newPhone() }
      expect(await challenges.start({ ...who, purpose: purposeIn(second) })).toMatchObject({
        outcome: 'started',
      })
      expect(await challenges.verify({ ...who, code: rightCode })).toMatchObject({ outcome: 'approved' })
    }
  })
})

describe('the unproven sends of an address', () => {
  const limits = { ...lifted, enrolSendsPerAddressPer10Min: 1_000, enrolSendsPerAddressPerDay: 10 }
  const visitor = (from = address) => {
    const phone = newPhone()
    return { ...of('enrol', phone), phone, purpose: 'signup', address: from }
  }
  const refusedDay = { code: 'send_limit', limit: 'address', retryAfterMs: day }

  it('are 10 a day, one and a half times as many from a /56 and a /48', async () => {
    const { challenges, provider } = createService({ limits })
    const sendsFrom = async (addressOf: (index: number) => string) => {
      const before = provider.sends.length
      for (let index = 0; index < 20; index += 1) await challenges.start(visitor(addressOf(index)))
      return provider.sends.length - before
    }
    expect(await sendsFrom(() => address)).toBe(10)
    expect(await challenges.start(visitor())).toMatchObject(refusedDay)
    expect(await sendsFrom((index) => `2001:db8:1:1${(index + 16).toString(16)}::1`)).toBe(15)
    expect(await sendsFrom((index) => `2001:db8:2:${(index + 1).toString(16)}00::1`)).toBe(15)
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
})

describe('an address', () => {
  const sendsFrom = async (addressOf: (index: number) => string, more: object = {}) => {
    const { challenges, provider } = createService({
      limits: { sendsPerAddressPer10Min: 2, serviceSendsPerMinute: 10_000 },
    })
    const requests = Array.from({ length: 100 }, (_, index) =>
      challenges.start({
        ...of('auth', `session-${index}`),
        phone: newPhone(),
        purpose: 'login',
        address: addressOf(index),
        ...more,
      }),
    )
    await Promise.all(requests)
    return provider.sends.length
  }
  const hex = (value: number) => value.toString(16)

  it('of IPv6 counts for its /64, its /56 four times and its /48 sixteen times as much', async () => {
    expect(await sendsFrom((index) => `2001:db8:1:100::${hex(index + 1)}`)).toBe(2)
    expect(await sendsFrom((index) => `2001:db8:1:1${hex(index + 16)}::1`)).toBe(8)
    expect(await sendsFrom((index) => `2001:db8:1:${hex((index + 1) * 256)}::1`)).toBe(32)
    expect(await sendsFrom((index) => `2001:db8:${hex(index + 1)}::1`)).toBe(100)
  })

  it('that may be that of a proxy has ten times the limit', async () => {
    expect(await sendsFrom(() => '10.0.0.1', { proxied: true })).toBe(20)
    expect(await sendsFrom(() => '10.0.0.1')).toBe(2)
  })

  it('of which others took the last send in the same moment uses up nobody’s share of it', async () => {
    const { challenges, store } = createService({ limits: { sendsPerAddressPer10Min: 1, ...lifted } })
    const { increment } = store
    const shares = new Set<string>()
    store.increment = (key, ...more) => {
      if (key.includes('count-auth-share-sends')) shares.add(key)
      return increment(key, ...more)
    }
    const requests = Array.from({ length: 5 }, (_, index) =>
      challenges.start({ ...of('auth', `session-${index}`), phone: newPhone(), purpose: 'login' }),
    )
    const started = (await Promise.all(requests)).filter(({ outcome }) => outcome === 'started')
    expect(started).toHaveLength(1)
    expect(shares.size).toBe(5)
    const used = await Promise.all([...shares].map((key) => store.read(key)))
    expect(used.flatMap((entry) => entry?.value ?? [])).toEqual([1])
  })

  it('that is past its limit refuses also whoever has used up a share of it', async () => {
    const { challenges } = createService({ limits: { sendsPerAddressPer10Min: 6, ...lifted } })
    const start = (session: string) =>
      challenges.start({ ...of('auth', session), phone: newPhone(), purpose: 'login' })
    for (let sends = 0; sends < 9; sends += 1) {
      expect(await start('first')).toMatchObject({ outcome: 'started' })
    }
    await start('second')
    expect(await start('first')).toMatchObject({ limit: 'address' })
    expect(await start('third')).toMatchObject({ limit: 'address' })
  })
})
