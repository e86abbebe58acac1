import { describe, expect, it, vi } from 'vitest'
import { openInspection } from '../../../src/challenge/operator/inspection.js'
import { memoryStore, type TwoFactorOptions } from '../../../src/index.js'
import { describePerson } from '../../../src/tools/cli/person-report.js'
import { bringDevice, gate, signupAt } from '../../express/kit.js'
import { recover, startRecoveryHost, wrongCode } from '../../express/recovery-kit.js'
import { createPasskeys } from '../../passkeys/kit.js'
import { minute } from '../kit.js'

const secret = 'a secret of thirty-two bytes or more'
const day = 24 * 60 * minute

/** An app, and the desk on its store, once the app has left word. */
async function startDesk(options: Partial<TwoFactorOptions> = {}) {
  let now = Date.now
  const store = memoryStore({ now: () => now() })
  const host = await startRecoveryHost({
    mount: signupAt('/signup'),
    options: { store, ...options },
  })
  now = () => host.clock.now
  const open = async () => openInspection({ store, secret, namespace: '' }, now)
  await expect.poll(open, { timeout: 10_000 }).not.toBe('unknown-namespace')
  const desk = await open()
  if (typeof desk === 'string') throw new Error(desk)
  return { store, host, desk }
}

it('shows the waits of unknown and known browsers separately', async () => {
  const { host, desk } = await startDesk({ limits: { failuresBeforeLock: 2 } })
  const known = await host.signIn()
  const thief = await host.login()
  await thief.start()
  for (const code of ['111111', '222222']) await thief.verify(code)
  const seen = await desk.person('ana')
  expect(seen).toMatchObject({ isKnown: true, lockedForMs: 15 * minute, judged: 2, sessions: 1 })
  expect(seen.strangers).toMatchObject({ cooldown: minute, send: { lock: 15 * minute } })
  expect(seen.known).toMatchObject({ cooldown: 0, send: { lock: 0 }, check: { lock: 0 } })

  const ana = bringDevice(await host.login(), known)
  await ana.start()
  const later = await desk.person('ana')
  expect(later.strangers.send.knownBrowser).toBe(5 * minute)
  expect(later.codes.map(({ state, inKnownBrowser }) => [state, inKnownBrowser])).toEqual([
    ['entered', false],
    ['sent', false],
    ['sent', true],
  ])
})

it('shows what became of each code of the last day', async () => {
  const { host, desk } = await startDesk()
  const { stub } = host
  const held = gate()
  const answers: readonly (typeof stub.answerSend)[] = [
    stub.answerSend,
    () => ({ status: 520, json: { error: 1007 } }),
    () => ({ status: 502, text: '<html>' }),
    () => held.opened.then(() => 'reset'),
  ]
  const starts: Promise<unknown>[] = []
  for (const [index, answer] of answers.entries()) {
    stub.answerSend = answer
    starts.push((await host.login()).start())
    await vi.waitFor(() => expect(stub.sends).toHaveLength(index + 1))
    if (answer !== answers.at(-1)) await starts.at(-1)
    host.clock.now += 10 * minute
  }
  const report = await desk.person('ana')
  expect(report.codes.map(({ state }) => state)).toEqual(['sent', 'refused', 'unconfirmed', 'booked'])
  const shown = describePerson(report).join('\n')
  const words = ['sent, not entered', 'refused by the provider', 'perhaps sent', 'in progress, or lost']
  for (const state of words) expect(shown).toContain(`sms: ${state}`)
  held.open()
  await Promise.all(starts)
})

it('shows accepted passkeys of the last day', async () => {
  const { keys, give } = createPasskeys()
  const { host, desk } = await startDesk({ passkeys: keys })
  const authenticator = await give('ana')
  const ana = await host.login()
  const { challenge, publicKey } = (await ana.start({ channel: 'passkey' })).json
  const passkey = authenticator.sign(publicKey)
  await ana.post('/two-factor/verify', { challenge: challenge.id, passkey })
  const usedAt = host.clock.now
  expect(await desk.person('ana')).toMatchObject({ codes: [], passkeys: [usedAt] })
  host.clock.now += day
  expect(await desk.person('ana')).toMatchObject({ passkeys: [] })
})

it('shows the counters of a number over all accounts, if a number is given', async () => {
  const { host, desk } = await startDesk()
  const ana = await host.login()
  await ana.start()
  await ana.verify('111111')
  const number = async (of?: { readonly phone: string }) => (await desk.person('ben', of)).number
  expect(await number()).toBeUndefined()
  expect(await number({ phone: '+57 300 123 4567' })).toMatchObject({
    sendsInHour: { count: 1, endsInMs: 60 * minute },
    sendsInDay: { count: 1, endsInMs: day },
    wrongCodesInDay: { count: 1, endsInMs: day },
  })
  // Also without the number, if it received a code of this account.
  await desk.unlock('ana')
  expect(await number({ phone: '+573001234567' })).toMatchObject({
    sendsInHour: { count: 0 },
    wrongCodesInDay: { count: 0 },
  })
})

it('knows no account that nothing was sent for', async () => {
  const { desk } = await startDesk()
  expect(await desk.person('eve')).toMatchObject({ isKnown: false, sessions: 0, trustedDevices: [] })
})

it('reports once after five wrong codes that no code is accepted until that challenge ends', async () => {
  const { host, desk } = await startDesk()
  const ana = await host.login()
  await ana.start()
  const codes = ['111111', '222222', '333333', '444444', '555555', '666666']
  for (const code of codes) await ana.verify(code)
  const told = host.events.flatMap((event) => (event.type === 'challenge.rejected' ? [event.inARow] : []))
  expect(told).toEqual([1, 2, 3, 4, 5])
  const locked = host.events.filter(({ type }) => type === 'subject.locked')
  expect(locked).toEqual([expect.objectContaining({ subject: 'ana', lockedForMs: 5 * minute })])
  expect(await desk.person('ana')).toMatchObject({
    lockedForMs: 0,
    strangers: { send: { challenge: 5 * minute }, check: { challenge: 5 * minute } },
    known: { send: { challenge: 0 }, check: { challenge: 0 } },
  })
  expect(await host.tf.subjects.state('ana')).toMatchObject({ locked: false, nextCheckInMs: 5 * minute })
  host.clock.now += 5 * minute
  await ana.start()
  expect(await ana.verify(host.stub.rightCode)).toMatchObject({ status: 200 })
})

it('shows and lifts the pause after codes without a verdict', async () => {
  const { host, desk } = await startDesk()
  const ana = await host.login()
  host.stub.answerCheck = () => ({ status: 503, text: 'down' })
  for (let codes = 0; codes < 3; codes += 1) {
    host.clock.now += 5 * minute
    await ana.start()
    await ana.verify(host.stub.rightCode)
  }
  expect((await desk.person('ana')).strangers.send).toMatchObject({ sends: 0, unjudged: 10 * minute })
  expect(await host.tf.subjects.state('ana')).toMatchObject({ nextSendInMs: 10 * minute, nextCheckInMs: 0 })
  await host.tf.subjects.unlock('ana')
  expect(await host.tf.subjects.state('ana')).toMatchObject({ nextSendInMs: 0 })
})

it('shows trusted devices and tries of recovery codes, and ends them', async () => {
  const label = () => 'Firefox, Linux'
  const { host, desk } = await startDesk({ trustedDevices: { maxAgeMs: 30 * day, label } })
  const ana = await host.login()
  await recover(ana, wrongCode())
  await ana.start()
  await ana.verify(host.stub.rightCode, { trustDevice: true })
  const seen = await desk.person('ana')
  expect(seen.trustedDevices.map((device) => device.label)).toEqual(['Firefox, Linux'])
  expect(seen.recoveryTries).toEqual({ count: 1, most: 10, endsInMs: day })

  expect(await desk.unlock('ana')).toEqual({ numbers: 1 })
  expect(await desk.unlock('ana', { phone: '+573007654321' })).toEqual({ numbers: 2 })
  await desk.revokeEverything('ana')
  expect(await desk.person('ana')).toMatchObject({
    sessions: 0,
    trustedDevices: [],
    recoveryTries: { count: 0, endsInMs: 0 },
    codes: [{ isForgiven: true }],
  })
  expect((await ana.get('/account')).status).toBe(403)
})

it('finds nothing for an unknown account, and does not open with the secret of another app', async () => {
  const { store, desk } = await startDesk()
  expect(await desk.person('nobody')).toMatchObject({ isKnown: false, judged: 0, sessions: 0, codes: [] })
  const other = { store, secret: 'another secret of thirty-two bytes', namespace: '' }
  expect(await openInspection(other)).toBe('other-secret')
})

it('uses the limits of the app, without known browsers if the app has none', async () => {
  const { host, desk } = await startDesk({ limits: { sendsPerHour: 1 }, knownBrowsers: false })
  const ana = await host.login()
  await ana.start()
  const seen = await desk.person('ana')
  expect(seen.strangers.send.sends).toBe(60 * minute)
  expect(seen.known).toBeUndefined()
})

it('shows the counters of the sign-up lane for a number', async () => {
  const { host, desk } = await startDesk()
  const visitor = host.browser()
  await visitor.post('/signup/start', { phone: '+573009998877' })
  expect(await desk.number('57 300 999 8877')).toBe('not-a-number')
  expect(await desk.number('+57 300 999 8877')).toMatchObject({
    isKnown: true,
    strangers: { cooldown: minute, send: { number: 0 }, check: { number: 0 } },
    codes: [{ state: 'sent' }],
  })
})

describe('a pause of sign-ups', () => {
  const phone = '+573009998877'

  it('returns the wait to users and one event to the operator until it ends', async () => {
    const { host, desk } = await startDesk()
    const visitor = host.browser()
    const closed = () => host.events.filter(({ type }) => type === 'limit.closed')
    await desk.signups.pause(120 * minute)
    const page = await visitor.submit('/signup/start', { phone })
    expect([page.status, page.headers.get('retry-after')]).toEqual([503, '7200'])
    await desk.signups.pause(180 * minute)
    await visitor.post('/signup/start', { phone })
    const ending = { limit: 'pause', lane: 'enrol', endsAt: host.clock.now + 180 * minute }
    expect(host.tf.health().limits).toEqual([ending])
    expect(closed()).toHaveLength(1)

    host.clock.now += 180 * minute
    expect(host.tf.health().limits).toEqual([])
    expect((await visitor.post('/signup/start', { phone })).status).toBe(201)
    await desk.signups.pause(minute)
    host.clock.now += 30_000
    await desk.signups.resume()
    host.clock.now += 30_000
    expect((await visitor.post('/signup/resend')).status).toBe(200)
    expect(closed()).toHaveLength(1)
  })

  it('stops also who has passed the captcha meanwhile, and counts nothing of it', async () => {
    const asked = gate()
    const answered = gate()
    const beforeSend = async () => {
      asked.open()
      await answered.opened
      return true
    }
    const limits = { enrolSendsPerAddressPer10Min: 1, numbersPerSessionPerDay: 1 }
    const { host, desk } = await startDesk({ beforeSend, limits })
    const visitor = host.browser()
    const starting = visitor.post('/signup/start', { phone })
    await asked.opened
    await desk.signups.pause(minute)
    answered.open()
    expect((await starting).json).toMatchObject({ code: 'sending_paused', retryAfterMs: minute })
    expect(host.stub.sends).toHaveLength(0)
    await desk.signups.resume()
    expect((await visitor.post('/signup/start', { phone })).status).toBe(201)
  })

  it('applies to all sign-ups and shows their sends', async () => {
    const { host, desk } = await startDesk()
    await host.browser().post('/signup/start', { phone })
    expect(await desk.signups.state()).toEqual({
      pausedForMs: 0,
      windows: [
        { window: 'hour', sent: 1, approved: 0 },
        { window: 'day', sent: 1, approved: 0 },
      ],
    })
    await desk.signups.pause(minute)
    expect(await desk.signups.state()).toMatchObject({ pausedForMs: minute })
  })
})
