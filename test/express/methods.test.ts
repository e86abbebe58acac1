import { describe, expect, it } from 'vitest'
import { type GuardOptions, type TwoFactorOptions, twoFactor } from '../../src/index.js'
import { minute } from '../challenge/kit.js'
import type { Answer } from './browser.js'
import { baseOptions, startHost, startSignedIn } from './kit.js'

/** A host whose route `/keys` asks for these methods, and whose route `/passkey` has checked a factor of its own. */
async function startKeysHost(guard: GuardOptions, options: Partial<TwoFactorOptions> = {}) {
  return startSignedIn({
    options,
    mount: (app, tf) => {
      app.get('/keys', tf.requireTwoFactor({ purpose: 'keys', ...guard }), (req, res) => {
        res.json({ by: req.twoFactor?.grant.method })
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
  it('admit a factor of the host by its own word, and say in the refusal what will do', async () => {
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

  it('are not named where any will do', async () => {
    const { ana } = await startKeysHost({})
    expect((await ana.get('/keys')).json).not.toHaveProperty('methods')
    expect((await ana.post('/passkey/none')).json).toMatchObject({ method: 'host' })
    expect((await ana.get('/keys')).json).toEqual({ by: 'host' })
  })

  it('keep a code from being sent that would not do', async () => {
    const { host, ana } = await startKeysHost({ methods: ['passkey'] })
    const { requirement } = (await ana.get('/keys')).json
    for (const channel of [undefined, 'sms', 'call']) {
      host.clock.now += 60_000
      const started = await ana.post('/two-factor/start', { requirement, channel })
      expect(started.status).toBe(400)
      expect(started.json).toMatchObject({ code: 'invalid_request', methods: ['passkey'] })
    }
    const page = await ana.open((await ana.open('/keys')).headers.get('location') ?? '')
    expect(page.text).toContain('Confirm that it&#39;s you')
    expect(page.text).not.toContain('name="channel"')
    expect(host.stub.sends).toHaveLength(1)
  })

  it('choose the channel: a route that takes calls is not started by a text message', async () => {
    const { host, ana } = await startKeysHost({ methods: ['call', 'passkey'] })
    // A live code by text message is none that would be typed here.
    await ana.post('/two-factor/start', { purpose: 'keys' })
    const location = (await ana.open('/keys')).headers.get('location') ?? ''
    const page = await ana.open(location)
    expect(page.text).toContain('value="call"')
    expect(page.text).not.toContain('value="sms"')
    // Until that code has expired: it could be typed for the call.
    host.clock.now += 10 * 60_000
    const { requirement } = (await ana.get('/keys')).json
    expect((await ana.post('/two-factor/start', { requirement, channel: 'sms' })).status).toBe(400)
    const started = await ana.post('/two-factor/start', { requirement })
    expect(started.json.challenge).toMatchObject({ channel: 'call', channels: ['call'] })
    host.clock.now += 120_000
    const resent = await ana.post('/two-factor/resend', { requirement, channel: 'sms' })
    expect(resent.status).toBe(400)
    expect(resent.json).toMatchObject({ code: 'invalid_request', methods: ['call', 'passkey'] })
    expect((await ana.post('/two-factor/resend', { requirement })).status).toBe(200)
    await ana.post('/two-factor/verify', { code: host.stub.rightCode })
    expect((await ana.get('/keys')).json).toEqual({ by: 'call' })
  })

  it('are not met by the text message before the call, whose code a provider may repeat', async () => {
    const { host, ana } = await startKeysHost({ methods: ['call'] })
    const repeat = (code: string) => () => {
      host.stub.rightCode = code
      return { json: { id: 'a1' } }
    }
    host.stub.answerSend = repeat('135790')
    const { requirement } = (await ana.get('/keys')).json
    await ana.post('/two-factor/start', { purpose: 'keys' })
    host.clock.now += 2 * minute
    // Typed while the call is placed.
    let typed: Answer | undefined
    host.stub.answerSend = async () => {
      typed = await ana.post('/two-factor/verify', { requirement, code: '000000' })
      return repeat('135790')()
    }
    const called = await ana.post('/two-factor/resend', { requirement, channel: 'call' })
    expect(called.json.challenge.channel).toBe('call')
    expect(typed?.status).toBe(422)
    // And later, with the same code.
    expect((await ana.post('/two-factor/verify', { requirement, code: '135790' })).status).toBe(200)
    expect((await ana.get('/keys')).status).toBe(403)

    // A call alone will do.
    host.stub.answerSend = repeat('246802')
    const again = (await ana.get('/keys')).json
    await ana.post('/two-factor/start', { requirement: again.requirement })
    await ana.post('/two-factor/verify', { requirement: again.requirement, code: '246802' })
    expect((await ana.get('/keys')).json).toEqual({ by: 'call' })
  })

  it('wait for a call until no text message may be typed in its place', async () => {
    const { host, ana } = await startKeysHost({ methods: ['call'] })
    const { requirement } = (await ana.get('/keys')).json
    await ana.post('/two-factor/start', { purpose: 'keys' })
    const sent = host.stub.sends.length
    // At first the usual pause.
    const waits = [
      [0, '60'],
      [2 * minute, '480'],
      [8 * minute - 1, '1'],
    ] as const
    for (const [later, retryAfter] of waits) {
      host.clock.now += later
      const refused = await ana.post('/two-factor/start', { requirement })
      expect(refused.json).toMatchObject({ code: 'resend_too_soon', status: 429 })
      expect(refused.headers.get('retry-after')).toBe(retryAfter)
    }
    expect(host.stub.sends).toHaveLength(sent)
    host.clock.now += 1
    const again = (await ana.get('/keys')).json
    await ana.post('/two-factor/start', { requirement: again.requirement })
    await ana.post('/two-factor/verify', { requirement: again.requirement, code: host.stub.rightCode })
    expect((await ana.get('/keys')).json).toEqual({ by: 'call' })
  })

  it('take the channel that is asked for where they name it', async () => {
    const { ana } = await startKeysHost({ methods: ['sms', 'call'] })
    const { requirement } = (await ana.get('/keys')).json
    const started = await ana.post('/two-factor/start', { requirement, channel: 'call' })
    expect(started.json.challenge).toMatchObject({ channel: 'call', channels: ['sms', 'call'] })
  })

  it.each(['', ' ', 'a'.repeat(33), 5, null, ['passkey']])('are words of one shape: %j', async (method) => {
    const { tf } = await startHost()
    const grant = { subject: 'ana', session: 's', purpose: 'login', method: method as string }
    await expect(tf.grants.write(grant)).rejects.toThrow('grants.write: method must be')
  })

  it('are checked at start-up', async () => {
    const { tf, stub, clock } = await startHost()
    expect(() => tf.requireTwoFactor({ purpose: 'pay', methods: ['sms', 'trusted-device'] })).toThrow(
      'must not include "trusted-device" for a step-up',
    )
    expect(() => tf.requireTwoFactor({ bind: () => ({}), methods: ['trusted-device'] })).toThrow(
      'for a step-up',
    )
    const trusting = twoFactor({ ...baseOptions(stub, clock), trustedDevices: { maxAgeMs: 1_000 } })
    expect(trusting.requireTwoFactor({ methods: ['sms', 'trusted-device'] })).toBeTypeOf('function')
  })

  it('let no trusted device stand in for them unless they name it', async () => {
    const trustedDevices = { maxAgeMs: 86_400_000 }
    const { host } = await startKeysHost({ purpose: 'login', methods: ['sms', 'call'] }, { trustedDevices })
    const ana = await host.challenged()
    await ana.post('/two-factor/verify', { code: host.stub.rightCode, trustDevice: true })
    await ana.post('/logout')
    host.clock.now += 60_000
    await ana.post('/login', { user: 'ana' })
    expect((await ana.post('/two-factor/start', {})).json).toMatchObject({ verified: true })
    const { requirement } = (await ana.get('/keys')).json
    expect((await ana.post('/two-factor/start', { requirement })).json).toHaveProperty('challenge')
  })
})
