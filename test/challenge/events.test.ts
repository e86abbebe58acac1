import { describe, expect } from 'vitest'
import { ana, createService, it, rightCode } from './service.js'

const asCode = (error: unknown) => (error as { code: string }).code

describe('events', () => {
  it('say of a challenge what it is about', async ({ challenges, events, provider }) => {
    provider.send = () => ({ result: 'unconfirmed' })
    const started = await challenges.start({ ...ana, purpose: 'transfer', channel: 'call' })
    expect(events.filter(({ type }) => type !== 'provider.unavailable')).toEqual(
      ['challenge.started', 'challenge.unconfirmed'].map((type) => ({
        type,
        lane: 'auth',
        purpose: 'transfer',
        channel: 'call',
        challengeId: 'challenge' in started && started.challenge.id,
        subject: 'ana',
        country: 'CO',
        ...(type === 'challenge.unconfirmed' && { durationMs: 0 }),
      })),
    )
  })

  it('say who was refused what, and which counter refused it', async () => {
    const { challenges, events } = createService({ limits: { sendsPerAddressPer10Min: 0 } })
    await challenges.start({ ...ana, purpose: 'login', address: '203.0.113.7' })
    await challenges.resend({ ...ana, lane: 'enrol' })
    await challenges.verify({ ...ana, code: 'wrong1' })
    expect(events).toStrictEqual([
      {
        type: 'request.refused',
        command: 'start',
        code: 'send_limit',
        lane: 'auth',
        subject: 'ana',
        limit: 'address',
      },
      { type: 'request.refused', command: 'resend', code: 'challenge_gone', lane: 'enrol', subject: 'ana' },
      { type: 'request.refused', command: 'verify', code: 'challenge_gone', lane: 'auth', subject: 'ana' },
    ])
  })

  it('tell a story without number, code or session', async ({ service }) => {
    await service.challenges.start({ ...ana, purpose: 'login' })
    await service.challenges.verify({ ...ana, code: 'wrong1' })
    service.wait(60_000)
    await service.challenges.start({ ...ana, session: 'session-2', purpose: 'login' })
    await service.challenges.cancel({ ...ana, session: 'session-2' })
    service.wait(120_000)
    await service.challenges.start({ ...ana, purpose: 'login' })
    await service.challenges.verify({ ...ana, code: rightCode })
    service.provider.send = () => ({ result: 'misconfigured' })
    await service.challenges.start({ ...ana, purpose: 'transfer' }).catch(asCode)
    await service.challenges.start({ ...ana, purpose: 'transfer' })
    expect(service.eventTypes()).toEqual([
      'challenge.started',
      'challenge.sent',
      'challenge.rejected',
      'challenge.started',
      'challenge.superseded',
      'challenge.sent',
      'challenge.cancelled',
      'challenge.started',
      'challenge.sent',
      'challenge.approved',
      'challenge.started',
      'provider.misconfigured',
      'challenge.undelivered',
      'request.refused',
    ])
    expect(JSON.stringify(service.events)).not.toMatch(/300123|session-|123456|wrong1/)
    expect(service.events.at(-1)).toEqual({
      type: 'request.refused',
      command: 'start',
      code: 'resend_too_soon',
      lane: 'auth',
      subject: 'ana',
    })
  })
})
