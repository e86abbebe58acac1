import { describe, expect, it } from 'vitest'
import { type GuardOptions, type TwoFactorOptions, twoFactor } from '../../src/index.js'
import { minute } from '../challenge/kit.js'
import { baseOptions, startHost, startSignedIn } from './kit.js'

/** A host whose route `/keys` asks for these methods, and whose route `/passkey` has checked a factor of its own. */
async function startKeysHost(guard: GuardOptions, options: Partial<TwoFactorOptions> = {}) {
  return startSignedIn({
    options,
    mount: (app, tf) => {
      app.get('/keys', tf.requireTwoFactor({ purpose: 'keys', ...guard }), (req, res) => {
        const { method, channel } = req.twoFactor?.grant ?? {}
        res.json({ by: method, channel })
      })
      app.post('/passkey/:method', async (req, res) => {
        const { method } = req.params
        const grant = { subject: 'ana', session: req.session.id, purpose: 'keys' }
        res.json(await tf.grants.write(method === 'none' ? grant : { ...grant, method }))
      })
    },
  })
}

describe('the methods of a guard', () => {
  it('accept a method of the app by its name, and the refusal lists the accepted ones', async () => {
    const any = (await startKeysHost({})).ana
    expect((await any.get('/keys')).json).not.toHaveProperty('methods')
    expect((await any.post('/passkey/none')).json).toMatchObject({ method: 'host' })
    expect((await any.get('/keys')).json).toEqual({ by: 'host' })

    const { ana } = await startKeysHost({ methods: ['passkey'] })
    const refused = await ana.get('/keys')
    expect(refused.status).toBe(403)
    expect(refused.json).toMatchObject({ code: 'second_factor_required', methods: ['passkey'] })
    await ana.post('/passkey/none')
    await ana.post('/passkey/totp')
    expect((await ana.get('/keys')).status).toBe(403)
    expect((await ana.post('/passkey/passkey')).json).toMatchObject({ method: 'passkey' })
    expect((await ana.get('/keys')).json).toEqual({ by: 'passkey' })
    // A weaker proof after it takes nothing away.
    await ana.post('/passkey/totp')
    expect((await ana.get('/keys')).status).toBe(200)
  })

  it('keep a code from being sent that would not do, for a live challenge either', async () => {
    const { host, ana } = await startKeysHost({ methods: ['passkey'] })
    const { requirement } = (await ana.get('/keys')).json
    const refused = { status: 400, code: 'invalid_request', methods: ['passkey'] }
    for (const channel of [undefined, 'sms', 'call']) {
      host.clock.now += minute
      expect((await ana.start({ requirement, channel })).json).toMatchObject(refused)
    }
    const page = await ana.open((await ana.open('/keys')).location)
    expect(page.text).not.toContain('name="channel"')
    await ana.start({ purpose: 'keys' })
    host.clock.now += minute
    for (const channel of [undefined, 'call']) {
      const { json } = await ana.post('/two-factor/resend', { requirement, channel })
      expect(json).toMatchObject(refused)
    }
    expect(host.stub.sends).toHaveLength(2)
  })

  it('accept a code by any channel, and the grant contains it', async () => {
    const { host, ana } = await startKeysHost({ methods: ['code', 'passkey'] })
    const { requirement } = (await ana.get('/keys')).json
    await ana.start({ requirement })
    host.clock.now += minute
    const called = await ana.post('/two-factor/resend', { requirement, channel: 'call' })
    expect(called.json.challenge).toMatchObject({ channel: 'call', channels: ['sms', 'call'] })
    await ana.verify(host.stub.rightCode, { requirement })
    expect((await ana.get('/keys')).json).toEqual({ by: 'code', channel: 'call' })
  })

  it.each([
    ...['code', 'app', 'trusted-device', 'recovery-code', 'sms', 'call'].map((method) => [
      method,
      `"${method}" is reserved for factors that this package verifies`,
    ]),
    ['two words', 'must be 1 to 32 letters'],
  ])('are no words of the host where the package verifies them: %s', async (method, refusal) => {
    const { tf } = await startHost()
    await expect(tf.grants.write({ subject: 'ana', session: 's', purpose: 'login', method })).rejects.toThrow(
      `grants.write: method ${refusal}`,
    )
  })

  it('are checked at start-up', async () => {
    const { tf, stub, clock } = await startHost()
    expect(() => tf.requireTwoFactor({ purpose: 'pay', methods: ['code', 'trusted-device'] })).toThrow(
      'must not include "trusted-device" for a step-up',
    )
    expect(() =>
      tf.requireTwoFactor({ purpose: 'pay', bind: () => ({}), methods: ['trusted-device'] }),
    ).toThrow('for a step-up')
    const instead = "write 'code', and how codes are sent in purposes: { pay: { channels } }"
    for (const channel of ['sms', 'call']) {
      expect(() => tf.requireTwoFactor({ purpose: 'pay', methods: ['passkey', channel] })).toThrow(
        `requireTwoFactor: methods must not name the channel "${channel}": ${instead}`,
      )
    }
    const trusting = twoFactor({ ...baseOptions(stub, clock), trustedDevices: { maxAgeMs: 1_000 } })
    expect(trusting.requireTwoFactor({ methods: ['code', 'trusted-device'] })).toBeTypeOf('function')
  })

  it('accept no trusted device unless they name it', async () => {
    const trustedDevices = { maxAgeMs: 86_400_000 }
    const { host } = await startKeysHost({ purpose: 'login', methods: ['code'] }, { trustedDevices })
    const ana = await host.login()
    await host.confirm(ana, {}, { trustDevice: true })
    await ana.post('/logout')
    host.clock.now += minute
    await ana.post('/login', { user: 'ana' })
    expect((await ana.start()).json).toMatchObject({ verified: true })
    const { requirement } = (await ana.get('/keys')).json
    expect((await ana.start({ requirement })).json).toHaveProperty('challenge')
  })
})
