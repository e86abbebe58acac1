import express, { type Express, Router } from 'express'
import { describe, expect, it } from 'vitest'
import type { TwoFactor } from '../../src/index.js'
import { type GuardCoverage, guardCoverage } from '../../src/tools/testing/index.js'
import { ok, startHost } from './kit.js'

/** A host under coverage, with what every app has and the routes of one test. */
async function startCovered(mount: (app: Express, tf: TwoFactor) => void) {
  const coverages: GuardCoverage[] = []
  const host = await startHost({
    routes(app, tf) {
      const coverage = guardCoverage(tf)
      coverages.push(coverage)
      app.use(coverage.middleware)
      app.post('/login', express.json(), (req, res) => {
        req.session.pendingUserId = req.body.user
        res.json({})
      })
      app.use('/two-factor', tf.routes())
      mount(app, tf)
    },
  })
  const report = (options?: Parameters<GuardCoverage['report']>[0]) => () => coverages[0]?.report(options)
  return { host, report }
}

describe('guard coverage', () => {
  it('finds the forgotten twins of guarded routes, each once, under the paths they were declared with', async () => {
    const { host, report } = await startCovered((app, tf) => {
      app.post('/transfers/:id', tf.requireTwoFactor(), ok)
      app.post('/v2/transfers/:id', ok)
      const api = Router()
      api.put('/transfers/:id', ok)
      api.delete('/', ok)
      // Another router's root has the request first and passes it on.
      const checks = Router().post('/', (_req, _res, next) => next())
      api.use('/posts/:id/comments', checks)
      api.use('/posts', ok)
      app.use('/api', api)
      app.use('/bare', ok)
      app.post('/form', (_req, res) => res.redirect(303, '/account'))
      app.post('/', ok)
    })
    const ana = await host.signIn()
    for (const id of [1, 2]) {
      expect((await ana.post(`/transfers/${id}`)).status).toBe(200)
      expect((await ana.post(`/v2/transfers/${id}?a=1`)).status).toBe(200)
      expect((await ana.send(`/api/transfers/${id}`, { method: 'PUT' })).status).toBe(200)
    }
    await ana.send('/api', { method: 'DELETE' })
    await ana.send('/bare/metal?a=1', { method: 'PATCH' })
    await ana.post('/api/posts/1/comments')
    await ana.submit('/form')
    await ana.post('/')
    const found = [
      'DELETE /api',
      'PATCH /bare/metal (mounted at /bare)',
      'POST /',
      'POST /api/posts/1/comments (mounted at /api/posts)',
      'POST /form',
      'POST /v2/transfers/:id (such as /v2/transfers/1)',
      'PUT /api/transfers/:id (mounted at /api, such as /api/transfers/1)',
    ]
    expect(report()).toThrow(`answered without a second factor:\n  ${found.join('\n  ')}`)
    expect(report({ ignore: ['/', '/api', '/form', /bare/g, 'POST /v2/transfers/:id', /posts/] })).toThrow(
      /:\n {2}PUT \/api\/transfers\/:id \(mounted at \/api, such as \/api\/transfers\/1\)$/,
    )
    const all = ['PUT /api/transfers/:id', 'POST /', /^DELETE/, /\/bare/, /v2/, /posts/, '/form']
    expect(report({ ignore: all })).not.toThrow()
  })

  it('matches a route with an ignored route in any spelling', async () => {
    const { host, report } = await startCovered((app) => void app.post('/Log/Out', ok))
    await (await host.signIn()).post('/LOG/OUT/')
    for (const ignore of ['post /Log/Out/', '/log//out', /^POST \/log\/out$/]) {
      expect(report({ ignore: [ignore] }), String(ignore)).not.toThrow()
    }
    expect(report({ ignore: ['POST /out', '/log', 'PUT /log/out'] })).toThrow(
      'answered without a second factor',
    )
  })

  it('is no proof when no request came by, and takes nothing but an app of ours', async () => {
    const { report } = await startCovered(() => undefined)
    expect(report()).toThrow('no request passed the middleware')
    expect(() => guardCoverage({} as TwoFactor)).toThrow('guardCoverage: tf must come from twoFactor()')
    expect(report({ ignore: [5] } as never)).toThrow('report: ignore[0] must be a string or a RegExp')
    expect(report({ ignore: '/logout' } as never)).toThrow("ignore must be an array such as ['POST /logout']")
    expect(report({ ignored: [] } as never)).toThrow('unknown option "ignored"')
  })
})
