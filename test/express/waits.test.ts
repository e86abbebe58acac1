import { describe, expect, it } from 'vitest'
import { TwoFactorError } from '../../src/index.js'
import { type Answer, type Browser, hiddenFields } from './browser.js'
import { startHost, startLoggedIn, startSignedIn, storeThrough } from './kit.js'

const minute = 60_000

/** The times of day that a page tells. */
const times = (page: string) => [...page.matchAll(/<time [^>]*>([^<]+)<\/time>/g)].map(([, time]) => time)
/** What can be pressed at once: links that wait for the script are hidden. */
const ways = (page: string) => [
  ...(page.replaceAll(/<p hidden.*?<\/p>/gs, '').match(/(?<=<(?:a|button)\b[^>]*>)[^<]+/g) ?? []),
]

async function wrongCodes(browser: Browser): Promise<Answer> {
  await browser.submit('/two-factor/verify', { code: '000000' })
  return browser.submit('/two-factor/verify', { code: '000001' })
}

const locking = { limits: { failuresBeforeLock: 2, lockMs: 15 * minute } }

describe('the page of a locked number', () => {
  it('shows one wait as a time of day, and offers nothing before it, on any way to it', async () => {
    const { host, ana } = await startLoggedIn({ options: locking })
    await ana.submit('/two-factor/start')
    expect((await wrongCodes(ana)).status).toBe(422)
    host.clock.now += 6 * minute
    const pages = [
      await ana.open('/two-factor'),
      await ana.open((await ana.open('/account')).location),
      await ana.submit('/two-factor/start'),
      await ana.submit('/two-factor/verify', { code: '000009' }),
    ]
    for (const page of pages) {
      expect(page.text).toContain('<h1>Too many wrong codes were entered</h1>')
      expect(times(page.text)).toEqual(['12:15 UTC'])
      expect(ways(page.text)).toEqual(['Cancel'])
    }
    expect(pages.map(({ status }) => status)).toEqual([200, 200, 429, 410])
    expect((await ana.get('/two-factor')).json).toEqual({ challenge: null })

    host.clock.now += 9 * minute
    expect((await ana.open('/two-factor')).text).toContain('action="/two-factor/start"')
    expect((await ana.submit('/two-factor/start')).status).toBe(303)
  })

  it('is not shown to the known browser of the owner whom a stranger locked out', async () => {
    const { host, ana } = await startSignedIn({ options: locking })
    const stranger = await host.login()
    await stranger.submit('/two-factor/start')
    await wrongCodes(stranger)
    expect(times((await stranger.open('/two-factor')).text)).toEqual(['12:15 UTC'])
    await ana.post('/login', { user: 'ana' })
    const own = await ana.open('/two-factor?purpose=transfer')
    expect(own.text).toContain('action="/two-factor/start"')
    expect(times(own.text)).toEqual([])
  })
})

it('a race without a winner ends within a second, and page and program get the wait', async () => {
  let races = false
  const store = storeThrough((command, _key, work) => {
    if (!races || command !== 'swap') return work()
    throw new TwoFactorError('verification_in_progress', { headers: { 'Retry-After': '1' } })
  })
  const { ana } = await startLoggedIn({ options: { store } })
  races = true
  const told = await ana.start()
  expect(told.json).toMatchObject({ code: 'verification_in_progress', retryAfterMs: 1_000 })
  expect(told.headers.get('retry-after')).toBe('1')
  expect((await ana.submit('/two-factor/start')).text).toContain('Try again in 1 second.')
})

describe('a code that ran out', () => {
  async function expired() {
    const { host, ana } = await startLoggedIn()
    await ana.submit('/two-factor/start', { returnTo: '/inbox' })
    const { fields } = await ana.open('/two-factor?returnTo=/inbox')
    host.clock.now += 5 * minute
    return { host, ana, fields }
  }

  it('explains it after a reload, with a button that sends a new code, and only to its session', async () => {
    const { host, ana } = await expired()
    const other = await host.login('ana2')
    expect((await other.open('/two-factor')).text).not.toContain('no longer works')
    const page = await ana.open('/two-factor?returnTo=/inbox')
    expect(page.text).toContain('That code no longer works.')
    expect(page.text).toMatch(/value="sms"[^>]*>Send a new code</)
    const sent = await ana.submit('/two-factor/start', page.fields)
    expect(sent.location).toBe('/two-factor?purpose=login&returnTo=%2Finbox')
    expect(host.stub.sends).toHaveLength(2)
  })

  it('is replaced by the button of a page that was open all the time, and stays gone for JSON', async () => {
    const { host, ana, fields } = await expired()
    expect((await ana.post('/two-factor/resend', {})).refusal).toEqual([410, 'challenge_gone'])
    const sent = await ana.submit('/two-factor/resend', { ...fields, channel: 'call' })
    expect(sent).toMatchObject({ status: 303, location: '/two-factor?purpose=login&returnTo=%2Finbox' })
    expect(host.stub.sends.map(({ path }) => path)).toEqual(['/v1/2fa/send-sms', '/v1/call/2fa/send-call'])
    const { text } = await ana.open(sent.location)
    const right = await ana.submit('/two-factor/verify', { ...hiddenFields(text), code: host.stub.rightCode })
    expect(right.location).toBe('/inbox')
  })

  it('of several numbers is replaced by one button for its number, and all further ones are one page later', async () => {
    const host = await startHost({ options: { phone: () => ['+573001234567', '+573007654321'] } })
    const ana = await host.login()
    const sends = (page: string) =>
      [...page.matchAll(/name="destination" value="([^"]+)"/g)].map(([, id = '']) => id)
    const [, second = ''] = sends((await ana.open('/two-factor')).text)
    await ana.submit('/two-factor/start', { destination: second })
    host.clock.now += 5 * minute
    const page = await ana.open('/two-factor')
    expect(page.text).toContain('That code no longer works.')
    expect(sends(page.text)).toEqual([second])
    const [, others = ''] = /href="([^"]+)">Get a code another way</.exec(page.text) ?? []
    expect(sends((await ana.open(others.replaceAll('&amp;', '&'))).text)).toHaveLength(4)
  })
})

it('a code without a verdict stays in its field and nowhere else', async () => {
  const { host, ana } = await startLoggedIn()
  await ana.submit('/two-factor/start')
  host.stub.answerCheck = () => ({ status: 503, json: {} })
  const unchecked = await ana.submit('/two-factor/verify', { code: ' 482 913 ' })
  expect(unchecked.status).toBe(503)
  expect(unchecked.text).toContain('Sorry, we could not check the code')
  expect(unchecked.text).toMatch(/<input id="code"[^>]* value=" 482 913 "/)
  expect((await ana.open('/two-factor')).text).not.toContain('482 913')
  host.stub.answerCheck = () => ({ json: { status: 'pending' } })
  const wrong = await ana.submit('/two-factor/verify', { code: '482914' })
  expect(wrong.text).not.toContain('482914')
})

describe('a number that the provider refuses', () => {
  const refused = () => ({ status: 520, json: { error: 1007 } })
  const sentence = 'We couldn&#39;t send a code to this number.'
  /** What can be pressed, and what has to wait. */
  const buttons = (page: string) =>
    Object.fromEntries(
      [...page.matchAll(/<button class="(?:main|other)( waits)?" name="channel" value="(\w+)"/g)].map(
        ([, waits, channel]) => [channel, waits === undefined],
      ),
    )

  it('is offered an immediate call, and shown no false wait, for six rounds', async () => {
    const { host, ana } = await startLoggedIn({ options: { pages: { links: { support: '/help' } } } })
    host.stub.answerSend = refused
    for (let round = 1; round <= 6; round += 1) {
      const before = await ana.open('/two-factor')
      expect(buttons(before.text)).toEqual({ sms: true, call: true })
      const sealedChallenges = await ana.submit('/two-factor/start', { channel: 'sms' })
      expect(buttons(sealedChallenges.text)).toEqual({ sms: false, call: true })
      expect(sealedChallenges.text).not.toContain('You can ask for a code in')
      const uncalled = await ana.submit('/two-factor/start', { channel: 'call' })
      expect(buttons(uncalled.text)).toEqual({ sms: false, call: false })
      for (const { status, text } of [sealedChallenges, uncalled]) {
        expect(status).toBe(502)
        expect(text).toContain(sentence)
        expect(text).toContain('href="/help"')
      }
      const [, waitMs] = /<p data-wait-ms="(\d+)"/.exec(uncalled.text) ?? []
      host.clock.now += Number(waitMs)
      expect(buttons((await ana.open('/two-factor')).text)).toMatchObject({ sms: true })
      host.clock.now += 5 * minute
    }
  })

  it('is reported after a reload, and again if its button is pressed too early', async () => {
    const { host, ana } = await startLoggedIn()
    host.stub.answerSend = refused
    await ana.submit('/two-factor/start', { channel: 'sms' })
    for (const page of [
      await ana.open('/two-factor'),
      await ana.submit('/two-factor/start', { channel: 'sms' }),
    ]) {
      expect(page.text).toContain(sentence)
      expect(buttons(page.text)).toEqual({ sms: false, call: true })
    }
    host.clock.now += minute
    expect((await ana.open('/two-factor')).text).not.toContain(sentence)
  })

  it('is offered a call also while an earlier code may still be typed', async () => {
    const { host, ana } = await startLoggedIn()
    await ana.submit('/two-factor/start')
    host.clock.now += minute
    host.stub.answerSend = refused
    const { text } = await ana.submit('/two-factor/resend', { channel: 'sms' })
    expect(text).toContain('id="code"')
    expect(buttons(text)).toEqual({ sms: false, call: true })
  })
})

it.each([
  ['You&#39;ve asked for too many codes', { sendsPerHour: 1 }],
  ['Codes are turned off', { failuresBeforeDisable: 2, failuresBeforeLock: 2 }],
])('a user who is locked out reads "%s"', async (title, limits) => {
  const { host, ana } = await startLoggedIn({ options: { limits } })
  await ana.submit('/two-factor/start')
  for (const code of ['000000', '000001']) await ana.submit('/two-factor/verify', { code })
  host.clock.now += 10 * minute
  expect((await ana.submit('/two-factor/start')).text).toContain(`<h1>${title}</h1>`)
})
