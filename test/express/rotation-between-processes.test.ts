import { MemoryStore } from 'express-session'
import { beforeEach, describe, expect, it } from 'vitest'
import { createClient, memoryStore, ownCodes } from '../../src/index.js'
import { codeOf, fromBase32 } from '../../src/lib/totp.js'
import { createPasskeys } from '../passkeys/kit.js'
import type { Browser } from './browser.js'
import { transfersAt } from './described-transfers.js'
import { type Host, signupAt, startHost, stubCodes } from './kit.js'

const [older, newer] = ['an older secret of thirty-two bytes', 'a newer secret of thirty-two bytes']
const appSecret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'
const number = '+573009998877'
const amount = { amount: 1, payee: 'Mum' }
const secrets = { before: [older], both: [newer, older], after: [newer] } as const
type Process = keyof typeof secrets

/** The processes of one app during a rotation, on one store and with one store of sessions. */
async function startProcesses(sends: 'the provider' | 'codes of our own' = 'the provider') {
  const [store, sessionStore, passkeys] = [memoryStore(), new MemoryStore(), createPasskeys()]
  const of = {} as Record<Process, Host>
  let first: Host | undefined
  for (const [name, [secret, ...rest]] of Object.entries(secrets)) {
    const host = await startHost({
      sessionStore,
      provider: (own) => {
        const stub = first?.stub ?? own
        const client = createClient({ baseUrl: stub.baseUrl, client: 41, key: 'k-canary' })
        return sends === 'the provider' ? stubCodes(stub) : ownCodes({ client, secret: [secret, ...rest] })
      },
      options: {
        store,
        secret: [secret, ...rest],
        authenticator: {
          secretOf: (_req, subject) => (subject === 'ben' ? appSecret : undefined),
          issuer: 'Acme',
        },
        passkeys: passkeys.keys,
        trustedDevices: { maxAgeMs: 86_400_000 },
      },
      mount(app, tf) {
        signupAt('/phone')(app, tf)
        transfersAt('/pay', { resume: true })(app, tf)
      },
    })
    first ??= host
    of[name as Process] = host
  }
  const { stub } = of.before
  return {
    of,
    stub,
    passkeys,
    at: (process: Process, browser: Browser) => browser.copy(of[process].url),
    appCode: () => codeOf(Math.floor(of.before.clock.now / 30_000), fromBase32(appSecret) ?? Buffer.of()),
  }
}

let processes: Awaited<ReturnType<typeof startProcesses>>
beforeEach(async () => {
  processes = await startProcesses()
})

describe('in the first step, a process with only the older secret', () => {
  it('refuses codes of a guard, of an app and of passkeys that a process with both started', async () => {
    const { of, at, stub, passkeys, appCode } = processes
    const authenticator = await passkeys.give('eva')
    const ana = await of.both.login()
    const { requirement } = (await ana.post('/transfers', amount)).json
    expect((await at('before', ana).start({ requirement })).refusal).toEqual([400, 'invalid_request'])
    await ana.start({ requirement })
    const guarded = await at('before', ana).verify(stub.rightCode, { requirement })
    expect(guarded.refusal).toEqual([400, 'invalid_request'])

    const ben = await of.both.login('ben')
    await ben.start({ channel: 'app' })
    expect((await at('before', ben).verify(appCode())).refusal).toEqual([410, 'challenge_gone'])

    const eva = await of.both.login('eva')
    const { challenge, publicKey } = (await eva.start({ channel: 'passkey' })).json
    const signed = { challenge: challenge.id, passkey: authenticator.sign(publicKey) }
    const refused = await at('before', eva).post('/two-factor/verify', signed)
    expect(refused.refusal).toEqual([410, 'challenge_gone'])
  })

  it('refuses codes of `ownCodes`, and accepts others', async () => {
    const { of, at, stub } = await startProcesses('codes of our own')
    const ana = await of.both.challenged()
    const refused = await at('before', ana).verify(stub.rightCode)
    expect(refused.refusal).toEqual([503, 'verification_unavailable'])
    of.both.clock.now += 5_000
    expect((await ana.verify(stub.rightCode)).status).toBe(200)

    const other = await processes.of.both.challenged()
    expect((await processes.at('before', other).verify(processes.stub.rightCode)).status).toBe(200)
  })
})

describe('after the last step', () => {
  it.each([
    ['a text', 'the provider', 'sms'],
    ['a call', 'the provider', 'call'],
    ['a text of `ownCodes`', 'codes of our own', 'sms'],
  ] as const)('the pending code of %s is gone, and a new one works', async (_what, sends, channel) => {
    const { of, at, stub } = sends === 'the provider' ? processes : await startProcesses(sends)
    const ana = await of.both.login()
    await ana.start({ channel })
    const moved = at('after', ana)
    expect((await moved.verify(stub.rightCode)).refusal).toEqual([410, 'challenge_gone'])
    of.after.clock.now += 60_000
    expect((await moved.start({ channel })).status).toBe(201)
    expect((await moved.verify(stub.rightCode)).status).toBe(200)
  })

  it('a code of an app and a passkey that a process with both secrets started are accepted', async () => {
    const { of, at, passkeys, appCode } = processes
    const authenticator = await passkeys.give('ana')
    const ana = await of.both.login()
    const { challenge, publicKey } = (await ana.start({ channel: 'passkey' })).json
    const signed = { challenge: challenge.id, passkey: authenticator.sign(publicKey) }
    expect((await at('after', ana).post('/two-factor/verify', signed)).status).toBe(200)
    const ben = await of.both.login('ben')
    await ben.start({ channel: 'app' })
    expect((await at('after', ben).verify(appCode())).status).toBe(200)
  })

  it('a sign-in stays, and a bound grant is gone with the page of its saved form, which needs another code', async () => {
    const { of, at, stub } = processes
    const ana = await of.both.challenged()
    await ana.verify(stub.rightCode)
    of.both.clock.now += 60_000
    const refused = await ana.submit('/pay', { amount: '5', payee: 'Mum' })
    const { requirement = '' } = refused.fields
    await ana.submit('/two-factor/start', { requirement })
    const page = (await ana.submit('/two-factor/verify', { requirement, code: stub.rightCode })).location
    expect(page).toContain('form=')
    expect((await ana.open(page)).text).toContain('Mum')
    const moved = at('after', ana)
    expect((await moved.get('/account')).status).toBe(200)
    expect((await moved.open(page)).status).toBe(410)
    expect((await moved.submit('/pay', { amount: '5', payee: 'Mum' })).status).toBe(403)
    expect((await ana.submit('/pay', { amount: '5', payee: 'Mum' })).status).toBe(200)
  })

  it('a lock of a sign-up is gone', async () => {
    const { of, at } = processes
    const visitor = of.both.browser()
    for (const first of [100_000, 200_000]) {
      await visitor.post('/phone/start', { phone: number })
      for (let code = first; code < first + 5; code += 1)
        await visitor.post('/phone/verify', { code: `${code}` })
      of.both.clock.now += 5 * 60_000
      of.after.clock.now += 5 * 60_000
    }
    expect((await visitor.post('/phone/start', { phone: number })).refusal).toEqual([429, 'account_locked'])
    expect((await at('after', visitor).post('/phone/start', { phone: number })).status).toBe(201)
  })

  it.each([
    ['before', 201],
    ['both', 200],
  ] as const)('a browser that was trusted at the process "%s" gets %d', async (process, status) => {
    const { of, at, stub } = processes
    const ana = await of[process].challenged()
    expect((await ana.verify(stub.rightCode, { trustDevice: true })).status).toBe(200)
    of.after.clock.now += 60_000
    const moved = at('after', ana)
    await moved.post('/login', { user: 'ana' })
    expect((await moved.start()).status).toBe(status)
  })

  it.each([
    ['after', 410],
    ['both', 200],
  ] as const)('a number that the process "before" began to verify is at "%s" %d', async (process, status) => {
    const { of, at, stub } = processes
    const visitor = of.before.browser()
    await visitor.post('/phone/start', { phone: number })
    const moved = at(process, visitor)
    expect((await moved.post('/phone/verify', { code: stub.rightCode })).status).toBe(status)
  })
})
