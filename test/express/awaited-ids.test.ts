import { randomUUID } from 'node:crypto'
import type { Request } from 'express'
import { expect, it } from 'vitest'
import { type SessionAdapter, TwoFactorError } from '../../src/index.js'
import { sidOf, signupAt, startLoggedIn, startVisit } from './kit.js'

const later = () => new Promise((resolve) => setImmediate(resolve))

const nobody = (): never => {
  throw new TwoFactorError('not_identified')
}

/** An adapter whose every function takes a promise, as a session behind a network does. */
const session: SessionAdapter = {
  async id(req: Request) {
    await later()
    sidOf(req).sid ??= randomUUID()
    return sidOf(req).sid
  },
  async regenerate(req: Request) {
    await later()
    sidOf(req).sid = randomUUID()
  },
}

it('an id that takes a promise is waited for by routes, guard, grants and proofs', async () => {
  const { host, ana } = await startLoggedIn({
    options: { session },
    mount(app, tf) {
      signupAt('/phone')(app, tf)
      app.get('/mine', async (req, res) => void res.json({ grant: await tf.grants.read(req, 'login') }))
    },
  })
  const { requirement } = (await ana.get('/account')).json
  expect((await ana.start({ requirement })).status).toBe(201)
  expect((await ana.get('/two-factor')).json.challenge.purpose).toBe('login')
  expect((await ana.open(`/two-factor?requirement=${requirement}`)).status).toBe(200)
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
})

it.each([
  ['at once', () => nobody()],
  ['later', async () => nobody()],
])(
  'an adapter that says %s that nobody is there makes that 401 everywhere, on pages too',
  async (_when, id) => {
    const { host, visitor } = await startVisit({
      options: { session: { ...session, id }, subject: () => 'ana' },
      mount: signupAt('/phone'),
    })
    const told = [
      await visitor.get('/account'),
      await visitor.start(),
      await visitor.post('/signup'),
      await visitor.post('/phone/start', { phone: '+573009999999' }),
    ]
    expect(told.map(({ refusal }) => refusal)).toEqual(Array(4).fill([401, 'not_identified']))
    for (const path of ['/account', '/two-factor', '/two-factor?requirement=x', '/phone']) {
      expect((await visitor.open(path)).status).toBe(401)
    }
    expect(host.errors).toEqual([])
  },
)

it('a guard has the session of an anonymous visitor saved before it hands out a requirement', async () => {
  const { visitor: ana } = await startVisit({ options: { subject: () => 'ana' } })
  const { requirement } = (await ana.get('/account')).json
  expect((await ana.start({ requirement })).status).toBe(201)
})
