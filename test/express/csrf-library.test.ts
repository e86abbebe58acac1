import { csrfSync } from 'csrf-sync'
import express, { type Express } from 'express'
import session from 'express-session'
import helmet from 'helmet'
import { describe, expect, it } from 'vitest'
import type { TwoFactor } from '../../src/index.js'
import type { Browser } from './browser.js'
import { type Host, startHost } from './kit.js'

const library = () =>
  csrfSync({ getTokenFromRequest: (req) => req.body?._csrf ?? req.headers['x-csrf-token'] })

/** A host with helmet's defaults and a CSRF library for the whole app. */
async function startGuardedHost(order: 'routes first' | 'library first'): Promise<Host> {
  const { csrfSynchronisedProtection, generateToken } = library()
  return startHost({
    options: { pages: { formFields: (req) => ({ _csrf: generateToken(req) }) } },
    addSession(app) {
      app.use(helmet())
      app.use(session({ secret: 's', resave: false, saveUninitialized: false, cookie: { sameSite: 'lax' } }))
    },
    routes(app, tf) {
      if (order === 'routes first') mountRoutes(app, tf)
      app.use(express.urlencoded({ extended: false }), csrfSynchronisedProtection)
      if (order === 'library first') mountRoutes(app, tf)
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

function mountRoutes(app: Express, tf: TwoFactor): void {
  app.use('/two-factor', tf.routes())
}

/** The fields of the page's first form, as a browser would post them. */
function fieldsOf(page: string): Record<string, string> {
  const [form = ''] = /<form.*?<\/form>/s.exec(page) ?? []
  const inputs = form.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)
  return Object.fromEntries([...inputs].map(([, name, value]) => [name, value]))
}

/** As a page under the policy `no-referrer` posts: no Referer, and an opaque Origin. */
const post = (browser: Browser, path: string, fields: Record<string, string>) =>
  browser.submit(path, fields, { origin: 'null' })

async function pass(browser: Browser, host: Host, page: string): Promise<string | null> {
  const started = await post(browser, '/two-factor/start', { ...fieldsOf(page), channel: 'sms' })
  expect(started.status).toBe(303)
  const typed = fieldsOf((await browser.open(started.headers.get('location') ?? '')).text)
  const wrong = await post(browser, '/two-factor/verify', { ...typed, code: '000000' })
  expect(wrong.status).toBe(422)
  const right = await post(browser, '/two-factor/verify', {
    ...fieldsOf(wrong.text),
    code: host.stub.rightCode,
  })
  expect(right.status).toBe(303)
  return right.headers.get('location')
}

describe.each(['routes first', 'library first'] as const)('a CSRF library and helmet, %s', (order) => {
  it('let a person sign in and step up by the pages', async () => {
    const host = await startGuardedHost(order)
    const ana = host.browser()
    const { _csrf = '' } = fieldsOf((await ana.open('/login')).text)
    expect((await post(ana, '/login', {})).status).toBe(500)
    const pending = await post(ana, '/login', { _csrf })
    const page = await ana.open(pending.headers.get('location') ?? '')
    expect(await pass(ana, host, page.text)).toBe('/transfer')

    host.clock.now += 60_000
    const form = fieldsOf((await ana.open('/transfer')).text)
    const refused = await post(ana, '/transfer', { ...form, amount: '5' })
    expect(refused.status).toBe(403)
    expect(await pass(ana, host, refused.text)).toBe('/transfer')
    const again = fieldsOf((await ana.open('/transfer')).text)
    expect((await post(ana, '/transfer', { ...again, amount: '5' })).json).toEqual({ paid: true })
  })

  it('keep other sites out', async () => {
    const host = await startGuardedHost(order)
    const ana = host.browser()
    const { _csrf = '' } = fieldsOf((await ana.open('/login')).text)
    await post(ana, '/login', { _csrf })
    const cross = await ana.submit('/two-factor/start', {}, { 'sec-fetch-site': 'cross-site' })
    expect(cross.status).toBe(order === 'routes first' ? 403 : 500)
    expect(host.stub.sends).toEqual([])
  })
})

describe('a CSRF library before the routes, without `formFields`', () => {
  it('refuses the forms of the pages: the order or the option is needed', async () => {
    const { csrfSynchronisedProtection } = library()
    const host = await startHost({
      options: { subject: () => 'ana' },
      routes(app, tf) {
        app.use(express.urlencoded({ extended: false }), csrfSynchronisedProtection)
        mountRoutes(app, tf)
      },
    })
    const ana = host.browser()
    const page = await ana.open('/two-factor')
    const { status } = await post(ana, '/two-factor/start', fieldsOf(page.text))
    expect([status, host.stub.sends]).toEqual([500, []])
  })
})
