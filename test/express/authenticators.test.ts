import { describe, expect, it } from 'vitest'
import { startAppHost } from './app-kit.js'
import type { Browser } from './browser.js'
import { anasToken, gate, startHost, withTokens } from './kit.js'

type Started = Awaited<ReturnType<typeof startAppHost>>

/** Ben proves for an app what he has: his number. */
async function prove({ host }: Started, browser: Browser): Promise<void> {
  const { requirement } = (await browser.get('/app')).json
  const started = await browser.post('/two-factor/start', { requirement, channel: 'sms' })
  expect(started.status).toBe(201)
  expect((await browser.post('/two-factor/verify', { code: host.stub.rightCode })).status).toBe(200)
}

async function startProven(options: Parameters<typeof startAppHost>[0] = {}) {
  const started = await startAppHost(options)
  const ben = await started.host.signIn('ben')
  started.host.clock.now += 60_000
  await prove(started, ben)
  return { ...started, ben }
}

describe('a new authenticator app', () => {
  it('is put on file by its first code, and signs in from then on', async () => {
    const { host, events, secrets, shows, ben } = await startProven()
    const { secret, uri, qr } = (await ben.get('/app')).json
    expect(secret).toMatch(/^[A-Z2-7]{32}$/)
    expect(uri).toBe(`otpauth://totp/Acme%20%26%20Sons:ben?secret=${secret}&issuer=Acme%20%26%20Sons`)
    expect(qr).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 (\d+) \1">/)
    expect((await ben.get('/app')).json.secret).toBe(secret)

    const wrong = await ben.post('/app/verify', { code: shows(3, secret) })
    expect([wrong.status, wrong.json.code, secrets.ben]).toEqual([422, 'code_not_accepted', undefined])
    expect((await ben.post('/app/verify', { code: shows(0, secret) })).json).toEqual({ confirmed: true })
    expect(secrets.ben).toBe(secret)
    expect(events.at(-1)).toMatchObject({ type: 'factor.changed', kind: 'app', subject: 'ben' })
    // Another app gets another secret.
    expect((await ben.get('/app')).json.secret).not.toBe(secret)

    const later = await host.login('ben')
    await later.post('/two-factor/start', { channel: 'app' })
    // Whoever saw the first code typed has nothing.
    expect((await later.post('/two-factor/verify', { code: shows(0, secret) })).status).toBe(422)
    expect((await later.post('/two-factor/verify', { code: shows(1, secret) })).status).toBe(200)
  })

  it('stays the same when a proof for something else renews the session meanwhile', async () => {
    const { host, secrets, shows, ben } = await startProven()
    const { secret } = (await ben.get('/app')).json
    const before = [...ben.cookies.values()]
    host.clock.now += 60_000
    await ben.post('/two-factor/start', { purpose: 'transfer', channel: 'sms' })
    expect((await ben.post('/two-factor/verify', { code: host.stub.rightCode })).status).toBe(200)
    expect([...ben.cookies.values()]).not.toEqual(before)
    expect((await ben.get('/app')).json.secret).toBe(secret)
    expect((await ben.post('/app/verify', { code: shows(1, secret) })).status).toBe(200)
    expect(secrets.ben).toBe(secret)
  })

  it('needs a fresh proof: neither a session nor an older code will do', async () => {
    const started = await startAppHost()
    const { host, secrets } = started
    expect((await host.browser().get('/app')).status).toBe(401)
    const ben = await host.signIn('ben')
    for (const answer of [await ben.get('/app'), await ben.post('/app/verify', { code: '123456' })]) {
      expect([answer.status, answer.json.code, answer.json.purpose]).toEqual([
        403,
        'second_factor_required',
        'authenticator',
      ])
    }
    host.clock.now += 60_000
    await prove(started, ben)
    const { secret } = (await ben.get('/app')).json
    host.clock.now += 15 * 60_000
    expect((await ben.get('/app')).status).toBe(403)
    expect((await ben.post('/app/verify', { code: started.shows(0, secret) })).status).toBe(403)
    expect(secrets.ben).toBeUndefined()
  })

  it('is begun and confirmed by one proof, where the purpose of it is good once', async () => {
    const { shows, ben } = await startProven({
      purposes: { login: {}, transfer: {}, vault: {}, authenticator: { once: true } },
    })
    const { secret } = (await ben.get('/app')).json
    expect((await ben.post('/app/verify', { code: shows(0, secret) })).json).toEqual({ confirmed: true })
  })

  it('has a secret of this subject in this session alone', async () => {
    const first = await startProven()
    const { secret } = (await first.ben.get('/app')).json
    first.host.clock.now += 60_000
    const again = await first.host.signIn('ben')
    first.host.clock.now += 120_000
    await prove(first, again)
    expect((await again.get('/app')).json.secret).not.toBe(secret)
    const foreign = await again.post('/app/verify', { code: first.shows(0, secret) })
    expect(foreign.json.code).toBe('code_not_accepted')
    await first.host.tf.grants.revokeSubject('ben')
    expect((await first.ben.get('/app')).status).toBe(403)
  })

  it('is set up on a page that works without a script, and leads back there after the code', async () => {
    const { secrets, shows, ben } = await startProven()
    const page = await ben.open('/app')
    expect(page.status).toBe(200)
    expect(page.text).toContain('<h1>Set up your authenticator app</h1>')
    expect(page.text).toContain('role="img" aria-label="QR code"><svg ')
    const { secret } = (await ben.get('/app')).json
    expect(page.text).toContain(secret.match(/.{4}/g).join(' '))
    expect(page.text).toContain('action="/app/verify"')
    expect((await ben.open('/app/page.css')).status).toBe(200)
    const typed = await ben.open('/app/verify')
    expect([typed.status, typed.headers.get('location')]).toEqual([303, '/app'])

    const empty = await ben.submit('/app/verify', {})
    expect([empty.status, empty.text]).toEqual([
      400,
      expect.stringContaining('<a href="#pair">Enter the code from the app.</a>'),
    ])
    const wrong = await ben.submit('/app/verify', { code: '000000' })
    expect(wrong.text).toContain('<a href="#pair">That code is not right.</a>')
    expect(wrong.text).toContain('aria-invalid="true"')
    // A reload posts nothing again.
    expect(wrong.text).toContain('<main data-address="/app">')
    const right = await ben.submit('/app/verify', { code: shows(0, secret) })
    expect([right.status, right.headers.get('location')]).toEqual([303, '/account'])
    expect(secrets.ben).toBe(secret)
  })

  it('is confirmed by no other site', async () => {
    const { secrets, shows, ben } = await startProven()
    const { secret } = (await ben.get('/app')).json
    const code = shows(0, secret)
    const posted = await ben.submit('/app/verify', { code }, { 'sec-fetch-site': 'cross-site' })
    expect([posted.status, secrets.ben]).toEqual([403, undefined])
  })

  it('is not on file where the host could not store it, and can be confirmed by the next code', async () => {
    let fails = true
    const stored: string[] = []
    const started = await startAppHost(
      {},
      {
        mount(app, tf) {
          const save = async (_req: unknown, secret: string) => {
            if (fails) throw new Error('down')
            stored.push(secret)
          }
          app.use('/app', tf.authenticators.routes({ save }))
        },
      },
    )
    const ben = await started.host.signIn('ben')
    started.host.clock.now += 60_000
    await prove(started, ben)
    const { secret } = (await ben.get('/app')).json
    expect((await ben.post('/app/verify', { code: started.shows(0, secret) })).json.host).toBe('down')
    fails = false
    started.host.clock.now += 30_000
    expect((await ben.post('/app/verify', { code: started.shows(0, secret) })).status).toBe(200)
    expect(stored).toEqual([secret])
  })

  it('makes no code of the app before good again that was used', async () => {
    const { host, shows } = await startAppHost(
      {},
      { mount: (app, tf) => void app.use('/app', tf.authenticators.routes({ save: () => undefined })) },
    )
    const ana = await host.login()
    await ana.post('/two-factor/start', { purpose: 'authenticator' })
    await ana.post('/two-factor/verify', { code: shows(), purpose: 'authenticator' })
    const { secret } = (await ana.get('/app')).json
    expect((await ana.post('/app/verify', { code: shows(-1, secret) })).status).toBe(200)
    // The host has not stored it after all, and the one before is still on file.
    const thief = await host.login()
    await thief.post('/two-factor/start')
    expect((await thief.post('/two-factor/verify', { code: shows() })).status).toBe(422)
  })

  it('is not confirmed by a request that a revocation overtook', async () => {
    const [asked, answers] = [gate(), gate()]
    const saved: string[] = []
    let secretOf = async (): Promise<string | undefined> => undefined
    const started = await startAppHost(
      { authenticator: { secretOf: () => secretOf(), issuer: 'Acme' } },
      {
        mount(app, tf) {
          app.use('/app', tf.authenticators.routes({ save: (_req, secret) => void saved.push(secret) }))
        },
      },
    )
    const ben = await started.host.signIn('ben')
    started.host.clock.now += 60_000
    await prove(started, ben)
    const { secret } = (await ben.get('/app')).json
    secretOf = async () => {
      asked.open()
      await answers.opened
      return undefined
    }
    const confirming = ben.post('/app/verify', { code: started.shows(0, secret) })
    await asked.opened
    await started.host.tf.subjects.revokeEverything('ben')
    answers.open()
    expect([(await confirming).json.code, saved]).toEqual(['second_factor_required', []])
  })

  it('has another secret with each proof, also in a session that is never renewed', async () => {
    let onFile: string | undefined
    const { options, routes, ...withToken } = withTokens({
      authenticator: { secretOf: () => onFile, issuer: 'Acme' },
    })
    const host = await startHost({
      ...withToken,
      options,
      routes(app, tf) {
        routes(app, tf)
        const save = (_req: unknown, secret: string) => {
          onFile = secret
        }
        app.use('/app', tf.authenticators.routes({ save }))
      },
    })
    const ana = host.browser(anasToken)
    const proof = { purpose: 'authenticator', channel: 'sms' }
    await host.confirm(ana, proof, { purpose: 'authenticator' })
    const { secret } = (await ana.get('/app')).json
    // The telephone with that app is lost, and the next one must not be given its secret.
    onFile = undefined
    host.clock.now += 60_000
    await host.confirm(ana, proof, { purpose: 'authenticator' })
    expect((await ana.get('/app')).json.secret).not.toBe(secret)
  })

  it('can be set up by code of the host alone', async () => {
    const started = await startAppHost(
      {},
      {
        mount(app, tf) {
          const answer = async (work: Promise<object>) => work.catch(({ code }) => ({ code }))
          app.get('/app', tf.requireTwoFactor({ purpose: 'authenticator' }), async (req, res) => {
            res.json(await answer(tf.authenticators.begin(req)))
          })
          app.post('/own', async (req, res) => {
            res.json(await answer(tf.authenticators.confirm(req, String(req.headers['x-code']))))
          })
        },
      },
    )
    expect((await started.host.browser().post('/own')).json).toEqual({ code: 'not_identified' })
    const ben = await started.host.signIn('ben')
    const confirm = async (code: string) => (await ben.post('/own', undefined, { 'x-code': code })).json
    expect(await confirm('123456')).toEqual({ code: 'second_factor_required' })
    started.host.clock.now += 60_000
    await prove(started, ben)
    const { secret } = (await ben.get('/app')).json
    expect(await confirm('12345')).toEqual({ code: 'invalid_request' })
    expect(await confirm(started.shows(5, secret))).toEqual({ code: 'code_not_accepted' })
    expect(await confirm(started.shows(-1, secret))).toEqual({ secret })
  })
})
