import { describe, expect, it } from 'vitest'
import type { TwoFactor } from '../../src/index.js'
import { startAppHost } from './app-kit.js'
import type { Browser } from './browser.js'
import { gate, type HostOptions, startHost } from './kit.js'

type Started = Awaited<ReturnType<typeof startAppHost>>
type Save = Parameters<TwoFactor['authenticators']['routes']>[0]['save']

/** Ben proves for an app what he has: his number. */
async function prove({ host }: Started, browser: Browser): Promise<void> {
  host.clock.now += 60_000
  const { requirement } = (await browser.get('/app')).json
  expect((await host.confirm(browser, { requirement, channel: 'sms' })).status).toBe(200)
}

/** A host, and a browser in which Ben may set up an app. */
async function startProven(options: Parameters<typeof startAppHost>[0] = {}, more: HostOptions = {}) {
  const started = await startAppHost(options, more)
  const ben = await started.host.signIn('ben')
  await prove(started, ben)
  return { ...started, ben }
}

const savedBy = (save: Save): HostOptions => ({
  mount: (app, tf) => void app.use('/app', tf.authenticators.routes({ save })),
})

describe('a new authenticator app', () => {
  it('is put on file by its first code, and signs in from then on', async () => {
    const { host, events, secrets, shows, ben } = await startProven()
    const { secret, uri, qr } = (await ben.get('/app')).json
    expect(secret).toMatch(/^[A-Z2-7]{32}$/)
    expect(uri).toBe(`otpauth://totp/Acme%20%26%20Sons:ben?secret=${secret}&issuer=Acme%20%26%20Sons`)
    expect(qr).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 (\d+) \1">/)
    expect((await ben.get('/app')).json.secret).toBe(secret)

    const wrong = await ben.post('/app/verify', { code: shows(3, secret) })
    expect([wrong.refusal, secrets.ben]).toEqual([[422, 'code_not_accepted'], undefined])
    expect((await ben.post('/app/verify', { code: shows(0, secret) })).json).toEqual({ confirmed: true })
    expect(secrets.ben).toBe(secret)
    expect(events.at(-1)).toMatchObject({ type: 'factor.changed', kind: 'app', subject: 'ben' })
    // Another app gets another secret.
    expect((await ben.get('/app')).json.secret).not.toBe(secret)

    const later = await host.login('ben')
    await later.start({ channel: 'app' })
    // Whoever saw the first code typed has nothing.
    expect((await later.verify(shows(0, secret))).status).toBe(422)
    expect((await later.verify(shows(1, secret))).status).toBe(200)
  })

  it('keeps its secret when a code for another purpose renews the session', async () => {
    const { host, secrets, shows, ben } = await startProven()
    const { secret } = (await ben.get('/app')).json
    const before = [...ben.cookies.values()]
    host.clock.now += 60_000
    await host.confirm(ben, { purpose: 'transfer', channel: 'sms' })
    expect([...ben.cookies.values()]).not.toEqual(before)
    expect((await ben.get('/app')).json.secret).toBe(secret)
    expect((await ben.post('/app/verify', { code: shows(1, secret) })).status).toBe(200)
    expect(secrets.ben).toBe(secret)
  })

  it('requires a fresh code, because neither a session nor an older code is enough', async () => {
    const started = await startAppHost()
    const { host, secrets } = started
    expect((await host.browser().get('/app')).status).toBe(401)
    const ben = await host.signIn('ben')
    for (const answer of [await ben.get('/app'), await ben.post('/app/verify', { code: '123456' })]) {
      expect([answer.refusal, answer.json.purpose]).toEqual([
        [403, 'second_factor_required'],
        'authenticator',
      ])
    }
    await prove(started, ben)
    const { secret } = (await ben.get('/app')).json
    host.clock.now += 15 * 60_000
    expect((await ben.get('/app')).status).toBe(403)
    expect((await ben.post('/app/verify', { code: started.shows(0, secret) })).status).toBe(403)
    expect(secrets.ben).toBeUndefined()
  })

  it('is started and confirmed by one code if its purpose is single use', async () => {
    const { shows, ben } = await startProven({
      purposes: { login: {}, transfer: {}, vault: {}, authenticator: { once: true } },
    })
    const { secret } = (await ben.get('/app')).json
    expect((await ben.post('/app/verify', { code: shows(0, secret) })).json).toEqual({ confirmed: true })
  })

  it('has another secret with each proof, and none after a revocation', async () => {
    const first = await startProven()
    const { secret } = (await first.ben.get('/app')).json
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
    expect(page.text).toContain('role="img" aria-label="QR code"><svg ')
    const { secret } = (await ben.get('/app')).json
    expect(page.text).toContain(secret.match(/.{4}/g).join(' '))
    expect(page.text).toContain('action="/app/verify"')
    expect((await ben.open('/app/page.css')).status).toBe(200)
    expect(await ben.open('/app/verify')).toMatchObject({ status: 303, location: '/app' })

    const empty = await ben.submit('/app/verify', {})
    expect(empty.text).toContain('<a href="#pair">Enter the code from the app.</a>')
    const wrong = await ben.submit('/app/verify', { code: '000000' })
    expect(wrong.text).toContain('<a href="#pair">That code is not right.</a>')
    expect((await ben.open('/app?wrong=code')).text).toContain('<a href="#pair">That code is not right.</a>')
    // A reload posts nothing again.
    expect(wrong.text).toContain('<main data-address="/app">')
    const right = { code: shows(0, secret) }
    expect((await ben.submit('/app/verify', right, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect(secrets.ben).toBeUndefined()
    expect(await ben.submit('/app/verify', right)).toMatchObject({ status: 303, location: '/account' })
    expect(secrets.ben).toBe(secret)
  })

  it('is not on file where the host could not store it, and can be confirmed by the next code', async () => {
    let fails = true
    const stored: string[] = []
    const save: Save = async (_req, secret) => {
      if (fails) throw new Error('down')
      stored.push(secret)
    }
    const { host, shows, ben } = await startProven({}, savedBy(save))
    const { secret } = (await ben.get('/app')).json
    expect((await ben.post('/app/verify', { code: shows(0, secret) })).json.host).toBe('down')
    fails = false
    host.clock.now += 30_000
    expect((await ben.post('/app/verify', { code: shows(0, secret) })).status).toBe(200)
    expect(stored).toEqual([secret])
  })

  it('makes no code of the app before good again that was used', async () => {
    // The host does not store it after all, and the one before is still on file.
    const { host, shows } = await startAppHost(
      {},
      savedBy(() => undefined),
    )
    const ana = await host.login()
    const { requirement } = (await ana.get('/app')).json
    await ana.start({ requirement })
    await ana.verify(shows(), { requirement })
    const { secret } = (await ana.get('/app')).json
    expect((await ana.post('/app/verify', { code: shows(-1, secret) })).status).toBe(200)
    const thief = await host.login()
    await thief.start()
    expect((await thief.verify(shows())).status).toBe(422)
  })

  it('is not confirmed by a request that a revocation overtook', async () => {
    const [asked, answers] = [gate(), gate()]
    const saved: string[] = []
    let isHeld = false
    const secretOf = async () => {
      if (isHeld) {
        asked.open()
        await answers.opened
      }
      return undefined
    }
    const { host, shows, ben } = await startProven(
      { authenticator: { secretOf, issuer: 'Acme' } },
      savedBy((_req, secret) => void saved.push(secret)),
    )
    const { secret } = (await ben.get('/app')).json
    isHeld = true
    const confirming = ben.submit('/app/verify', { code: shows(0, secret) })
    await asked.opened
    await host.tf.subjects.revokeEverything('ben')
    answers.open()
    const { status, text } = await confirming
    expect([status, saved]).toEqual([403, []])
    // There is nothing to set up any more.
    expect(text).toContain('<h1>Confirm that it&#39;s you</h1>')
    expect(text).not.toContain('id="pair"')
  })

  it.each<[unknown, object]>([
    ['Ben & Co', { uri: expect.stringContaining('/Acme:Ben%20%26%20Co?secret=') }],
    [undefined, { uri: expect.stringContaining('/Acme:ben?secret=') }],
    ['', { host: 'authenticator.label must return a name, not nothing' }],
    [7, { host: 'authenticator.label must return a name, not number' }],
  ])('has the name that the host gives its account: %j', async (label, answer) => {
    const secretOf = () => undefined
    const authenticator = { secretOf, issuer: 'Acme', label: () => label as string }
    const { ben } = await startProven({ authenticator })
    expect((await ben.get('/app')).json).toMatchObject(answer)
  })

  it('needs the option', async () => {
    const { authenticators } = (await startHost()).tf
    const named = 'tf.authenticators needs the option authenticator: { secretOf, issuer } of twoFactor()'
    expect(authenticators.isOffered).toBe(false)
    expect(() => authenticators.routes({ save: () => undefined })).toThrow(named)
    await expect(authenticators.begin({} as never)).rejects.toThrow(named)
    await expect(authenticators.confirm({} as never, '123456')).rejects.toThrow(named)
  })

  it('can be set up by code of the app only', async () => {
    const { host, shows, ben } = await startProven(
      {},
      {
        mount(app, tf) {
          const answer = async (work: Promise<object>) => work.catch(({ code }) => ({ code }))
          app.get('/app', tf.requireTwoFactor({ purpose: 'authenticator' }), async (req, res) => {
            res.json(await answer(tf.authenticators.begin(req)))
          })
          app.post('/own/:code', async (req, res) => {
            res.json(await answer(tf.authenticators.confirm(req, req.params.code)))
          })
        },
      },
    )
    const confirm = async (code: string, by = ben) => (await by.post(`/own/${code}`)).json
    expect(await confirm('123456', host.browser())).toEqual({ code: 'not_identified' })
    expect(await confirm('123456', await host.signIn('eva'))).toEqual({ code: 'second_factor_required' })
    const { secret } = (await ben.get('/app')).json
    expect(await confirm('12345')).toEqual({ code: 'invalid_request' })
    expect(await confirm(shows(5, secret))).toEqual({ code: 'code_not_accepted' })
    expect(await confirm(shows(-1, secret))).toEqual({ secret })
  })
})
