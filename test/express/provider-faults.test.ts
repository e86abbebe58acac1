import { expect, it } from 'vitest'
import type { StubAnswer } from '../provider-stub.js'
import type { Answer, Browser } from './browser.js'
import { startChallenged, startHost } from './kit.js'

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

it('a send without a response stays unconfirmed at each request, and no text claims that it was sent', async () => {
  const host = await startHost()
  host.stub.answerSend = () => html(502)
  const ana = await host.login()
  expect(await ana.start()).toMatchObject({ status: 202, json: { delivery: 'unconfirmed' } })
  for (const time of ['once more', 'and again']) {
    const again = await ana.start()
    expect([time, again.status, again.json]).toMatchObject([
      time,
      200,
      { alreadySent: true, delivery: 'unconfirmed' },
    ])
  }
  for (const path of ['/two-factor/start', '/two-factor/resend']) {
    const shown = await ana.submit(path, {})
    const page = shown.text === '' ? await ana.get('/two-factor', { accept: 'text/html' }) : shown
    expect(page.text.replaceAll(/<[^>]+>/g, '')).not.toMatch(/\bsent\b/)
  }
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
