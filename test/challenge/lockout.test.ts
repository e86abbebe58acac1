import { describe, expect, it } from 'vitest'
import type { Limits } from '../../src/challenge/limits.js'
import { figure } from '../prove/figure.js'
import { day, hour, minute, mostWithin } from './kit.js'
import { ana, createService } from './service.js'

const days = 30
const stepMs = 2 * minute

/** Ana's number, and somebody who knows her password but never sees a code. */
function createSiege(limits: Partial<Limits>) {
  const service = createService({ limits })
  const { challenges, provider, now } = service
  const wrongChecks: number[] = []
  /** Judged wrong since the last success. */
  let judged = 0
  let mostJudged = 0
  let turn = 0
  let attacker = { ...ana, session: 'attacker-0', address: '203.0.113.1' }

  const codeOnItsWay = () => `code-${provider.sends.length}`
  provider.check = (code) => {
    if (code === codeOnItsWay()) {
      judged = 0
      return 'approved'
    }
    wrongChecks.push(now())
    judged += 1
    mostJudged = Math.max(mostJudged, judged)
    return 'rejected'
  }

  /** Signs in anew from another address, then types codes, some at once, as long as one is taken. */
  async function attack(): Promise<void> {
    turn += 1
    const next = { ...ana, session: `attacker-${turn}`, address: `203.0.${turn % 250}.${turn % 200}` }
    const channel = turn % 3 === 0 ? 'call' : 'sms'
    const told = await challenges.start({ ...next, purpose: 'login', channel })
    if (told.outcome === 'started') attacker = next
    for (let before = -1; before < wrongChecks.length; ) {
      before = wrongChecks.length
      const codes = ['a', 'b', 'c'].map((letter) => `${letter}${before}`)
      await Promise.all(codes.map((code) => challenges.verify({ ...attacker, code })))
    }
  }

  async function pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += stepMs) {
      await attack()
      service.wait(Math.min(stepMs, ms - passed))
    }
  }

  /** One try to sign in, with the patience for one cooldown. The attacker is at it all the while. */
  async function signIn(session: string, knownBrowser: boolean): Promise<boolean> {
    const owner = { ...ana, session, knownBrowser, address: '198.51.100.7' }
    const start = () => challenges.start({ ...owner, purpose: 'login' })
    let told = await start()
    if (told.outcome === 'refused' && (told.retryAfterMs ?? day) <= minute) {
      await pass(told.retryAfterMs ?? 0)
      told = await start()
    }
    if (told.outcome !== 'started') return false
    const code = codeOnItsWay()
    await attack()
    service.wait(20_000)
    const [, verified] = await Promise.all([attack(), challenges.verify({ ...owner, code })])
    return verified.outcome === 'approved'
  }

  return {
    pass,
    signIn,
    figures: () => ({
      'checks in any hour': mostWithin(hour, wrongChecks),
      'checks in any day': mostWithin(day, wrongChecks),
      'judged without a success': mostJudged,
      checks: wrongChecks.length,
    }),
  }
}

/** Each day at another time. */
async function thirtyDays(knownBrowser: boolean, limits: Partial<Limits>) {
  const siege = createSiege(limits)
  let daysIn = 0
  for (let today = 0; today < days; today += 1) {
    const at = ((today * 7) % 24) * hour + today * minute
    await siege.pass(at)
    if (await siege.signIn(`owner-${today}`, knownBrowser)) daysIn += 1
    await siege.pass(day - at)
  }
  return { 'days on which the owner gets in': daysIn, ...siege.figures() }
}

describe('thirty days against somebody who has the password and starts every two minutes', () => {
  it.each([
    ['known', {}],
    // What holds him back then is the number alone.
    ['known', { failuresPerSubjectPerDay: 1_000 }],
    ['unknown', {}],
  ])(
    "give him no more checks than his bounds (the owner's browser is %s, limits: %o)",
    async (browser, limits) => {
      const figures = await thirtyDays(browser === 'known', limits)
      console.log(`the owner's browser is ${browser}, ${JSON.stringify(limits)}: ${JSON.stringify(figures)}`)
      const days = figures['days on which the owner gets in']
      figure(13, `in a browser that is ${browser} the owner got in on ${days} of 30 days`)
      expect(figures['checks in any hour']).toBeLessThanOrEqual(25)
      expect(figures['checks in any day']).toBeLessThanOrEqual(50)
      expect(figures['judged without a success']).toBeLessThanOrEqual(100)
      // He is held back by the limits, not by being tired.
      expect(figures.checks).toBeGreaterThanOrEqual(100)
      if (browser === 'known') expect(figures['days on which the owner gets in']).toBe(days)
    },
  )
})
