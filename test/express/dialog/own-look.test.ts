import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { CodeRequest } from '../../../src/browser/index.js'
import type { TwoFactorOptions } from '../../../src/index.js'
import { describeInChromium } from '../../browser/chromium.js'
import { openSinglePage } from './single-page.js'

declare global {
  interface Window {
    request: CodeRequest
  }
}

/** Calls with a look that only keeps the request for the test. */
const callByHand = (page: Page) =>
  page.evaluate(async () => {
    const onChallenge = (request: CodeRequest) => Object.assign(window, { request })
    const init = { method: 'POST' }
    const response = window.fetchWithCode('/guarded/settings', init, { onChallenge })
    return response.then(
      async (sent) => [sent.status, await sent.text()],
      (error: Error) => [error.name],
    )
  })

const challengeIn = (page: Page) =>
  page.waitForFunction(() => window.request?.challenge).then((handle) => handle.jsonValue())

describeInChromium('a look of one’s own', (browser) => {
  it('gets the challenge, returns the problem of a code, and continues with the correct one', async () => {
    const { host, page, received } = await openSinglePage(browser())
    const answer = callByHand(page)
    expect(await challengeIn(page)).toMatchObject({
      destination: '••••••67',
      expiresInMs: 300_000,
      resendInMs: 60_000,
      details: { title: 'Settings', rows: [['Language', 'Spanish']] },
    })
    expect(await page.evaluate(() => window.request.verify('000000'))).toMatchObject({
      code: 'code_not_accepted',
      attemptsRemaining: 4,
      detail: 'That code is not right. You have 4 tries left.',
    })
    expect(await page.getByRole('dialog').count()).toBe(0)
    const problem = await page.evaluate((code) => window.request.verify(code), host.stub.rightCode)
    expect(problem).toBeUndefined()
    expect(await answer).toEqual([200, '{"saved":true}'])
    expect(received).toHaveLength(2)
    expect(await page.evaluate(() => window.request.signal.aborted)).toBe(true)
  })

  it.each([
    ['a page of a Wi-Fi network', { status: 200 }],
    ['a redirect to one', { status: 302, headers: { location: '/wi-fi' } }],
    ['an error of a proxy', { status: 502 }],
  ])('takes %s for no answer', async (_, stranger) => {
    const { host, page } = await openSinglePage(browser())
    const answer = callByHand(page)
    await challengeIn(page)
    const routes = /\/two-factor\/(?:verify|resend)$/
    await page.route(routes, (route) => route.fulfill({ contentType: 'text/html', ...stranger }))
    const outcomes = await page.evaluate(() => {
      const sent = [window.request.verify('000000'), window.request.resend()]
      return Promise.all(sent.map((outcome) => outcome.catch(String)))
    })
    expect(outcomes).toEqual(Array(2).fill(expect.stringContaining('did not respond as the routes do')))
    expect(await page.evaluate(() => window.request.signal.aborted)).toBe(false)
    await page.unroute(routes)
    await page.evaluate((code) => window.request.verify(code), host.stub.rightCode)
    expect((await answer)[0]).toBe(200)
  })

  it('recognises a correct code if onVerified sends the response', async () => {
    const onVerified: NonNullable<TwoFactorOptions['onVerified']> = (_req, res) =>
      void res.json({ welcome: true })
    const { host, page } = await openSinglePage(browser(), { options: { onVerified } })
    const answer = callByHand(page)
    await challengeIn(page)
    expect(await page.evaluate((code) => window.request.verify(code), host.stub.rightCode)).toBeUndefined()
    expect((await answer)[0]).toBe(200)
  })

  it('sends another code, also when the first has expired', async () => {
    const { host, page } = await openSinglePage(browser())
    const answer = callByHand(page)
    await challengeIn(page)
    expect(await page.evaluate(() => window.request.resend())).toMatchObject({ code: 'resend_too_soon' })
    host.clock.now += 300_000
    await page.evaluate(() => window.request.resend())
    expect(await challengeIn(page)).toMatchObject({ channel: 'sms', attemptsRemaining: 5 })
    await page.evaluate((code) => window.request.verify(code), host.stub.rightCode)
    expect((await answer)[0]).toBe(200)
  })

  it('is put in place of the dialog by an event, for the whole app', async () => {
    const { host, page } = await openSinglePage(browser())
    const answer = page.evaluate(async () => {
      document.addEventListener('two-factor-challenge', ({ detail }) => {
        detail.respondWith((request) => Object.assign(window, { request, purpose: detail.purpose }))
      })
      return (await window.fetchWithCode('/guarded/settings')).status
    })
    await challengeIn(page)
    expect(await page.evaluate('purpose')).toBe('settings')
    expect(await page.getByRole('dialog').count()).toBe(0)
    await page.evaluate((code) => window.request.verify(code), host.stub.rightCode)
    expect(await answer).toBe(200)
  })
})
