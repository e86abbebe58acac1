import { describe, expect, it } from 'vitest'
import { startAppHost } from './app-kit.js'
import { mallory, mum, transfersAt } from './described-transfers.js'

describe('a code of an authenticator app', () => {
  it('signs in: nothing is sent or checked elsewhere, and the grant says how', async () => {
    const { host, events, shows } = await startAppHost()
    const zoe = await host.login('zoe')
    const started = await zoe.post('/two-factor/start')
    expect(started.status).toBe(201)
    expect(started.json.challenge).toMatchObject({
      channel: 'app',
      destination: '',
      channels: [],
      attemptsRemaining: 5,
      expiresInMs: 600_000,
    })
    expect((await zoe.post('/two-factor/verify', { code: '000000' })).json).toMatchObject({
      code: 'code_not_accepted',
      attemptsRemaining: 5,
    })
    expect((await zoe.post('/two-factor/verify', { code: shows() })).status).toBe(200)
    expect((await zoe.get('/account')).json).toMatchObject({ subject: 'zoe' })
    expect([host.stub.sends, host.stub.checks]).toEqual([[], []])
    expect(events.map(({ type }) => type)).toEqual([
      'challenge.started',
      'challenge.rejected',
      'challenge.approved',
    ])
    expect(events[0]).toMatchObject({ channel: 'app', country: '' })
  })

  it('is the first choice of whoever has a number, too, and either one will do', async () => {
    const { host, shows } = await startAppHost()
    const ana = await host.login()
    expect((await ana.post('/two-factor/start')).json.challenge.channel).toBe('app')
    const sent = await ana.post('/two-factor/start', { channel: 'sms' })
    expect(sent.json.challenge).toMatchObject({ channel: 'sms', channels: ['sms', 'call'] })
    expect((await ana.post('/two-factor/verify', { code: host.stub.rightCode })).status).toBe(200)
    host.clock.now += 60_000
    const again = await host.login()
    await again.post('/two-factor/start', { channel: 'app' })
    expect((await again.post('/two-factor/verify', { code: shows() })).status).toBe(200)
  })

  it('is asked for where a guard takes nothing else, and no text is paid for', async () => {
    const { host, shows } = await startAppHost()
    const ana = await host.login()
    await ana.post('/two-factor/start', { channel: 'sms' })
    await ana.post('/two-factor/verify', { code: host.stub.rightCode })
    const { requirement } = (await ana.get('/vault')).json
    const refused = await ana.post('/two-factor/start', { requirement, channel: 'sms' })
    expect([refused.status, refused.json.methods]).toEqual([400, ['app']])
    expect((await ana.post('/two-factor/start', { requirement })).json.challenge.channel).toBe('app')
    expect((await ana.post('/two-factor/verify', { code: shows() })).status).toBe(200)
    expect((await ana.get('/vault')).json).toEqual({ by: 'app' })
    expect(host.stub.sends).toHaveLength(1)
  })

  it('is no way for whoever has none', async () => {
    const { host } = await startAppHost()
    const ben = await host.login('ben')
    expect((await ben.post('/two-factor/start', { channel: 'app' })).status).toBe(400)
    expect((await ben.post('/two-factor/start')).json.challenge.channel).toBe('sms')
    const nobody = await host.login('nobody')
    expect((await nobody.post('/two-factor/start')).json.code).toBe('no_phone')
  })

  it('is taken once, and of another time it is a wrong code like any other', async () => {
    const { host, events, shows } = await startAppHost()
    const zoe = await host.login('zoe')
    await zoe.post('/two-factor/start')
    await zoe.post('/two-factor/verify', { code: shows() })
    const thief = await host.login('zoe')
    await thief.post('/two-factor/start')
    for (const code of [shows(), shows(-1), shows(-3), shows(3)]) {
      expect((await thief.post('/two-factor/verify', { code })).json).toMatchObject({
        status: 422,
        code: 'code_not_accepted',
        attemptsRemaining: 5,
      })
    }
    const rejected = events.filter((event) => event.type === 'challenge.rejected')
    expect(rejected.map(({ used }) => used)).toEqual([true, true, false, false])
    expect((await thief.post('/two-factor/verify', { code: shows(1) })).status).toBe(200)
  })

  it('is for the challenge that is named: one of the app and one that was sent stand side by side', async () => {
    const { host, shows } = await startAppHost()
    const ana = await host.login()
    const byApp = (await ana.post('/two-factor/start', { channel: 'app' })).json.challenge.id
    const byText = (await ana.post('/two-factor/start', { channel: 'sms' })).json.challenge.id
    // Without a name it is for the one that was sent.
    expect((await ana.post('/two-factor/verify', { code: shows() })).refusal).toEqual([
      422,
      'code_not_accepted',
    ])
    expect((await ana.post('/two-factor/verify', { code: shows(), challenge: byText })).status).toBe(422)
    expect(host.stub.checks).toHaveLength(1)
    const wrong = await ana.post('/two-factor/verify', { code: host.stub.rightCode, challenge: byApp })
    expect(wrong.refusal).toEqual([422, 'code_not_accepted'])
    // Whoever leaves the page of the one has not left that of the other.
    expect((await ana.post('/two-factor/cancel', { challenge: byApp })).status).toBe(204)
    expect((await ana.get('/two-factor')).json.challenge.id).toBe(byText)
    expect((await ana.post('/two-factor/verify', { code: shows(), challenge: byApp })).status).toBe(200)
  })

  it('is for the challenge of its own session and account, however it was come by', async () => {
    const { host, shows } = await startAppHost()
    const ana = await host.login()
    const { id } = (await ana.post('/two-factor/start', { channel: 'app' })).json.challenge
    const thief = await host.login()
    const stolen = await thief.post('/two-factor/verify', { code: shows(), challenge: id })
    expect(stolen.refusal).toEqual([409, 'challenge_superseded'])
    const zoe = await host.login('zoe')
    expect((await zoe.post('/two-factor/verify', { code: shows(), challenge: id })).status).toBe(410)
    host.clock.now += 600_000
    for (const path of ['verify', 'resend']) {
      expect((await ana.post(`/two-factor/${path}`, { code: shows(), challenge: id })).status).toBe(410)
    }
  })

  it('confirms what the person was shown, on the page and in JSON, and that alone', async () => {
    const { host, shows } = await startAppHost({}, { mount: transfersAt('/pay') })
    const ana = await host.login()
    await ana.start()
    await ana.verify(shows())
    const { requirement, details } = (await ana.post('/pay', mum)).json
    const started = await ana.post('/two-factor/start', { requirement })
    expect(started.json.challenge).toMatchObject({ channel: 'app', details })
    const page = await ana.open(`/two-factor?method=app&requirement=${requirement}`)
    expect(page.text).toContain('<dd><bdi>Mum</bdi></dd>')
    const right = await ana.submit('/two-factor/verify', { ...page.fields, code: shows(1) })
    expect(right.status).toBe(303)
    expect((await ana.post('/pay', mallory)).status).toBe(403)
    expect((await ana.post('/pay', mum)).status).toBe(200)
  })

  it('counts with those that were sent until the lock, and no start gives a code more', async () => {
    const { host, shows } = await startAppHost()
    const ana = await host.login()
    const verify = async (code: string) => (await ana.post('/two-factor/verify', { code })).json
    await ana.post('/two-factor/start', { channel: 'sms' })
    for (let left = 4; left >= 0; left -= 1) {
      expect((await verify(`wrong${left}`)).attemptsRemaining).toBe(left)
    }
    await ana.post('/two-factor/cancel')
    for (let left = 4; left >= 1; left -= 1) {
      await ana.post('/two-factor/start', { channel: 'app' })
      expect((await verify('000000')).attemptsRemaining).toBe(left)
    }
    expect((await verify('000000')).attemptsRemaining).toBe(0)
    expect((await verify(shows())).code).toBe('phone_locked')
    expect((await ana.post('/two-factor/start', { channel: 'app' })).json.code).toBe('phone_locked')
    expect(host.stub.checks).toHaveLength(5)
  })

  it('is six digits, whatever codes of the provider look like: one of the other kind costs nothing', async () => {
    const { host, shows } = await startAppHost({ code: { pattern: /^\d{4}$/ } })
    const ana = await host.login()
    const verify = (code: string) => ana.post('/two-factor/verify', { code })
    await ana.post('/two-factor/start', { channel: 'sms' })
    expect((await verify('123456')).refusal).toEqual([400, 'invalid_request'])
    expect((await ana.get('/two-factor')).json.challenge.attemptsRemaining).toBe(5)
    await ana.post('/two-factor/start', { channel: 'app' })
    for (const code of ['12345', '1234'])
      expect((await verify(code)).refusal).toEqual([400, 'invalid_request'])
    expect((await verify(shows().replace(/(...)/, '$1 '))).status).toBe(200)
    expect(host.stub.checks).toEqual([])
  })

  it('is a wrong code where one was sent: the page asks for that one, and the app shows it still', async () => {
    const { host, shows } = await startAppHost()
    const ana = await host.login()
    await ana.post('/two-factor/start', { channel: 'sms' })
    const page = await ana.submit('/two-factor/verify', { code: shows() })
    expect(page.text).toContain(
      'Use the code that we sent you, not one from your app. You have 4 tries left.',
    )
    expect(host.stub.checks).toHaveLength(1)
    const { id } = (await ana.post('/two-factor/start', { channel: 'app' })).json.challenge
    expect((await ana.post('/two-factor/verify', { code: shows(), challenge: id })).status).toBe(200)
  })

  it('that was not right is asked for once more, not one that was sent', async () => {
    const { host } = await startAppHost()
    const zoe = await host.login('zoe')
    const { id: challenge } = (await zoe.post('/two-factor/start')).json.challenge
    const page = await zoe.submit('/two-factor/verify', {
      code: host.stub.rightCode,
      challenge,
      method: 'app',
    })
    expect(page.text).toContain(
      'Wait until the app shows the next code and enter that one, not a code that we sent you. Check that your phone sets its time by itself. You have 5 tries left.',
    )
    // What else there is comes under a heading.
    expect(page.text).not.toContain('Can&#39;t use the app?')
    const ana = await host.login()
    const started = await ana.submit('/two-factor/start')
    expect(started.headers.get('location')).toBe('/two-factor?method=app')
    expect((await ana.open('/two-factor?method=app')).text).toContain('Can&#39;t use the app?')
  })

  it('takes a secret of 16 characters, the shortest in use', async () => {
    const { host } = await startAppHost({
      authenticator: { secretOf: () => 'JBSWY3DPEHPK3PXP', issuer: 'Acme' },
    })
    const ana = await host.login()
    expect((await ana.post('/two-factor/start')).json.challenge).toMatchObject({ channel: 'app' })
  })

  it.each(['not base32', 'JBSWY3DPEHPK3P', 42])(
    'with a secret on file that is none, %s, is an error of the host',
    async (onFile) => {
      const secretOf = () => onFile as string
      const { host } = await startAppHost({ authenticator: { secretOf, issuer: 'Acme' } })
      const ana = await host.login()
      expect((await ana.post('/two-factor/start')).json.host).toMatch(
        /^authenticator\.secretOf must return what tf\.authenticators gave/,
      )
      expect(host.stub.sends).toEqual([])
    },
  )
})
