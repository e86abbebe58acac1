import { describe, expect } from 'vitest'
import { hour } from '../kit.js'
import { ana, createService, it, rightCode } from '../service.js'

/** Somebody else who has the number of `ana` on file, in a browser that is known or not. */
const another = (index: number, knownBrowser: boolean) => ({
  ...ana,
  subject: `${knownBrowser ? 'known' : 'unknown'}-${index}`,
  session: `session-${knownBrowser}-${index}`,
  knownBrowser,
  purpose: 'login',
})

/** A number that may be sent ten codes an hour: six to strangers, and to known browsers what is left. */
function oneNumber(knownMaxAgeMs = 90 * 24 * hour) {
  const { challenges } = createService({
    limits: { allSendsPerHour: 10, allSendsPerDay: 100 },
    knownMaxAgeMs,
  })
  /** How many of these starts, all at once, were given a code. */
  return async (count: number, knownBrowser: boolean, from = 0) => {
    const starts = Array.from({ length: count }, (_, index) =>
      challenges.start(another(from + index, knownBrowser)),
    )
    return (await Promise.all(starts)).filter(({ outcome }) => outcome === 'started').length
  }
}

describe('what a number is sent over all accounts', () => {
  it.each([
    ['strangers first', false, 6, 4],
    ['known browsers first', true, 10, 0],
  ] as const)('is shared between the two kinds of browsers, %s', async (_order, isKnown, first, then) => {
    const sent = oneNumber()
    expect(await sent(20, isKnown)).toBe(first)
    expect(await sent(20, !isKnown)).toBe(then)
  })

  it('leaves strangers their share while known browsers have not used it', async () => {
    const sent = oneNumber()
    expect(await sent(3, true)).toBe(3)
    expect(await sent(20, false)).toBe(6)
    expect(await sent(20, true, 3)).toBe(1)
  })

  it('leaves strangers no more than known browsers have not used', async () => {
    const sent = oneNumber()
    expect(await sent(7, true)).toBe(7)
    expect(await sent(20, false)).toBe(3)
  })

  it('is one call where it is one, to a stranger as well', async () => {
    const { challenges } = createService({ limits: { allSendsPerHour: 1 } })
    const call = { ...another(0, false), channel: 'call' }
    expect(await challenges.start(call)).toMatchObject({ outcome: 'started' })
    expect(await challenges.start(another(1, false))).toMatchObject({ code: 'send_limit' })
  })

  it('is two where a text goes out as a call, which is asked for while there is room for one', async () => {
    const { challenges, provider } = createService({ limits: { allSendsPerHour: 5 } })
    const start = (index: number) => challenges.start(another(index, true))
    await start(0)
    provider.send = () => ({ result: 'sent', channel: 'call' })
    expect(await start(1)).toMatchObject({ outcome: 'started' })
    const typed = { ...another(1, true), code: rightCode }
    expect(await challenges.verify(typed)).toMatchObject({ outcome: 'approved' })
    provider.send = () => ({ result: 'sent' })
    expect(await start(2)).toMatchObject({ outcome: 'started' })
    expect(await start(3)).toMatchObject({ outcome: 'started' })
    expect(await start(4)).toMatchObject({ code: 'send_limit' })
    const offered = provider.sends.map(({ channels }) => channels?.includes('call'))
    expect(offered).toEqual([true, true, true, false])
  })

  it('has room for a text that `beforeSend` chooses in place of a call', async () => {
    const { challenges, provider } = createService({ limits: { allSendsPerHour: 2 } })
    await challenges.start(another(0, true))
    const call = { ...another(1, true), channel: 'call' }
    const asText = { ...call, beforeSend: async () => ({ allow: true, method: 'sms' }) as const }
    expect(await challenges.start(call)).toMatchObject({ code: 'send_limit' })
    expect(await challenges.start(asText)).toMatchObject({ outcome: 'started' })
    expect(provider.sends.at(-1)).toMatchObject({ channel: 'sms' })
  })

  it('is limited to the share of unknown browsers for a browser known by another factor', async () => {
    const { challenges } = createService({ limits: { allSendsPerHour: 10 } })
    const start = async (index: number, knownAtNumber: boolean) =>
      (await challenges.start({ ...another(index, true), knownAtNumber })).outcome
    const attackers = await Promise.all(Array.from({ length: 20 }, (_, index) => start(index, false)))
    expect(attackers.filter((outcome) => outcome === 'started')).toHaveLength(6)
    expect(await start(20, true)).toBe('started')
  })

  it('keeps wrong codes for the owner, although browsers known by another factor submit some', async () => {
    const { challenges, provider } = createService({ limits: { attemptsPerChallenge: 5, sendsPerDay: 1 } })
    for (let index = 0; index < 3; index += 1) {
      const attacker = { ...another(index, true), knownAtNumber: false }
      await challenges.start(attacker)
      for (let turn = 0; turn < 5; turn += 1) await challenges.verify({ ...attacker, code: `wrong${turn}` })
    }
    expect(provider.checks).toHaveLength(6)
    await challenges.start(another(9, true))
    const right = { ...another(9, true), code: rightCode }
    expect(await challenges.verify(right)).toMatchObject({ outcome: 'approved' })
  })

  it('is one limit for all browsers if browsers are not tracked', async () => {
    expect(await oneNumber(0)(20, false)).toBe(10)
  })
})

it('a number gets 480 texts a day at most from a provider that never responds', async () => {
  const { challenges, provider, wait } = createService({ limits: { serviceSendsPerMinute: 1_000_000 } })
  provider.send = () => ({ result: 'unconfirmed' })
  for (let hours = 0; hours < 24; hours += 1) {
    // Accounts that have the number on file, each in a known browser.
    for (let account = 0; account < 25; account += 1) await challenges.start(another(account, true))
    wait(hour)
  }
  expect(provider.sends).toHaveLength(480)
  const { number } = await challenges.subjects.state('known-0', { phone: ana.phone })
  expect(number?.sendsInDay.count).toBe(0)
})
