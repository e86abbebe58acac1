import { expect, it } from 'vitest'
import type { StubAnswer } from '../provider-stub.js'
import type { Answer, Browser } from './browser.js'
import { signupAt, startChallenged, startHost } from './kit.js'

const html = (status: number): StubAnswer => ({ status, text: '<html>verified</html>' })

// What each answer means, code-adapter.test.ts says; what a challenge makes of it, challenges.test.ts.
it.each<[string, StubAnswer, number, object]>([
  ['a refusal', { status: 520, json: { error: 1007 } }, 502, { code: 'delivery_failed' }],
  ['a refused account', { status: 403, json: {} }, 503, { code: 'provider_unavailable' }],
  ['a gateway', html(502), 202, { delivery: 'unconfirmed', challenge: { attemptsRemaining: 5 } }],
  ['a gateway that writes JSON', { status: 503, json: { error: 'x' } }, 202, { delivery: 'unconfirmed' }],
  ['a cut connection', 'reset', 202, { delivery: 'unconfirmed' }],
])('what the provider answers to a send is told: %s', async (_name, answer, status, body) => {
  const host = await startHost()
  host.stub.answerSend = () => answer
  const ana = await host.login()
  const told = await ana.start()
  expect(told.status).toBe(status)
  expect(told.json).toMatchObject(body)
  // What the provider said is for the operator. An id may have these digits, too.
  expect(told.text).not.toMatch(/(?<![\da-f-])1007(?![\da-f-])|provider did/)
  expect(host.stub.sends).toHaveLength(1)
  // A code that arrives nevertheless works, one that was refused does not exist.
  expect((await ana.verify(host.stub.rightCode)).status).toBe(status === 202 ? 200 : 410)
})

/** What a person reads of each language that says that a code was sent. */
const claimsSent = /\b(sent|before|enviamos|enviado|envió|antes|acabamos)\b/i

it.each(['en', 'es', 'pt'])(
  'a send without a response stays unconfirmed at each request, and no text claims that it was sent: %s',
  async (language) => {
    const host = await startHost({ mount: signupAt('/number') })
    host.stub.answerSend = () => html(502)
    const ana = await host.login()
    const spoken = { 'accept-language': language }
    const signUp = { phone: '+573011112233', country: 'CO' }
    for (const [path, browser, fields] of [
      ['/two-factor', ana, {}],
      ['/number', host.browser(), signUp],
    ] as const) {
      const start = () => browser.post(`${path}/start`, fields, spoken)
      expect(await start()).toMatchObject({ status: 202, json: { delivery: 'unconfirmed' } })
      for (const time of ['once more', 'and again']) {
        expect([time, await start()]).toMatchObject([
          time,
          { status: 200, json: { alreadySent: true, delivery: 'unconfirmed' } },
        ])
        expect((await browser.get(path, spoken)).json).toMatchObject({ delivery: 'unconfirmed' })
        const resent = await browser.post(`${path}/resend`, {}, spoken)
        expect(resent.json).toMatchObject({ code: 'resend_too_soon', delivery: 'unconfirmed' })
        expect(resent.json.detail).not.toMatch(claimsSent)
      }
      for (const action of ['start', 'resend']) {
        const shown = await browser.submit(`${path}/${action}`, fields, spoken)
        const page = shown.text === '' ? await browser.get(path, { accept: 'text/html', ...spoken }) : shown
        expect(page.text.replaceAll(/<[^>]+>/g, '')).not.toMatch(claimsSent)
      }
    }
    // Another visitor asks for the number, and another session for the account.
    const elsewhere = await host.login()
    for (const [path, browser, fields] of [
      ['/two-factor', elsewhere, {}],
      ['/number', host.browser(), signUp],
    ] as const) {
      const { refusal, json } = await browser.post(`${path}/start`, fields, spoken)
      expect([refusal, json.delivery]).toEqual([[429, 'resend_too_soon'], 'unconfirmed'])
      expect(json.detail).not.toMatch(claimsSent)
      const { text } = await browser.submit(`${path}/start`, fields, spoken)
      expect(text.replaceAll(/<[^>]+>/g, '')).not.toMatch(claimsSent)
    }
    expect(host.stub.sends).toHaveLength(2)
  },
)

it('the page of an older challenge claims no sent code while the newer send has no response', async () => {
  const { host, ana } = await startChallenged()
  const { id } = (await ana.get('/two-factor')).json.challenge
  host.clock.now += 60_000
  host.stub.answerSend = () => html(502)
  expect((await ana.start()).status).toBe(202)
  const { text } = await ana.submit('/two-factor/verify', { challenge: id, code: host.stub.rightCode })
  expect(text).toContain('A newer code is on its way')
  expect(text.replaceAll(/<[^>]+>/g, '')).not.toMatch(claimsSent)
})

it('the refusal after many sends without a response claims no sent codes', async () => {
  const host = await startHost({ mount: signupAt('/number') })
  host.stub.answerSend = () => html(502)
  const visitor = host.browser()
  const start = () => visitor.post('/number/start', { phone: '+573011112233', country: 'CO' })
  for (let sends = 0; sends < 5; sends += 1) {
    expect((await start()).status).toBe(202)
    host.clock.now += 300_000
  }
  const { refusal, json } = await start()
  expect(refusal).toEqual([429, 'send_limit'])
  expect(`${json.title} ${json.detail}`).not.toMatch(claimsSent)
})

it.each<[string, (ana: Browser, code: string) => Promise<Pick<Answer, 'status' | 'text'>>]>([
  ['a page', async (ana, code) => ana.submit('/two-factor/verify', { code })],
  ['JSON', (ana, code) => ana.verify(code)],
])(
  'a code that met no verdict is asked about again, and rejected it may have been right: %s',
  async (_by, type) => {
    const { host, ana } = await startChallenged()
    const told = async (code: string) => (await type(ana, code)).text.replaceAll(/<[^>]+>/g, '')
    host.stub.answerCheck = () => html(502)
    expect((await type(ana, host.stub.rightCode)).status).toBe(503)
    host.clock.now += 5_000
    // It was right, and the service takes each code once.
    host.stub.answerCheck = () => ({ json: { status: 'wrong' } })
    for (const time of ['once more', 'and again']) {
      expect([time, await told(host.stub.rightCode)]).toEqual([
        time,
        expect.stringContaining('That code no longer works. Ask for a new one. You have 4 tries left.'),
      ])
    }
    expect(await told('000000')).toContain('That code is not right')
    expect(host.stub.checks).toHaveLength(3)
  },
)
