import { describe, expect, it } from 'vitest'
import { tokenSession } from '../../src/index.js'
import type { Answer } from './browser.js'
import { type HostOptions, signupAt, startHost } from './kit.js'

const signups = (more: HostOptions = {}) => startHost({ mount: signupAt('/signup'), ...more })

const chosenCountry = ({ text }: Answer) => /<option value="(\w\w)" selected>/.exec(text)?.[1]
const typedPhone = ({ text }: Answer) => /<input id="phone"[^>]* value="([^"]*)"/.exec(text)?.[1]
const typed = { phone: '310 765 4321', country: 'CO' }

describe('the pages of a signup', () => {
  it('show the number that was typed with its calling code, and JSON masks it', async () => {
    const host = await signups()
    const visitor = host.browser()
    await visitor.submit('/signup/start', { phone: '+57 310.765.4321', country: 'MX' })
    const { text } = await visitor.open('/signup')
    expect(text).toContain('We sent a code to <span class="number" dir="ltr">+57 310 7654321</span>.')
    // Nobody is signed in whose browser could be trusted.
    expect(text).not.toContain('trustDevice')
    const wrong = await visitor.submit('/signup/verify', { code: '000000' })
    expect(wrong.text).toContain('<span class="number" dir="ltr">+57 310 7654321</span>')
    expect((await visitor.get('/signup')).text).not.toContain('7654321')
    expect((await host.browser().open('/signup')).text).not.toContain('7654321')
  })

  it('lead back to the target of the app, and write a number in the usual form of its only country', async () => {
    const host = await signups({
      options: { countries: ['CO'] },
      mount: (app, tf) => app.use('/signup', tf.phoneVerification({ backPath: '/join' }).routes()),
    })
    const visitor = host.browser()
    const { text, fields } = await visitor.open('/signup')
    expect(text).toContain('<a href="/join">')
    await visitor.submit('/signup/start', { ...fields, phone: '3107654321' })
    expect((await visitor.open('/signup')).text).toContain('dir="ltr">310 7654321</span>')
  })

  it('ask to check a number whose area code does not exist', async () => {
    const host = await signups({ options: { countries: ['US'] } })
    const asked = await host.browser().submit('/signup/start', { phone: '+1 555 555 0100' })
    expect([asked.status, asked.text.includes('Check the number')]).toEqual([400, true])
    expect(host.stub.sends).toEqual([])
  })

  it('choose the country of the browser, where it is on the list', async () => {
    const host = await signups()
    const visitor = host.browser()
    for (const [languages, country] of [
      ['es-MX,es;q=0.9', 'MX'],
      ['en-US,es-CO;q=0.5,zh-Hans-MX;q=0.8', 'MX'],
      ['es-419, mx, *', 'CO'],
    ] as const) {
      const headers = { accept: 'text/html', 'accept-language': languages }
      expect([languages, chosenCountry(await visitor.get('/signup', headers))]).toEqual([languages, country])
    }
  })

  it('ask about a number that fits another country, and send nothing before that is answered', async () => {
    const host = await signups()
    const visitor = host.browser()
    const json = await visitor.post('/signup/start', { phone: '310 765 4321', country: 'MX' })
    expect([json.refusal, json.json.reason]).toEqual([[403, 'destination_not_allowed'], 'other-country'])
    const asked = await visitor.submit('/signup/start', { phone: '310 765 4321', country: 'mx' })
    expect([asked.status, chosenCountry(asked), typedPhone(asked)]).toEqual([403, 'CO', '310 765 4321'])
    expect(host.stub.sends).toEqual([])
  })

  it('show it again to a user with another number, with its country', async () => {
    const host = await signups()
    const visitor = host.browser()
    expect(chosenCountry(await visitor.open('/signup'))).toBe('CO')
    await visitor.submit('/signup/start', { phone: '55 1234 5678', country: 'mx' })
    const cancelled = await visitor.submit('/signup/cancel')
    const page = await visitor.open(cancelled.location)
    expect(typedPhone(page)).toBe('55 1234 5678')
    expect(chosenCountry(page)).toBe('MX')
    // What was typed last wins, and a country that is not on the list is none.
    const refused = await visitor.submit('/signup/start', { phone: 'hello', country: 'DE' })
    expect(typedPhone(refused)).toBe('hello')
    expect(chosenCountry(refused)).toBe('CO')
  })

  it('have the number still when its code ran out, and a button that sends another', async () => {
    const host = await signups()
    const visitor = host.browser()
    await visitor.submit('/signup/start', typed)
    const { fields } = await visitor.open('/signup')
    host.clock.now += 11 * 60_000
    expect(typedPhone(await visitor.open('/signup'))).toBe(typed.phone)
    expect((await visitor.submit('/signup/resend', fields)).status).toBe(303)
    expect(host.stub.sends).toHaveLength(2)
  })

  it('allow another number if the typed number is locked', async () => {
    const host = await signups({ options: { limits: { failuresBeforeLock: 2, lockMs: 15 * 60_000 } } })
    const visitor = host.browser()
    await visitor.submit('/signup/start', typed)
    await visitor.submit('/signup/verify', { code: '000000' })
    const locked = await visitor.submit('/signup/verify', { code: '000001' })
    const typedAgain = await visitor.submit('/signup/start', typed)
    for (const page of [locked, typedAgain]) {
      expect(page.text).toContain('<h1>Too many wrong codes were entered</h1>')
      expect(page.text).toContain('action="/signup/cancel"')
      expect(page.text).not.toContain('action="/signup/start"')
    }
    const cancelled = await visitor.submit('/signup/cancel', locked.fields)
    const page = await visitor.open(cancelled.location)
    expect(typedPhone(page)).toBe('310 765 4321')
    expect((await visitor.submit('/signup/start', { phone: '320 765 4321', country: 'CO' })).status).toBe(303)
  })

  it('show no number again after it was verified, nor to a different account in the session', async () => {
    const host = await signups()
    const ana = await host.login()
    await ana.submit('/signup/start', typed)
    await ana.post('/login', { user: 'ben' })
    expect(typedPhone(await ana.open('/signup'))).toBe('')
  })

  it('notice blocked cookies before anything is sent', async () => {
    const host = await signups()
    const visitor = host.browser()
    const page = await visitor.open('/signup')
    expect(page.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^two-factor-cookies=[\w-]{36}; Path=\/; HttpOnly; SameSite=Lax$/),
    ])
    const fields = { ...page.fields, ...typed }
    visitor.cookies.clear()
    const refused = await visitor.submit('/signup/start', fields)
    expect(refused.status).toBe(503)
    expect(refused.text).toContain('<h1>We can&#39;t confirm that it&#39;s you without cookies</h1>')
    expect(refused.text).not.toContain('<form')
    expect(host.stub.sends).toEqual([])
  })

  it('send to a browser that takes cookies, and do not probe twice', async () => {
    const host = await signups()
    const visitor = host.browser()
    const { fields } = await visitor.open('/signup')
    expect((await visitor.open('/signup')).text).not.toContain('name="cookies"')
    const sent = await visitor.submit('/signup/start', { ...fields, ...typed })
    expect(sent.status).toBe(303)
  })

  it('set no cookie where sessions are bearer tokens', async () => {
    const session = tokenSession(() => 'a session')
    const host = await signups({ options: { session } })
    const page = await host.browser().get('/signup', { accept: 'text/html', authorization: 'Bearer x' })
    expect(page.text).toContain('id="phone"')
    expect(page.headers.getSetCookie()).toEqual([])
    expect(page.text).not.toContain('name="cookies"')
  })
})
