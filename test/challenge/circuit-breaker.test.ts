import { describe, expect, it } from 'vitest'
import { ana, createService, rightCode } from './service.js'

/** Starts a challenge for each of so many people, each with a number of their own. */
async function people(service: ReturnType<typeof createService>, count: number) {
  const each = Array.from({ length: count }, (_, index) => ({
    subject: `subject-${index}`,
    session: `session-${index}`,
    phone: `+57300${1_000_000 + index}`,
  }))
  for (const person of each) await service.challenges.start({ ...person, purpose: 'login' })
  return each
}

const asCode = (error: unknown) => (error as { code: string }).code

describe('a provider that cannot be reached', () => {
  it('is left alone for fifteen seconds after five sends in a row, and nothing is booked meanwhile', async () => {
    const service = createService()
    service.provider.send = () => ({ result: 'not-sent' })
    for (let tries = 0; tries < 5; tries += 1) {
      expect(await service.challenges.start({ ...ana, purpose: 'login' }).catch(asCode)).toBe(
        'provider_unavailable',
      )
    }
    expect(service.provider.sends).toHaveLength(5)
    service.provider.send = () => ({ result: 'sent' })
    expect(await service.challenges.start({ ...ana, purpose: 'login' })).toEqual({
      outcome: 'refused',
      code: 'provider_unavailable',
      retryAfterMs: 15_000,
    })
    expect(await service.challenges.verify({ ...ana, code: rightCode })).toMatchObject({
      code: 'provider_unavailable',
    })
    service.wait(14_999)
    expect(await service.challenges.start({ ...ana, purpose: 'login' })).toMatchObject({ retryAfterMs: 1 })
    service.wait(1)
    expect(await service.challenges.start({ ...ana, purpose: 'login' })).toMatchObject({ outcome: 'started' })
    expect(service.eventTypes().filter((type) => type === 'provider.paused')).toHaveLength(1)
  })

  it('is asked on while it is only a text of the host that fails', async () => {
    const service = createService({ limits: { cooldownMs: [0] } })
    service.provider.send = () => ({ result: 'not-sent' })
    service.provider.report = { reason: 'text' }
    const start = () => service.challenges.start({ ...ana, purpose: 'login' }).catch(asCode)
    for (let tries = 0; tries < 10; tries += 1) expect(await start()).toBe('provider_unavailable')
    expect(service.eventTypes()).not.toContain('provider.paused')
    service.provider.report = { reason: 'connect' }
    for (let tries = 0; tries < 5; tries += 1) await start()
    expect(service.events).toContainEqual({ type: 'provider.paused', pausedForMs: 15_000 })
    expect(service.events.find(({ type }) => type === 'provider.paused')).not.toHaveProperty('provider')
  })

  it('is asked again at once when a single request went through in between', async () => {
    const service = createService()
    const [person] = await people(service, 1)
    const results = ['not-sent', 'not-sent', 'not-sent', 'not-sent', 'rejected', 'not-sent'] as const
    for (const verdict of results) {
      service.provider.check = () => verdict
      await service.challenges.verify({ ...ana, ...person, code: 'wrong1' }).catch(asCode)
    }
    expect(service.eventTypes()).not.toContain('provider.paused')
  })

  it('is not paused for longer by a clock that is set back', async () => {
    const service = createService()
    service.provider.send = () => ({ result: 'not-sent' })
    for (let tries = 0; tries < 5; tries += 1)
      await service.challenges.start({ ...ana, purpose: 'login' }).catch(asCode)
    service.provider.send = () => ({ result: 'sent' })
    service.wait(-3_600_000)
    expect(await service.challenges.start({ ...ana, purpose: 'login' })).toMatchObject({ outcome: 'started' })
    service.wait(3_600_000)
    expect(await service.challenges.resend(ana)).toMatchObject({ code: 'challenge_gone' })
  })
})

describe('a provider that gives no verdict', () => {
  it('is left alone after ten lost answers in a row over five numbers', async () => {
    const service = createService()
    const each = await people(service, 5)
    service.provider.check = () => 'unavailable'
    for (const person of [...each, ...each]) {
      expect(await service.challenges.verify({ ...person, code: 'wrong1' }).catch(asCode)).toBe(
        'verification_unavailable',
      )
    }
    expect(service.eventTypes().filter((type) => type === 'provider.paused')).toHaveLength(1)
    expect(service.events).toContainEqual({
      type: 'provider.unavailable',
      command: 'check',
      sent: true,
      durationMs: 0,
    })
    expect(await service.challenges.verify({ ...ana, code: rightCode })).toMatchObject({
      code: 'provider_unavailable',
    })
  })

  it.each([
    ['is asked on as long as it answers', 10, 10, 0],
    ['is left alone after ten lost answers, counted from its last one that came', 1, 11, 1],
  ])('%s', async (_name, complete, checks, pauses) => {
    const service = createService()
    const each = await people(service, 5)
    const twice = [...each, ...each, ...each].slice(0, checks)
    service.provider.check = (_code, answered) => {
      if (service.provider.checks.length <= complete) answered?.()
      return 'unavailable'
    }
    for (const person of twice) await service.challenges.verify({ ...person, code: 'wrong1' }).catch(asCode)
    expect(service.provider.checks).toHaveLength(checks)
    expect(service.eventTypes().filter((type) => type === 'provider.unavailable')).toHaveLength(checks)
    expect(service.eventTypes().filter((type) => type === 'provider.paused')).toHaveLength(pauses)
  })

  it('is left alone after five checks that were not sent, whatever it says of answers', async () => {
    const service = createService()
    const [person] = await people(service, 1)
    service.provider.check = (_code, answered) => {
      answered?.()
      return 'not-sent'
    }
    for (let tries = 0; tries < 5; tries += 1) {
      await service.challenges.verify({ ...ana, ...person, code: 'wrong1' }).catch(asCode)
    }
    expect(service.eventTypes()).toContain('provider.paused')
  })

  it('is left alone after as many sends whose answer was lost', async () => {
    const service = createService({ limits: { cooldownMs: [0] } })
    service.provider.send = () => ({ result: 'unconfirmed' })
    await people(service, 9)
    expect(service.eventTypes()).not.toContain('provider.paused')
    await service.challenges.start({ ...ana, purpose: 'login' })
    expect(service.eventTypes()).toContain('provider.paused')
    expect(service.events).toContainEqual({
      type: 'provider.unavailable',
      command: 'send',
      sent: true,
      durationMs: 0,
    })
  })

  it('is not stopped for everybody by four numbers', async () => {
    const service = createService({ limits: { attemptsPerChallenge: 10, failuresBeforeLock: 50 } })
    const each = await people(service, 4)
    service.provider.check = () => 'unavailable'
    for (const person of [...each, ...each, ...each, ...each]) {
      await service.challenges.verify({ ...person, code: 'wrong1' }).catch(asCode)
    }
    expect(service.eventTypes()).not.toContain('provider.paused')
  })

  it('is not stopped by a signup form', async () => {
    const service = createService()
    service.provider.send = () => ({ result: 'unconfirmed' })
    for (let index = 0; index < 30; index += 1) {
      const phone = `+57300${1_000_000 + index}`
      await service.challenges.start({
        lane: 'enrol',
        subject: phone,
        session: phone,
        phone,
        purpose: 'signup',
      })
    }
    expect(service.eventTypes()).not.toContain('provider.paused')
  })

  it('is never taken for one that calls codes wrong', async () => {
    const service = createService()
    const each = await people(service, 20)
    for (const person of each) await service.challenges.verify({ ...person, code: 'wrong1' })
    expect(service.eventTypes()).not.toContain('provider.paused')
  })

  it('counts lost sends and lost checks, and not-sent ones begin the count anew', async () => {
    const service = createService()
    const each = await people(service, 5)
    const round = async (verdict: 'unavailable' | 'not-sent', times: number) => {
      service.provider.check = () => verdict
      for (let index = 0; index < times; index += 1) {
        const person = each[index % 5] ?? ana
        await service.challenges.verify({ ...person, code: `w${verdict}${index}` }).catch(asCode)
      }
    }
    await round('not-sent', 4)
    await round('unavailable', 1)
    await round('not-sent', 4)
    expect(service.eventTypes()).not.toContain('provider.paused')
  })
})

describe('a provider that refuses every send', () => {
  const refuse = (service: ReturnType<typeof createService>, result: 'failed' | 'misconfigured') => {
    service.provider.send = () => ({ result })
    const start = (index: number, lane: 'auth' | 'enrol' = 'auth') => {
      const phone = `+57300${1_000_000 + index}`
      const purpose = lane === 'auth' ? 'login' : 'signup'
      return service.challenges.start({ lane, subject: phone, session: phone, phone, purpose }).catch(asCode)
    }
    const count = (type: string) => service.eventTypes().filter((each) => each === type).length
    return { start, count }
  }

  it.each(['failed', 'misconfigured'] as const)('is left alone after five in a row: %s', async (result) => {
    const service = createService({ limits: { cooldownMs: [0] } })
    const { start, count } = refuse(service, result)
    for (const index of [0, 1, 2, 3]) await start(index)
    expect(count('provider.paused')).toBe(0)
    await start(4)
    expect(count('provider.paused')).toBe(1)
    expect(count('provider.misconfigured')).toBe(result === 'failed' ? 1 : 5)
    expect(await start(5)).toMatchObject({ code: 'provider_unavailable', retryAfterMs: 15_000 })
    expect(service.provider.sends).toHaveLength(5)
    service.wait(15_000)
    service.provider.send = () => ({ result: 'sent' })
    expect(await start(5)).toMatchObject({ outcome: 'started' })
  })

  it('is not paused by two numbers, nor when a send was taken in between', async () => {
    const service = createService({ limits: { cooldownMs: [0] } })
    const { start, count } = refuse(service, 'failed')
    for (const index of [0, 1, 0, 1, 0, 1]) await start(index)
    service.provider.send = () => ({ result: 'sent' })
    await start(2)
    service.provider.send = () => ({ result: 'failed' })
    for (const index of [3, 4, 5, 6]) await start(index)
    expect(count('provider.paused')).toBe(0)
  })

  it('is left alone after five sends to three numbers', async () => {
    const service = createService({ limits: { cooldownMs: [0] } })
    const { start, count } = refuse(service, 'failed')
    for (const index of [0, 1, 2, 0, 1]) await start(index)
    expect(count('provider.paused')).toBe(1)
  })

  it('goes on counting over a send that never left', async () => {
    const service = createService({ limits: { cooldownMs: [0] } })
    const { start, count } = refuse(service, 'failed')
    for (const index of [0, 1, 2, 3]) await start(index)
    service.provider.send = () => ({ result: 'not-sent' })
    await start(4)
    service.provider.send = () => ({ result: 'failed' })
    await start(5)
    expect(count('provider.paused')).toBe(1)
  })

  it('is left alone when it refuses our account, whoever the codes are for', async () => {
    const service = createService()
    const { start, count } = refuse(service, 'misconfigured')
    for (const index of [0, 1, 2, 3, 4]) await start(index, 'enrol')
    expect(count('provider.paused')).toBe(1)
  })

  it.each(['rejected', 'unavailable'] as const)('goes on counting over a check: %s', async (verdict) => {
    const service = createService()
    const [person] = await people(service, 1)
    const { start, count } = refuse(service, 'failed')
    service.provider.check = () => verdict
    for (const index of [1, 2, 3, 4]) await start(index)
    await service.challenges.verify({ ...ana, ...person, code: 'wrong1' }).catch(asCode)
    await start(5)
    expect(count('provider.paused')).toBe(1)
  })

  it('is not paused by numbers that visitors type at a signup form', async () => {
    const service = createService()
    const { start, count } = refuse(service, 'failed')
    for (let index = 0; index < 20; index += 1) await start(index, 'enrol')
    expect(count('provider.paused')).toBe(0)
  })
})

describe('events', () => {
  it('say of a challenge what it is about', async () => {
    const { challenges, events, provider } = createService()
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
    const { challenges, events } = createService({ limits: { sendsPerSubjectPerDay: 0 } })
    await challenges.start({ ...ana, purpose: 'login' })
    await challenges.resend({ ...ana, lane: 'enrol' })
    await challenges.verify({ ...ana, code: 'wrong1' })
    expect(events).toStrictEqual([
      {
        type: 'request.refused',
        command: 'start',
        code: 'send_limit',
        lane: 'auth',
        subject: 'ana',
        limit: 'subject',
      },
      { type: 'request.refused', command: 'resend', code: 'challenge_gone', lane: 'enrol', subject: 'ana' },
      { type: 'request.refused', command: 'verify', code: 'challenge_gone', lane: 'auth', subject: 'ana' },
    ])
  })

  it('tell a story without number, code or session', async () => {
    const service = createService()
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
