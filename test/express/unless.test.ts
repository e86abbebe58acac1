import express from 'express'
import { describe, expect, it } from 'vitest'
import type { TwoFactorOptions } from '../../src/index.js'
import { ok, startLoggedIn, startSignedIn } from './kit.js'

const mount =
  (unless: (body: Record<string, unknown>) => unknown, parse = true) =>
  (app: express.Express, tf: import('../../src/index.js').TwoFactor) => {
    const guard = tf.requireTwoFactor({
      purpose: 'transfer',
      once: true,
      bind: ({ body }) => ({ amount: body?.amount ?? 'none' }),
      unless: ({ body }) => unless(body) as boolean,
    })
    if (parse) app.use('/pay', express.json(), express.urlencoded({ extended: false }))
    app.post('/pay', guard, ok)
  }

const isSmall = ({ amount }: Record<string, unknown>) => Number(amount) >= 0 && Number(amount) < 100

describe('the guard option unless', () => {
  it('skips the step-up of a signed-in user on true, and requires the code otherwise', async () => {
    const { ana } = await startSignedIn({ mount: mount(isSmall) })
    expect((await ana.post('/pay', { amount: 5 })).status).toBe(200)
    for (const amount of [100, -500, '5,000', '5000 EUR', 'x']) {
      expect((await ana.post('/pay', { amount })).json).toMatchObject({ status: 403, purpose: 'transfer' })
    }
  })

  it('still requires a sign-in with a code', async () => {
    const { host, ana } = await startLoggedIn({ mount: mount(isSmall) })
    expect((await ana.post('/pay', { amount: 5 })).json).toMatchObject({ status: 403, purpose: 'login' })
    expect((await host.browser().post('/pay', { amount: 5 })).status).toBe(401)
  })

  it('requires the code for a repeated field, without a body and for one that nothing has parsed', async () => {
    const { ana } = await startSignedIn({ mount: mount(isSmall) })
    const repeated = await ana.post('/pay', { amount: ['5', '500'] })
    expect(repeated.status).toBe(403)
    expect((await ana.send('/pay', { method: 'POST' })).status).toBe(403)
    const unparsed = await startSignedIn({ mount: mount(isSmall, false) })
    expect((await unparsed.ana.post('/pay', { amount: 5 })).status).toBe(403)
  })

  it('requires the code if a parser after the guard would find fields that `unless` has not seen', async () => {
    const { ana } = await startSignedIn({
      mount(app, tf) {
        const guard = tf.requireTwoFactor({
          purpose: 'transfer',
          bind: ({ body }) => ({ amount: body?.amount ?? 'none' }),
          unless: ({ body }) => !(body?.amount >= 100),
        })
        app.post('/pay', express.json(), guard, express.urlencoded({ extended: false }), ok)
      },
    })
    expect((await ana.submit('/pay', { amount: '5000' })).status).toBe(403)
    expect((await ana.post('/pay', { amount: 5 })).status).toBe(200)
    expect((await ana.send('/pay', { method: 'POST' })).status).toBe(200)
  })

  it('requires the code if a copy of the body would inherit fields that `unless` has not seen', async () => {
    const isLarge = (body: { readonly amount?: number }) => (body.amount ?? 0) >= 100
    const copies: express.RequestHandler = (req, _res, next) => {
      req.body = Object.assign({}, req.body)
      next()
    }
    const { ana } = await startSignedIn({
      mount(app, tf) {
        const guard = tf.requireTwoFactor({ purpose: 'transfer', unless: ({ body }) => !isLarge(body) })
        app.post('/pay', express.json(), guard, copies, (req, res) => void res.json(isLarge(req.body)))
      },
    })
    expect((await ana.postRaw('/pay', 'application/json', '{"__proto__":{"amount":5000}}')).status).toBe(403)
    expect((await ana.post('/pay', { amount: 5 })).status).toBe(200)
  })

  it.each([1, 'true', {}, undefined, null])('counts %j as no', async (answer) => {
    const { ana } = await startSignedIn({ mount: mount(() => answer) })
    expect((await ana.post('/pay', { amount: 5 })).status).toBe(403)
  })

  it('refuses a promise, and passes on its errors', async () => {
    const promised = await startSignedIn({ mount: mount(async () => true) })
    expect((await promised.ana.post('/pay', { amount: 5 })).status).toBe(500)
    expect(String(promised.host.errors[0])).toContain('unless returned a promise')
    const failing = await startSignedIn({
      mount: mount(() => {
        throw new Error('rates')
      }),
    })
    expect((await failing.ana.post('/pay', { amount: 5 })).status).toBe(500)
  })

  it('is a TypeError on a guard that requires only a sign-in', async () => {
    const { host } = await startSignedIn()
    expect(() => host.tf.requireTwoFactor({ unless: () => true })).toThrow(/unless skips a step-up/)
    expect(() => host.tf.requireTwoFactor({ maxAgeMs: 1_000, unless: () => true })).not.toThrow()
  })
})

describe('the guard option exempt', () => {
  const exempting = (options: Partial<TwoFactorOptions>) => {
    const asked: string[] = []
    return startLoggedIn({
      options,
      mount(app, tf) {
        const exempt = (_req: unknown, subject: string) => asked.push(subject) > 0
        app.get('/news', tf.requireTwoFactor({ exempt }), ok)
      },
    }).then((started) => ({ ...started, asked }))
  }
  const authenticator = { issuer: 'Acme', secretOf: () => undefined }

  it.each<[string, Partial<TwoFactorOptions>]>([
    ['a number', { phone: () => '+573001234567' }],
    ['several numbers', { phone: () => ['+573001234567', '+573001234568'] }],
    ['an unreadable number', { phone: () => 'home' }],
    ['a number of another country', { phone: () => '+4915112345678' }],
    [
      'an app',
      { phone: () => undefined, authenticator: { ...authenticator, secretOf: () => 'A'.repeat(32) } },
    ],
    ['an unreadable secret', { phone: () => null, authenticator: { ...authenticator, secretOf: () => '!' } }],
    [
      'a secret that cannot be decrypted',
      {
        phone: () => [],
        authenticator: {
          ...authenticator,
          secretOf: () => {
            throw new Error('decrypt')
          },
        },
      },
    ],
  ])('is not called for a user with %s', async (_factor, options) => {
    const { ana, asked } = await exempting(options)
    expect((await ana.get('/news')).status).not.toBe(200)
    expect(asked).toEqual([])
  })

  it.each<[string, Partial<TwoFactorOptions>]>([
    ['without a number', { phone: () => undefined }],
    ['with an empty list and no secret', { phone: () => [], authenticator }],
  ])('lets a user pass %s', async (_name, options) => {
    const { ana, asked } = await exempting(options)
    expect((await ana.get('/news')).status).toBe(200)
    expect(asked).toEqual(['ana'])
  })
})
