import express from 'express'
import session from 'express-session'
import request from 'supertest'
import { expect, test } from 'vitest'
import { createClient, providerCodes, twoFactor } from '../../../src/index.js'
import { startSandbox } from '../../../src/tools/sandbox/index.js'

test('a code from the phone opens the account', async () => {
  await using sandbox = await startSandbox()
  await using tf = twoFactor({
    provider: providerCodes({
      client: createClient({ baseUrl: sandbox.baseUrl, ...sandbox.credentials }),
      approvedStatuses: sandbox.approvedStatuses,
    }),
    appName: 'Acme',
    secret: 'only for tests, at least 32 bytes long',
    countries: ['CO'],
    subject: () => 'ana',
    phone: () => '+573001234567',
  })
  const app = express()
  app.use(session({ secret: 'test', resave: false, saveUninitialized: true, cookie: { sameSite: 'lax' } }))
  app.use('/two-factor', tf.routes())
  app.get('/account', tf.requireTwoFactor(), (_req, res) => res.send('Hello Ana'))
  const browser = request.agent(app)

  await browser.get('/account').set('Accept', 'application/json').expect(403)
  await browser.post('/two-factor/start').send({}).expect(201)
  const { code } = await sandbox.inbox.waitFor('+573001234567')
  await browser.post('/two-factor/verify').send({ code }).expect(200)
  await browser.get('/account').expect(200, 'Hello Ana')
  expect(sandbox.requests.count('verifyCode')).toBe(1)
})
