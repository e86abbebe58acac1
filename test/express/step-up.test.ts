import { createHash } from 'node:crypto'
import express, { type RequestHandler } from 'express'
import { describe, expect, it } from 'vitest'
import type { BoundFields } from '../../src/index.js'
import { copyMembers } from '../copy-members.js'
import type { Browser } from './browser.js'
import {
  expressSessions,
  ok,
  recordingStore,
  sessionIdOf,
  startChallenged,
  startLoggedIn,
  startSignedIn,
} from './kit.js'

const minute = 60_000

async function requirementOf(browser: Browser, body: object): Promise<string> {
  const refused = await browser.post('/transfers', body)
  expect(refused.status).toBe(403)
  return refused.json.requirement
}

describe('a step-up', () => {
  it('verifies exactly the required action, once', async () => {
    const { host, ana } = await startSignedIn()
    const transfer = { amount: 100, payee: 'ACME' }
    const requirement = await requirementOf(ana, transfer)

    const started = await ana.start({ requirement })
    expect(started).toMatchObject({ status: 201, json: { challenge: { purpose: 'transfer' } } })
    const verified = await ana.verify(host.stub.rightCode)
    expect(verified.json).toMatchObject({ verified: true, purpose: 'transfer' })

    expect((await ana.post('/transfers', { ...transfer, amount: 101 })).status).toBe(403)
    expect((await ana.post('/transfers', { ...transfer, amount: '100' })).status).toBe(403)
    expect((await ana.post('/transfers', { payee: 'ACME', amount: 100 })).status).toBe(200)
    expect((await ana.post('/transfers', transfer)).status).toBe(403)
  })

  it.each([false, () => ({ other: 'fields' })])(
    'is shown and proven on pages, whatever the query parser of the host: %s',
    async (parser) => {
      const { host, ana } = await startSignedIn({
        addSession: (app) => app.set('query parser', parser).use(expressSessions()),
        mount: (app, tf) => {
          app.get('/vault', tf.requireTwoFactor({ purpose: 'vault' }), ok)
        },
      })
      const shown = await ana.get('/vault', { accept: 'text/html' })
      expect((await ana.get(shown.location, { accept: 'text/html' })).text).not.toContain('already confirmed')
      const requirement = new URL(shown.location, host.url).searchParams.get('requirement') ?? ''
      expect(await host.ledBy(requirement, ana)).toBe('/vault')
      expect((await ana.get('/vault')).status).toBe(200)
    },
  )

  it('is neither used up by a HEAD nor lets it pass', async () => {
    const reached: string[] = []
    const { host, ana } = await startSignedIn({
      mount: (app, tf) => {
        app.get('/vault', tf.requireTwoFactor({ purpose: 'vault', once: true }), (req, res) => {
          reached.push(req.method)
          res.json({})
        })
      },
    })
    await host.confirm(ana, { purpose: 'vault' })
    expect((await ana.send('/vault', { method: 'HEAD' })).status).toBe(403)
    expect((await ana.get('/vault')).status).toBe(200)
    expect((await ana.send('/account', { method: 'HEAD' })).status).toBe(200)
    expect(reached).toEqual(['GET'])
  })
})

describe('a requirement', () => {
  it('lasts ten minutes, also where codes live for one', async () => {
    const { host, ana } = await startSignedIn({ options: { limits: { codeLifetimeMs: minute } } })
    const requirement = await requirementOf(ana, { amount: 5, payee: 'ACME' })
    host.clock.now += 10 * minute - 1
    expect((await ana.start({ requirement })).status).toBe(201)
    host.clock.now += 1
    expect((await ana.start({ requirement })).status).toBe(400)
  })

  it('finds the challenge that it started and no other', async () => {
    const { ana } = await startChallenged({
      mount: (app, tf) => app.get('/keys', tf.requireTwoFactor({ purpose: 'keys' }), ok),
    })
    const found = async (path: string) => {
      const { requirement } = (await ana.get(path)).json
      return (await ana.get(`/two-factor?requirement=${requirement}`)).json.challenge
    }
    expect((await found('/account')).purpose).toBe('login')
    expect(await found('/keys')).toBeNull()
  })

  it('cannot be changed or put together with another purpose', async () => {
    const { host, ana } = await startSignedIn()
    const requirement = await requirementOf(ana, { amount: 5, payee: 'ACME' })
    const bytes = Buffer.from(requirement, 'base64url')
    for (const at of [0, 12, 28, bytes.length - 1]) {
      const forged = Buffer.from(bytes)
      forged[at] = (forged[at] ?? 0) ^ 1
      expect((await ana.start({ requirement: forged.toString('base64url') })).status).toBe(400)
    }
    expect((await ana.start({ requirement, purpose: 'login' })).status).toBe(400)
    // With a way back, and without one.
    const withWay = (
      await ana.post('/transfers', { amount: 5, payee: 'ACME' }, { referer: `${host.url}/pay` })
    ).json.requirement
    const [, way] = withWay.split('.')
    for (const behind of [`${requirement}.`, `${requirement}.${way}`, `${withWay}.`, `${withWay}.${way}`]) {
      expect((await ana.start({ requirement: behind })).status).toBe(400)
    }
    expect((await ana.start({ requirement, purpose: 'transfer' })).status).toBe(201)
  })

  it('reveals no amount, payee, purpose or session, nor does the store', async () => {
    const { store, told } = recordingStore()
    const { ana } = await startSignedIn({ options: { store } })
    const transfer = { amount: 5, payee: 'ACME' }
    const requirement = await requirementOf(ana, transfer)
    await ana.start({ requirement })
    const sid = sessionIdOf(ana)
    const token = requirement
      .split('.')
      .map((part) => Buffer.from(part, 'base64url').toString('latin1'))
      .join()
    const stored = told()
    // Whoever guesses the fields is not told by a plain hash that the guess is right.
    const guess = createHash('sha256').update('{"amount":5,"payee":"ACME"}').digest('base64url')
    for (const secret of ['ACME', 'amount', guess, '3001234567', sid]) {
      expect(token).not.toContain(secret)
      expect(stored).not.toContain(secret)
    }
    expect(token).not.toContain('transfer')
    expect(requirement.length).toBeLessThan(400)
  })

  it('leads back after another sign-in as well, without the query that it came with', async () => {
    const { host, ana } = await startLoggedIn({
      mount: (app, tf) => app.get('/pay', tf.requireTwoFactor({ purpose: 'pay' }), ok),
    })
    const page = (await ana.open('/pay?amount=5')).location
    const elsewhere = await (await host.login()).open(page)
    expect(elsewhere.status).toBe(400)
    expect(elsewhere.text).toContain('<a href="/pay">')
    host.clock.now += 10 * minute
    expect((await ana.open(page)).text).toContain('<a href="/pay?amount=5">')
    // A path that we did not seal leads nowhere (open redirect).
    const [sealed] = new URLSearchParams(page.split('?')[1]).get('requirement')?.split('.') ?? []
    const forged = Buffer.from('/evil').toString('base64url')
    const told = await (await host.login()).open(`/two-factor?requirement=${sealed}.${forged}`)
    expect(told.status).toBe(400)
    expect(told.text.match(/<a [^>]*>/g)).toEqual(['<a href="/">'])
  })
})

describe('bound fields', () => {
  it('without content are a mistake of the app, and stop the handler', async () => {
    const reached: string[] = []
    const { host, ana } = await startSignedIn({
      mount: (app, tf) => {
        const guard = tf.requireTwoFactor({ purpose: 'pay', bind: () => ({ amount: undefined }) as never })
        app.post('/pay', guard, (req) => void reached.push(req.url))
      },
    })
    expect((await ana.post('/pay', {})).status).toBe(500)
    expect(host.errors).toEqual([expect.any(TypeError)])
    expect(String(host.errors[0])).toContain('Is the body parsed before the guard?')
    expect(reached).toEqual([])
  })

  it.each<[string, (body: { order: object }) => object]>([
    ['{ "order": { "payee": "mum", "__proto__": { "amount": 5 } } }', ({ order }) => ({ ...order })],
    [
      '{ "order": [{ "__proto__": { "amount": 5 } }] }',
      ({ order }) => ({ order: Object.values(order).map((one) => ({ ...one })) }),
    ],
    ['{ "payee": "mum", "__proto__": { "constructor": 1, "amount": 5 } }', (body) => ({ ...body })],
    ['{ "payee": "mum", "__proto__": { "amount": 5 } }', (body) => body],
  ])('of a body whose copy inherits an amount are a 400: %s', async (text, bind) => {
    const reached: unknown[] = []
    const { host, ana } = await startSignedIn({
      mount: (app, tf) => {
        const copies: RequestHandler = (req, _res, next) => {
          req.body = copyMembers(req.body)
          next()
        }
        const guard = tf.requireTwoFactor({
          purpose: 'transfer',
          bind: ({ body }) => bind(body) as BoundFields,
        })
        const handler: RequestHandler = (req, res) => void res.json(reached.push(req.body))
        app.post('/copied', express.json(), copies, guard, handler)
        app.post('/copied-later', express.json(), guard, copies, handler)
      },
    })
    for (const path of ['/copied', '/copied-later']) {
      const refused = await ana.postRaw(path, 'application/json', text)
      expect([refused.refusal, refused.json.detail]).toEqual([
        [400, 'invalid_request'],
        'A field must not be named "__proto__".',
      ])
    }
    expect([reached, host.errors]).toEqual([[], []])
  })

  it('of a body with 20,000 levels are a 400 and no trouble of the server', async () => {
    const { host, ana } = await startSignedIn()
    const body = `{"amount":${'['.repeat(20_000)}${']'.repeat(20_000)}}`
    const refused = await ana.postRaw('/transfers', 'application/json', body)
    expect(refused.refusal).toEqual([400, 'invalid_request'])
    expect(host.errors).toEqual([])
  })
})
