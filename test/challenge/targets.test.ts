import { describe, expect } from 'vitest'
import { minute } from './kit.js'
import { ana, createService, fact, it, rightCode } from './service.js'

describe('a challenge', () => {
  it('of a visitor stays theirs when session and subject change, and is nobody else’s', async () => {
    const { challenges } = createService()
    const signup = { ...ana, lane: 'enrol' as const, visitor: fact(Promise.resolve('cookie-1')) }
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

  it('ends with a revocation that is told later than the code was sent', async ({ challenges }) => {
    await challenges.start({ ...ana, purpose: 'login' })
    const revoked = { ...ana, record: fact(Promise.resolve('logout-1')) }
    expect(await challenges.verify({ ...revoked, code: rightCode })).toMatchObject({ code: 'challenge_gone' })
    expect(await challenges.verify({ ...ana, code: rightCode })).toMatchObject({ outcome: 'approved' })
  })

  it('of a known browser is its own', async ({ challenges, wait }) => {
    const known = { ...ana, knownBrowser: true }
    await challenges.start({ ...known, purpose: 'login' })
    for (const knownBrowser of [undefined, false]) {
      expect(
        await challenges.verify({ ...ana, ...(knownBrowser === false && { knownBrowser }), code: rightCode }),
      ).toMatchObject({
        code: 'challenge_gone',
      })
    }
    wait(minute)
    expect(await challenges.verify({ ...known, code: rightCode })).toMatchObject({ outcome: 'approved' })
  })
})

it('a code of an app waits for no cooldown, whatever was sent before', async () => {
  const { challenges, now } = createService({ haveApps: true })
  const withApp = { ...ana, secret: new Uint8Array(20), purpose: 'login' }
  await challenges.start({ ...withApp, channel: 'sms' })
  await challenges.start({ ...withApp, channel: 'app' })
  expect(await challenges.find(withApp)).toMatchObject({ channel: 'app', resendAt: now() })
})

it('where no number on file can be read, the first says why', async ({ challenges, events }) => {
  const numbers = [{ phone: 'none' }, { phone: '+14165550123' }]
  const outcome = await challenges.start({ ...ana, phone: undefined, numbers, purpose: 'login' })
  expect(outcome).toEqual({ outcome: 'refused', code: 'destination_not_allowed' })
  expect(events).toMatchObject([{ type: 'request.refused', reason: 'not-a-number' }])
})
