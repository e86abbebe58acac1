import express, { type Express } from 'express'
import { describe, expect, it } from 'vitest'
import {
  memoryStore,
  type SessionAdapter,
  type TwoFactor,
  TwoFactorError,
  tokenSession,
} from '../../src/index.js'
import { figure } from '../prove/figure.js'
import { regenerates, renewedThrough, sessionByHeader, signupAt, startHost, storeThrough } from './kit.js'

const phone = '+573009999999'

const mount = (app: Express, tf: TwoFactor) => {
  signupAt('/phone')(app, tf)
  app.post('/as', express.json(), (req, res) => {
    req.session.userId = req.body.user
    delete req.session.pendingUserId
    res.json({})
  })
  const { proven } = tf.phoneVerification()
  app.get('/proven', (req, res, next) => void proven(req).then((found) => res.json({ proven: found }), next))
}

async function proveIn(host: Awaited<ReturnType<typeof startHost>>, browser = host.browser()) {
  expect((await browser.post('/phone/start', { phone })).status).toBe(201)
  expect((await browser.post('/phone/verify', { code: host.stub.rightCode })).status).toBe(200)
  return browser
}

describe('a proof of a number', () => {
  it('that a signed-in person began is worth nothing to another account in the same session', async () => {
    const host = await startHost({ mount })
    const ana = await proveIn(host, await host.signIn())
    await ana.post('/as', { user: 'ben' })
    const { status } = await ana.post('/signup')
    figure(18, `${status < 400 ? 1 : 0} of 1 proof taken by another account in the same session`)
    expect(status).toBe(403)
    await ana.post('/as', { user: 'ana' })
    expect((await ana.post('/signup')).json).toMatchObject({ phone })
  })

  it('is shown to whoever could redeem it, and stays', async () => {
    const host = await startHost({ mount })
    const ana = await host.signIn()
    const proven = async () => (await ana.get('/proven')).json.proven
    await ana.post('/phone/start', { phone })
    expect(await proven()).toBeUndefined()
    await ana.post('/phone/verify', { code: host.stub.rightCode })
    expect(await proven()).toEqual({ phone, verifiedAt: host.clock.now })
    await ana.post('/as', { user: 'ben' })
    expect(await proven()).toBeUndefined()
    await ana.post('/as', { user: 'ana' })
    expect(await proven()).toEqual((await ana.post('/signup')).json)
    expect(await proven()).toBeUndefined()
    expect((await host.browser().get('/proven')).json).toEqual({})
  })

  it('is redeemed by the request that it was shown to, and no other number is', async () => {
    const between: (() => Promise<unknown>)[] = []
    const host = await startHost({
      // Sessions that renew nothing: a proof stays where a slow request looks for it.
      options: { session: tokenSession((req) => req.headers.authorization) },
      mount(app, tf) {
        const signup = tf.phoneVerification()
        app.use('/phone', signup.routes())
        app.post('/signup', async (req, res, next) => {
          try {
            const shown = await signup.proven(req)
            await between.shift()?.()
            res.json([shown?.phone, (await signup.redeem(req)).phone])
          } catch (error) {
            next(error)
          }
        })
      },
    })
    const other = '+573008888888'
    for (const first of [undefined, phone]) {
      const visitor = host.browser({ authorization: `Bearer ${first}` })
      const prove = async (number: string) => {
        host.clock.now += 3_600_000
        await visitor.post('/phone/start', { phone: number })
        await visitor.post('/phone/verify', { code: host.stub.rightCode })
      }
      if (first !== undefined) await prove(first)
      between.push(() => prove(other))
      expect((await visitor.post('/signup')).status).toBe(500)
      expect((await visitor.post('/signup')).json).toEqual([other, other])
    }
  })

  it('that is missing is a problem document for a program, a page for a person, and ends no process', async () => {
    const host = await startHost({ mount })
    expect((await host.browser().post('/signup')).refusal).toEqual([403, 'second_factor_required'])
    const page = await host.browser().submit('/signup')
    expect([page.status, page.headers.get('content-type')]).toEqual([403, 'text/html; charset=utf-8'])
    expect(page.text).not.toContain('<form')
    expect(host.errors).toEqual([])
  })

  it('that is missing keeps the handler from running, for a program and for a person', async () => {
    const reached: string[] = []
    let subject = (): string | undefined => undefined
    const host = await startHost({
      options: { subject: () => subject() },
      mount: (app, tf) =>
        app.post('/signup', tf.phoneVerification().requireProof(), (req) => void reached.push(req.url)),
    })
    expect((await host.browser().post('/signup')).status).toBe(403)
    expect((await host.browser().submit('/signup')).status).toBe(403)
    subject = () => {
      throw new Error('the accounts are away')
    }
    expect((await host.browser().post('/signup')).json).toEqual({ host: 'the accounts are away' })
    // A handler that was let through would have run by now.
    await new Promise((resolve) => setImmediate(resolve))
    expect(reached).toEqual([])
    expect(host.errors).toHaveLength(1)
  })

  it('is for the number whose code was typed, when another was begun while it was checked', async () => {
    const host = await startHost({ mount })
    const visitor = host.browser()
    await visitor.post('/phone/start', { phone })
    const tab = visitor.copy()
    host.whileChecked(async () => {
      expect((await tab.post('/phone/start', { phone: '+573008888888' })).status).toBe(201)
    })
    expect((await visitor.post('/phone/verify', { code: host.stub.rightCode })).status).toBe(200)
    expect((await visitor.post('/signup')).json).toMatchObject({ phone })
  })

  it('of a signed-in person ends by a logout under the id from which the session was renewed', async () => {
    const options = { subject: () => 'ana', session: sessionByHeader }
    const host = await startHost({ options, mount })
    const under = (id: string) => host.browser({ 'x-session': id })
    await proveIn(host, under('before'))
    expect((await under('after').post('/signup', {})).json).toMatchObject({ phone })
    // A cookie that holds the whole session was copied: its owner knows only the id from before.
    host.clock.now += 60_000
    await proveIn(host, under('before'))
    expect((await under('before').post('/logout', {})).status).toBe(200)
    expect((await under('after').post('/signup', {})).status).toBe(403)
  })

  it('of a signed-in person is not redeemed after a revocation, nor shown as proven', async () => {
    const host = await startHost({ mount })
    const ana = await proveIn(host, await host.signIn())
    expect((await ana.open('/phone')).text).not.toContain('name="phone"')
    await host.tf.subjects.revokeEverything('ana')
    expect((await ana.open('/phone')).text).toContain('name="phone"')
    // A hijacked session must not put its own number on file in the half hour that a proof lasts.
    host.clock.now += 30 * 60_000 - 1
    expect((await ana.post('/signup')).status).toBe(403)
  })

  it('that she gives after a revocation is redeemed', async () => {
    const host = await startHost({ mount })
    const before = await proveIn(host, await host.signIn())
    await host.tf.subjects.revokeEverything('ana')
    host.clock.now += 120_000
    const ana = await proveIn(host, await host.signIn())
    expect((await before.post('/signup')).status).toBe(403)
    expect((await ana.post('/signup')).json).toMatchObject({ phone })
  })

  it('of an anonymous visitor is not taken into the account that signs in by a planted session', async () => {
    const host = await startHost({ mount })
    const mallory = await proveIn(host)
    const ana = mallory.copy()
    await ana.post('/login', { user: 'ana' })
    expect((await host.confirm(ana)).status).toBe(200)
    for (const browser of [ana, mallory]) expect((await browser.post('/signup')).status).toBe(403)
  })

  it('that was begun anonymously and given after a sign-in is of whoever signed in, through a step-up', async () => {
    const host = await startHost({ mount })
    const ana = host.browser()
    expect((await ana.post('/phone/start', { phone })).status).toBe(201)
    await ana.post('/login', { user: 'ana' })
    expect((await host.confirm(ana)).status).toBe(200)
    expect((await ana.post('/phone/verify', { code: host.stub.rightCode })).status).toBe(200)
    host.clock.now += 120_000
    expect((await host.confirm(ana)).status).toBe(200)
    await ana.post('/as', { user: 'ben' })
    expect((await ana.post('/signup')).status).toBe(403)
    await ana.post('/as', { user: 'ana' })
    expect((await ana.post('/signup')).json).toMatchObject({ phone })
  })

  it('is lost, and the sign-in is not refused, where the store has no room for it', async () => {
    const well = memoryStore()
    let isFull = false
    const store = storeThrough((command, key, work) => {
      // Room is taken by what is new, not by what is emptied.
      const isNew = command === 'swap' && key.includes(':enrolment:') && well.read(key) === undefined
      if (isFull && isNew) throw new TwoFactorError('capacity')
      return work()
    }, well)
    const host = await startHost({ options: { store }, mount })
    const ana = await proveIn(host, await host.login())
    await ana.start()
    isFull = true
    expect((await ana.verify(host.stub.rightCode)).status).toBe(200)
    expect((await ana.get('/account')).status).toBe(200)
    expect((await ana.post('/signup')).status).toBe(403)
  })
})

it('a proof is not left behind by a revocation that comes while the session is renewed', async () => {
  let revoke = async (): Promise<void> => undefined
  const session = renewedThrough(async (renew) => {
    await renew()
    await revoke()
  })
  const host = await startHost({ options: { session }, mount })
  const ana = await host.signIn()
  await ana.post('/phone/start', { phone })
  revoke = () => host.tf.grants.revokeSubject('ana')
  expect((await ana.post('/phone/verify', { code: host.stub.rightCode })).status).toBe(410)
  expect((await ana.post('/signup')).status).toBe(403)
})

it('an onVerified that renews the session itself takes the grant along', async () => {
  const host = await startHost({ options: { onVerified: regenerates } })
  const ana = await host.challenged()
  const old = ana.copy()
  expect((await ana.verify(host.stub.rightCode)).status).toBe(200)
  expect((await ana.get('/account')).json).toMatchObject({ subject: 'ana', userId: 'ana' })
  expect((await old.get('/account')).status).toBe(401)
})

describe('revokeEverything', () => {
  it('ends grants, live challenges, known browsers and trusted devices of one subject', async () => {
    const host = await startHost({
      options: { trustedDevices: { maxAgeMs: 60_000_000 }, purposes: { login: { trustedDevice: true } } },
    })
    const here = await host.login()
    await host.confirm(here, {}, { trustDevice: true })
    const ben = await host.signIn('ben')
    const there = await host.challenged()
    await host.tf.subjects.revokeEverything('ana')
    expect((await here.get('/account')).status).toBe(403)
    expect((await there.verify(host.stub.rightCode)).status).toBe(410)
    expect(await host.tf.trustedDevices.list('ana')).toEqual([])
    expect((await ben.get('/account')).status).toBe(200)
  })
})

it('a proof that is redeemed without a session is refused in words for the developer', async () => {
  const session: SessionAdapter = { id: () => undefined, rotate: () => undefined }
  const host = await startHost({
    options: { session },
    mount: (app, tf) => {
      const signup = tf.phoneVerification()
      app.post('/signup', async (req, res) => {
        const refusal = await signup.redeem(req).catch((error: TwoFactorError) => error)
        res.json({ ...refusal, message: (refusal as TwoFactorError).message })
      })
    },
  })
  expect((await host.browser().post('/signup')).json).toMatchObject({
    code: 'session_unavailable',
    message: 'This request has no session.',
  })
})
