import { csrfSync } from 'csrf-sync'
import express from 'express'
import helmet from 'helmet'
import { describe, expect, it } from 'vitest'
import type { Answer, Browser } from './browser.js'
import { expressSessions, type Host, startHost } from './kit.js'

/** A host with helmet's defaults and a CSRF library for the whole app. */
async function startGuardedHost(order: 'routes first' | 'library first'): Promise<Host> {
  const { csrfSynchronisedProtection, generateToken } = csrfSync({
    getTokenFromRequest: (req) => req.body?._csrf ?? req.headers['x-csrf-token'],
  })
  return startHost({
    options: { pages: { formFields: (req) => ({ _csrf: generateToken(req) }) } },
    addSession(app) {
      app.use(helmet(), expressSessions())
    },
    routes(app, tf) {
      if (order === 'routes first') app.use('/two-factor', tf.routes())
      app.use(express.urlencoded({ extended: false }), csrfSynchronisedProtection)
      if (order === 'library first') app.use('/two-factor', tf.routes())
      app.get('/login', (req, res) => {
        res.send(`<form><input type="hidden" name="_csrf" value="${generateToken(req)}"></form>`)
      })
      app.post('/login', (req, res) => {
        req.session.pendingUserId = 'ana'
        res.redirect('/two-factor?returnTo=/transfer')
      })
      app.get('/transfer', tf.requireTwoFactor(), (req, res) => {
        res.send(`<form><input type="hidden" name="_csrf" value="${generateToken(req)}"></form>`)
      })
      const bind = (req: express.Request) => ({ amount: req.body.amount })
      const pay = tf.requireTwoFactor({ purpose: 'pay', once: true, bind, formPath: '/transfer' })
      app.post('/transfer', pay, (_req, res) => void res.json({ paid: true }))
    },
  })
}

/** As a page under the policy `no-referrer` posts: no Referer, and an opaque Origin. */
const post = (browser: Browser, path: string, fields: Record<string, string>) =>
  browser.submit(path, fields, { origin: 'null' })

async function pass(browser: Browser, host: Host, page: Answer): Promise<string> {
  const started = await post(browser, '/two-factor/start', { ...page.fields, channel: 'sms' })
  expect(started.status).toBe(303)
  const typed = (await browser.open(started.location)).fields
  const wrong = await post(browser, '/two-factor/verify', { ...typed, code: '000000' })
  expect(wrong.status).toBe(422)
  const right = await post(browser, '/two-factor/verify', { ...wrong.fields, code: host.stub.rightCode })
  expect(right.status).toBe(303)
  return right.location
}

describe.each(['routes first', 'library first'] as const)('a CSRF library and helmet, %s', (order) => {
  it('let a person sign in and step up by the pages', async () => {
    const host = await startGuardedHost(order)
    const ana = host.browser()
    const { _csrf = '' } = (await ana.open('/login')).fields
    expect((await post(ana, '/login', {})).status).toBe(500)
    const pending = await post(ana, '/login', { _csrf })
    const page = await ana.open(pending.location)
    expect(await pass(ana, host, page)).toBe('/transfer')

    host.clock.now += 60_000
    const form = (await ana.open('/transfer')).fields
    const refused = await post(ana, '/transfer', { ...form, amount: '5' })
    expect(refused.status).toBe(403)
    expect(await pass(ana, host, refused)).toBe('/transfer')
    const again = (await ana.open('/transfer')).fields
    expect((await post(ana, '/transfer', { ...again, amount: '5' })).json).toEqual({ paid: true })
  })
})
