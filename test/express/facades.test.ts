import { describe, expect, it, vi } from 'vitest'
import { memoryStore, type Store } from '../../src/index.js'
import { startAppHost } from './app-kit.js'
import { ok, phones, sessionIdOf, signupAt, startHost, startLoggedIn, startSignedIn } from './kit.js'

const phone = '+573001234567'
const here = { subject: 'ana', session: 's1' }

describe('challenges without a request', () => {
  it('follow the rules of the routes', async () => {
    const { tf, clock } = await startHost()
    const actor = { subject: 7, session: 's1', phone }
    const started = await tf.challenges.start({ ...actor, purpose: 'login' })
    expect(started).toMatchObject({
      outcome: 'started',
      delivery: 'sent',
      challenge: { destination: '••••••67' },
    })
    expect(await tf.challenges.resend(actor)).toMatchObject({ outcome: 'refused', code: 'resend_too_soon' })
    expect(await tf.challenges.find(actor)).toMatchObject({ purpose: 'login' })
    expect(await tf.challenges.verify({ ...actor, code: '000000' })).toEqual({
      outcome: 'rejected',
      attemptsRemaining: 4,
    })
    expect(await tf.challenges.verify({ ...actor, code: '482 913' })).toEqual({
      outcome: 'approved',
      purpose: 'login',
      channel: 'sms',
      phone,
    })
    clock.now += 60_000
    await tf.challenges.start({ ...actor, purpose: 'login' })
    await tf.challenges.cancel(actor)
    expect(await tf.challenges.find(actor)).toBeUndefined()
  })

  it('are cancelled although their number is not on file any more', async () => {
    const { tf } = await startHost()
    const actor = { ...here, phone }
    await tf.challenges.start({ ...actor, purpose: 'login' })
    await tf.challenges.cancel({ ...here, phone: String(phones.ben) })
    expect(await tf.challenges.find(actor)).toBeUndefined()
    expect(await tf.challenges.verify({ ...actor, code: '482913' })).toMatchObject({ code: 'challenge_gone' })
  })

  it('take several numbers and an app as a request does', async () => {
    const { host, secrets, shows } = await startAppHost()
    const { start, verify } = host.tf.challenges
    const numbers = [phone, { phone: String(phones.ben), methods: ['call'] }]
    const asked = { ...here, phone: numbers, secret: secrets.ana, purpose: 'login' }
    const told = [await start(asked), await start({ ...asked, methods: ['code'] })]
    expect(told.map((one) => one.outcome === 'started' && one.challenge.channel)).toEqual(['app', 'sms'])
    // A code that names nothing is for what was sent to this session, and where nothing was, for the app.
    const rejected = { outcome: 'rejected', attemptsRemaining: 4 }
    expect(await verify({ ...asked, code: shows() })).toEqual(rejected)
    const approved = { outcome: 'approved', purpose: 'login', channel: 'app' }
    expect(await verify({ ...asked, session: 'other', code: shows() })).toMatchObject(approved)
    const notHere = { ...asked, session: 'other', code: shows(1), purpose: 'signup' }
    expect(await verify(notHere)).toMatchObject({ outcome: 'refused' })
    const byApp = await start({ ...asked, channel: 'app' })
    const { id: challenge } = byApp.outcome === 'started' ? byApp.challenge : { id: '' }
    expect(await verify({ ...asked, challenge, code: shows(1) })).toMatchObject(approved)
    await expect(start({ ...asked, phone: 5 as never })).rejects.toThrow(
      /^phone returned a value of type number/,
    )
    await expect(start({ ...asked, secret: '!' })).rejects.toThrow(/^authenticator\.secretOf must return/)
  })

  it('read only known members of a command, so that no body chooses lane, visitor or budget', async () => {
    const { tf, stub } = await startHost({ options: { phone: () => phone } })
    const body = { lane: 'enrol', visitor: 'somebody', requireCode: false, known: true, bypass: true }
    const actor = { ...here, phone, ...body }
    await tf.challenges.start({ ...actor, purpose: 'login' })
    const mine = { ...here, phone }
    expect(await tf.challenges.find(mine)).toMatchObject({ purpose: 'login' })
    expect(await tf.challenges.find({ ...actor, session: 's2' })).toBeUndefined()
    expect(await tf.challenges.resend({ ...actor, session: 's2' })).toMatchObject({ outcome: 'refused' })
    for (const code of [482_913 as never, 'no code!']) {
      expect(await tf.challenges.verify({ ...mine, code })).toMatchObject({ code: 'invalid_request' })
    }
    expect(await tf.challenges.verify({ ...actor, code: stub.rightCode })).toMatchObject({
      outcome: 'approved',
      purpose: 'login',
    })
  })

  it('send nothing for a purpose that the app does not have, or has no longer', async () => {
    const store = memoryStore()
    const before = await startHost({ options: { store, purposes: { transfer: {}, retired: {} } } })
    const started = await before.tf.challenges.start({ ...here, phone, purpose: 'retired' })
    if (started.outcome !== 'started') throw new Error(started.outcome)
    const { tf, clock, stub } = await startHost({ options: { store } })
    clock.now += 61_000
    const again = { ...here, phone, challenge: started.challenge.id }
    expect(await tf.challenges.find(again)).toMatchObject({ purpose: 'retired', channels: ['sms'] })
    expect(await tf.challenges.resend(again)).toMatchObject({ code: 'invalid_request' })
    expect(await tf.challenges.start({ ...again, purpose: 'retired' })).toMatchObject({
      code: 'invalid_request',
    })
    expect(stub.sends).toEqual([])
  })

  it('return every wait in whole milliseconds, for any value of the store', async () => {
    const store: Store = {
      ...memoryStore(),
      increment: (_key, windowMs) => ({ count: 2, resetInMs: 0.3 * windowMs + 0.123 }),
    }
    const { tf } = await startHost({ options: { store, limits: { sendsPerAddressPer10Min: 1 } } })
    const asked = { ...here, phone, address: '203.0.113.7', purpose: 'login' }
    expect(await tf.challenges.start(asked)).toMatchObject({
      retryAfterMs: expect.toSatisfy(Number.isSafeInteger),
    })
  })

  it('carry bound fields over to the grant', async () => {
    const { host, ana } = await startLoggedIn()
    const session = sessionIdOf(ana)
    const actor = { subject: 'ana', session, phone }
    const transfer = { purpose: 'transfer', bound: { amount: 5, payee: 'ACME' } }
    await host.tf.challenges.start({ ...actor, ...transfer })
    const outcome = await host.tf.challenges.verify({ ...actor, ...transfer, code: host.stub.rightCode })
    if (outcome.outcome !== 'approved') throw new Error('not approved')
    const { purpose, bound } = outcome
    const grant = await host.tf.grants.write({ subject: 'ana', session, purpose, bound })
    expect(grant).toEqual({ subject: 'ana', purpose: 'transfer', verifiedAt: host.clock.now, method: 'host' })
    expect((await ana.post('/transfers', { amount: 5, payee: 'ACME' })).json).toEqual({ sent: 5, by: 'host' })
  })
})

describe('bound fields with a text that counts as no value', () => {
  it.each(['undefined', 'NaN', '[object Object]'])('are refused or meet no grant: %s', async (payee) => {
    const { host, ana } = await startLoggedIn({
      mount: (app, tf) =>
        app.get('/grant', async (req, res) => {
          res.json({ granted: (await tf.grants.read(req, 'transfer', { payee })) !== undefined })
        }),
    })
    const { challenges, grants } = host.tf
    const given = { subject: 'ana', session: sessionIdOf(ana), purpose: 'transfer', bound: { payee } }
    const asked = { ...given, phone, code: '482913' }
    for (const outcome of [
      await challenges.start(asked),
      await challenges.resend(asked),
      await challenges.verify(asked),
    ]) {
      expect(outcome).toMatchObject({
        code: 'invalid_request',
        detail: `payee must not be the text "${payee}".`,
      })
    }
    expect((await ana.get('/grant')).json).toEqual({ granted: false })
    await expect(grants.write(given)).rejects.toThrow(`bind.payee is the text "${payee}"`)
    expect(host.stub.sends).toEqual([])
  })

  it('are an error if the app passes no value', async () => {
    const { tf } = await startHost()
    const nothing = { ...here, phone, purpose: 'transfer', bound: { payee: undefined as never } }
    await expect(tf.challenges.start(nothing)).rejects.toThrow('bind.payee is undefined')
  })
})

it('a written grant is as old as its verification, and never from the future', async () => {
  const { host, ana } = await startLoggedIn()
  const given = { subject: 'ana', session: sessionIdOf(ana), purpose: 'login' }
  const before = host.clock.now - 60_000
  expect((await host.tf.grants.write({ ...given, verifiedAt: before })).verifiedAt).toBe(before)
  const later = { ...given, verifiedAt: host.clock.now + 60_000 }
  expect((await host.tf.grants.write(later)).verifiedAt).toBe(host.clock.now)
  for (const verifiedAt of [0, -1, 1.5, Number.NaN]) {
    await expect(host.tf.grants.write({ ...given, verifiedAt })).rejects.toThrow('verifiedAt must be a time')
  }
})

it('a grant is read as the guard admits with it', async () => {
  const hour = 3_600_000
  const { host, ana } = await startSignedIn({
    mount: (app, tf) => {
      app.get('/pay', tf.requireTwoFactor({ purpose: 'pay', maxAgeMs: hour }), ok)
      app.get('/grant', async (req, res) => {
        res.json({ granted: (await tf.grants.read(req, 'pay')) !== undefined })
      })
    },
  })
  await host.confirm(ana, { purpose: 'pay' })
  for (const [afterMs, granted] of [
    [10 * 60_000, true],
    [hour, false],
  ] as const) {
    host.clock.now += afterMs
    expect((await ana.get('/pay')).status).toBe(granted ? 200 : 403)
    expect((await ana.get('/grant')).json).toEqual({ granted })
  }
})

it('a sign-up that was completed without a code counts for signupGuard', async () => {
  const host = await startHost({
    options: { signupGuard: { mode: 'enforce', unprovenPerHour: 1 } },
    mount: signupAt('/signup'),
  })
  const start = async (number: string) =>
    (await host.browser().post('/signup/start', { phone: number })).status
  expect(await start('+573009998877')).toBe(201)
  expect(await start('+573009998878')).toBe(503)
  await host.tf.signups.approved('CO')
  expect(await start('+573009998878')).toBe(201)
  await expect(host.tf.signups.approved('co')).rejects.toThrow('must be an upper-case ISO 3166-1 code')
})

describe('who a function is to act for', () => {
  it.each([
    [{ session: '' }, 'session must be a non-empty string: the id of the session'],
    [
      { subject: undefined },
      'subject must be a string of 1 to 256 characters, a safe integer or a bigint; it is a value of type undefined',
    ],
  ])('has a subject and a session: %j is refused by name', async (wrong, message) => {
    const { tf } = await startHost()
    const given = { ...here, phone, purpose: 'login', code: '482913', ...wrong } as never
    const { start, resend, verify, cancel, find } = tf.challenges
    for (const call of [start, resend, verify, cancel, find, tf.grants.write]) {
      await expect(call(given)).rejects.toThrow(new TypeError(message))
    }
  })

  it('is a subject where there is no session', async () => {
    const { tf } = await startHost()
    await expect(tf.subjects.state(Number.NaN)).rejects.toThrow('it is a number that is not a safe integer')
    await expect(tf.subjects.unlock('')).rejects.toThrow('it is a string of 0 characters')
    await expect(tf.trustedDevices.list('')).rejects.toThrow('it is a string of 0 characters')
    await expect(tf.grants.revokeSubject(Promise.resolve('ana') as never)).rejects.toThrow('it is a promise')
  })
})

describe('beforeSend', () => {
  it('receives the facts for a risk engine, and its errors are passed on', async () => {
    let throws = true
    const beforeSend = vi.fn(() => {
      if (throws) throw new Error('engine down')
      return true
    })
    const { host, ana } = await startLoggedIn({ options: { beforeSend } })
    expect((await ana.start()).json).toEqual({ host: 'engine down' })
    expect(host.stub.sends).toEqual([])
    throws = false
    expect((await ana.start({ channel: 'call' })).status).toBe(201)
    expect(beforeSend).toHaveBeenLastCalledWith(expect.objectContaining({ method: 'POST' }), {
      subject: 'ana',
      destination: '+573001234567',
      channel: 'call',
      channels: ['sms', 'call'],
      purpose: 'login',
    })
  })

  it.each<[unknown, string | undefined]>([
    [
      { allow: false, reason: 'SIM of +57 300 123 4567 changed at 2026-02-28' },
      'SIM of +•••• changed at ••••',
    ],
    [{ allow: false, reason: 'x'.repeat(300) }, 'x'.repeat(200)],
    [{ allow: false, reason: 5 }, undefined],
    [Promise.resolve(false), undefined],
    [{ method: 'call' }, undefined],
    [{ allow: true, method: 'fax', reason: 'safer' }, 'safer'],
  ])('says no by %j, and its reason to the event alone', async (answer, reason) => {
    const beforeSend = () => answer as boolean
    const { host, ana } = await startLoggedIn({ listens: true, options: { beforeSend } })
    const { refusal, json } = await ana.start()
    expect([refusal, json.reason]).toEqual([[403, 'send_refused'], undefined])
    const [told] = host.events
    expect([told?.type, told && 'reason' in told ? told.reason : undefined]).toEqual([
      'request.refused',
      reason,
    ])
  })

  it('chooses a method of the purpose', async () => {
    let answer: object = { allow: true, method: 'call' }
    const { host, ana } = await startLoggedIn({
      options: {
        beforeSend: () => answer as never,
        purposes: { login: {}, transfer: {}, pay: { channels: ['sms'] } },
        appName: { login: 'Acme', pay: 'Acme pay', signup: 'Acme signup' },
      },
    })
    expect((await ana.start()).json.challenge).toMatchObject({ channel: 'call', channels: ['sms', 'call'] })
    host.clock.now += 120_000
    answer = { allow: true, method: 'sms' }
    expect((await ana.post('/two-factor/resend', { channel: 'call' })).json.challenge.channel).toBe('sms')
    await ana.verify(host.stub.rightCode)
    host.clock.now += 120_000
    answer = { allow: true, method: 'call' }
    expect((await ana.start({ purpose: 'pay' })).json.code).toBe('send_refused')
    expect(host.stub.sends.map(({ path }) => path)).toEqual(['/v1/call/2fa/send-call', '/v1/2fa/send-sms'])
  })
})
