import { describe, expect, onTestFinished, vi } from 'vitest'
import { refused } from '../../src/challenge/commands.js'
import { createBackground } from '../../src/lib/promises.js'
import { hour, minute, refusal } from './kit.js'
import { ana, createService, it, person, rightCode } from './service.js'

const wrong = (times: number) => Array.from({ length: times }, (_, index) => `wrong${index}`)

const aboutAna = (challengeId: unknown, purpose = 'login') => ({
  challengeId,
  purpose,
  lane: 'auth',
  channel: 'sms',
  subject: 'ana',
  country: 'CO',
})

/** What the store is left alone for passes at once. */
function fakeTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
}

const idOf = (started: object) => ('challenge' in started ? (started.challenge as { id: string }).id : '')

describe('start', () => {
  it('sends one code for 200 at once, and hands the same challenge to the same session', async () => {
    const { challenges, provider } = createService()
    const outcomes = await Promise.all(
      Array.from({ length: 200 }, () => challenges.start({ ...ana, purpose: 'login' })),
    )
    expect(provider.sends).toHaveLength(1)
    expect(new Set(outcomes.map(idOf)).size).toBe(1)
  })

  it.each(['start', 'resend'] as const)(
    'sends once where the answer to its booking is lost, and others write before the store is asked again: %s',
    async (command) => {
      let isLost = false
      const { challenges, provider, events, wait } = createService({
        commands: (well) => ({
          async swap(...args) {
            const swapped = await well.swap(...args)
            if (!isLost) return swapped
            isLost = false
            throw new Error('the connection broke')
          },
        }),
      })
      await challenges.start({ ...ana, purpose: 'login' })
      wait(minute)
      fakeTimers()
      isLost = true
      const session = command === 'start' ? 'session-2' : ana.session
      const sending = challenges[command]({ ...ana, session, purpose: 'login' })
      await vi.advanceTimersByTimeAsync(0)
      expect(isLost).toBe(false)
      const typed = await challenges.verify({ ...ana, session, code: 'wrong1' })
      expect(typed).toMatchObject({ outcome: 'rejected', attemptsRemaining: 4 })
      await vi.advanceTimersByTimeAsync(100)
      expect(await sending).toMatchObject({ outcome: 'started', challenge: { attemptsRemaining: 4 } })
      expect(provider.sends).toHaveLength(2)
      const superseded = events.filter(({ type }) => type === 'challenge.superseded')
      expect(superseded).toHaveLength(command === 'start' ? 1 : 0)
    },
  )

  it('counts once more where the answer to a count is lost, and the code still belongs to its account', async () => {
    let isLost = false
    const { challenges, provider, wait } = createService({
      commands: (well) => ({
        async increment(key, windowMs, by) {
          const counted = await well.increment(key, windowMs, by)
          if (!isLost || by === 0 || !key.includes(':number-sends:')) return counted
          isLost = false
          throw new Error('the connection broke')
        },
      }),
    })
    await challenges.start({ ...ana, purpose: 'login' })
    wait(minute)
    fakeTimers()
    isLost = true
    const resending = challenges.resend(ana)
    await vi.advanceTimersByTimeAsync(100)
    expect(await resending).toMatchObject({ outcome: 'started' })
    expect([isLost, provider.sends.length]).toEqual([false, 2])
    expect(await challenges.verify({ ...ana, code: rightCode })).toMatchObject({ outcome: 'approved' })
  })

  it('sends the code to the number under the name of lane and purpose, and shows the number masked', async () => {
    const { challenges, provider, now } = createService()
    const outcome = await challenges.start({ ...ana, purpose: 'transfer', channel: 'call' })
    expect(provider.sends).toEqual([
      {
        lane: 'auth',
        destination: '+573001234567',
        channels: ['sms', 'call'],
        appName: 'auth:transfer',
        channel: 'call',
        purpose: 'transfer',
        locale: 'en',
        details: undefined,
        expiresInMs: 10 * minute,
        signal: expect.any(AbortSignal),
        report: expect.any(Function),
      },
    ])
    expect(outcome).toEqual({
      outcome: 'started',
      delivery: 'sent',
      challenge: {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        purpose: 'transfer',
        channel: 'call',
        destination: '••••••67',
        expiresAt: now() + 10 * minute,
        resendAt: now() + minute,
        resendAtBy: { sms: now() + minute, call: now() + minute },
        attemptsRemaining: 5,
        delivery: 'sent',
        channels: ['sms', 'call'],
      },
    })
  })

  it('hands language, details and the time that is left to the provider, at a resend too', async () => {
    const { challenges, provider, wait } = createService()
    const details = { title: 'Transfer', rows: [['Amount', '100 EUR']] as const }
    await challenges.start({ ...ana, purpose: 'transfer', locale: 'es', details })
    wait(4 * minute)
    await challenges.resend({ ...ana, locale: 'pt', shown: { purpose: 'transfer' } })
    expect(provider.sends).toMatchObject([
      { locale: 'es', details, expiresInMs: 10 * minute },
      { locale: 'pt', details, expiresInMs: 6 * minute },
    ])
  })

  it.each([
    ['a purpose that nobody declared', { purpose: 'nothing' }],
    ['a purpose that nobody declared, over a channel', { purpose: 'nothing', channel: 'sms' as const }],
    ['a channel that the purpose does not have', { purpose: 'text-only', channel: 'call' as const }],
    ['a purpose of the other lane', { purpose: 'signup' }],
    [
      'a purpose of sign-in for a number that nobody has proven',
      { purpose: 'login', lane: 'enrol' as const },
    ],
  ])('refuses %s', async (_, order) => {
    const { challenges, provider } = createService()
    expect(await challenges.start({ ...ana, ...order })).toStrictEqual(refusal('invalid_request'))
    expect(provider.sends).toEqual([])
  })

  it.each([
    ['off the list', '+14155550123'],
    ['that is none', 'not a number'],
    ['with a list of numbers', '+573001234567,+573001234568'],
  ])('refuses a number on file %s', async (_, phone) => {
    const { challenges, provider } = createService()
    const outcome = await challenges.start({ ...ana, phone, purpose: 'login' })
    expect(outcome).toEqual(refusal('destination_not_allowed'))
    expect(provider.sends).toEqual([])
  })

  it('tells a mistyped number from one that is not allowed where it is typed', async ({ challenges }) => {
    const enrol = { ...ana, lane: 'enrol' as const, purpose: 'signup' }
    for (const phone of ['hello', '+57300']) {
      expect(await challenges.start({ ...enrol, phone })).toMatchObject({ code: 'invalid_request' })
    }
    expect(await challenges.start({ ...enrol, phone: '+576012345678' })).toMatchObject({
      code: 'destination_not_allowed',
    })
    expect(await challenges.start({ ...enrol, phone: '300 123 4567', country: 'CO' })).toMatchObject({
      outcome: 'started',
    })
  })

  it('calls a number on file that is no mobile one, which nobody may enrol', async ({ challenges }) => {
    const landline = { ...ana, phone: '+576012345678', purpose: 'login', channel: 'call' as const }
    expect(await challenges.start(landline)).toMatchObject({ outcome: 'started' })
    expect(await challenges.start({ ...landline, lane: 'enrol', purpose: 'signup' })).toEqual({
      outcome: 'refused',
      code: 'destination_not_allowed',
      reason: 'not-a-mobile',
    })
  })

  it.each([
    ['+57 300 123 4567'],
    ['0057 300 1234567'],
    ['+57 (300) 123-4567'],
    ['＋５７３００１２３４５６７'],
  ])('finds the same ledger for %s', async (phone) => {
    const { challenges, provider } = createService()
    await challenges.start({ ...ana, purpose: 'login' })
    await challenges.start({ ...ana, session: 'session-2', phone, purpose: 'login' })
    expect(provider.sends).toHaveLength(1)
  })

  const refusedByProvider = {
    code: 'delivery_failed',
    status: 502,
    message: 'The provider did not take the code.',
  }
  const unreachable = {
    code: 'provider_unavailable',
    status: 503,
    message: 'The provider cannot be asked to send a code.',
  }
  it.each([
    ['failed', refusedByProvider],
    ['foreign-number', refusedByProvider],
    ['misconfigured', unreachable],
    ['not-sent', unreachable],
  ] as const)('fails with the documented answer when the send is %s', async (result, answer) => {
    const { challenges, provider } = createService()
    provider.send = () => ({ result })
    await expect(challenges.start({ ...ana, purpose: 'login' })).rejects.toMatchObject(answer)
    expect(await challenges.find(ana)).toBeUndefined()
  })

  it('tells the provider at the check what it was told at the send: what the code confirms', async () => {
    const { challenges, provider } = createService()
    const details = { rows: [['Amount', '100 EUR']] } as const
    await challenges.start({ ...ana, purpose: 'login', details })
    await challenges.verify({ ...ana, code: rightCode })
    expect([provider.sends[0]?.details, provider.checks[0]?.details]).toEqual([details, details])
  })

  it('asks the host before it sends, and sends nothing unless the host says true', async () => {
    const { challenges, provider } = createService()
    const asked: unknown[] = []
    const beforeSend = (send: unknown) => {
      asked.push(send)
      return false
    }
    const told = await challenges.start({ ...ana, purpose: 'login', beforeSend })
    expect(told).toEqual(refusal('send_refused'))
    expect(asked).toEqual([
      {
        subject: 'ana',
        destination: '+573001234567',
        channel: 'sms',
        channels: ['sms', 'call'],
        purpose: 'login',
      },
    ])
    // What is not a boolean is no consent.
    const undecided = () => undefined as unknown as boolean
    expect(await challenges.start({ ...ana, purpose: 'login', beforeSend: undecided })).toMatchObject({
      code: 'send_refused',
    })
    expect(provider.sends).toEqual([])
    const allowed = { ...ana, purpose: 'login', beforeSend: async () => true }
    expect(await challenges.start(allowed)).toMatchObject({ outcome: 'started' })
    expect(await challenges.start({ ...allowed, beforeSend })).toMatchObject({ outcome: 'already-sent' })
  })

  it('replaces no code that lives where nobody asked for one', async ({ challenges, provider, wait }) => {
    await challenges.start({ ...ana, purpose: 'login' })
    wait(minute)
    const unasked = { ...ana, session: 'session-2', purpose: 'login', unasked: true as const }
    expect(await challenges.start(unasked)).toStrictEqual(refusal('challenge_superseded'))
    expect(provider.sends).toHaveLength(1)
  })

  it('sends nothing unasked where the cooldown ends within the request, at whichever look at the clock', async () => {
    for (let look = 0; look < 10; look += 1) {
      let time = 1_800_000_000_000
      let looksUntilEnd = Infinity
      const now = () => {
        looksUntilEnd -= 1
        return looksUntilEnd < 0 ? time + 1 : time
      }
      const { challenges, provider } = createService({ clock: { now, background: createBackground() } })
      await challenges.start({ ...ana, purpose: 'login' })
      time += minute - 1
      looksUntilEnd = look
      const another = { ...ana, session: 'session-2', purpose: 'login', beforeSend: () => false }
      expect(await challenges.start(another)).toMatchObject({ outcome: 'refused' })
      expect(provider.sends).toHaveLength(1)
    }
  })

  it.each([
    ['the host refuses', { beforeSend: () => false }, {}],
    [
      'the host throws',
      {
        beforeSend: () => {
          throw new Error('risk engine down')
        },
      },
      {},
    ],
    ['a counter refuses', {}, { serviceSendsPerMinute: 1 }],
  ])('lets the code that is on its way work when %s', async (_, order, limits) => {
    const { challenges, provider, wait } = createService({ limits: { ...limits, cooldownMs: [1] } })
    await challenges.start({ ...ana, purpose: 'login' })
    wait(1)
    const start = challenges.start({ ...ana, session: 'session-2', purpose: 'transfer', ...order })
    expect(await start.catch(() => ({ outcome: 'refused' }))).toMatchObject({ outcome: 'refused' })
    expect(provider.sends).toHaveLength(1)
    expect(await challenges.verify({ ...ana, code: rightCode })).toMatchObject({ purpose: 'login' })
  })

  it('costs the store no write where the address may have no more codes', async () => {
    const { challenges, store, provider } = createService({ limits: { sendsPerAddressPer10Min: 1 } })
    const here = { address: '203.0.113.7', purpose: 'login' }
    await challenges.start({ ...ana, ...here })
    const swaps = vi.spyOn(store, 'swap')
    expect(await challenges.start({ ...person(1), ...here })).toMatchObject({ limit: 'address' })
    expect(swaps).not.toHaveBeenCalled()
    expect(provider.sends).toHaveLength(1)
  })

  it('tells of a superseded challenge only when the send went out', async () => {
    const { challenges, provider, eventTypes, wait } = createService()
    await challenges.start({ ...ana, purpose: 'login' })
    wait(minute)
    provider.send = () => ({ result: 'not-sent' })
    await challenges.start({ ...ana, session: 'session-2', purpose: 'login' }).catch(() => {})
    expect(eventTypes()).not.toContain('challenge.superseded')
    provider.send = () => ({ result: 'sent' })
    await challenges.start({ ...ana, session: 'session-2', purpose: 'login' })
    expect(eventTypes()).toContain('challenge.superseded')
  })

  it('sends nothing that cannot be counted, and keeps nobody waiting for it', async () => {
    let isDown = true
    const refunded: string[] = []
    const { challenges, provider } = createService({
      commands: (well) => ({
        increment(key, windowMs, by = 1) {
          if (by < 0) refunded.push(key)
          if (isDown && by === 1 && key.includes('count-auth-address-sends'))
            return Promise.reject(new Error('down'))
          return well.increment(key, windowMs, by)
        },
      }),
    })
    const here = { ...ana, address: '203.0.113.7', purpose: 'login' }
    await expect(challenges.start(here)).rejects.toMatchObject({
      cause: { message: 'down' },
    })
    expect(provider.sends).toEqual([])
    expect(refunded.some((key) => key.includes('count-auth-service'))).toBe(true)
    expect(refunded.filter((key) => key.includes('count-auth-address-sends'))).toEqual([])
    isDown = false
    expect(await challenges.start(here)).toMatchObject({ outcome: 'started' })
  })

  it('tells the failure that stopped a send, also when the send cannot be taken back', async () => {
    let isDown = false
    const { challenges, provider } = createService({
      commands: (well) => ({
        swap: (...given) => (isDown ? Promise.reject(new Error('down')) : well.swap(...given)),
      }),
    })
    const onPassed = async () => {
      isDown = true
      throw new Error('no session')
    }
    const start = challenges.start({ ...ana, purpose: 'login', onPassed })
    await expect(start).rejects.toThrow('no session')
    expect(provider.sends).toEqual([])
  })

  it('answers as it would have where only the give-back of a count fails', async () => {
    let failed = 0
    const { challenges, provider } = createService({
      commands: (well) => ({
        increment(key, windowMs, by) {
          if (by === undefined || by >= 0) return well.increment(key, windowMs, by)
          failed += 1
          return Promise.reject(new Error('down'))
        },
      }),
    })
    const signup = { ...ana, lane: 'enrol' as const, purpose: 'signup' }
    provider.send = () => ({ result: 'failed' })
    await expect(challenges.start(signup)).rejects.toThrow(
      expect.objectContaining({ code: 'delivery_failed' }),
    )
    const unsentBack = failed
    provider.send = () => ({ result: 'sent' })
    const asked = { ...ana, address: '203.0.113.7', purpose: 'login' }
    const refused = await challenges.start({ ...asked, beforeSend: async () => false })
    expect(refused).toMatchObject({ code: 'send_refused' })
    const questionBack = failed
    expect(await challenges.start(asked)).toMatchObject({ outcome: 'started' })
    expect(await challenges.verify({ ...asked, code: rightCode })).toMatchObject({ outcome: 'approved' })
    // Each of the three gave something back, in vain.
    expect([0 < unsentBack, unsentBack < questionBack, questionBack < failed]).toEqual([true, true, true])
  })

  it('is superseded when another session of the same account starts while its send is under way', async () => {
    const { challenges } = createService({ limits: { cooldownMs: [0] } })
    const [first, second] = await Promise.all([
      challenges.start({ ...ana, purpose: 'login', channel: 'sms' }),
      challenges.start({ ...ana, session: 'session-2', purpose: 'login', channel: 'sms' }),
    ])
    expect(first).toEqual(refusal('challenge_superseded'))
    expect(second).toMatchObject({ outcome: 'started' })
  })

  it('places two calls of two hundred that are asked for at once', async () => {
    const { challenges, provider } = createService({ limits: { cooldownMs: [0] } })
    const start = (index: number) =>
      challenges.start({ ...ana, session: `session-${index}`, purpose: 'login', channel: 'call' })
    await Promise.all(Array.from({ length: 200 }, (_, index) => start(index)))
    expect(provider.sends.map(({ channel }) => channel)).toEqual(['call', 'call'])
    expect(await start(200)).toMatchObject({ code: 'send_limit', retryAfterMs: hour })
  })

  it.each(['sms', 'call'])(
    'places two calls an hour, also where a provider may call instead: asked for by %s',
    async (channel) => {
      const offered: (readonly string[] | undefined)[] = []
      const service = createService({
        codes: {
          async sendCode({ channels }) {
            offered.push(channels)
            return channels?.includes('call') ? { result: 'sent', channel: 'call' } : { result: 'not-sent' }
          },
          checkCode: async () => 'rejected',
        },
      })
      const start = () =>
        service.challenges.start({ ...ana, purpose: 'login', channel }).catch(({ code }) => code)
      for (let count = 0; count < 2; count += 1) {
        expect(await start()).toMatchObject({ challenge: { channel: 'call' } })
        service.wait(6 * minute)
      }
      expect(await start()).toEqual(
        channel === 'call' ? expect.objectContaining({ code: 'send_limit' }) : 'provider_unavailable',
      )
      expect(offered.slice(2)).toEqual(channel === 'call' ? [] : [['sms']])
      service.wait(hour)
      expect(await start()).toMatchObject({ challenge: { channel: 'call' } })
    },
  )
})

describe('resend', () => {
  it('sends again after the pause, by the other channel if asked', async ({ challenges, provider, wait }) => {
    const first = await challenges.start({ ...ana, purpose: 'login' })
    expect(await challenges.resend(ana)).toMatchObject({ code: 'resend_too_soon', retryAfterMs: minute })
    wait(minute)
    const again = await challenges.resend({ ...ana, channel: 'call' })
    expect(provider.sends.map(({ channel }) => channel)).toEqual(['sms', 'call'])
    expect(again).toMatchObject({ challenge: { id: 'challenge' in first && first.challenge.id } })
  })

  it('refuses a channel that the purpose does not have', async ({ challenges, provider, wait }) => {
    const shown = { shown: { purpose: 'text-only' } }
    await challenges.start({ ...ana, purpose: 'text-only' })
    wait(minute)
    expect(await challenges.resend({ ...ana, ...shown, channel: 'call' })).toMatchObject({
      code: 'invalid_request',
    })
    expect(await challenges.resend({ ...ana, ...shown })).toMatchObject({ outcome: 'started' })
    expect(provider.sends).toHaveLength(2)
  })

  it.each([ana, { ...ana, phone: 'none' }])(
    'has nothing to send again without a challenge: %j',
    async (who) => {
      const { challenges } = createService()
      expect(await challenges.resend(who)).toEqual(refusal('challenge_gone'))
      expect(await challenges.verify({ ...who, code: rightCode })).toMatchObject({ code: 'challenge_gone' })
      await challenges.cancel(who)
      expect(await challenges.find(who)).toBeUndefined()
    },
  )

  it.each([
    ['auth', 'login'],
    ['enrol', 'signup'],
  ] as const)(
    'names the code before it to the provider while it may live, in lane %s',
    async (lane, purpose) => {
      const named: unknown[] = []
      const { challenges, wait } = createService({
        codes: {
          async sendCode({ previousHandle }) {
            named.push(previousHandle)
            return { result: 'sent', handle: `h${named.length}` }
          },
          checkCode: async ({ code }) => (code === rightCode ? 'approved' : 'rejected'),
        },
      })
      const who = { ...ana, lane, purpose, shown: { purpose } }
      await challenges.start(who)
      wait(minute)
      await challenges.resend(who)
      wait(2 * minute)
      // Nobody may type its code any more; the service may hold it still.
      await challenges.cancel(who)
      await challenges.start(who)
      expect(await challenges.verify({ ...who, code: rightCode })).toMatchObject({ outcome: 'approved' })
      await challenges.start(who)
      expect(named).toEqual([undefined, 'h1', 'h2', undefined])
    },
  )
})

describe('verify', () => {
  it('approves the right code with everything a grant needs', async ({ challenges, provider }) => {
    await challenges.start({ ...ana, purpose: 'transfer', bound: 'hash' })
    expect(
      await challenges.verify({ ...ana, code: rightCode, shown: { purpose: 'transfer', bound: 'hash' } }),
    ).toEqual({
      outcome: 'approved',
      purpose: 'transfer',
      channel: 'sms',
      phone: '+573001234567',
      bound: 'hash',
    })
    expect(provider.checks).toMatchObject([
      { destination: '+573001234567', appName: 'auth:transfer', code: rightCode },
    ])
  })

  it('takes the same wrong code twice for one attempt, and asks about it once', async () => {
    const { challenges, provider } = createService()
    await challenges.start({ ...ana, purpose: 'login' })
    for (const [code, attemptsRemaining] of [
      ['wrong1', 4],
      ['wrong1', 4],
      ['wrong2', 3],
      ['wrong1', 3],
    ] as const) {
      const rejected = { outcome: 'rejected', attemptsRemaining }
      expect(await challenges.verify({ ...ana, code })).toStrictEqual(rejected)
    }
    expect(provider.checks).toHaveLength(2)
    expect(await challenges.subjects.state('ana')).toMatchObject({ judged: 2 })
  })

  it('gives the attempt back where the day of the number has had all that its accounts may type', async () => {
    const { challenges, provider, wait } = createService({
      limits: { attemptsPerChallenge: 1, sendsPerDay: 1 },
    })
    // Twice one, of which strangers have three fifths.
    await challenges.start({ ...ana, purpose: 'login' })
    await challenges.verify({ ...ana, code: 'wrong1' })
    const ben = { ...ana, subject: 'ben' }
    await challenges.start({ ...ben, purpose: 'login' })
    for (let tries = 0; tries < 3; tries += 1) {
      expect(await challenges.verify({ ...ben, code: rightCode })).toStrictEqual({
        outcome: 'refused',
        code: 'attempts_exhausted',
        retryAfterMs: 24 * hour,
      })
    }
    expect(await challenges.find(ben)).toMatchObject({ attemptsRemaining: 1 })
    expect(provider.checks).toHaveLength(1)
    // A known browser has what they leave; the app is none of the number's.
    const owner = { ...ana, subject: 'cid', knownBrowser: true }
    await challenges.start({ ...owner, purpose: 'login' })
    expect(await challenges.verify({ ...owner, code: 'wrong2' })).toMatchObject({ outcome: 'rejected' })
    wait(24 * hour)
    await challenges.start({ ...ben, purpose: 'login' })
    expect(await challenges.verify({ ...ben, code: rightCode })).toMatchObject({ outcome: 'approved' })
  })

  it.each([
    ['unavailable', 'verification_unavailable', 'The provider gave no verdict.'],
    ['misconfigured', 'provider_unavailable', 'The provider cannot be asked about codes.'],
  ] as const)('keeps the attempt spent when the answer is %s', async (verdict, code, message) => {
    const { challenges, provider } = createService()
    await challenges.start({ ...ana, purpose: 'login' })
    provider.check = () => verdict
    const answer = { code, status: 503, message }
    await expect(challenges.verify({ ...ana, code: rightCode })).rejects.toMatchObject(answer)
    expect(await challenges.find(ana)).toMatchObject({ attemptsRemaining: 4 })
  })

  it('gives the attempt back when nothing was sent, and counts nothing against the account', async () => {
    const { challenges, provider } = createService({ limits: { failuresBeforeLock: 1 } })
    await challenges.start({ ...ana, purpose: 'login' })
    provider.check = () => 'not-sent'
    for (const code of wrong(3)) {
      await expect(challenges.verify({ ...ana, code })).rejects.toMatchObject({
        code: 'provider_unavailable',
      })
    }
    expect(await challenges.find(ana)).toMatchObject({ attemptsRemaining: 5 })
    provider.check = () => 'approved'
    expect(await challenges.verify({ ...ana, code: rightCode })).toMatchObject({ outcome: 'approved' })
  })

  it('says when the number is locked, and how long', async () => {
    const { challenges } = createService({ limits: { failuresBeforeLock: 2 } })
    await challenges.start({ ...ana, purpose: 'login' })
    await challenges.verify({ ...ana, code: 'wrong1' })
    expect(await challenges.verify({ ...ana, code: 'wrong2' })).toEqual({
      outcome: 'rejected',
      attemptsRemaining: 3,
      retryAfterMs: 15 * minute,
    })
    expect(await challenges.verify({ ...ana, code: rightCode })).toEqual(refusal('phone_locked', 15 * minute))
  })

  it('locks nobody for an outage', async () => {
    const { challenges, provider, eventTypes } = createService({ limits: { failuresBeforeLock: 1 } })
    await challenges.start({ ...ana, purpose: 'login' })
    provider.check = () => 'unavailable'
    await challenges.verify({ ...ana, code: 'wrong1' }).catch(() => {})
    expect(eventTypes()).not.toContain('number.locked')
    provider.check = () => 'rejected'
    // It may have been right the first time.
    const again = await challenges.verify({ ...ana, code: 'wrong1' })
    expect(again).toMatchObject({ outcome: 'rejected', wasOpen: true, retryAfterMs: 15 * minute })
    expect(eventTypes()).toContain('number.locked')
  })

  it('reports a number that was disabled by the answer to a challenge that was replaced meanwhile', async () => {
    const { challenges, provider, eventTypes } = createService({
      limits: { failuresBeforeDisable: 1, cooldownMs: [0] },
    })
    await challenges.start({ ...ana, purpose: 'login' })
    provider.check = () => challenges.start({ ...ana, purpose: 'transfer' }).then(() => 'rejected')
    expect(await challenges.verify({ ...ana, code: 'wrong1' })).toMatchObject({ outcome: 'refused' })
    expect(eventTypes()).toContain('number.disabled')
  })

  it('reports no lock of an attempt that never left or was approved', async () => {
    const { challenges, provider, eventTypes } = createService({ limits: { failuresBeforeLock: 1 } })
    await challenges.start({ ...ana, purpose: 'login' })
    provider.check = () => 'not-sent'
    await challenges.verify({ ...ana, code: rightCode }).catch(() => {})
    provider.check = () => 'approved'
    await challenges.verify({ ...ana, code: rightCode })
    expect(eventTypes()).not.toContain('number.locked')
  })
})

describe('the events of a challenge', () => {
  it('tell how old the code was that was approved, from its last send on', async () => {
    const { challenges, events, wait } = createService({ name: 'acme-sms' })
    const started = await challenges.start({ ...ana, purpose: 'login' })
    wait(minute)
    await challenges.resend(ana)
    wait(minute / 2)
    await challenges.verify({ ...ana, code: rightCode })
    const about = aboutAna('challenge' in started && started.challenge.id)
    const asked = { provider: 'acme-sms', durationMs: 0 }
    expect(events.at(-1)).toStrictEqual({
      type: 'challenge.approved',
      ...asked,
      ageMs: minute / 2,
      ...about,
    })
    expect(events.at(-2)).toStrictEqual({ type: 'challenge.sent', ...asked, ...about })
  })

  it('know of no code that is younger than nothing', async ({ challenges, events, wait }) => {
    await challenges.start({ ...ana, purpose: 'login' })
    wait(-2_000)
    await challenges.verify({ ...ana, code: rightCode })
    expect(events.at(-1)).toMatchObject({ type: 'challenge.approved', ageMs: 0 })
  })

  it('tell a wrong code from one that was used, about which nobody was asked', async () => {
    const { challenges, events, provider } = createService()
    await challenges.start({ ...ana, purpose: 'login' })
    await challenges.verify({ ...ana, code: rightCode })
    const started = await challenges.start({ ...ana, purpose: 'transfer' })
    const about = aboutAna('challenge' in started && started.challenge.id, 'transfer')
    await challenges.verify({ ...ana, code: rightCode, shown: { purpose: 'transfer' } })
    expect(events.at(-1)).toStrictEqual({
      type: 'challenge.rejected',
      attemptsRemaining: 4,
      inARow: 1,
      used: true,
      ...about,
    })
    expect(provider.checks).toHaveLength(1)
    provider.report = { operation: 'verifyCode', httpStatus: 200 }
    await challenges.verify({ ...ana, code: 'wrong1', shown: { purpose: 'transfer' } })
    expect(events.at(-1)).toStrictEqual({
      type: 'challenge.rejected',
      attemptsRemaining: 3,
      inARow: 2,
      used: false,
      durationMs: 0,
      operation: 'verifyCode',
      httpStatus: 200,
      ...about,
    })
  })

  it.each([
    [
      { operation: 'sendSmsCode', reason: 'answer' },
      { operation: 'sendSmsCode', failure: 'answer' },
    ],
    [undefined, {}],
  ])('tell what became of a code that was not delivered: %j', async (report, told) => {
    const { challenges, events, provider } = createService()
    provider.report = report
    provider.send = () => ({ result: 'foreign-number' })
    await challenges.start({ ...ana, purpose: 'login' }).catch(() => {})
    const { challengeId } = events[0] as { challengeId?: string }
    expect(events).toStrictEqual([
      { type: 'challenge.started', ...aboutAna(challengeId) },
      {
        type: 'challenge.undelivered',
        reason: 'foreign-number',
        durationMs: 0,
        ...told,
        ...aboutAna(challengeId),
      },
    ])
  })

  it('tell which challenge was superseded, cancelled or locked its number', async () => {
    const { challenges, events, wait } = createService({
      limits: { failuresBeforeLock: 1, failuresBeforeDisable: 2, attemptsPerChallenge: 5 },
    })
    const first = aboutAna(idOf(await challenges.start({ ...ana, purpose: 'login' })))
    wait(minute)
    const other = { ...ana, session: 'session-2' }
    const second = aboutAna(idOf(await challenges.start({ ...other, purpose: 'login' })))
    expect(events).toContainEqual({ type: 'challenge.superseded', ...first })
    await challenges.verify({ ...other, code: 'wrong1' })
    expect(events.at(-1)).toStrictEqual({ type: 'number.locked', lockedForMs: 15 * minute, ...second })
    await challenges.cancel(other)
    expect(events.at(-1)).toStrictEqual({ type: 'challenge.cancelled', ...second })
    await challenges.cancel(other)
    expect(events.filter(({ type }) => type === 'challenge.cancelled')).toHaveLength(1)
    wait(15 * minute)
    const third = aboutAna(idOf(await challenges.start({ ...ana, purpose: 'login' })))
    await challenges.verify({ ...ana, code: 'wrong2' })
    expect(events.at(-1)).toStrictEqual({ type: 'number.disabled', ...third })
  })
})

describe('what a challenge is for', () => {
  it('is told to its own session, with what it is bound to, while it lives', async ({ challenges, wait }) => {
    const shown = { purpose: 'transfer', bound: 'hash' }
    expect(await challenges.demandOf(ana, shown)).toBeUndefined()
    const id = idOf(await challenges.start({ ...ana, ...shown }))
    expect(await challenges.demandOf(ana, shown)).toStrictEqual(shown)
    expect(await challenges.demandOf(ana, { challenge: id })).toStrictEqual(shown)
    expect(await challenges.demandOf(ana, { purpose: 'transfer' })).toStrictEqual(
      refused('challenge_superseded'),
    )
    expect(await challenges.demandOf({ ...ana, session: 'session-2' }, shown)).toBeUndefined()
    expect(await challenges.demandOf({ ...ana, phone: 'none' }, shown)).toBeUndefined()
    wait(10 * minute)
    expect(await challenges.demandOf(ana, shown)).toBeUndefined()
    expect(await challenges.demandOf(ana, { challenge: id })).toStrictEqual(refused('challenge_gone'))
  })
})

describe('a clock', () => {
  it('may start at zero and stand still', async ({ challenges, grants, now, wait }) => {
    wait(-now())
    expect(await challenges.start({ ...ana, purpose: 'login' })).toMatchObject({ outcome: 'started' })
    expect(await challenges.start({ ...ana, purpose: 'login' })).toMatchObject({ outcome: 'already-sent' })
    expect(await challenges.verify({ ...ana, code: 'wrong1' })).toMatchObject({ attemptsRemaining: 4 })
    expect(await challenges.verify({ ...ana, code: rightCode })).toMatchObject({ outcome: 'approved' })
    await grants.write({ ...ana, purpose: 'login', method: 'code' })
    expect(grants.read({ ...ana, purpose: 'login', maxAgeMs: minute })).toMatchObject({ verifiedAt: 0 })
  })
})

describe('find and cancel', () => {
  it('show and end the challenge of this session alone', async ({ challenges }) => {
    await challenges.start({ ...ana, purpose: 'login' })
    expect(await challenges.find({ ...ana, session: 'session-2' })).toBeUndefined()
    await challenges.cancel({ ...ana, session: 'session-2' })
    expect(await challenges.find(ana)).toMatchObject({ purpose: 'login', attemptsRemaining: 5 })
    await challenges.cancel(ana)
    expect(await challenges.find(ana)).toBeUndefined()
  })

  it('show the challenge that is for exactly what is wanted, and no other', async ({ challenges }) => {
    await challenges.start({ ...ana, purpose: 'transfer', bound: 'hash' })
    const found = async (wanted: { purpose: string; bound?: string }) =>
      (await challenges.find(ana, wanted)) !== undefined
    expect(await found({ purpose: 'transfer', bound: 'hash' })).toBe(true)
    expect(await found({ purpose: 'transfer', bound: 'other' })).toBe(false)
    expect(await found({ purpose: 'transfer' })).toBe(false)
    expect(await found({ purpose: 'login', bound: 'hash' })).toBe(false)
    expect(await challenges.find(ana)).toMatchObject({ purpose: 'transfer' })
  })

  it('is good again where the code that was to go to another number never left', async ({
    challenges,
    provider,
  }) => {
    const numbers = [{ phone: '+573001234567' }, { phone: '+573007654321' }]
    const login = { ...ana, numbers, purpose: 'login' }
    const first = idOf(await challenges.start(login))
    const { destinations = [] } = await challenges.preview(login)
    const destination = destinations.find(({ isCurrent }) => !isCurrent)?.id
    provider.send = () => ({ result: 'not-sent' })
    await expect(challenges.start({ ...login, destination })).rejects.toThrow('cannot be asked')
    expect(await challenges.find(login)).toMatchObject({ id: first })
    expect(await challenges.verify({ ...login, code: rightCode })).toMatchObject({ outcome: 'approved' })
  })
})

describe('the operator', () => {
  it('sees and lifts a disabled account', async () => {
    const { challenges, eventTypes } = createService({
      limits: { failuresBeforeDisable: 1, attemptsPerChallenge: 1 },
    })
    const { subjects } = challenges
    const free = { disabled: false, nextSendInMs: 0, nextCheckInMs: 0 }
    const fresh = { locked: false, lockedForMs: 0, judged: 0, ...free, known: free }
    expect(await subjects.state('ana')).toEqual(fresh)
    await challenges.start({ ...ana, purpose: 'login' })
    await challenges.verify({ ...ana, code: 'wrong1' })
    expect(await subjects.state('ana')).toMatchObject({ disabled: true, judged: 1 })
    expect(await challenges.verify({ ...ana, code: rightCode })).toMatchObject({ code: 'phone_disabled' })
    await subjects.enable('ana')
    expect(await subjects.state('ana')).toEqual(fresh)
    expect(await challenges.verify({ ...ana, code: rightCode })).toMatchObject({ outcome: 'approved' })
    expect(eventTypes()).toContain('number.disabled')
    expect(eventTypes()).toContain('subject.enabled')
  })

  it('sees the longer wait of those that hold at once, and what holds for strangers alone', async () => {
    const limits = { failuresBeforeLock: 1, lockMs: 30_000, sendsPerHour: 2, attemptsPerChallenge: 2 }
    const { challenges, wait } = createService({ limits })
    await challenges.start({ ...ana, purpose: 'login' })
    // The cooldown is that of a single number.
    expect(await challenges.subjects.state('ana')).toMatchObject({ nextSendInMs: 0, nextCheckInMs: 0 })
    await challenges.verify({ ...ana, code: 'wrong1' })
    const free = { disabled: false, nextSendInMs: 0, nextCheckInMs: 0 }
    expect(await challenges.subjects.state('ana')).toEqual({
      locked: true,
      lockedForMs: 30_000,
      disabled: false,
      judged: 1,
      nextSendInMs: 30_000,
      nextCheckInMs: 30_000,
      known: free,
    })
    wait(minute)
    await challenges.start({ ...ana, purpose: 'transfer' })
    await challenges.verify({ ...ana, shown: { purpose: 'transfer' }, code: 'wrong2' })
    expect(await challenges.subjects.state('ana')).toMatchObject({
      nextSendInMs: hour - minute,
      nextCheckInMs: hour - minute,
      known: free,
    })
  })

  it('sees what the number of an account has used up on others, and lifts that, too', async () => {
    const limits = { allSendsPerHour: 2, attemptsPerChallenge: 1, sendsPerDay: 1 }
    const { challenges } = createService({ limits })
    const told: string[] = []
    for (const subject of ['ana', 'ben', 'cid']) {
      const outcome = await challenges.start({ ...ana, subject, purpose: 'login' })
      told.push('code' in outcome ? outcome.code : outcome.outcome)
    }
    // Strangers have three fifths of two.
    expect(told).toEqual(['started', 'send_limit', 'send_limit'])
    expect(await challenges.subjects.state('ana')).toMatchObject({
      nextSendInMs: 24 * hour,
      known: { nextSendInMs: 0 },
    })
    await challenges.subjects.enable('ana')
    expect(await challenges.subjects.state('ana')).toMatchObject({ nextSendInMs: 0 })
    expect(await challenges.start({ ...ana, subject: 'ben', purpose: 'login' })).toMatchObject({
      outcome: 'started',
    })
  })
})

describe('the moment from which a code may be sent again', () => {
  it('is that at which a resend succeeds', async ({ challenges, now, wait }) => {
    await challenges.start({ ...ana, purpose: 'login' })
    const resent: string[] = []
    for (let sends = 0; sends < 3; sends += 1) {
      const { resendAt = 0 } = (await challenges.find(ana)) ?? {}
      wait(resendAt - now())
      resent.push((await challenges.resend(ana)).outcome)
    }
    expect(resent).toEqual(['started', 'started', 'started'])
  })

  it('is that of a text where a call finds no room', async () => {
    const { challenges, now, wait } = createService({ limits: { sendsPerHour: 3 } })
    await challenges.start({ ...ana, purpose: 'login', channel: 'call' })
    expect((await challenges.find(ana))?.resendAt).toBe(now() + minute)
    wait(minute)
    expect(await challenges.resend(ana)).toMatchObject({ code: 'send_limit', retryAfterMs: 59 * minute })
    expect(await challenges.resend({ ...ana, channel: 'sms' })).toMatchObject({ outcome: 'started' })
  })

  it('is the end of a challenge that has used up its attempts', async ({ challenges, wait }) => {
    await challenges.start({ ...ana, purpose: 'login' })
    for (const code of ['000001', '000002', '000003', '000004', '000005']) {
      await challenges.verify({ ...ana, code })
    }
    const { resendAt = 0, expiresAt } = (await challenges.find(ana)) ?? {}
    expect(resendAt).toBe(expiresAt)
    wait(2 * minute)
    expect(await challenges.resend(ana)).toMatchObject(refusal('attempts_exhausted', 8 * minute))
  })

  it('has nothing to do with the sends of the challenge before', async ({ challenges, now, wait }) => {
    await challenges.start({ ...ana, purpose: 'login' })
    wait(minute)
    await challenges.resend(ana)
    wait(2 * minute)
    await challenges.start({ ...ana, session: 'session-2', purpose: 'login' })
    const found = await challenges.find({ ...ana, session: 'session-2' })
    expect(found?.resendAt).toBe(now() + 5 * minute)
  })
})

describe('preview', () => {
  it('tells what a start would meet, and changes nothing', async ({ challenges, provider, eventTypes }) => {
    const command = { ...ana, purpose: 'login' }
    expect(await challenges.preview(command)).toEqual({
      channels: ['sms', 'call'],
      waits: {},
      expired: false,
      failed: false,
      untypedSince: 0,
    })
    expect(await challenges.preview({ ...command, phone: '+4915112345678' })).toEqual({
      refusal: { outcome: 'refused', code: 'destination_not_allowed' },
      channels: [],
      waits: {},
      expired: false,
      failed: false,
      untypedSince: 0,
    })
    await challenges.start(command)
    for (const other of [
      { ...command, session: 'session-2' },
      { ...command, purpose: 'unknown' },
    ]) {
      expect(await challenges.preview(other)).toMatchObject({
        refusal: { code: 'resend_too_soon', retryAfterMs: minute },
      })
    }
    expect(provider.sends).toHaveLength(1)
    expect(eventTypes()).not.toContain('request.refused')
  })

  it('knows the limit of the channel that will do', async () => {
    const { challenges, wait } = createService({ limits: { sendsPerHour: 3 } })
    await challenges.start({ ...ana, purpose: 'login', channel: 'call' })
    wait(11 * minute)
    const command = { ...ana, purpose: 'login' }
    expect((await challenges.preview(command)).refusal).toBeUndefined()
    expect(await challenges.preview({ ...command, purpose: 'call-only' })).toMatchObject({
      refusal: { code: 'send_limit', retryAfterMs: 49 * minute },
    })
  })
})
