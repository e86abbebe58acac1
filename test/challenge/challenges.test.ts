import { describe, expect, vi } from 'vitest'
import { refused } from '../../src/challenge/commands.js'
import { day, hour, minute, refusal } from './kit.js'
import { ana, createService, it, rightCode } from './service.js'

const login = { ...ana, purpose: 'login' }
const elsewhere = { ...login, session: 'session-2' }

const idOf = (started: object) => ('challenge' in started ? (started.challenge as { id: string }).id : '')

describe('start', () => {
  it('sends one code for 200 parallel requests and returns one challenge to its session', async ({
    challenges,
    provider,
  }) => {
    const outcomes = await Promise.all(Array.from({ length: 200 }, () => challenges.start(login)))
    expect(provider.sends).toHaveLength(1)
    expect(new Set(outcomes.map(idOf)).size).toBe(1)
  })

  it('sends the code to the number under the name of lane and purpose, and shows the number masked', async ({
    challenges,
    provider,
    now,
  }) => {
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

  it('hands language, details and the time that is left to the provider, at a resend and a check too', async ({
    challenges,
    provider,
    wait,
  }) => {
    const details = { title: 'Transfer', rows: [['Amount', '100 EUR']] as const }
    await challenges.start({ ...login, locale: 'es', details })
    wait(4 * minute)
    await challenges.resend({ ...ana, locale: 'pt' })
    await challenges.verify({ ...ana, code: rightCode })
    expect(provider.sends).toMatchObject([
      { locale: 'es', details, expiresInMs: 10 * minute },
      { locale: 'pt', details, expiresInMs: 6 * minute },
    ])
    expect(provider.checks).toMatchObject([{ details }])
  })

  it.each([
    ['a purpose that nobody declared', { purpose: 'nothing' }],
    ['a channel that the purpose does not have', { purpose: 'text-only', channel: 'call' }],
    ['a purpose of the other lane', { purpose: 'signup' }],
    ['a purpose of sign-in for a number that nobody has proven', { lane: 'enrol' as const }],
  ])('refuses %s', async (_, order) => {
    const { challenges, provider } = createService()
    expect(await challenges.start({ ...login, ...order })).toStrictEqual(refusal('invalid_request'))
    expect(provider.sends).toEqual([])
  })

  it.each([
    ['off the list', '+14155550123'],
    ['with a list of numbers', '+573001234567,+573001234568'],
  ])('refuses a number on file %s', async (_, phone) => {
    const { challenges, provider } = createService()
    expect(await challenges.start({ ...login, phone })).toEqual(refusal('destination_not_allowed'))
    expect(provider.sends).toEqual([])
  })

  it('distinguishes a mistyped number from a number that is refused at a sign-up but accepted on file', async ({
    challenges,
  }) => {
    const signup = { ...ana, lane: 'enrol' as const, purpose: 'signup' }
    for (const phone of ['hello', '+57300']) {
      expect(await challenges.start({ ...signup, phone })).toMatchObject({ code: 'invalid_request' })
    }
    const landline = { phone: '+576012345678', channel: 'call' }
    expect(await challenges.start({ ...signup, ...landline })).toEqual({
      ...refusal('destination_not_allowed'),
      reason: 'not-a-mobile',
    })
    expect(await challenges.start({ ...login, ...landline })).toMatchObject({ outcome: 'started' })
  })

  it.each([
    ['failed', 'delivery_failed'],
    ['foreign-number', 'delivery_failed'],
    ['misconfigured', 'provider_unavailable'],
    ['not-sent', 'provider_unavailable'],
  ] as const)('fails and leaves nothing to type when the send is %s', async (result, code) => {
    const { challenges, provider } = createService()
    provider.send = () => ({ result })
    await expect(challenges.start(login)).rejects.toMatchObject({
      code,
      message: expect.stringContaining('The provider'),
    })
    expect(await challenges.find(ana)).toBeUndefined()
  })

  it('calls beforeSend first and sends nothing unless it returns true', async ({ challenges, provider }) => {
    const beforeSend = vi.fn<() => boolean>(() => false)
    const order = { ...login, beforeSend }
    expect(await challenges.start(order)).toEqual(refusal('send_refused'))
    expect(beforeSend).toHaveBeenCalledExactlyOnceWith({
      subject: 'ana',
      destination: '+573001234567',
      channel: 'sms',
      channels: ['sms', 'call'],
      purpose: 'login',
    })
    // What is not a boolean is no consent.
    beforeSend.mockReturnValue(undefined as never)
    expect(await challenges.start(order)).toMatchObject({ code: 'send_refused' })
    expect(provider.sends).toEqual([])
    expect(await challenges.start({ ...login, beforeSend: async () => true })).toMatchObject({
      outcome: 'started',
    })
    expect(await challenges.start(order)).toMatchObject({ outcome: 'already-sent' })
  })

  it('keeps a live code if the user did not request a new one', async ({ challenges, provider, wait }) => {
    await challenges.start(login)
    wait(minute)
    const outcome = await challenges.start({ ...elsewhere, isAutomatic: true })
    expect(outcome).toStrictEqual(refusal('challenge_superseded'))
    expect(provider.sends).toHaveLength(1)
  })

  it('sends nothing without beforeSend if the cooldown ends during the request, at any read of the clock', async () => {
    for (let look = 0; look < 10; look += 1) {
      let time = 1_800_000_000_000
      let looksUntilEnd = Infinity
      const now = () => {
        looksUntilEnd -= 1
        return looksUntilEnd < 0 ? time + 1 : time
      }
      const { challenges, provider } = createService({ now })
      await challenges.start(login)
      time += minute - 1
      looksUntilEnd = look
      const outcome = await challenges.start({ ...elsewhere, beforeSend: () => false })
      expect(outcome).toMatchObject({ outcome: 'refused' })
      expect(provider.sends).toHaveLength(1)
    }
  })

  const throws = () => {
    throw new Error('risk engine down')
  }
  it.each([
    ['the host refuses', { beforeSend: () => false }, {}],
    ['the host throws', { beforeSend: throws }, {}],
    ['a counter refuses', {}, { serviceSendsPerMinute: 1 }],
  ])('lets the code that is on its way work when %s', async (_, order, limits) => {
    const { challenges, provider, wait } = createService({ limits: { ...limits, cooldownMs: [1] } })
    await challenges.start(login)
    wait(1)
    const other = challenges.start({ ...elsewhere, purpose: 'transfer', ...order })
    expect(await other.catch(() => ({ outcome: 'refused' }))).toMatchObject({ outcome: 'refused' })
    expect(provider.sends).toHaveLength(1)
    expect(await challenges.verify({ ...ana, code: rightCode })).toMatchObject({ purpose: 'login' })
  })

  it('is superseded if another session of the account starts during its send', async () => {
    const { challenges } = createService({ limits: { cooldownMs: [0] } })
    const [first, second] = await Promise.all([challenges.start(login), challenges.start(elsewhere)])
    expect(first).toEqual(refusal('challenge_superseded'))
    expect(second).toMatchObject({ outcome: 'started' })
  })

  it('is superseded where it is cancelled while its send is under way', async () => {
    const { challenges } = createService({
      codes: {
        async sendCode() {
          await challenges.cancel(ana)
          return { result: 'sent' }
        },
        checkCode: async () => 'approved',
      },
    })
    expect(await challenges.start(login)).toEqual(refusal('challenge_superseded'))
  })

  it('places two calls an hour, also where the provider may call instead of sending a text', async () => {
    const offered: (readonly string[] | undefined)[] = []
    const { challenges, wait } = createService({
      codes: {
        async sendCode({ channels }) {
          offered.push(channels)
          return channels?.includes('call') ? { result: 'sent', channel: 'call' } : { result: 'not-sent' }
        },
        checkCode: async () => 'rejected',
      },
    })
    for (let count = 0; count < 2; count += 1) {
      expect(await challenges.start(login)).toMatchObject({ challenge: { channel: 'call' } })
      wait(6 * minute)
    }
    await expect(challenges.start(login)).rejects.toMatchObject({ code: 'provider_unavailable' })
    expect(offered).toEqual([['sms', 'call'], ['sms', 'call'], ['sms']])
    wait(hour)
    expect(await challenges.start(login)).toMatchObject({ challenge: { channel: 'call' } })
  })
})

describe('resend', () => {
  it('sends again after the pause, on request by another channel', async ({ challenges, provider, wait }) => {
    const id = idOf(await challenges.start(login))
    expect(await challenges.resend(ana)).toMatchObject({ code: 'resend_too_soon', retryAfterMs: minute })
    wait(minute)
    expect(await challenges.resend({ ...ana, channel: 'call' })).toMatchObject({ challenge: { id } })
    expect(provider.sends.map(({ channel }) => channel)).toEqual(['sms', 'call'])
  })

  it('refuses a channel that the purpose does not have', async ({ challenges, provider, wait }) => {
    const displayed = { purpose: 'text-only' }
    await challenges.start({ ...ana, ...displayed })
    wait(minute)
    expect(await challenges.resend({ ...ana, displayed, channel: 'call' })).toEqual(
      refusal('invalid_request'),
    )
    expect(await challenges.resend({ ...ana, displayed })).toMatchObject({ outcome: 'started' })
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

  it('names the code before it to the provider while it may live', async () => {
    const named: unknown[] = []
    const { challenges, wait } = createService({
      codes: {
        async sendCode({ previousHandle }) {
          named.push(previousHandle)
          return { result: 'sent', handle: `h${named.length}` }
        },
        checkCode: async () => 'approved',
      },
    })
    await challenges.start(login)
    wait(minute)
    await challenges.resend(ana)
    wait(2 * minute)
    // Nobody may type its code any more; the service may hold it still.
    await challenges.cancel(ana)
    await challenges.start(login)
    expect(await challenges.verify({ ...ana, code: rightCode })).toMatchObject({ outcome: 'approved' })
    await challenges.start(login)
    expect(named).toEqual([undefined, 'h1', 'h2', undefined])
  })
})

describe('verify', () => {
  it('approves the right code with everything a grant needs', async ({ challenges, provider }) => {
    const displayed = { purpose: 'transfer', bound: 'hash' }
    await challenges.start({ ...ana, ...displayed })
    expect(await challenges.verify({ ...ana, code: rightCode, displayed })).toEqual({
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

  it('takes no code that its number was sent for another account', async ({ challenges }) => {
    const ben = { ...login, subject: 'ben', session: 'session-2' }
    await challenges.start(login)
    await challenges.start(ben)
    expect(await challenges.verify({ ...ana, code: rightCode })).toEqual(refusal('challenge_gone'))
    expect(await challenges.verify({ ...ben, code: rightCode })).toMatchObject({ outcome: 'approved' })
  })

  it('counts a wrong code that is submitted twice as one attempt and checks it once', async ({
    challenges,
    provider,
  }) => {
    await challenges.start(login)
    for (let times = 0; times < 2; times += 1) {
      const rejected = { outcome: 'rejected', attemptsRemaining: 4 }
      expect(await challenges.verify({ ...ana, code: 'wrong1' })).toStrictEqual(rejected)
    }
    expect(provider.checks).toHaveLength(1)
  })

  it('refunds the attempt if the number has used up its daily wrong codes over all accounts', async () => {
    const { challenges, provider, wait } = createService({
      limits: { attemptsPerChallenge: 1, sendsPerDay: 1 },
    })
    // Twice one, of which strangers have three fifths.
    await challenges.start(login)
    await challenges.verify({ ...ana, code: 'wrong1' })
    const ben = { ...login, subject: 'ben' }
    await challenges.start(ben)
    for (let tries = 0; tries < 3; tries += 1) {
      expect(await challenges.verify({ ...ben, code: rightCode })).toStrictEqual(
        refusal('attempts_exhausted', day),
      )
    }
    expect(await challenges.find(ben)).toMatchObject({ attemptsRemaining: 1 })
    expect(provider.checks).toHaveLength(1)
    // A known browser has what they leave.
    const owner = { ...login, subject: 'cid', knownBrowser: true }
    await challenges.start(owner)
    expect(await challenges.verify({ ...owner, code: 'wrong2' })).toMatchObject({ outcome: 'rejected' })
    wait(day)
    await challenges.start(ben)
    expect(await challenges.verify({ ...ben, code: rightCode })).toMatchObject({ outcome: 'approved' })
  })

  it.each([
    ['unavailable', 'verification_unavailable'],
    ['misconfigured', 'provider_unavailable'],
  ] as const)('keeps the attempt spent when the answer is %s', async (verdict, code) => {
    const { challenges, provider } = createService()
    await challenges.start(login)
    provider.check = () => verdict
    await expect(challenges.verify({ ...ana, code: rightCode })).rejects.toMatchObject({ code })
    expect(await challenges.find(ana)).toMatchObject({ attemptsRemaining: 4 })
  })

  it('gives the attempt back when nothing was sent, and counts nothing against the account', async () => {
    const { challenges, provider, eventTypes } = createService({ limits: { failuresBeforeLock: 1 } })
    await challenges.start(login)
    provider.check = () => 'not-sent'
    for (const code of ['wrong1', 'wrong2']) {
      await expect(challenges.verify({ ...ana, code })).rejects.toMatchObject({
        code: 'provider_unavailable',
      })
    }
    expect(await challenges.find(ana)).toMatchObject({ attemptsRemaining: 5 })
    provider.check = () => 'approved'
    expect(await challenges.verify({ ...ana, code: rightCode })).toMatchObject({ outcome: 'approved' })
    expect(eventTypes()).not.toContain('subject.locked')
  })

  it('returns the duration if the number is locked', async () => {
    const { challenges } = createService({ limits: { failuresBeforeLock: 2 } })
    await challenges.start(login)
    await challenges.verify({ ...ana, code: 'wrong1' })
    expect(await challenges.verify({ ...ana, code: 'wrong2' })).toEqual({
      outcome: 'rejected',
      attemptsRemaining: 3,
      retryAfterMs: 15 * minute,
    })
    expect(await challenges.verify({ ...ana, code: rightCode })).toEqual(
      refusal('account_locked', 15 * minute),
    )
  })
})

describe('what a challenge is for', () => {
  it('is returned to its own session with its bound fields while it is live', async ({
    challenges,
    wait,
  }) => {
    const displayed = { purpose: 'transfer', bound: 'hash' }
    expect(await challenges.demandOf(ana, displayed)).toBeUndefined()
    const id = idOf(await challenges.start({ ...ana, ...displayed }))
    expect(await challenges.demandOf(ana, displayed)).toStrictEqual(displayed)
    expect(await challenges.demandOf(ana, { challenge: id })).toStrictEqual(displayed)
    expect(await challenges.demandOf(ana, { purpose: 'transfer' })).toStrictEqual(
      refused('challenge_superseded'),
    )
    expect(await challenges.demandOf({ ...ana, session: 'session-2' }, displayed)).toBeUndefined()
    expect(await challenges.demandOf({ ...ana, phone: 'none' }, displayed)).toBeUndefined()
    wait(10 * minute)
    expect(await challenges.demandOf(ana, displayed)).toBeUndefined()
    expect(await challenges.demandOf(ana, { challenge: id })).toStrictEqual(refused('challenge_gone'))
  })
})

it('a clock may start at zero and stand still', async ({ challenges, grants, now, wait }) => {
  wait(-now())
  expect(await challenges.start(login)).toMatchObject({ outcome: 'started' })
  expect(await challenges.start(login)).toMatchObject({ outcome: 'already-sent' })
  expect(await challenges.verify({ ...ana, code: rightCode })).toMatchObject({ outcome: 'approved' })
  await grants.write({ ...login, method: 'code' })
  expect(grants.read({ ...login, maxAgeMs: minute })).toMatchObject({ verifiedAt: 0 })
})

describe('find and cancel', () => {
  it('return and end the challenge of this session only', async ({ challenges }) => {
    await challenges.start(login)
    expect(await challenges.find(elsewhere)).toBeUndefined()
    await challenges.cancel(elsewhere)
    expect(await challenges.find(ana)).toMatchObject({ purpose: 'login', attemptsRemaining: 5 })
    await challenges.cancel(ana)
    expect(await challenges.find(ana)).toBeUndefined()
  })

  it('return only the challenge of the requested purpose and fields', async ({ challenges }) => {
    await challenges.start({ ...ana, purpose: 'transfer', bound: 'hash' })
    const found = async (wanted: { purpose: string; bound?: string }) =>
      (await challenges.find(ana, wanted)) !== undefined
    expect(await found({ purpose: 'transfer', bound: 'hash' })).toBe(true)
    expect(await found({ purpose: 'transfer', bound: 'other' })).toBe(false)
    expect(await found({ purpose: 'transfer' })).toBe(false)
    expect(await found({ purpose: 'login', bound: 'hash' })).toBe(false)
    expect(await challenges.find(ana)).toMatchObject({ purpose: 'transfer' })
  })

  it('is valid again if the code to another number was never sent', async ({ challenges, provider }) => {
    const who = { ...login, numbers: [{ phone: '+573001234567' }, { phone: '+573007654321' }] }
    const id = idOf(await challenges.start(who))
    const { destinations = [] } = await challenges.preview(who)
    const destination = destinations.find(({ isCurrent }) => !isCurrent)?.id
    provider.send = () => ({ result: 'not-sent' })
    await expect(challenges.start({ ...who, destination })).rejects.toMatchObject({
      code: 'provider_unavailable',
    })
    expect(await challenges.find(who)).toMatchObject({ id })
    expect(await challenges.verify({ ...who, code: rightCode })).toMatchObject({ outcome: 'approved' })
  })
})

describe('the operator', () => {
  const free = { disabled: false, nextSendInMs: 0, nextCheckInMs: 0 }

  it('sees and lifts a disabled account', async () => {
    const { challenges, eventTypes } = createService({
      limits: { failuresBeforeDisable: 1, attemptsPerChallenge: 1 },
      haveApps: true,
    })
    const { subjects } = challenges
    const fresh = { locked: false, lockedForMs: 0, judged: 0, ...free, known: free }
    expect(await subjects.state('ana')).toEqual(fresh)
    await challenges.start(login)
    await challenges.verify({ ...ana, code: 'wrong1' })
    expect(await subjects.state('ana')).toMatchObject({ disabled: true, judged: 1 })
    const disabled = refusal('account_disabled')
    expect(await challenges.verify({ ...ana, code: rightCode })).toEqual(disabled)
    expect(await challenges.preview(login)).toMatchObject({ refusal: disabled })
    const withApp = { ...login, secret: new Uint8Array(20), channel: 'app' }
    expect(await challenges.start(withApp)).toEqual(disabled)
    await subjects.unlock('ana')
    expect(await subjects.state('ana')).toEqual(fresh)
    expect(await challenges.verify({ ...ana, code: rightCode })).toMatchObject({ outcome: 'approved' })
    expect(eventTypes()).toContain('subject.unlocked')
  })

  it('sees the longest current wait and the limits of unknown browsers separately', async () => {
    const limits = { failuresBeforeLock: 1, lockMs: 30_000, sendsPerHour: 2, attemptsPerChallenge: 2 }
    const { challenges, wait } = createService({ limits })
    await challenges.start(login)
    // The cooldown is that of a single number.
    expect(await challenges.subjects.state('ana')).toMatchObject({ nextSendInMs: 0, nextCheckInMs: 0 })
    await challenges.verify({ ...ana, code: 'wrong1' })
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
    expect(await challenges.subjects.state('ana')).toMatchObject({ nextSendInMs: hour - minute })
  })

  it('sees and resets the use of the number on other accounts, too', async () => {
    const limits = { allSendsPerHour: 2, attemptsPerChallenge: 1, sendsPerDay: 1 }
    const { challenges } = createService({ limits })
    const start = (subject: string) => challenges.start({ ...login, subject })
    expect(await start('ana')).toMatchObject({ outcome: 'started' })
    // Strangers have three fifths of two.
    expect(await start('ben')).toMatchObject({ code: 'send_limit' })
    expect(await challenges.subjects.state('ana')).toMatchObject({
      nextSendInMs: day,
      known: { nextSendInMs: 0 },
    })
    await challenges.subjects.unlock('ana')
    expect(await challenges.subjects.state('ana')).toMatchObject({ nextSendInMs: 0 })
    expect(await start('ben')).toMatchObject({ outcome: 'started' })
  })
})

describe('the moment from which a code may be sent again', () => {
  it('is that at which a resend succeeds', async ({ challenges, now, wait }) => {
    await challenges.start(login)
    const resent: string[] = []
    for (let sends = 0; sends < 3; sends += 1) {
      const { resendAt = 0 } = (await challenges.find(ana)) ?? {}
      wait(resendAt - now())
      resent.push((await challenges.resend(ana)).outcome)
    }
    expect(resent).toEqual(['started', 'started', 'started'])
  })

  it('is the end of a challenge that has used up its attempts', async () => {
    const { challenges, wait } = createService({ limits: { attemptsPerChallenge: 1 } })
    await challenges.start(login)
    await challenges.verify({ ...ana, code: 'wrong1' })
    const { resendAt = 0, expiresAt } = (await challenges.find(ana)) ?? {}
    expect(resendAt).toBe(expiresAt)
    wait(2 * minute)
    expect(await challenges.resend(ana)).toMatchObject(refusal('attempts_exhausted', 8 * minute))
  })
})

describe('preview', () => {
  it('returns the result of a start and changes nothing', async ({ challenges, provider, eventTypes }) => {
    const nothing = { waits: {}, expired: false, failed: false, untypedSince: 0 }
    expect(await challenges.preview(login)).toEqual({ channels: ['sms', 'call'], ...nothing })
    expect(await challenges.preview({ ...login, phone: '+4915112345678' })).toEqual({
      refusal: refusal('destination_not_allowed'),
      channels: [],
      ...nothing,
    })
    await challenges.start(login)
    for (const other of [elsewhere, { ...login, purpose: 'unknown' }]) {
      expect(await challenges.preview(other)).toMatchObject({
        refusal: { code: 'resend_too_soon', retryAfterMs: minute },
      })
    }
    expect(provider.sends).toHaveLength(1)
    expect(eventTypes()).not.toContain('request.refused')
  })
})
