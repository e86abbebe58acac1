import { expect, it } from 'vitest'
import type { SendResult } from '../../src/index.js'
import type { StubAnswer } from '../provider-stub.js'
import type { Answer, Browser } from './browser.js'
import { own } from './code-providers.js'
import { type Host, type HostOptions, signupAt, startHost } from './kit.js'

it.each([
  ['refuses the account', { status: 403, json: {} }],
  ['sends nothing for now', { status: 429, json: {} }],
])(
  'a second attempt within the minute shows the text of the first, where the provider %s',
  async (_name, answer) => {
    const host = await startHost()
    host.stub.answerSend = () => answer
    const ana = await host.login()
    for (const attempt of [1, 2]) {
      const { text } = await ana.submit('/two-factor/start')
      expect([attempt, text.includes('Sorry, we can&#39;t send codes right now')]).toEqual([attempt, true])
      expect(text).not.toContain('to this number')
    }
    expect(host.stub.sends).toHaveLength(1)
  },
)

const paused = {
  en: "Sorry, we can't send codes right now. Try again in ",
  es: 'En este momento no podemos enviar códigos. Inténtalo de nuevo en ',
  pt: 'No momento não conseguimos enviar códigos. Tente novamente em ',
}
const unreached = {
  en: "We couldn't send a code to this number. Use another way, or contact support.",
  es: 'No pudimos enviar un código a este número. Prueba de otra forma o contacta a soporte.',
  pt: 'Não conseguimos enviar um código para este número. Tente de outra forma ou fale com o suporte.',
}
const languages = ['en', 'es', 'pt'] as const

/** What the service does with a send, and what people read then. */
const refusals = [
  ['account', { status: 403, json: {} }, 'misconfigured', paused],
  ['number', { status: 400, json: { error: 'invalid phone' } }, 'failed', unreached],
] as const satisfies readonly (readonly [string, StubAnswer, SendResult['result'], typeof paused])[]

/** A host whose provider takes every send, until it refuses. */
type Start = (answer: StubAnswer, result: 'misconfigured' | 'failed') => Promise<[Host, refuse: () => void]>

const startAt =
  (given: HostOptions = {}): Start =>
  async (answer) => {
    const host = await startHost({ mount: signupAt('/number'), ...given })
    const refuse = () => {
      host.stub.answerSend = () => answer
    }
    return [host, refuse]
  }

const startAtAdapter: Start = async (_answer, result) => {
  let refuses = false
  const provider = () => ({
    tellsCodesApart: true,
    sendCode: async () =>
      refuses ? ({ result } as const) : ({ result: 'sent', handle: 'h1', lifetimeMs: 300_000 } as const),
    checkCode: async () => 'approved' as const,
  })
  const host = await startHost({ mount: signupAt('/number'), provider })
  const refuse = () => {
    refuses = true
  }
  return [host, refuse]
}

const hosts: readonly (readonly [string, Start])[] = [
  ['a client', startAt()],
  ['own codes', startAt({ provider: own })],
  ['an adapter', startAtAdapter],
]

const cases = hosts.flatMap(([kind, start]) =>
  refusals.map(([of, answer, result, texts]) => [of, kind, () => start(answer, result), texts] as const),
)

/** Sends of one kind each: at a sign-in, at a step-up and at a phone verification, with the path of its page. */
async function asked(host: Host, refuse: () => void): Promise<(readonly [Browser, string, object])[]> {
  const [signIn, stepUp] = [await host.login('eva'), await host.signIn()]
  const { requirement } = (await stepUp.post('/transfers', { amount: '5', payee: 'b' })).json
  refuse()
  return [
    [signIn, '/two-factor', {}],
    [stepUp, '/two-factor', { requirement }],
    [host.browser(), '/number', { phone: '+573011112233', country: 'CO' }],
  ]
}

const claimsSent = /\b(was sent|sent a moment|sent before|enviamos|envió|enviado|acabamos)/i

it.each(cases)(
  'a refused %s at %s: JSON has the text of the first attempt',
  async (_of, _kind, start, texts) => {
    const [host, refuse] = await start()
    for (const [index, [browser, path, fields]] of (await asked(host, refuse)).entries()) {
      const first = await browser.post(`${path}/start`, fields)
      expect([index, first.status, first.json.detail]).toEqual([
        index,
        texts === paused ? 503 : 502,
        expect.stringContaining(texts.en),
      ])
      for (const language of languages) {
        const again = await browser.post(`${path}/start`, fields, { 'accept-language': language })
        expect([index, ...again.refusal]).toEqual([index, 429, 'resend_too_soon'])
        expect(Number(again.headers.get('retry-after'))).toBeGreaterThan(50)
        expect(again.json.detail).toContain(texts[language])
        expect(again.json.delivery).toBe(first.json.code)
      }
    }
  },
)

/** Reads the problem as a person does. */
function problemOf({ text }: Answer): string {
  const [, told = ''] = /<div class="problem"[^>]*>(.*?)<\/div>/s.exec(text) ?? []
  return told
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll('&#39;', "'")
    .trim()
}

it.each(cases)(
  'a refused %s at %s: pages have the text of the first attempt',
  async (_of, _kind, start, texts) => {
    const [host, refuse] = await start()
    for (const [browser, path, fields] of await asked(host, refuse)) {
      const ask = (language: string) =>
        browser.submit(`${path}/start`, fields as Record<string, string>, { 'accept-language': language })
      const start = texts === paused ? texts.en : "We couldn't send a code to this number. "
      expect(problemOf(await ask('en'))).toContain(start)
      expect(problemOf(await ask('en'))).toContain(start)
      for (const language of languages) {
        const { text } = await ask(language)
        expect(text.replaceAll(/<[^>]+>/g, '')).not.toMatch(claimsSent)
      }
    }
  },
)

it.each(hosts)('a refused resend at %s has the same text at the second attempt', async (_kind, start) => {
  const [host, refuse] = await start({ status: 403, json: {} }, 'misconfigured')
  const ana = await host.challenged()
  refuse()
  host.clock.now += 60_000
  expect((await ana.post('/two-factor/resend')).refusal).toEqual([503, 'provider_unavailable'])
  const { refusal, json } = await ana.post('/two-factor/resend')
  expect([refusal, json.detail]).toEqual([[429, 'resend_too_soon'], expect.stringContaining(paused.en)])
  expect(problemOf(await ana.submit('/two-factor/resend'))).toContain(paused.en)
})
