import { describe, expect } from 'vitest'
import { TwoFactorError } from '../../src/errors.js'
import { it, rightCode } from './service.js'

const ana = { subject: 'ana', session: 'ana', phone: '+573001234567', purpose: 'login' }
const second = 1_000

/** The code of what was returned or thrown. */
const codeOf = (work: Promise<object>) =>
  work.then(
    (outcome) => ('code' in outcome ? outcome.code : Object(outcome).outcome),
    (error: unknown) => (error instanceof TwoFactorError ? error.code : error),
  )

describe('the same code again, while nobody has decided on it', () => {
  it('is approved once the service is back, after any number of checks without a verdict', async ({
    challenges,
    provider,
    wait,
  }) => {
    await challenges.start(ana)
    provider.check = () => 'unavailable'
    for (let time = 0; time < 9; time += 1) {
      expect(await codeOf(challenges.verify({ ...ana, code: rightCode }))).toBe('verification_unavailable')
      wait(5 * second)
    }
    provider.check = () => 'approved'
    expect(await codeOf(challenges.verify({ ...ana, code: rightCode }))).toBe('approved')
    // Its only attempt is refunded.
    provider.check = () => 'rejected'
    wait(60 * second)
    await challenges.start(ana)
    expect(await challenges.verify({ ...ana, code: '000000' })).toMatchObject({ attemptsRemaining: 4 })
  })

  it('is checked once in five seconds, and the refusal contains the wait', async ({
    challenges,
    provider,
    wait,
  }) => {
    await challenges.start(ana)
    provider.check = () => 'unavailable'
    await codeOf(challenges.verify({ ...ana, code: rightCode }))
    wait(4_999)
    expect(await challenges.verify({ ...ana, code: rightCode })).toMatchObject({
      code: 'verification_in_progress',
      retryAfterMs: 1,
    })
    expect(provider.checks).toHaveLength(1)
    wait(1)
    await codeOf(challenges.verify({ ...ana, code: rightCode }))
    expect(provider.checks).toHaveLength(2)
  })

  it('submitted 2,000 times is checked ten times at most, with one wording, and locks no account', async ({
    challenges,
    provider,
    wait,
    eventTypes,
  }) => {
    await challenges.start(ana)
    provider.check = () => 'unavailable'
    const words = new Set<unknown>()
    for (let time = 0; time < 2_000; time += 1) {
      words.add(await codeOf(challenges.verify({ ...ana, code: rightCode })))
      wait(150)
    }
    expect(provider.checks).toHaveLength(10)
    expect([...words].sort()).toEqual(['verification_in_progress', 'verification_unavailable'])
    expect(eventTypes()).not.toContain('subject.locked')
    expect(await challenges.subjects.state('ana')).toMatchObject({ judged: 0, locked: false })
  })

  it('can still be checked after five different codes without a verdict, and a sixth code cannot', async ({
    challenges,
    provider,
    wait,
  }) => {
    await challenges.start(ana)
    provider.check = () => 'unavailable'
    for (const code of ['000001', '000002', '000003', '000004', rightCode]) {
      await codeOf(challenges.verify({ ...ana, code }))
    }
    wait(5 * second)
    // Nobody called them wrong.
    expect(await challenges.verify({ ...ana, code: '000005' })).toMatchObject({
      code: 'attempts_exhausted',
      undecided: true,
    })
    expect(provider.checks).toHaveLength(5)
    provider.check = () => 'approved'
    expect(await codeOf(challenges.verify({ ...ana, code: rightCode }))).toBe('approved')
  })

  it('gets no attempt back by a check that was not sent', async ({ challenges, provider, wait }) => {
    await challenges.start(ana)
    provider.check = () => 'unavailable'
    await codeOf(challenges.verify({ ...ana, code: '000000' }))
    provider.check = () => 'not-sent'
    for (let time = 0; time < 3; time += 1) {
      wait(5 * second)
      await codeOf(challenges.verify({ ...ana, code: '000000' }))
    }
    provider.check = () => 'rejected'
    expect(await challenges.verify({ ...ana, code: '000001' })).toMatchObject({ attemptsRemaining: 3 })
  })

  it('is another guess after another code was sent', async ({ challenges, provider, wait }) => {
    await challenges.start(ana)
    provider.check = () => 'unavailable'
    await codeOf(challenges.verify({ ...ana, code: '000000' }))
    wait(60 * second)
    await challenges.resend(ana)
    provider.check = () => 'rejected'
    expect(await challenges.verify({ ...ana, code: '000000' })).toMatchObject({ attemptsRemaining: 3 })
  })

  it('counts as one wrong code once it is rejected', async ({ challenges, provider, wait }) => {
    await challenges.start(ana)
    provider.check = () => 'unavailable'
    await codeOf(challenges.verify({ ...ana, code: '000000' }))
    wait(5 * second)
    provider.check = () => 'rejected'
    expect(await challenges.verify({ ...ana, code: '000000' })).toMatchObject({
      attemptsRemaining: 4,
      undecided: true,
    })
    expect(await challenges.subjects.state('ana')).toMatchObject({ judged: 1 })
  })
})
