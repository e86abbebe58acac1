import request from 'supertest'
import { test } from 'vitest'
import { createClient, providerCodes } from '../../../src/index.js'
import { startSandbox } from '../../../src/tools/sandbox/index.js'
import { createApp } from './app.js'

test('a code from the phone signs in', async () => {
  await using sandbox = await startSandbox()
  const client = createClient({ baseUrl: sandbox.baseUrl, ...sandbox.credentials })
  const { app, tf } = createApp(providerCodes({ client, approvedStatuses: sandbox.approvedStatuses }))
  const browser = request.agent(app)

  await browser.post('/login').send({ name: 'ana', password: 'sesame' }).expect(201)
  await browser.get('/account').expect(403) // the password is not enough
  const { code } = await sandbox.inbox.waitFor('+573001234567')
  await browser.post('/two-factor/verify').send({ code }).expect(200)
  await browser.get('/account').expect(200)
  await tf.close()
})
