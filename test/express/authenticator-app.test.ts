import { describe, expect, it } from 'vitest'
import { startAppHost } from './app-kit.js'

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
    expect((await zoe.post('/two-factor/start')).json.alreadySent).toBe(true)
    expect((await zoe.post('/two-factor/verify', { code: '000000' })).json).toMatchObject({
      code: 'code_not_accepted',
      attemptsRemaining: 4,
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
    for (const [index, code] of [shows(), shows(-1), shows(-3), shows(3)].entries()) {
      expect((await thief.post('/two-factor/verify', { code })).json).toMatchObject({
        status: 422,
        code: 'code_not_accepted',
        attemptsRemaining: 4 - index,
      })
    }
    const rejected = events.filter((event) => event.type === 'challenge.rejected')
    expect(rejected.map(({ used }) => used)).toEqual([true, true, false, false])
    expect((await thief.post('/two-factor/verify', { code: shows(1) })).status).toBe(200)
  })

  it('is refused for a text, and a text for it, by the id of the challenge, before anything is counted', async () => {
    const { host, shows } = await startAppHost()
    const ana = await host.login()
    const byApp = (await ana.post('/two-factor/start', { channel: 'app' })).json.challenge.id
    const byText = (await ana.post('/two-factor/start', { channel: 'sms' })).json.challenge.id
    const crossed = await ana.post('/two-factor/verify', { code: shows(), challenge: byApp })
    expect([crossed.status, crossed.json.code]).toEqual([409, 'challenge_superseded'])
    await ana.post('/two-factor/start', { channel: 'app' })
    const reverse = await ana.post('/two-factor/verify', { code: host.stub.rightCode, challenge: byText })
    expect([reverse.status, reverse.json.code]).toEqual([409, 'challenge_superseded'])
    expect((await ana.get('/two-factor')).json.challenge.attemptsRemaining).toBe(5)
    expect(host.stub.checks).toEqual([])
  })

  it('inherits the attempts that were spent on a text, and the reverse', async () => {
    const { host, shows } = await startAppHost()
    const ana = await host.login()
    const left = async (channel: string, code: string) => {
      await ana.post('/two-factor/start', { channel })
      return (await ana.post('/two-factor/verify', { code })).json.attemptsRemaining
    }
    expect(await left('app', '000000')).toBe(4)
    expect(await left('sms', 'wrong1')).toBe(3)
    expect(await left('app', '000001')).toBe(2)
    // Its text is on the way already.
    expect(await left('sms', 'wrong2')).toBe(1)
    expect(host.stub.sends).toHaveLength(1)
    expect(await left('app', '000003')).toBe(0)
    expect((await ana.post('/two-factor/verify', { code: shows() })).json.code).toBe('attempts_exhausted')
    host.clock.now += 60_000
    expect((await ana.post('/two-factor/start', { channel: 'sms' })).json.code).toBe('attempts_exhausted')
    expect(host.stub.checks).toHaveLength(2)
  })

  it('is six digits, whatever codes of the provider look like: one of the other kind costs nothing', async () => {
    const { host, shows } = await startAppHost({ code: { pattern: /^\d{4}$/ } })
    const ana = await host.login()
    const verify = (code: string) => ana.post('/two-factor/verify', { code })
    await ana.post('/two-factor/start', { channel: 'sms' })
    expect((await verify('123456')).refusal).toEqual([400, 'invalid_request'])
    await ana.post('/two-factor/start')
    for (const code of ['12345', '1234'])
      expect((await verify(code)).refusal).toEqual([400, 'invalid_request'])
    expect((await ana.get('/two-factor')).json.challenge.attemptsRemaining).toBe(5)
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
    await ana.post('/two-factor/start', { channel: 'app' })
    expect((await ana.post('/two-factor/verify', { code: shows() })).status).toBe(200)
  })

  it('that was not right is asked for once more, not one that was sent', async () => {
    const { host } = await startAppHost()
    const zoe = await host.login('zoe')
    await zoe.post('/two-factor/start')
    const page = await zoe.submit('/two-factor/verify', { code: host.stub.rightCode })
    expect(page.text).toContain(
      'Wait until the app shows the next code and enter that one, not a code that we sent you. Check that your phone sets its time by itself. You have 4 tries left.',
    )
    // What else there is comes under a heading.
    expect(page.text).not.toContain('Can&#39;t use the app?')
    const ana = await host.login()
    await ana.post('/two-factor/start')
    expect((await ana.open('/two-factor')).text).toContain('Can&#39;t use the app?')
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
