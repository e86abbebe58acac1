import express, { type RequestHandler } from 'express'
import serverless from 'serverless-http'
import { describe, expect, it } from 'vitest'
import { expressSessions, startChallenged, startHost, startLoggedIn, startSignedIn } from './kit.js'

// Who has read the body before the routes, and what is left of it.

/** Reads the whole body, as a platform does before the app is asked. */
const leaving = (leave: (req: express.Request, bytes: Buffer) => void): RequestHandler => {
  return async (req, _res, next) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk)
    leave(req, Buffer.concat(chunks))
    next()
  }
}

const fields = (bytes: Buffer) => (bytes.length === 0 ? {} : JSON.parse(String(bytes)))

class Fields {
  constructor(given: object) {
    Object.assign(this, given)
  }
}

const left = {
  'its fields': express.json(),
  'its bytes': leaving((req, bytes) => Object.assign(req, { body: bytes })),
  'its text': leaving((req, bytes) => Object.assign(req, { body: String(bytes) })),
  'its bytes in rawBody': leaving((req, bytes) => Object.assign(req, { rawBody: bytes })),
  'an instance of a class': leaving((req, bytes) => Object.assign(req, { body: new Fields(fields(bytes)) })),
  'a Map': leaving((req, bytes) => Object.assign(req, { body: new Map(Object.entries(fields(bytes))) })),
  'what express.raw() leaves': express.raw({ type: '*/*' }),
  'what express.text() leaves': express.text({ type: '*/*' }),
} satisfies Record<string, RequestHandler>

it.each(Object.entries(left))(
  'where %s are left of the body, a wrong code is one, and the right one signs in',
  async (_name, before) => {
    const { host, ana } = await startChallenged({
      addSession: (app) => app.use(expressSessions()).use('/two-factor', before),
    })
    expect((await ana.verify('000000')).status).toBe(422)
    expect((await ana.verify(host.stub.rightCode)).status).toBe(200)
    expect((await ana.get('/account')).status).toBe(200)
  },
)

describe('bytes that are left', () => {
  const host = {
    addSession: (app: express.Express) =>
      app.use(expressSessions()).use('/two-factor', express.raw({ type: '*/*', limit: '1mb' })),
  }

  it('are a form as well', async () => {
    const { host: started, ana } = await startChallenged(host)
    const told = await ana.submit('/two-factor/verify', { code: started.stub.rightCode })
    expect(told.status).toBe(303)
  })

  it.each([
    ['no JSON', 'application/json', '{"code":', 400],
    ['a field twice', 'application/x-www-form-urlencoded', 'code=482913&code=482913', 400],
    ['of another type', 'text/plain', 'code=482913', 415],
    ['too many', 'application/json', JSON.stringify({ code: 'x'.repeat(20_000) }), 413],
  ])('and %s are refused without an attempt', async (_name, type, body, status) => {
    const { host: started, ana } = await startChallenged(host)
    expect((await ana.postRaw('/two-factor/verify', type, body)).status).toBe(status)
    expect(started.stub.checks).toEqual([])
  })
})

it('without bytes the app gets the line to write, and the client does not see it', async () => {
  const { host, ana } = await startLoggedIn({
    addSession: (app) =>
      app.use(expressSessions()).use(
        '/two-factor',
        leaving(() => undefined),
      ),
  })
  const told = await ana.verify('482913')
  expect(told.status).toBe(500)
  expect(String(host.errors[0])).toContain('parse it with app.use(express.json())')
  const form = await ana.submit('/two-factor/verify', { code: '482913' })
  expect(form.status).toBe(500)
  expect(String(host.errors[1])).toContain('app.use(express.urlencoded({ extended: false }))')
  const start = await ana.send('/two-factor/start', { method: 'POST' })
  expect(start.status).toBe(201)
})

it.each([true, false])(
  'an adapter of a serverless platform signs in, a parser before it: %s',
  async (parses) => {
    const host = await startHost({
      options: {
        session: { id: () => 'one', regenerate: () => undefined },
        subject: () => 'ana',
        onVerified: () => undefined,
      },
      addSession: (app) => (parses ? app.use(express.json()) : app),
      routes: (app, tf) => {
        app.use('/two-factor', tf.routes())
        app.get('/account', tf.requireTwoFactor(), (_req, res) => void res.json({}))
      },
    })
    const handle = serverless(host.app)
    const call = async (httpMethod: string, path: string, body?: object) => {
      const headers = { 'content-type': 'application/json', accept: 'application/json' }
      const event = { httpMethod, path, headers, body: body && JSON.stringify(body), requestContext: {} }
      const { statusCode } = (await handle(event, {})) as { readonly statusCode: number }
      return statusCode
    }
    expect(await call('GET', '/account')).toBe(403)
    expect(await call('POST', '/two-factor/start', { purpose: 'login' })).toBe(201)
    expect(await call('POST', '/two-factor/verify', { code: '000000' })).toBe(422)
    expect(host.errors).toEqual([])
  },
)

describe('a guard with bind', () => {
  it('reads it of the bytes that are left, where the parser of the host passes over them', async () => {
    const { host, ana } = await startSignedIn({
      addSession: (app) => app.use(expressSessions()).use('/transfers', left['its bytes in rawBody']),
    })
    const transfer = { amount: 100, payee: 'ACME' }
    const { requirement } = (await ana.post('/transfers', transfer)).json
    await host.confirm(ana, { requirement })
    expect((await ana.post('/transfers', { ...transfer, amount: 101 })).status).toBe(403)
    expect((await ana.post('/transfers', transfer)).json).toEqual({ sent: 100, by: 'code' })
    expect((await ana.postRaw('/transfers', 'application/json', '{"amount":1')).status).toBe(400)
    expect((await ana.post('/transfers', { amount: 100 })).json.detail).toBe('payee is missing.')
  })

  it.each([
    ['a JSON array', 'application/json', '[1]', 400],
    ['plain text', 'text/plain', 'amount=1', 415],
  ])('refuses %s with a sentence, and no error of the host', async (_name, type, body, status) => {
    const { host, ana } = await startLoggedIn()
    const told = await ana.postRaw('/transfers', type, body)
    expect(told.status).toBe(status)
    expect(told.json.detail).toMatch(/^(The body must be an object|Send the fields as JSON or as a form)\.$/)
    expect(host.errors).toEqual([])
  })
})
