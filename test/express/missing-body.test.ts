import express, { type Request } from 'express'
import { describe, expect, it } from 'vitest'
import { hearWarnings, ok, startSignedIn } from './kit.js'

const { codes, said } = hearWarnings()

/** Guards behind express.json(), each with another way to read the body. */
async function start() {
  return startSignedIn({
    mount(app, tf) {
      const json = express.json()
      const bind = (req: Request) => ({ amount: req.body.amount })
      const guardOf = (purpose: string, of: typeof bind) => tf.requireTwoFactor({ purpose, bind: of })
      app.post('/flat', json, guardOf('flat', bind), ok)
      app.post(
        '/deep',
        json,
        guardOf('deep', (req) => ({ amount: req.body.order.amount })),
        ok,
      )
      app.post(
        '/mistake',
        json,
        guardOf('mistake', (req) => ({ amount: Object(req).nothing.there })),
        ok,
      )
      app.post('/accounts/:number/pay', json, guardOf('pay', bind), ok)
      app.use('/mounted', json, guardOf('mounted', bind), ok)
      app.post(
        '/optional',
        json,
        guardOf('optional', (req) => ({ amount: req.body?.amount })),
        ok,
      )
      app.post(
        '/emptied',
        (req, _res, next) => {
          req.body = {}
          next()
        },
        guardOf('emptied', (req) => ({ amount: req.body.order.amount })),
        ok,
      )
      const show = (req: Request) => ({ rows: [['Amount', String(req.body.amount)] as const] })
      app.post('/show', json, tf.requireTwoFactor({ purpose: 'show', bind: () => ({}), describe: show }), ok)
    },
  })
}

describe('a guard with `bind` behind express.json()', () => {
  it.each(['/flat', '/deep', '/optional', '/show'])(
    'refuses a POST to %s without a body as the mistake of the client',
    async (path) => {
      const { host, ana } = await start()
      const missing = await ana.send(path, { method: 'POST' })
      expect(missing.refusal).toEqual([400, 'invalid_request'])
      const plain = await ana.postRaw(path, 'text/plain', '')
      expect(plain.refusal).toEqual([415, 'unsupported_media_type'])
      expect(host.errors).toEqual([])
    },
  )

  it.each(['/flat', '/optional', '/show'])(
    'refuses a form to %s with 415 and prints one warning, which names the parser',
    async (path) => {
      const { host, ana } = await start()
      for (let time = 0; time < 2; time += 1) {
        const form = await ana.postRaw(path, 'application/x-www-form-urlencoded', 'amount=1')
        expect(form.refusal).toEqual([415, 'unsupported_media_type'])
      }
      expect([host.errors, await codes()]).toEqual([[], ['TWO_FACTOR_NOT_PARSED']])
      expect(said[0]?.message).toContain(`(POST ${path} needs express.urlencoded({ extended: false }))`)
      expect((await host.tf.selfTest()).findings).not.toContainEqual(
        expect.objectContaining({ code: 'not_parsed' }),
      )
    },
  )

  it('refuses an upload with 415 before any parser, which is a finding', async () => {
    const { host, ana } = await startSignedIn({
      mount(app, tf) {
        const bind = ({ body }: Request) => ({ amount: body.amount })
        app.post('/upload', tf.requireTwoFactor({ purpose: 'transfer', bind }), ok)
      },
    })
    const upload = await ana.postRaw('/upload', 'multipart/form-data; boundary=x', '--x--')
    expect([upload.status, host.errors, await codes()]).toEqual([415, [], ['TWO_FACTOR_NOT_PARSED']])
    expect((await host.tf.selfTest()).findings).toContainEqual(
      expect.objectContaining({ code: 'not_parsed' }),
    )
  })

  it.each([
    ['text/plain', 'amount=1', [415, 'unsupported_media_type'], ['TWO_FACTOR_NOT_PARSED']],
    ['application/json', '[1]', [400, 'invalid_request'], []],
  ])('refuses %s with the body %s, and the self-test has no finding', async (type, body, refusal, warned) => {
    const { host, ana } = await start()
    expect((await ana.postRaw('/flat', type, body)).refusal).toEqual(refusal)
    expect([host.errors, await codes()]).toEqual([[], warned])
    expect((await host.tf.selfTest()).findings).not.toContainEqual(
      expect.objectContaining({ code: 'not_parsed' }),
    )
  })

  it.each([
    ['/accounts/573001234567/pay', '/accounts/:number/pay'],
    ['/mounted/now', '/mounted/now'],
  ])('names the route of %s in its warning as %s', async (path, named) => {
    const { ana } = await start()
    expect((await ana.postRaw(path, 'application/x-www-form-urlencoded', 'amount=1')).status).toBe(415)
    await codes()
    expect(said[0]?.message).toContain(`(POST ${named} needs`)
  })

  it('refuses JSON with 415 where only forms are parsed, and names the form', async () => {
    const { host, ana } = await startSignedIn({
      mount(app, tf) {
        const bind = ({ body }: Request) => ({ amount: body.amount })
        app.post(
          '/form',
          express.urlencoded({ extended: false }),
          tf.requireTwoFactor({ purpose: 'transfer', bind }),
          ok,
        )
      },
    })
    const { refusal, json } = await ana.post('/form', { amount: 1 })
    expect([refusal, json.detail]).toEqual([[415, 'unsupported_media_type'], 'Send the fields as a form.'])
    expect([host.errors, await codes()]).toEqual([[], ['TWO_FACTOR_NOT_PARSED']])
  })

  it.each(['/mistake', '/emptied'])(
    'passes on the error of %s, which a body would not repair',
    async (path) => {
      const { host, ana } = await start()
      const response = await ana.send(path, { method: 'POST' })
      expect(response.status).toBe(500)
      expect(host.errors).toHaveLength(1)
    },
  )
})
