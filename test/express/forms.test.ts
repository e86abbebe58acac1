import express from 'express'
import { describe, expect, it } from 'vitest'
import { asAna, startLoggedIn, startSignedIn, startVisit, storeThrough } from './kit.js'

const minute = 60_000

describe('a sign-in with forms', () => {
  it('leads from the guarded page over the code page back to it', async () => {
    const { host, ana } = await startLoggedIn()

    const refused = await ana.open('/account?tab=cards')
    expect([refused.status, refused.headers.get('vary')]).toEqual([303, 'Accept'])
    expect(refused.location).toMatch(/^\/two-factor\?requirement=[\w.-]+$/)

    const start = await ana.open(refused.location)
    expect([start.status, host.stub.sends]).toEqual([200, []])
    // Kept out of caches, of frames, of other types and of the Referer of other sites.
    expect(Object.fromEntries(start.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
    })

    const { requirement = '' } = start.fields
    const started = await ana.submit('/two-factor/start', { requirement, purpose: 'login', channel: 'sms' })
    // Nothing is bound: purpose and way back say it all.
    const codePage = '/two-factor?purpose=login&returnTo=%2Faccount%3Ftab%3Dcards'
    expect([started.status, started.location]).toEqual([303, codePage])
    expect(host.stub.sends).toHaveLength(1)
    const code = await ana.open(codePage)
    expect(code.text).toContain('action="/two-factor/verify"')
    expect(code.text).toContain('name="returnTo" value="/account?tab=cards"')

    const wrong = await ana.submit('/two-factor/verify', { requirement, code: '000000' })
    expect([wrong.status, wrong.text]).toEqual([422, expect.stringContaining('role="alert"')])
    const right = await ana.submit('/two-factor/verify', { requirement, code: '482913' })
    expect([right.status, right.location]).toEqual([303, '/account?tab=cards'])
    expect((await ana.open('/account?tab=cards')).status).toBe(200)
  })

  it("starts by the host's own form and carries the way back along", async () => {
    const { visitor: ana } = await startVisit({
      mount: (app, tf) => {
        app.post('/sign-in', express.urlencoded({ extended: false }), asAna, tf.start({ purpose: 'login' }))
      },
    })
    const fields = { password: 'x', purpose: 'nothing', phone: '+573009999999', returnTo: '/inbox' }
    const started = await ana.submit('/sign-in', fields)
    expect([started.status, started.location]).toEqual([303, '/two-factor?returnTo=%2Finbox'])
    expect((await ana.open(started.location)).text).toContain('value="/inbox"')
    const right = await ana.submit('/two-factor/verify', { returnTo: '/inbox', code: '482913' })
    expect(right.location).toBe('/inbox')
  })

  it('leads back also when the requirement ran out before the code came', async () => {
    const { host, ana } = await startLoggedIn()
    const page = await ana.open((await ana.open('/account?tab=cards')).location)
    host.clock.now += 9 * minute
    const codePage = (await ana.submit('/two-factor/start', page.fields)).location
    const { fields } = await ana.open(codePage)

    host.clock.now += 2 * minute
    expect((await ana.open(codePage)).status).toBe(200)
    const wrong = await ana.submit('/two-factor/verify', { ...fields, code: '000000' })
    expect([wrong.status, wrong.fields]).toEqual([422, fields])
    expect((await ana.submit('/two-factor/resend', fields)).status).toBe(303)
    const right = await ana.submit('/two-factor/verify', { ...fields, code: host.stub.rightCode })
    expect(right.location).toBe('/account?tab=cards')
  })

  it('sends a new code for the form if the user lets a code expire', async () => {
    const { host, ana } = await startSignedIn()
    const transfer = { amount: '100', payee: 'ACME' }
    const refused = await ana.submit('/transfers', transfer, { referer: `${host.url}/transfers/new` })
    host.clock.now += 4 * minute
    const started = await ana.submit('/two-factor/start', refused.fields)
    const { fields } = await ana.open(started.location)

    host.clock.now += 15 * minute
    const late = await ana.submit('/two-factor/verify', { ...fields, code: '482914' })
    expect(late.text).toContain('action="/two-factor/start"')
    expect((await ana.submit('/two-factor/start', late.fields)).status).toBe(303)
    const right = await ana.submit('/two-factor/verify', { code: host.stub.rightCode })
    expect(right.status).toBe(303)
    expect((await ana.submit('/transfers', transfer)).status).toBe(200)
  })

  it('knows the purpose of the code after an outage of the store', async () => {
    let isDown = false
    const store = storeThrough((command, _key, work) => {
      if (isDown && command === 'read') throw new Error('down')
      return work()
    })
    const { ana } = await startSignedIn({ options: { store } })
    const { fields } = await ana.submit('/transfers', { amount: '100', payee: 'ACME' })
    isDown = true
    const told = await ana.submit('/two-factor/start', fields)
    expect(told.status).toBe(503)
    expect(told.text).toContain(`<a href="/two-factor/?requirement=${fields.requirement}&amp;`)
  })

  it('shows an expired requirement only the way back and no form', async () => {
    const { host, ana } = await startSignedIn()
    const transfer = { amount: '100', payee: 'ACME' }
    const refused = await ana.submit('/transfers', transfer, {
      referer: `${host.url}/transfers/new`,
      'sec-fetch-site': 'none',
    })
    const { fields } = refused
    expect(fields).toMatchObject({ purpose: 'transfer', returnTo: '/transfers/new' })
    host.clock.now += 10 * minute

    const page = `/two-factor?requirement=${fields.requirement}`
    const code = { requirement: fields.requirement ?? '', code: '000000' }
    const wayBack = '<a href="/transfers/new">Try again</a>'
    for (const [told, status] of [
      [await ana.open(page), 400],
      [await ana.submit('/two-factor/start', fields), 400],
      [await ana.submit('/two-factor/verify', code), 410],
    ] as const) {
      expect(told.status).toBe(status)
      expect(told.text).not.toContain('<form')
      expect(told.text).toContain(wayBack)
    }
    // Also while a code for something else is under way.
    await ana.start()
    expect((await ana.open(page)).text).not.toContain('<form')
    const replaced = await ana.submit('/two-factor/verify', code)
    expect([replaced.status, replaced.text]).toEqual([409, expect.stringContaining(wayBack)])
  })
})
