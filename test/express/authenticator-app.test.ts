import { describe, expect, it, vi } from 'vitest'
import { startAppHost } from './app-kit.js'
import { mallory, mum, transfersAt } from './described-transfers.js'

describe('a code of an authenticator app', () => {
  it('signs in: nothing is sent or checked elsewhere', async () => {
    const { host, events, shows } = await startAppHost()
    const zoe = await host.login('zoe')
    expect((await zoe.start()).json.challenge).toMatchObject({
      channel: 'app',
      destination: '',
      channels: [],
      attemptsRemaining: 5,
      expiresInMs: 600_000,
    })
    expect((await zoe.verify('000000')).json).toMatchObject({
      code: 'code_not_accepted',
      attemptsRemaining: 5,
    })
    expect((await zoe.verify(shows())).status).toBe(200)
    expect((await zoe.get('/account')).json).toMatchObject({ subject: 'zoe' })
    expect([host.stub.sends, host.stub.checks]).toEqual([[], []])
    expect(events.map(({ type }) => type)).toEqual([
      'challenge.started',
      'challenge.rejected',
      'challenge.approved',
    ])
    expect(events[0]).toMatchObject({ channel: 'app', country: '' })
  })

  it('is the first choice even with a number, and both are accepted', async () => {
    const { host } = await startAppHost()
    const ana = await host.login()
    const started = await ana.submit('/two-factor/start')
    expect(started.location).toBe('/two-factor?method=app')
    expect((await ana.open(started.location)).text).toContain('Can&#39;t use the app?')
    const sent = await ana.start({ channel: 'sms' })
    expect(sent.json.challenge).toMatchObject({ channel: 'sms', channels: ['sms', 'call'] })
    expect((await ana.verify(host.stub.rightCode)).status).toBe(200)
  })

  it('is asked for where a guard takes nothing else, and no text is paid for', async () => {
    const { host, shows } = await startAppHost()
    const ana = await host.login()
    await host.confirm(ana, { channel: 'sms' })
    const { requirement } = (await ana.get('/vault')).json
    const refused = await ana.start({ requirement, channel: 'sms' })
    expect([refused.status, refused.json.methods]).toEqual([400, ['app']])
    expect((await ana.start({ requirement })).json.challenge.channel).toBe('app')
    expect((await ana.verify(shows())).status).toBe(200)
    expect((await ana.get('/vault')).json).toEqual({ by: 'app' })
    expect(host.stub.sends).toHaveLength(1)
  })

  it('is not offered without an app', async () => {
    const { host } = await startAppHost()
    const ben = await host.login('ben')
    expect((await ben.start({ channel: 'app' })).status).toBe(400)
    expect((await ben.start()).json.challenge.channel).toBe('sms')
    expect((await (await host.login('nobody')).start()).json.code).toBe('no_phone')
  })

  it('is taken once, and of another time it is a wrong code like any other', async () => {
    const { host, events, shows } = await startAppHost()
    const zoe = await host.login('zoe')
    await zoe.start()
    await zoe.verify(shows())
    const thief = await host.login('zoe')
    await thief.start()
    for (const code of [shows(), shows(-1), shows(-3), shows(3)]) {
      expect((await thief.verify(code)).refusal).toEqual([422, 'code_not_accepted'])
    }
    const rejected = events.filter((event) => event.type === 'challenge.rejected')
    expect(rejected.map(({ used }) => used)).toEqual([true, true, false, false])
    expect((await thief.verify(shows(1))).status).toBe(200)
  })

  it('is for the named challenge, with a sent code and an app code in parallel', async () => {
    const onCancelled = vi.fn()
    const { host, events, shows } = await startAppHost({ onCancelled })
    const ana = await host.login()
    const byApp = (await ana.start({ channel: 'app' })).json.challenge.id
    const byText = (await ana.start({ channel: 'sms' })).json.challenge.id
    expect(events.map(({ type }) => type)).not.toContain('challenge.superseded')
    expect((await ana.verify(shows(), { challenge: byText })).status).toBe(422)
    expect(host.stub.checks).toHaveLength(1)
    // Without a name it is for the one that was sent, and the page says so.
    const page = await ana.submit('/two-factor/verify', { code: shows() })
    expect(page.text).toContain('Use the code that we sent you, not one from your app.')
    const wrong = await ana.verify(host.stub.rightCode, { challenge: byApp })
    expect(wrong.refusal).toEqual([422, 'code_not_accepted'])
    // Whoever leaves the page of the one has not left that of the other.
    expect((await ana.post('/two-factor/cancel', { challenge: byApp })).status).toBe(204)
    expect(onCancelled).toHaveBeenCalledOnce()
    expect((await ana.get('/two-factor')).json.challenge.id).toBe(byText)
    expect((await ana.verify(shows(), { challenge: byApp })).status).toBe(200)
  })

  it('is a wrong one on the page of a send without a response, which claims no sent code', async () => {
    const { host, shows } = await startAppHost()
    host.stub.answerSend = () => ({ status: 502, text: '' })
    const ana = await host.login()
    expect((await ana.start({ channel: 'sms' })).status).toBe(202)
    const { text } = await ana.submit('/two-factor/verify', { code: shows() })
    expect(text).toContain('That code is not right')
    expect(text.replaceAll(/<[^>]+>/g, '')).not.toMatch(/\bsent\b/)
  })

  it('is shown by the app already: to ask for it again sends nothing', async () => {
    const { host } = await startAppHost()
    const zoe = await host.login('zoe')
    const { id } = (await zoe.start()).json.challenge
    const again = async (body: object) => (await zoe.post('/two-factor/resend', body)).json
    expect(await again({})).toMatchObject({ alreadySent: true })
    expect(await again({ challenge: id })).toMatchObject({ alreadySent: true, challenge: { id } })
    expect((await again({ challenge: 'another' })).code).toBe('challenge_gone')
    expect(host.stub.sends).toEqual([])
  })

  it('is for the challenge of its own session and account, however it was come by', async () => {
    const { host, shows } = await startAppHost()
    const ana = await host.login()
    const { id: challenge } = (await ana.start({ channel: 'app' })).json.challenge
    const stolen = await (await host.login()).verify(shows(), { challenge })
    expect(stolen.refusal).toEqual([409, 'challenge_superseded'])
    expect((await (await host.login('zoe')).verify(shows(), { challenge })).status).toBe(410)
    host.clock.now += 600_000
    expect((await ana.verify(shows(), { challenge })).status).toBe(410)
    expect((await ana.post('/two-factor/resend', { challenge })).status).toBe(410)
  })

  it('confirms only the displayed action, on the page and in JSON', async () => {
    const { host, shows } = await startAppHost({}, { mount: transfersAt('/pay') })
    const ana = await host.login()
    await ana.start()
    await ana.verify(shows())
    const { requirement, details } = (await ana.post('/pay', mum)).json
    const started = await ana.start({ requirement })
    expect(started.json.challenge).toMatchObject({ channel: 'app', details })
    const page = await ana.open(`/two-factor?method=app&requirement=${requirement}`)
    expect(page.text).toContain('<dd><bdi>Mum</bdi></dd>')
    const right = await ana.submit('/two-factor/verify', { ...page.fields, code: shows(1) })
    expect(right.status).toBe(303)
    expect((await ana.post('/pay', mallory)).status).toBe(403)
    expect((await ana.post('/pay', mum)).status).toBe(200)
  })

  it('has six digits, for any pattern of provider codes, and input with another pattern uses no attempt', async () => {
    const { host, shows } = await startAppHost({ code: { pattern: /^\d{4}$/ } })
    const ana = await host.login()
    await ana.start({ channel: 'sms' })
    expect((await ana.verify('123456')).refusal).toEqual([400, 'invalid_request'])
    expect((await ana.get('/two-factor')).json.challenge.attemptsRemaining).toBe(5)
    await ana.start({ channel: 'app' })
    for (const code of ['12345', '1234']) {
      expect((await ana.verify(code)).refusal).toEqual([400, 'invalid_request'])
    }
    expect((await ana.verify(shows().replace(/(...)/, '$1 '))).status).toBe(200)
    expect(host.stub.checks).toEqual([])
  })

  it('has a secret of 16 characters at least', async () => {
    const { host } = await startAppHost({
      authenticator: { secretOf: () => 'JBSWY3DPEHPK3PXP', issuer: 'Acme' },
    })
    expect((await (await host.login()).start()).json.challenge.channel).toBe('app')
  })

  const invalid = 'invalid-secret'
  it.each<[string, () => unknown, string]>([
    ['is too short', () => 'JBSWY3DPEHPK3P', invalid],
    ['is not base32', () => 'not base32', invalid],
    ['is a number', () => 42, invalid],
    [
      'cannot be decrypted',
      () => {
        throw Object.assign(new Error('bad key for JBSWY3DPEHPK3PXP'), { code: 'ERR_OSSL_BAD_DECRYPT' })
      },
      'ERR_OSSL_BAD_DECRYPT',
    ],
  ])('is unavailable where the secret %s, and a text signs in', async (_name, secretOf, reason) => {
    const authenticator = { secretOf: secretOf as () => string, issuer: 'Acme' }
    const { host, events } = await startAppHost({ authenticator })
    const ana = await host.login()
    expect((await ana.start()).json.challenge.channel).toBe('sms')
    const unreadable = events.filter(({ type }) => type === 'factor.unreadable')
    expect(unreadable).toEqual([
      {
        at: expect.any(Number),
        type: 'factor.unreadable',
        kind: 'app',
        subject: 'ana',
        reason,
      },
    ])
    expect(JSON.stringify(events)).not.toContain('JBSWY3')
    expect((await ana.open('/two-factor')).status).toBe(200)
    expect((await ana.verify(host.stub.rightCode)).status).toBe(200)
    // An account with nothing else has no way in: the mistake is the app's.
    expect((await (await host.login('zoe')).start()).json.host).toBeDefined()
  })
})
