import { describe, expect, it, vi } from 'vitest'
import { eventUrgency } from '../../src/index.js'
import { codeOf, fromBase32 } from '../../src/lib/totp.js'
import { createPasskeys } from '../passkeys/kit.js'
import { type HostOptions, signupAt, startHost, stubCodes } from './kit.js'

const appSecret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'

it('`serviceSendsPerMinute: 0` stops codes of sign-ins and sign-ups, not apps and passkeys', async () => {
  const { keys, give } = createPasskeys()
  const host = await startHost({
    mount: signupAt('/phone'),
    options: {
      limits: { serviceSendsPerMinute: 0 },
      passkeys: keys,
      authenticator: {
        secretOf: (_req, subject) => (subject === 'ben' ? appSecret : undefined),
        issuer: 'Acme',
      },
    },
  })
  const authenticator = await give('eva')
  const paused = [503, 'sending_paused']
  expect((await (await host.login()).start()).refusal).toEqual(paused)
  expect((await host.browser().post('/phone/start', { phone: '+573009998877' })).refusal).toEqual(paused)
  expect(host.stub.sends).toEqual([])
  const ben = await host.login('ben')
  await ben.start({ channel: 'app' })
  const shown = codeOf(Math.floor(host.clock.now / 30_000), fromBase32(appSecret) ?? Buffer.of())
  expect((await ben.verify(shown)).status).toBe(200)
  const eva = await host.login('eva')
  const { challenge, publicKey } = (await eva.start({ channel: 'passkey' })).json
  const signed = { challenge: challenge.id, passkey: authenticator.sign(publicKey) }
  expect((await eva.post('/two-factor/verify', signed)).status).toBe(200)
})

describe('an account at the provider without credits', () => {
  const start = async (provider?: HostOptions['provider']) => {
    const host = await startHost({ listens: true, provider })
    host.stub.answerSend = () => ({ status: 520, json: { error: 1007 } })
    const { refusal } = await (await host.login()).start()
    const alarms = host.events.filter(({ type }) => eventUrgency[type].level === 'alarm')
    return [...refusal, host.tf.health().provider.state, alarms.map(({ type }) => type)]
  }

  it('is 502 without an alarm', async () => {
    expect(await start()).toEqual([502, 'delivery_failed', 'ok', []])
  })

  it('is 503 with an alarm if `accountErrorCodes` lists its error', async () => {
    const codes: HostOptions['provider'] = (stub) => stubCodes(stub, { accountErrorCodes: ['1003', '1007'] })
    const alarm = ['provider.misconfigured']
    expect(await start(codes)).toEqual([503, 'provider_unavailable', 'failing', alarm])
  })
})

it.each([
  [undefined, 429],
  ['loopback', 201],
])('with `trust proxy` %s, a visitor after many others gets %d', async (trusted, status) => {
  // A private address, perhaps of a proxy, has ten times as many.
  const host = await startHost({ options: { limits: { sendsPerAddressPer10Min: 1 } } })
  if (trusted !== undefined) host.app.set('trust proxy', trusted)
  for (let visitor = 1; visitor <= 10; visitor += 1) {
    const from = { 'x-forwarded-for': `203.0.113.${visitor}` }
    const ana = await host.login()
    expect((await ana.start({}, from)).status).toBe(201)
    host.clock.now += 50_000
    expect((await ana.verify(host.stub.rightCode)).status).toBe(200)
  }
  const ben = await host.login('ben')
  expect((await ben.start({}, { 'x-forwarded-for': '203.0.113.99' })).status).toBe(status)
})

it('correct codes with a status that is not listed lock the account after ten', async () => {
  const host = await startHost({
    listens: true,
    provider: (stub) => stubCodes(stub, { approvedStatuses: ['ok'] }),
  })
  for (let sent = 0; sent < 2; sent += 1) {
    const ana = await host.challenged()
    for (let code = 0; code < 5; code += 1) {
      host.stub.rightCode = String(500_000 + host.stub.checks.length)
      expect((await ana.verify(host.stub.rightCode)).refusal).toEqual([422, 'code_not_accepted'])
    }
    host.clock.now += 10 * 60_000
  }
  expect((await (await host.login()).start()).refusal).toEqual([429, 'account_locked'])
  expect(host.events.map(({ type }) => type)).toContain('subject.locked')
  await host.tf.subjects.unlock('ana')
  expect((await (await host.login()).start()).status).toBe(201)
})

it.each<[string, object, who: string, asked: number]>([
  ['account', { sendsPerHour: 1 }, 'ana', 1],
  ['address', { sendsPerAddressPer10Min: 1 }, 'ben', 1],
  ['number', { allSendsPerHour: 1 }, 'ana2', 1],
  ['whole service', { serviceSendsPerMinute: 1 }, 'ben', 2],
])('a limit of the %s refuses a send: %j for %s, and beforeSend was called %d times', async (...row) => {
  const [, limits, who, asked] = row
  const beforeSend = vi.fn(() => true)
  const host = await startHost({ options: { limits, beforeSend } })
  host.app.set('trust proxy', 1)
  const start = async (user: string) => {
    const browser = host.browser({ 'x-forwarded-for': '203.0.113.7' })
    await browser.post('/login', { user })
    return (await browser.start()).status
  }
  expect(await start('ana')).toBe(201)
  expect(await start(who)).toBeGreaterThanOrEqual(429)
  expect(beforeSend).toHaveBeenCalledTimes(asked)
})
