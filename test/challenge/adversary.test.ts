import { describe, expect, it } from 'vitest'
import type { VerifyCommand } from '../../src/challenge/commands.js'
import type { Verdict } from '../../src/challenge/exchange/code-provider.js'
import { enough } from '../in-full.js'
import { figure } from '../prove/figure.js'
import { day, hour, minute, mostWithin } from './kit.js'
import { ana, createService } from './service.js'

/**
 * Somebody who knows the passwords of accounts that share one number, signs in anew for every request, from another
 * address each time, and does nothing else for days.
 */
function createAdversary(accounts: number, verdict: Verdict, enabled: 'never' | 'at once') {
  const service = createService()
  const { challenges, provider, now, events } = service
  const checks: { at: number; sentAt: number }[] = []
  const sends: number[] = []
  let turn = 0
  let owner: typeof ana & Pick<VerifyCommand, 'displayed'> = ana

  provider.check = () => {
    checks.push({ at: now(), sentAt: sends.at(-1) ?? 0 })
    return verdict
  }
  const alter = <const Item>(...items: readonly [Item, ...Item[]]) => items[turn % items.length] ?? items[0]
  const quietly = (answer: Promise<unknown>) => answer.catch(() => {})

  return {
    /** Time since the last code went out. */
    codeAge: () => now() - (sends.at(-1) ?? 0),
    get codes() {
      return sends.length
    },

    /** A new sign-in to one of the accounts, for whatever purpose, over whatever channel. */
    async start() {
      turn += 1
      const who = { ...ana, subject: `account-${turn % accounts}`, session: `session-${turn}` }
      const address = `203.0.${turn % 250}.${turn % 200}`
      const order = {
        ...who,
        address,
        purpose: alter('login', 'transfer'),
        channel: alter('sms', 'sms', 'call'),
      }
      const answer = await challenges.start(order).catch(() => undefined)
      if (answer?.outcome === 'started') owner = { ...who, displayed: { challenge: answer.challenge.id } }
      if (provider.sends.length > sends.length) sends.push(now())
    },
    async resend() {
      await quietly(challenges.resend({ ...owner, channel: alter('call', 'sms') }))
      if (provider.sends.length > sends.length) sends.push(now())
    },
    cancel: () => challenges.cancel(owner),
    /** Types codes, some at once, as long as one is taken. */
    async guess() {
      for (let before = -1; before < checks.length; ) {
        before = checks.length
        const codes = ['a', 'b', 'c'].map((letter) => `${letter}${checks.length}`)
        await Promise.all(codes.map((code) => quietly(challenges.verify({ ...owner, code }))))
      }
    },

    /** Time passes. An operator may be careless enough to enable the number whenever it is disabled. */
    async pass(ms: number) {
      const isDisabled = events.some(({ type }) => type === 'subject.disabled')
      events.length = 0
      for (let account = 0; isDisabled && enabled === 'at once' && account < accounts; account += 1) {
        await challenges.subjects.unlock(`account-${account}`)
      }
      service.wait(ms)
      return isDisabled
    },
    /** All checks, and the most of any hour or day. */
    figures() {
      const checkedAt = checks.map(({ at }) => at)
      return {
        checks: checks.length,
        inHour: mostWithin(hour, checkedAt),
        inDay: mostWithin(day, checkedAt),
        withCodesOfDay: mostWithin(
          day,
          checks.map(({ sentAt }) => sentAt),
        ),
        sendsInHour: mostWithin(hour, sends),
        sendsInDay: mostWithin(day, sends),
      }
    },
  }
}

type Adversary = ReturnType<typeof createAdversary>

/** What is tried every five minutes. */
const habits = {
  async 'guesses as soon as a code is out'(adversary) {
    await adversary.start()
    await adversary.guess()
  },
  async 'cancels, starts and sends again between guesses'(adversary) {
    await adversary.cancel()
    await adversary.start()
    await adversary.guess()
    await adversary.resend()
    await adversary.guess()
  },
  // A code of the evening before, typed when it is about to expire, falls into the day of ten other codes.
  async 'guesses late, then early'(adversary) {
    const isLate = adversary.codes % 20 === 1
    if (!isLate || adversary.codeAge() >= 10 * minute) await adversary.start()
    if (!isLate || adversary.codeAge() >= 5 * minute) await adversary.guess()
  },
} satisfies Record<string, (adversary: Adversary) => Promise<void>>

/** His bounds are reached on the first of them. */
const days = enough(10, { inFull: 30 })

async function live(
  accounts: number,
  habit: keyof typeof habits,
  verdict: Verdict,
  enabled: 'never' | 'at once',
) {
  const adversary = createAdversary(accounts, verdict, enabled)
  let isDisabled = false
  for (let lived = 0; lived < days * day; ) {
    await habits[habit](adversary)
    const step = isDisabled && enabled === 'never' ? hour : 5 * minute
    if (await adversary.pass(step)) isDisabled = true
    lived += step
  }
  return adversary.figures()
}

describe(`an adversary of ${days} days`, () => {
  it.each([
    ['guesses as soon as a code is out', 'rejected', 'never'],
    ['cancels, starts and sends again between guesses', 'rejected', 'never'],
    ['guesses as soon as a code is out', 'rejected', 'at once'],
    ['guesses as soon as a code is out', 'unavailable', 'never'],
    ['cancels, starts and sends again between guesses', 'unavailable', 'never'],
    ['guesses late, then early', 'unavailable', 'never'],
  ] as const)(
    'that %s (answers: %s, enabled: %s) stays within the limits of unknown browsers for one account',
    async (habit, verdict, enabled) => {
      const figures = await live(1, habit, verdict, enabled)
      figure(5, `${habit}: ${figures.inHour} checks in an hour, ${figures.inDay} in a day`)
      if (verdict === 'rejected' && enabled === 'never') expect(figures.checks).toBe(60)
      // The bounds hold because of the limits, not because the adversary is tired.
      else expect(figures.checks).toBeGreaterThan(20 * days)
      // Who enables the account begins hour and day anew.
      if (enabled === 'at once') return
      expect(figures.inHour).toBeLessThanOrEqual(15)
      expect(figures.withCodesOfDay).toBeLessThanOrEqual(30)
      expect(figures.inDay).toBeLessThanOrEqual(30)
      // Where no verdict comes, nobody pays for it but the number.
      const [anHour, aDay] = verdict === 'rejected' ? [5, 10] : [12, 30]
      expect(figures.sendsInHour).toBeLessThanOrEqual(anHour)
      expect(figures.sendsInDay).toBeLessThanOrEqual(aDay)
    },
  )

  it('with a dozen accounts of one number stays within the limits of unknown browsers for a number', async () => {
    const figures = await live(12, 'guesses as soon as a code is out', 'rejected', 'never')
    figure(5, `a dozen accounts of one number: ${figures.checks} wrong codes in ${days} days`)
    // Windows begin with their first hit: around an end, two may meet.
    expect(figures.inDay).toBeLessThanOrEqual(2 * 60)
    expect(figures.checks).toBeLessThanOrEqual(60 * (days + 1))
    expect(figures.checks).toBeGreaterThan(40 * days)
    expect(figures.sendsInHour).toBeLessThanOrEqual(2 * 12)
    expect(figures.sendsInDay).toBeLessThanOrEqual(2 * 30)
  })
})
