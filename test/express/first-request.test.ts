import type { RequestHandler } from 'express'
import { expect, it } from 'vitest'
import { read } from '../documents.js'
import { startHost } from './kit.js'
import { recover, startRecoveryHost } from './recovery-kit.js'

// The sample of the document, run as it is printed, against a host whose sign-in is its own.

it('the sign-in of a single-page app works from the first POST to the password route', async () => {
  const [, sample = ''] =
    /## Sign-in from the first request[\s\S]*?```ts\n([\s\S]*?)```/.exec(read('docs/single-page.md')) ?? []
  const script = sample.replaceAll(/\((url): string, (fields): object\)/g, '($1, $2)')
  expect(script).toContain("post('/login'")

  const host = await startHost({
    routes(app, tf) {
      app.post(
        '/login',
        (req, _res, next) => {
          req.session.pendingUserId = 'ana'
          next()
        },
        tf.start({ purpose: 'login' }),
      )
      app.use('/two-factor', tf.routes())
      app.get('/account', tf.requireTwoFactor(), (_req, res) => void res.json({}))
    },
  })
  const browser = host.browser()
  /** As in a page of this site: with its cookies. */
  const fetchHere = async (
    url: string,
    { headers = {}, body }: { headers?: Record<string, string>; body: string },
  ) => {
    const { status, text } = await browser.send(url, { method: 'POST', headers, body })
    return { status, ok: status < 400, json: async () => JSON.parse(text) }
  }
  const AsyncFunction = (async () => undefined).constructor as FunctionConstructor
  const names = ['fetch', 'name', 'password', 'askForCode']
  const run = new AsyncFunction(...names, script)
  const askForCode = async () => host.stub.rightCode
  await run(fetchHere, 'ana', 'sesame', askForCode)
  expect((await browser.get('/account')).status).toBe(200)
  const wrong = async () => 'none00'
  host.clock.now += 10 * 60_000
  await expect(run(fetchHere, 'ana', 'sesame', wrong)).rejects.toThrow(/not right|code/i)
})

it('a guarded request after the password route requires the code that was sent there', async () => {
  const host = await startHost({
    routes(app, tf) {
      const asAna: RequestHandler = (req, _res, next) => {
        req.session.pendingUserId = 'ana'
        next()
      }
      app.post('/login', asAna, tf.start({ purpose: 'login' }))
      app.use('/two-factor', tf.routes())
      app.get('/api/me', tf.requireTwoFactor(), (_req, res) => void res.json({}))
    },
  })
  const browser = host.browser()
  const { challenge } = (await browser.post('/login', {})).json
  const { requirement } = (await browser.get('/api/me')).json
  const started = await browser.post('/two-factor/start', { requirement })
  expect([started.status, started.json.challenge.id]).toEqual([200, challenge.id])
  const code = host.stub.rightCode
  await browser.post('/two-factor/verify', { code, challenge: challenge.id })
  expect((await browser.get('/api/me')).status).toBe(200)
})

it('a JSON client signs in with a recovery code after a 409 no_phone, without a challenge', async () => {
  const host = await startRecoveryHost({ options: { phone: () => undefined } })
  const browser = await host.login()
  expect((await browser.start()).json.code).toBe('no_phone')
  const told = await recover(browser, host.codes[0], { purpose: 'login' })
  expect([told.status, told.json]).toMatchObject([200, { verified: true, purpose: 'login' }])
})
