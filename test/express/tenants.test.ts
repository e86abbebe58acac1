import express from 'express'
import session, { MemoryStore } from 'express-session'
import { startSandbox } from 'express-two-factor/sandbox'
import request from 'supertest'
import { expect, it, onTestFinished } from 'vitest'
import { createClient, memoryStore, providerCodes, type TwoFactor, twoFactor } from '../../src/index.js'
import { runSample, samples } from '../sample.js'

// The sample of docs/sessions.md, run as it is printed, for two tenants that share a store and a session store.

const phones: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  north: { ana: '+573001234567' },
  south: { ana: '+573007654321' },
}

async function startTenants() {
  const sandbox = await startSandbox()
  const created: TwoFactor[] = []
  const account = { baseUrl: sandbox.baseUrl, ...sandbox.credentials }
  const tenants = ['north', 'south'].map((id) => ({
    id,
    host: `${id}.example`,
    name: `Bank ${id}`,
    providerAccount: account,
    approvedStatuses: ['verified'],
    sessionSecret: `session secret of ${id}`,
  }))
  const options = {
    store: memoryStore(),
    secret: 'only for tests, at least 32 bytes long',
    countries: ['CO'],
    subject: (req: express.Request) => req.session.userId,
  }
  const app = express()
  const given = {
    app,
    express,
    session,
    createClient,
    providerCodes,
    tenants,
    phoneOf: (tenant: string, subject: string) => phones[tenant]?.[subject],
    options,
    sessionOptions: {
      store: new MemoryStore(),
      resave: false,
      saveUninitialized: false,
      cookie: { sameSite: 'lax' as const },
    },
    twoFactor: (one: Parameters<typeof twoFactor>[0]) => {
      const tf = twoFactor(one)
      created.push(tf)
      return tf
    },
    appRoutes: (tf: TwoFactor) =>
      express
        .Router()
        .post('/login', (req, res) => {
          req.session.userId = 'ana'
          res.json({})
        })
        .get('/account', tf.requireTwoFactor(), (req, res) => void res.send(req.hostname)),
  }
  await runSample(samples('docs/sessions.md', 'tenants'), given)
  onTestFinished(async () => {
    for (const tf of created) await tf.close()
    await sandbox.close()
  })
  return { app, sandbox }
}

it('the sample for several tenants keeps a session and a code of one tenant from the other', async () => {
  const { app, sandbox } = await startTenants()
  // Sends its cookies to every host, as an attacker can.
  const browser = request.agent(app)
  const at = (host: string) => ({
    get: (path: string) => browser.get(path).set({ host, accept: 'application/json' }),
    post: (path: string, body: object = {}) => browser.post(path).set({ host }).send(body),
  })
  const [north, south] = [at('north.example'), at('south.example')]

  await north.post('/login').expect(200)
  await north.post('/two-factor/start').expect(201)
  const { code, appName } = await sandbox.inbox.waitFor(String(phones.north?.ana))
  expect(appName).toBe('Bank north code')
  await south.get('/account').expect(401)
  await south.post('/two-factor/verify', { code }).expect(401)
  await north.post('/two-factor/verify', { code }).expect(200)
  await north.get('/account').expect(200, 'north.example')
  await south.get('/account').expect(401)
  await at('west.example').get('/account').expect(404)

  const page = await browser.get('/two-factor').set({ host: 'north.example', accept: 'text/html' })
  expect(page.text).toContain('Bank north')
})
