import type express from 'express'
import { describe, expect, it, vi } from 'vitest'
import { ok, startHost } from './kit.js'

const links = { signIn: '/sign-in', home: '/start' }

/** A host that says when a sign-in was given up, and guards a page by a step-up. */
async function hostWithPages(own: Partial<typeof links> = links) {
  const onCancelled = vi.fn((req: express.Request) => {
    delete req.session.pendingUserId
  })
  const host = await startHost({
    options: { onCancelled, pages: { links: own } },
    mount: (app, tf) => {
      app.get('/settings', tf.requireTwoFactor({ purpose: 'settings' }), ok)
      app.get('/fresh', tf.requireTwoFactor({ maxAgeMs: 60_000 }), ok)
      app.get('/sign-in', tf.requireTwoFactor(), ok)
    },
  })
  const referer = (path: string) => ({ referer: host.url + path, 'sec-fetch-site': 'same-origin' })
  return { host, onCancelled, referer }
}

describe('a page that somebody leaves', () => {
  it('ends a sign-in, and leads to the sign-in', async () => {
    const { host, onCancelled } = await hostWithPages()
    const ana = await host.login()
    await ana.submit('/two-factor/start', { purpose: 'login' })
    const { fields } = await ana.open('/two-factor?purpose=login&returnTo=/inbox')
    const left = await ana.submit('/two-factor/cancel', fields)
    expect([left.status, left.location]).toEqual([303, '/sign-in?returnTo=%2Finbox'])
    expect(onCancelled).toHaveBeenCalledTimes(1)
    expect((await ana.get('/two-factor')).status).toBe(401)
  })

  it('leads from the step-up of a form to its page, and keeps the sign-in', async () => {
    const { host, onCancelled, referer } = await hostWithPages()
    const ana = await host.signIn()
    const form = await ana.submit('/transfers', { amount: '1', payee: 'A' }, referer('/transfer?to=A'))
    const started = await ana.submit('/two-factor/start', form.fields)
    const page = await ana.open(started.location)
    expect((await ana.submit('/two-factor/cancel', page.fields)).location).toBe('/transfer?to=A')
    expect((await ana.get('/two-factor')).json).toEqual({ challenge: null })
    expect(onCancelled).not.toHaveBeenCalled()
  })

  it.each([
    ['the page before', '/inbox', '/inbox'],
    ['home, where that is not known', undefined, '/start'],
    ['home, where it was the guarded page itself', '/settings', '/start'],
    ['home, where it was one of our own pages', '/two-factor?purpose=login', '/start'],
  ])('leads from the step-up of a page to %s', async (_where, from, to) => {
    const { host, referer } = await hostWithPages()
    const ana = await host.signIn()
    const stepUp = await ana.get('/settings', { accept: 'text/html', ...(from && referer(from)) })
    const started = await ana.submit('/two-factor/start', (await ana.open(stepUp.location)).fields)
    const { fields } = await ana.open(started.location)
    expect((await ana.submit('/two-factor/cancel', fields)).location).toBe(to)
  })

  it('ends no sign-in by the page of a step-up whose session a proof in another tab has renewed', async () => {
    const { host, onCancelled } = await hostWithPages()
    const ana = await host.signIn()
    host.clock.now += 60_000
    const { fields } = await ana.open((await ana.open('/fresh')).location)
    const { requirement } = (await ana.post('/transfers', { amount: 1, payee: 'A' })).json
    expect((await host.confirm(ana, { requirement }, { requirement })).status).toBe(200)
    expect((await ana.submit('/two-factor/cancel', fields)).location).toBe('/start')
    expect(onCancelled).not.toHaveBeenCalled()
  })

  it('ends only the challenge of the page', async () => {
    const { host } = await hostWithPages()
    const ana = await host.signIn()
    const { json } = await ana.start({ purpose: 'transfer' })
    expect((await ana.submit('/two-factor/cancel', { purpose: 'settings' })).status).toBe(303)
    expect((await ana.get('/two-factor')).json.challenge.id).toBe(json.challenge.id)
  })

  it.each<[string, object, string]>([
    ['a sign-in', {}, '/sign-in'],
    ['a step-up', { purpose: 'settings' }, '/start'],
  ])('is that of the live code, where a form names none: of %s', async (_what, wanted, to) => {
    const { host, onCancelled } = await hostWithPages()
    const ana = await host.login()
    await ana.start(wanted)
    expect((await ana.submit('/two-factor/cancel')).location).toBe(to)
    expect(onCancelled).toHaveBeenCalledTimes(to === '/sign-in' ? 1 : 0)
  })

  it('shows nothing in JSON, and ends a sign-in with a live code', async () => {
    const { host, onCancelled } = await hostWithPages()
    const ana = await host.challenged()
    expect((await ana.post('/two-factor/cancel')).status).toBe(204)
    expect((await ana.post('/two-factor/cancel')).status).toBe(401)
    expect(onCancelled).toHaveBeenCalledTimes(1)
  })

  it('can be left without a number, although there is nothing to cancel', async () => {
    const { host } = await hostWithPages()
    const nobody = await host.login('nobody')
    expect((await nobody.post('/two-factor/cancel')).status).toBe(409)
    const left = await nobody.submit('/two-factor/cancel', { purpose: 'login' })
    expect(left.location).toBe('/sign-in')
    expect((await nobody.submit('/two-factor/cancel', { purpose: 'login' })).status).toBe(401)
  })
})

describe('a guarded page without a sign-in', () => {
  it('leads to the sign-in with the way back, in a browser', async () => {
    const { host } = await hostWithPages()
    const visitor = host.browser()
    const led = await visitor.open('/account?tab=1')
    expect([led.status, led.location]).toEqual([303, '/sign-in?returnTo=%2Faccount%3Ftab%3D1'])
    expect((await visitor.get('/account')).status).toBe(401)
    expect((await visitor.submit('/transfers')).status).toBe(401)
  })

  it.each(['/sign-in?by=name#name', 'https://app.example.com/sign-in', '/x/../sign-in'])(
    'does not lead to %s for ever, where the guard stands before that as well',
    async (signIn) => {
      const { host } = await hostWithPages({ ...links, signIn })
      const visitor = host.browser()
      expect((await visitor.open('/account')).status).toBe(303)
      expect((await visitor.open('/sign-in')).status).toBe(401)
    },
  )

  it('explains it if the app has no sign-in page, and cancelling leads home', async () => {
    const { host } = await hostWithPages({ home: '/start' })
    const told = await host.browser().open('/account')
    expect([told.status, told.text]).toEqual([401, expect.stringContaining('You are not signed in.')])
    const ana = await host.login()
    expect((await ana.submit('/two-factor/cancel', { purpose: 'login' })).location).toBe('/start')
  })

  it('reports a sign-out only if a user was signed in', async () => {
    const { host } = await hostWithPages()
    const stranger = await host.browser().open('/two-factor')
    expect(stranger.text).toContain('You are not signed in.')
    expect(stranger.text).not.toMatch(/Error:|role="alert"/)
    const ana = await host.challenged()
    const fields = (await ana.open('/two-factor')).fields
    ana.cookies.clear()
    const told = await ana.submit('/two-factor/verify', { ...fields, code: host.stub.rightCode })
    expect(told.text).toContain('You were signed out. Sign in to get a new code.')
    expect(told.text).toContain('<a class="button main" href="/sign-in')
  })
})

describe('a page that responds to a form', () => {
  it('names its own address, which posts nothing again', async () => {
    const { host, referer } = await hostWithPages()
    const ana = await host.challenged()
    const fields = (await ana.open('/two-factor')).fields
    const wrong = await ana.submit('/two-factor/verify', { ...fields, code: '000000' })
    expect(wrong.text).toContain('<main data-address="/two-factor?purpose=login">')
    await ana.submit('/two-factor/verify', { ...fields, code: host.stub.rightCode })
    const form = await ana.submit('/transfers', { amount: '1', payee: 'A' }, referer('/transfer'))
    const [, address = ''] = /data-address="([^"]+)"/.exec(form.text) ?? []
    const page = await ana.open(address.replaceAll('&amp;', '&'))
    expect([page.status, page.fields.returnTo]).toEqual([200, '/transfer'])
    expect(page.text).not.toContain('data-address')
  })

  it('shows after a reload that the last code was wrong, and no such text before it', async () => {
    const { host } = await hostWithPages()
    const ana = await host.challenged()
    const reloaded = () => ana.open('/two-factor?purpose=login&wrong=code')
    expect((await reloaded()).text).not.toContain('That code is not right')
    const { fields } = await ana.open('/two-factor')
    const wrong = await ana.submit('/two-factor/verify', { ...fields, code: '000000' })
    expect(wrong.text).toContain('data-wrong="code"')
    const { status, text } = await reloaded()
    expect(status).toBe(200)
    expect(text).toContain('<title>Error: Check your phone')
    expect(text).toContain('That code is not right.</a> You have 4 tries left.')
    expect(host.stub.checks).toHaveLength(1)
  })

  it('is got where a browser posts its form again', async () => {
    const { host } = await hostWithPages()
    const ana = await host.challenged()
    const again = await ana.submit('/two-factor?purpose=login&wrong=code', { code: '000000' })
    expect([again.status, again.location]).toEqual([303, '?purpose=login&wrong=code'])
    expect((await ana.submit('/two-factor')).location).toBe('?')
    expect(host.stub.checks).toEqual([])
  })
})
