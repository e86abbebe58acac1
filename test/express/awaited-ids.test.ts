import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { SessionAdapter } from '../../src/index.js'
import { sidOf, startChallenged, type startHost, startLoggedIn, startVisit } from './kit.js'

const later = () => new Promise((resolve) => setImmediate(resolve))

/** An adapter whose every function takes a promise, as a session behind a network does. */
const session: SessionAdapter = {
  async id(req) {
    await later()
    sidOf(req).sid ??= randomUUID()
    return sidOf(req).sid
  },
  async rotate(req) {
    await later()
    sidOf(req).sid = randomUUID()
  },
}

const mount: Parameters<typeof startHost>[0] = {
  options: { session },
  mount(app, tf) {
    app.use('/phone', tf.phoneVerification().routes())
    const proof = tf.phoneVerification({ purpose: 'signup' })
    app.post('/signup', proof.requireProof(), (req, res) => void res.json(req.provenPhone))
    app.get('/mine', async (req, res) => void res.json({ grant: await tf.grants.read(req, 'login') }))
  },
}

describe('an id that takes a promise', () => {
  it('is waited for by routes, guard, grants and proofs', async () => {
    const { host, ana } = await startLoggedIn(mount)
    const requirement = (await ana.get('/account')).json.requirement
    expect((await ana.start({ requirement })).status).toBe(201)
    expect((await ana.get('/two-factor')).json.challenge.purpose).toBe('login')
    expect((await ana.open(`/two-factor?requirement=${requirement}`)).status).toBe(200)
    const old = ana.copy()
    expect((await ana.verify(host.stub.rightCode)).status).toBe(200)
    expect((await ana.get('/account')).status).toBe(200)
    expect((await ana.get('/mine')).json.grant).toMatchObject({ subject: 'ana', purpose: 'login' })
    expect((await host.browser().get('/mine')).json).toEqual({})
    const transfer = { amount: 1, payee: 'a' }
    const asked = (await ana.post('/transfers', transfer)).json
    host.clock.now += 60_000
    await host.confirm(ana, { requirement: asked.requirement })
    expect((await ana.post('/transfers', transfer)).status).toBe(200)
    await ana.post('/phone/start', { phone: '+573009999999' })
    expect((await ana.post('/phone/verify', { code: host.stub.rightCode })).status).toBe(200)
    expect((await ana.post('/signup')).json).toMatchObject({ phone: '+573009999999' })
    expect((await ana.get('/account')).status).toBe(200)
    expect(old.cookies.size).toBeGreaterThan(0)
  })

  it('that is the planted one again after onVerified is refused', async () => {
    let planted = ''
    const { host, ana } = await startChallenged({
      options: {
        session,
        onVerified(req) {
          sidOf(req).sid = planted
        },
      },
      mount: (app) => app.get('/sid', (req, res) => void res.json(sidOf(req))),
    })
    planted = (await ana.get('/sid')).json.sid
    expect((await ana.verify(host.stub.rightCode)).status).toBe(503)
    expect((await ana.get('/account')).status).toBe(403)
  })
})

describe('a guard that hands out a requirement', () => {
  it('has the session of an anonymous visitor saved first, so that the requirement is worth something', async () => {
    const { visitor: ana } = await startVisit({ options: { subject: () => 'ana' } })
    const { requirement } = (await ana.get('/account')).json
    expect((await ana.start({ requirement })).status).toBe(201)
  })
})
