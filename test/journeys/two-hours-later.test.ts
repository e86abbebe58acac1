import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import express, { type Express } from 'express'
import { describe, expect, it } from 'vitest'
import { memoryStore, type TwoFactor, tokenSession } from '../../src/index.js'
import { blocksOf, read, sectionOf } from '../documents.js'
import { phones, startHost, usualRoutes } from '../express/kit.js'

const firstSecret = 'a secret of thirty-two bytes or more'
const nextSecret = 'another secret, of thirty-two bytes too'

/** What adopters ask after two hours, in the order of `docs/README.md`, tried as its documents say. */
describe('two hours later, somebody', () => {
  it('changes a text, adds a language and makes the pages look like theirs', async () => {
    const host = await startHost({
      options: {
        messages: { en: { 'code.title': 'Check your messages' }, fr: { 'code.title': 'Votre code' } },
        brand: { name: 'Acme', accent: '#0b6e4f' },
      },
    })
    const ana = await host.login()
    await ana.post('/two-factor/start', {})
    const page = await ana.open('/two-factor')
    expect(page.text).toContain('Check your messages')
    expect(page.text).toContain('Acme')
    const french = await ana.get('/two-factor', { accept: 'text/html', 'accept-language': 'fr' })
    expect(french.text).toContain('Votre code')
    expect((await ana.get('/two-factor/page.css')).text).toContain('--accent: #0b6e4f')
  })

  it('builds a front end by the JSON of docs/http.md', async () => {
    const host = await startHost()
    const ana = await host.signIn()
    const [challengeBlock = '{}'] = blocksOf(sectionOf(read('docs/http.md'), 'A challenge'), 'json')
    const [refusalBlock = '{}'] = blocksOf(sectionOf(read('docs/http.md'), 'A front end of your own'), 'json')

    const refused = await ana.post('/transfers', { amount: 5, payee: 'ben' })
    expect(Object.keys(refused.json).sort()).toEqual(Object.keys(JSON.parse(refusalBlock)).sort())
    const started = await ana.post(refused.json.startUrl, { requirement: refused.json.requirement })
    expect(Object.keys(started.json.challenge).sort()).toEqual(
      Object.keys(JSON.parse(challengeBlock).challenge).sort(),
    )
    const { verifyUrl } = started.json.challenge
    expect((await ana.post(verifyUrl, { code: host.stub.rightCode })).status).toBe(200)
    expect((await ana.post('/transfers', { amount: 5, payee: 'ben' })).status).toBe(200)
  })

  it('signs in from a mobile app with a bearer token', async () => {
    const host = await startHost({
      options: {
        session: tokenSession((req) => req.get('authorization')?.slice('Bearer '.length)),
        subject: () => 'ana',
        onVerified: () => undefined,
      },
      addSession: () => undefined,
      routes: (app, tf) => {
        app.use('/two-factor', tf.routes())
        app.get('/account', tf.requireTwoFactor(), (_req, res) => void res.json({ ok: true }))
      },
    })
    const phone = host.browser()
    const token = { authorization: 'Bearer login-7' }
    expect((await phone.post('/two-factor/start', {})).status).toBe(401)
    expect((await phone.post('/two-factor/start', {}, token)).status).toBe(201)
    expect((await phone.post('/two-factor/verify', { code: host.stub.rightCode }, token)).status).toBe(200)
    expect((await phone.get('/account', token)).status).toBe(200)
  })

  it('lets a person remember a device', async () => {
    const host = await startHost({ options: { trustedDevices: { maxAgeMs: 86_400_000 } } })
    const ana = await host.login()
    await ana.post('/two-factor/start', {})
    await ana.post('/two-factor/verify', { code: host.stub.rightCode, trustDevice: true })
    expect(await host.tf.trustedDevices.list('ana')).toHaveLength(1)
    await ana.post('/logout')
    await ana.post('/login', { user: 'ana' })
    expect((await ana.post('/two-factor/start', {})).json).toMatchObject({ verified: true })
  })

  it('lets a person change the number', async () => {
    const numbers = new Map(Object.entries(phones))
    const host = await startHost({
      options: {
        appName: { login: 'Acme', 'change-number': 'Acme number' },
        phone: (_req, subject) => numbers.get(subject),
      },
      mount: (app, tf) => mountChangeOfNumber(app, tf, numbers),
    })
    const ana = await host.signIn()
    expect((await ana.post('/account/number')).status).toBe(403)
    await ana.post('/account/number/code/start', { phone: '+573009998877' })
    await ana.post('/account/number/code/verify', { code: host.stub.rightCode })
    expect((await ana.post('/account/number')).json).toEqual({ phone: '+573009998877' })
    expect(numbers.get('ana')).toBe('+573009998877')
    expect((await ana.get('/account')).status).toBe(200)
  })

  it('unlocks a person, and sees in the log what happened', async () => {
    const types: string[] = []
    const log = (message: unknown) => void types.push((message as { type: string }).type)
    subscribe('express-two-factor:event', log)
    const host = await startHost({ options: { limits: { failuresBeforeLock: 2 } } })
    const ana = await host.login()
    await ana.post('/two-factor/start', {})
    for (const code of ['000001', '000002']) await ana.post('/two-factor/verify', { code })
    expect(await host.tf.numbers.state('+573001234567')).toMatchObject({ locked: true })
    await host.tf.numbers.enable('+573001234567')
    await host.tf.subjects.enable('ana')
    expect(await host.tf.numbers.state('+573001234567')).toMatchObject({ locked: false, failures: 0 })
    unsubscribe('express-two-factor:event', log)
    expect(types).toEqual(expect.arrayContaining(['challenge.sent', 'number.locked', 'number.enabled']))
  })

  it("deletes a person's data", async () => {
    const host = await startHost({ options: { trustedDevices: { maxAgeMs: 86_400_000 } } })
    const ana = await host.signIn()
    expect((await ana.get('/account')).status).toBe(200)
    await host.tf.subjects.revokeEverything('ana')
    await host.tf.subjects.enable('ana')
    expect((await ana.get('/account')).status).toBe(403)
    expect(await host.tf.trustedDevices.list('ana')).toEqual([])
    expect(await host.tf.subjects.state('ana')).toMatchObject({ failures: 0, locked: false })
  })

  it('rotates the secret, in three steps', async () => {
    const store = memoryStore()
    const deployed = (secret: string | readonly string[]) =>
      startHost({ options: { store, secret, limits: { failuresBeforeLock: 2 } } })
    const before = await deployed(firstSecret)
    const ana = await before.login()
    await ana.post('/two-factor/start', {})
    for (const code of ['000001', '000002']) await ana.post('/two-factor/verify', { code })
    const locked = { locked: true }
    const during = await deployed([nextSecret, firstSecret])
    expect(await during.tf.numbers.state('+573001234567')).toMatchObject(locked)
    const afterwards = await deployed(nextSecret)
    expect(await afterwards.tf.numbers.state('+573001234567')).toMatchObject({ locked: false })
  })

  it('migrates people who are signed in', async () => {
    const host = await startHost({
      routes(app, tf) {
        app.post('/old-login', async (req, res) => {
          req.session.userId = 'ana'
          const { id } = req.session
          await tf.grants.write({ subject: 'ana', session: id, purpose: 'login', method: 'before-migration' })
          res.json({ ok: true })
        })
        usualRoutes(app, tf)
      },
    })
    const ana = host.browser()
    expect((await ana.get('/account')).status).toBe(401)
    await ana.post('/old-login')
    expect((await ana.get('/account')).json).toMatchObject({ subject: 'ana' })
    expect((await ana.post('/transfers', { amount: 5, payee: 'ben' })).status).toBe(403)
  })
})

/** As in docs/api.md. */
function mountChangeOfNumber(app: Express, tf: TwoFactor, numbers: Map<string, string>): void {
  const numberChange = tf.phoneVerification({ purpose: 'change-number' })
  app.use('/account/number/code', tf.requireTwoFactor(), numberChange.routes())
  app.post(
    '/account/number',
    express.json(),
    tf.requireTwoFactor({ maxAgeMs: 300_000 }),
    numberChange.requireProof(),
    async (req, res) => {
      const phone = String(req.provenPhone?.phone)
      numbers.set(String(req.session.userId), phone)
      await tf.trustedDevices.revokeSubject(String(req.session.userId))
      res.json({ phone })
    },
  )
}
