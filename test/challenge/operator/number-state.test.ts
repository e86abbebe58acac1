import { describe, expect, it } from 'vitest'
import { describeNumber } from '../../../src/tools/cli/person-report.js'
import { day, hour } from '../kit.js'
import { ana, createService, rightCode } from '../service.js'

const { phone } = ana
const login = { ...ana, purpose: 'login', knownBrowser: false }

/** A number that three accounts of an attacker have used up for unknown browsers. */
async function setUp() {
  const service = createService({
    limits: { allSendsPerHour: 5, attemptsPerChallenge: 1, sendsPerDay: 5 },
  })
  const { challenges } = service
  for (const index of [1, 2, 3]) {
    const attacker = {
      ...login,
      subject: `attacker-${index}`,
      session: `s-${index}`,
    }
    await challenges.start(attacker)
    await challenges.verify({ ...attacker, code: 'wrong1' })
  }
  expect(await challenges.start(login)).toMatchObject({ code: 'send_limit' })
  return service
}

describe('the state of a person whose start was refused', () => {
  it('contains the counters of the number and their end', async () => {
    const { challenges } = await setUp()
    expect(await challenges.subjects.state('ana')).toMatchObject({
      nextSendInMs: 0,
    })
    const { number, ...state } = await challenges.subjects.state('ana', {
      phone: '+57 300 123 4567',
    })
    expect(state).toMatchObject({
      nextSendInMs: hour,
      known: { nextSendInMs: 0 },
    })
    expect(number).toEqual({
      sendsInHour: { count: 3, unknown: 3, max: 5, unknownMax: 3, endsInMs: hour },
      sendsInDay: { count: 3, unknown: 3, max: 50, unknownMax: 30, endsInMs: day },
      wrongCodesInDay: { count: 3, unknown: 3, max: 10, unknownMax: 6, endsInMs: day },
    })
    if (number === undefined) return
    expect(describeNumber(number).slice(1)).toEqual([
      '  Hour         codes sent: 3 of 3 in unknown browsers, 3 of 5 in all; unknown browsers wait 1 h',
      '  Day          codes sent: 3 of 30 in unknown browsers, 3 of 50 in all; reset in 24 h',
      '               wrong codes: 3 of 6 in unknown browsers, 3 of 10 in all; reset in 24 h',
    ])
  })

  it.each([
    [
      'no code, and unknown browsers have a share',
      { max: 5, unknownMax: 3 },
      'none of 3 in unknown browsers, none of 5 in all',
    ],
    ['no code, and browsers are not tracked', { max: 5, unknownMax: 5 }, 'none of 5'],
    [
      'all codes',
      { count: 5, unknown: 2, max: 5, unknownMax: 3, endsInMs: hour },
      '2 of 3 in unknown browsers, 5 of 5 in all; every browser waits 1 h',
    ],
    [
      'all codes, and browsers are not tracked',
      { count: 5, unknown: 5, max: 5, unknownMax: 5, endsInMs: hour },
      '5 of 5; every browser waits 1 h',
    ],
  ])('is described after %s', (_what, counted, says) => {
    const sendsInHour = { count: 0, unknown: 0, endsInMs: 0, ...counted }
    const described = describeNumber({ sendsInHour, sendsInDay: sendsInHour, wrongCodesInDay: sendsInHour })
    expect(described[1]).toBe(`  Hour         codes sent: ${says}`)
  })

  it('has no share of unknown browsers if browsers are not tracked', async () => {
    const { challenges } = createService({ knownMaxAgeMs: 0 })
    const { number } = await challenges.subjects.state('ana', { phone })
    expect(number?.sendsInHour).toMatchObject({ max: 20, unknownMax: 20 })
  })

  it('is lifted with the number', async () => {
    const { challenges } = await setUp()
    await challenges.subjects.unlock('ana')
    expect(await challenges.start(login)).toMatchObject({ code: 'send_limit' })
    await challenges.subjects.unlock('ana', { phone })
    const none = { count: 0, endsInMs: 0 }
    expect((await challenges.subjects.state('ana', { phone })).number).toMatchObject({
      sendsInHour: none,
      sendsInDay: none,
      wrongCodesInDay: none,
    })
    expect(await challenges.start(login)).toMatchObject({ outcome: 'started' })
    expect(await challenges.verify({ ...login, code: rightCode })).toMatchObject({ outcome: 'approved' })
  })

  it('needs a number with its country code', async () => {
    const { challenges } = createService()
    await expect(challenges.subjects.state('ana', { phone: '300' })).rejects.toThrow(TypeError)
    await expect(challenges.subjects.unlock('ana', { phone: '300' })).rejects.toThrow(
      'phone must be a number',
    )
  })
})
