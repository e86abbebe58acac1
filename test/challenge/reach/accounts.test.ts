import { describe, expect, vi } from 'vitest'
import { codeOf } from '../../../src/lib/totp.js'
import { ana, createService, fact, it, rightCode } from '../service.js'

describe('a challenge', () => {
  it('of a visitor stays theirs after session and subject change, and belongs to no different visitor', async () => {
    const { challenges } = createService()
    const signup = { ...ana, lane: 'enrol' as const, visitor: fact('cookie-1') }
    await challenges.start({ ...signup, purpose: 'signup' })
    const later = { ...signup, session: 'session-2', subject: 'account-7' }
    const { visitor: _, ...withoutCookie } = signup
    expect(await challenges.verify({ ...withoutCookie, code: rightCode })).toMatchObject({
      code: 'challenge_gone',
    })
    expect(await challenges.verify({ ...later, visitor: fact('cookie-2'), code: rightCode })).toMatchObject({
      code: 'challenge_gone',
    })
    expect(await challenges.verify({ ...later, code: rightCode })).toMatchObject({ outcome: 'approved' })
  })

  it('ends with a revocation that is emitted after the code was sent', async ({ challenges }) => {
    await challenges.start({ ...ana, purpose: 'login' })
    const revoked = { ...ana, record: { readRevocationId: async () => 'logout-1' } }
    expect(await challenges.verify({ ...revoked, code: rightCode })).toMatchObject({ code: 'challenge_gone' })
    expect(await challenges.verify({ ...ana, code: rightCode })).toMatchObject({ outcome: 'approved' })
  })

  it('belongs to its session, and a request without its cookie has the attempts of an unknown browser', async ({
    challenges,
  }) => {
    const known = { ...ana, knownBrowser: true }
    await challenges.start({ ...known, purpose: 'login' })
    expect(await challenges.verify({ ...ana, code: 'wrong1' })).toMatchObject({ attemptsRemaining: 4 })
    expect(await challenges.verify({ ...known, code: 'wrong2' })).toMatchObject({ attemptsRemaining: 4 })
    const elsewhere = { ...known, session: 'session-2' }
    expect(await challenges.verify({ ...elsewhere, code: rightCode })).toMatchObject({
      code: 'challenge_superseded',
    })
    expect(await challenges.verify({ ...ana, code: rightCode })).toMatchObject({ outcome: 'approved' })
  })
})

describe('a code that nothing is sent for', () => {
  const withApp = { ...ana, secret: new Uint8Array(20), purpose: 'login' }

  it('has no cooldown after any earlier send, and writes nothing', async () => {
    const { challenges, now, store } = createService({ haveApps: true })
    await challenges.start({ ...withApp, channel: 'sms' })
    const swaps = vi.spyOn(store, 'swap')
    expect(await challenges.start({ ...withApp, channel: 'app' })).toMatchObject({
      outcome: 'started',
      delivery: 'sent',
      challenge: { channel: 'app', resendAt: now() },
    })
    expect(await challenges.sealedChallenges(withApp)).toMatchObject({ channel: 'app', attemptsRemaining: 5 })
    expect(swaps).not.toHaveBeenCalled()
    expect(await challenges.find(withApp)).toMatchObject({ channel: 'sms' })
    expect(await challenges.sealedChallenges({ ...ana, purpose: 'login' })).toBeUndefined()
    // Of a version that has it: this one does not.
    expect(await challenges.sealedChallenges({ ...withApp, purpose: 'nothing' })).toBeUndefined()
    expect(
      await challenges.sealedChallenges({ ...withApp, phone: 'none', secret: undefined }),
    ).toBeUndefined()
  })

  it('is for the named purpose, if that purpose accepts one', async () => {
    const { challenges, events, now } = createService({ haveApps: true })
    const code = codeOf(Math.floor(now() / 30_000), withApp.secret)
    const typed = (purpose: string) =>
      challenges.verify({
        ...withApp,
        session: `for ${purpose}`,
        code,
        appCode: code,
        displayed: { purpose },
      })
    // Its codes are to be sent, it is of a sign-up, and there is none.
    for (const purpose of ['text-only', 'signup', 'none']) {
      expect(await typed(purpose)).toMatchObject({ code: 'challenge_gone' })
    }
    expect(await typed('transfer')).toMatchObject({ outcome: 'approved', purpose: 'transfer' })
    expect(events.at(-1)).not.toHaveProperty('ageMs')
  })
})

it('a failed refund does not undo a verified number', async () => {
  const { challenges } = createService({
    commands: (well) => ({
      increment(key, windowMs, by = 1) {
        if (by < 0) throw new Error('down')
        return well.increment(key, windowMs, by)
      },
    }),
  })
  const signup = { ...ana, lane: 'enrol' as const, address: '203.0.113.7' }
  await challenges.start({ ...signup, purpose: 'signup' })
  expect(await challenges.verify({ ...signup, code: rightCode })).toMatchObject({ outcome: 'approved' })
})

it('a number that cannot be read is reported once per account, for a thousand accounts', async ({
  challenges,
  events,
}) => {
  const start = (subject: string) => challenges.start({ ...ana, subject, phone: 'none', purpose: 'login' })
  const reports = () => events.filter(({ type }) => type === 'factor.unreadable').length
  for (let index = 0; index < 1_000; index += 1) await start(`account-${index}`)
  await start('account-0')
  expect(reports()).toBe(1_000)
  await start('account-1000')
  await start('account-0')
  expect(reports()).toBe(1_002)
})

it('returns the reason of the first number if no number on file can be read', async ({
  challenges,
  events,
}) => {
  const numbers = [{ phone: 'none' }, { phone: '+14165550123' }]
  const outcome = await challenges.start({ ...ana, phone: undefined, numbers, purpose: 'login' })
  expect(outcome).toEqual({ outcome: 'refused', code: 'destination_not_allowed' })
  expect(events).toMatchObject([
    { type: 'factor.unreadable', kind: 'phone', subject: 'ana', reason: 'not-a-number' },
    { type: 'request.refused', reason: 'not-a-number' },
  ])
  const withNone = { ...ana, phone: undefined, purpose: 'login' }
  expect(await challenges.start(withNone)).toEqual({ outcome: 'refused', code: 'no_phone' })
})
