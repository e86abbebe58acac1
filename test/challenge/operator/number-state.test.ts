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
      sendsInHour: { count: 3, unknown: 3, max: 5, endsInMs: hour },
      sendsInDay: { count: 3, unknown: 3, max: 50, endsInMs: day },
      wrongCodesInDay: { count: 3, unknown: 3, max: 10, endsInMs: day },
    })
    if (number === undefined) return
    expect(describeNumber(number).join('\n')).toContain(
      'codes sent: 3 of 5, 3 in unknown browsers, reset in 1 h',
    )
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
