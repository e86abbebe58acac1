import express from 'express'
import { describe, expect, it } from 'vitest'
import { memoryStore, type Store } from '../../src/index.js'
import { type Answer, type Browser, hiddenFields } from './browser.js'
import { startHost, startLoggedIn, startSignedIn, startVisit } from './kit.js'

const minute = 60_000

describe('a sign-in with forms', () => {
  it('leads from the guarded page over the code page back to it', async () => {
    const { host, ana } = await startLoggedIn()

    const refused = await ana.open('/account?tab=cards')
    expect(refused.status).toBe(303)
    expect(refused.headers.get('vary')).toBe('Accept')
    const page = refused.headers.get('location') ?? ''
    expect(page).toMatch(/^\/two-factor\?requirement=[\w.-]+$/)

    const start = await ana.open(page)
    expect(start.status).toBe(200)
    expect(start.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(start.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(start.headers.get('cache-control')).toBe('no-store')
    // Kept out of frames, of other types and of the Referer of other sites.
    expect(start.headers.get('x-frame-options')).toBe('DENY')
    expect(start.headers.get('x-content-type-options')).toBe('nosniff')
    expect(start.headers.get('referrer-policy')).toBe('same-origin')
    expect(host.stub.sends).toEqual([])

    const requirement = new URLSearchParams(page.split('?')[1]).get('requirement') ?? ''
    const started = await ana.submit('/two-factor/start', { requirement, purpose: 'login', channel: 'sms' })
    expect(started.status).toBe(303)
    // Nothing is bound: purpose and way back say it all.
    const codePage = '/two-factor?purpose=login&returnTo=%2Faccount%3Ftab%3Dcards'
    expect(started.headers.get('location')).toBe(codePage)
    expect(host.stub.sends).toHaveLength(1)

    const code = await ana.open(codePage)
    expect(code.text).toContain('action="/two-factor/verify"')
    expect(code.text).toContain('name="returnTo" value="/account?tab=cards"')

    const wrong = await ana.submit('/two-factor/verify', { requirement, code: '000000' })
    expect(wrong.status).toBe(422)
    expect(wrong.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(wrong.text).toContain('role="alert"')

    const right = await ana.submit('/two-factor/verify', { requirement, code: '482913' })
    expect(right.status).toBe(303)
    expect(right.headers.get('location')).toBe('/account?tab=cards')
    expect((await ana.open('/account?tab=cards')).status).toBe(200)
  })

  it("starts by the host's own form and carries the way back along", async () => {
    const { visitor: ana } = await startVisit({
      mount: (app, tf) => {
        const form = express.urlencoded({ extended: false })
        app.post(
          '/sign-in',
          form,
          (req, _res, next) => {
            req.session.pendingUserId = req.body.user
            next()
          },
          tf.start({ purpose: 'login' }),
        )
      },
    })
    const fields = {
      user: 'ana',
      password: 'x',
      purpose: 'nothing',
      phone: '+573009999999',
      returnTo: '/inbox',
    }
    const started = await ana.submit('/sign-in', fields)
    expect(started.status).toBe(303)
    expect(started.headers.get('location')).toBe('/two-factor?returnTo=%2Finbox')
    expect((await ana.open('/two-factor?returnTo=%2Finbox')).text).toContain('value="/inbox"')
    const right = await ana.submit('/two-factor/verify', { returnTo: '/inbox', code: '482913' })
    expect(right.headers.get('location')).toBe('/inbox')
  })

  it('tells nobody so first, also one without a session', async () => {
    const session = { id: () => undefined, rotate: () => undefined }
    const host = await startHost({ options: { session } })
    expect((await host.browser().open('/two-factor?requirement=x')).status).toBe(401)
  })

  it('leads back also when the requirement ran out before the code came', async () => {
    const { host, ana } = await startLoggedIn()
    const page = (await ana.open('/account?tab=cards')).headers.get('location') ?? ''
    host.clock.now += 9 * minute
    const started = await ana.submit('/two-factor/start', hiddenFields((await ana.open(page)).text))
    const codePage = started.headers.get('location') ?? ''
    const fields = hiddenFields((await ana.open(codePage)).text)

    host.clock.now += 2 * minute
    expect((await ana.open(codePage)).status).toBe(200)
    const wrong = await ana.submit('/two-factor/verify', { ...fields, code: '000000' })
    expect(wrong.status).toBe(422)
    expect(hiddenFields(wrong.text)).toEqual(fields)
    expect((await ana.submit('/two-factor/resend', fields)).status).toBe(303)
    const right = await ana.submit('/two-factor/verify', { ...fields, code: host.stub.rightCode })
    expect(right.headers.get('location')).toBe('/account?tab=cards')
  })

  it.each<[string, (ana: Browser, page: string, fields: Record<string, string>) => Promise<Answer>]>([
    ['looks at the page again', (ana, page) => ana.open(page)],
    [
      'types it too late',
      (ana, _page, fields) => ana.submit('/two-factor/verify', { ...fields, code: '482914' }),
    ],
  ])('sends a new code for the same form to whoever lets one run out and %s', async (_how, comesBack) => {
    const { host, ana } = await startSignedIn()
    const transfer = { amount: '100', payee: 'ACME' }
    const refused = await ana.submit('/transfers', transfer, { referer: `${host.url}/transfers/new` })
    host.clock.now += 4 * minute
    const started = await ana.submit('/two-factor/start', hiddenFields(refused.text))
    const codePage = started.headers.get('location') ?? ''
    const typed = hiddenFields((await ana.open(codePage)).text)

    host.clock.now += 15 * minute
    const late = await comesBack(ana, codePage, typed)
    expect(late.text).toContain('action="/two-factor/start"')
    expect((await ana.submit('/two-factor/start', hiddenFields(late.text))).status).toBe(303)
    const right = await ana.submit('/two-factor/verify', { code: host.stub.rightCode })
    expect(right.status).toBe(303)
    expect((await ana.submit('/transfers', transfer)).status).toBe(200)
  })

  it('knows after an outage of the store what the code is for', async () => {
    const well = memoryStore()
    let isDown = false
    const asked: string[] = []
    const read: Store['read'] = (key) => {
      asked.push(key)
      return isDown ? Promise.reject(new Error('down')) : well.read(key)
    }
    const { ana } = await startSignedIn({ options: { store: { ...well, read } } })
    const refused = await ana.submit('/transfers', { amount: '100', payee: 'ACME' })
    const { requirement = '', ...fields } = hiddenFields(refused.text)
    isDown = true
    asked.length = 0
    const told = await ana.submit('/two-factor/start', { ...fields, requirement })
    expect(told.status).toBe(503)
    expect(told.text).toContain(`<a href="/two-factor/?requirement=${requirement}&amp;`)
    // The page does not wait for the store once more.
    expect(asked.length).toBe(new Set(asked).size)
  })

  it('shows to whoever comes with a requirement that ran out the way back and no form', async () => {
    const { host, ana } = await startSignedIn()
    const transfer = { amount: '100', payee: 'ACME' }
    const refused = await ana.submit('/transfers', transfer, {
      referer: `${host.url}/transfers/new`,
      'sec-fetch-site': 'none',
    })
    const fields = hiddenFields(refused.text)
    expect(fields).toMatchObject({ purpose: 'transfer', returnTo: '/transfers/new' })
    host.clock.now += 10 * minute

    const page = `/two-factor?requirement=${fields.requirement}`
    for (const told of [await ana.open(page), await ana.submit('/two-factor/start', fields)]) {
      expect(told.status).toBe(400)
      expect(told.text).not.toContain('<form')
      expect(told.text).toContain('<a href="/transfers/new">Try again</a>')
    }
    const code = { requirement: fields.requirement ?? '', code: '000000' }
    const gone = await ana.submit('/two-factor/verify', code)
    expect(gone.status).toBe(410)
    expect(gone.text).not.toContain('<form')
    expect(gone.text).toContain('<a href="/transfers/new">Try again</a>')
    // Also while a code for something else is under way.
    await ana.post('/two-factor/start', {})
    expect((await ana.open(page)).text).not.toContain('<form')
    const replaced = await ana.submit('/two-factor/verify', code)
    expect(replaced.status).toBe(409)
    expect(replaced.text).toContain('<a href="/transfers/new">Try again</a>')
  })
})
