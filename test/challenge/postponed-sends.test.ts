import { describe, expect } from 'vitest'
import type { SendResult } from '../../src/challenge/exchange/code-provider.js'
import { TwoFactorError } from '../../src/errors.js'
import { createService, it, rightCode } from './service.js'

const minute = 60_000
const ana = { subject: 'ana', session: 'ana', phone: '+573001234567', purpose: 'login' }
const anaSignsUp = { ...ana, lane: 'enrol', purpose: 'signup' } as const

/** The code of what was thrown, and the wait. */
const thrown = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => undefined,
    (failure: unknown) => failure,
  )
  if (!(error instanceof TwoFactorError)) throw new Error('it was no TwoFactorError')
  return [error.code, error.headers?.['Retry-After']]
}

describe('a send that the provider postpones', () => {
  it.for([
    [{ result: 'later' }, 30],
    [{ result: 'later', retryAfterMs: 60_000 }, 60],
    [{ result: 'later', retryAfterMs: 1 }, 5],
    [{ result: 'later', retryAfterMs: 86_400_000 }, 300],
    [{ result: 'later', retryAfterMs: Number.NaN }, 30],
  ] as [SendResult, number][])(
    '%j waits %d s, each time with one wording',
    async ([result, seconds], { challenges, provider, wait }) => {
      provider.send = () => result
      expect(await thrown(challenges.start(ana))).toEqual(['provider_unavailable', String(seconds)])
      wait(seconds * 1_000 - 1)
      expect(await challenges.start(ana)).toMatchObject({ code: 'provider_unavailable', retryAfterMs: 1 })
      expect(provider.sends).toHaveLength(1)
      wait(1)
      provider.send = () => ({ result: 'sent' })
      expect(await challenges.start(ana)).toMatchObject({ outcome: 'started', delivery: 'sent' })
    },
  )

  it('leaves no cooldown and none of the account’s limits used', async ({ challenges, provider, wait }) => {
    provider.send = () => ({ result: 'later' })
    for (let time = 0; time < 8; time += 1) {
      await thrown(challenges.start(ana))
      wait(30_000)
    }
    provider.send = () => ({ result: 'sent' })
    await challenges.start(ana)
    wait(minute)
    expect(await challenges.start({ ...ana, session: 'other' })).toMatchObject({ outcome: 'started' })
  })

  it.for([
    ['sign-ins', ana, 12],
    ['sign-ups', anaSignsUp, 3],
  ] as const)('counts for the number: %s', async ([, order, most], { challenges, provider, wait }) => {
    provider.send = () => ({ result: 'later', retryAfterMs: 5_000 })
    for (let time = 0; time < 100; time += 1) {
      await challenges.start(order).catch(() => undefined)
      wait(5_000)
    }
    expect(provider.sends).toHaveLength(most)
  })

  it.for([
    ['address', { sendsPerAddressPer10Min: 2 }],
    ['whole service', { serviceSendsPerMinute: 2 }],
  ] as const)('counts for the %s', async ([, limits]) => {
    const { challenges, provider } = createService({ limits })
    provider.send = () => ({ result: 'later' })
    const start = (subject: string) =>
      challenges.start({ ...ana, subject, session: subject, address: '203.0.113.7' })
    for (const subject of ['a', 'b']) expect((await thrown(start(subject)))[0]).toBe('provider_unavailable')
    expect(await start('c')).toMatchObject({ outcome: 'refused', retryAfterMs: expect.any(Number) })
    expect(provider.sends).toHaveLength(2)
  })

  it('uses up the day of the number within hours', async ({ challenges, provider, wait }) => {
    provider.send = () => ({ result: 'later', retryAfterMs: 5 * minute })
    for (let time = 0; time < 48; time += 1) {
      await challenges.start(ana).catch(() => undefined)
      wait(5 * minute)
    }
    expect(provider.sends).toHaveLength(30)
    expect(await challenges.start(ana)).toMatchObject({ code: 'send_limit', retryAfterMs: 20 * 60 * minute })
  })

  it('keeps the first code valid, and the page can ask again after the pause', async ({
    challenges,
    provider,
    wait,
  }) => {
    await challenges.start(ana)
    wait(minute)
    provider.send = () => ({ result: 'later' })
    expect(await thrown(challenges.resend(ana))).toEqual(['provider_unavailable', '30'])
    wait(30_000)
    expect(await thrown(challenges.start({ ...ana, session: 'new' }))).toEqual(['provider_unavailable', '30'])
    expect(await challenges.verify({ ...ana, code: rightCode })).toMatchObject({ outcome: 'approved' })
  })

  it('is no outage: the event names it', async ({ challenges, provider, events }) => {
    provider.send = () => ({ result: 'later' })
    await thrown(challenges.start(ana))
    expect(events.at(-1)).toMatchObject({ type: 'challenge.undelivered', reason: 'later' })
  })
})

describe('a verification that has ended at the service', () => {
  it('ends the challenge, and is no wrong code', async ({ challenges, provider, wait, eventTypes }) => {
    await challenges.start(ana)
    provider.check = () => 'over'
    expect(await challenges.verify({ ...ana, code: '000000' })).toMatchObject({ code: 'challenge_gone' })
    expect(await challenges.verify({ ...ana, code: rightCode })).toMatchObject({ code: 'challenge_gone' })
    expect(provider.checks).toHaveLength(1)
    expect(eventTypes()).not.toContain('challenge.rejected')
    expect(await challenges.subjects.state('ana')).toMatchObject({ judged: 0 })
    // Its attempt stays used.
    wait(minute)
    provider.check = () => 'rejected'
    await challenges.start(ana)
    expect(await challenges.verify({ ...ana, code: '000001' })).toMatchObject({ attemptsRemaining: 3 })
  })
})
