import { describe, expect, it } from 'vitest'
import { type CodeProvider, failover } from '../../src/index.js'
import type { Browser } from './browser.js'
import { own } from './code-providers.js'
import { transfersAfterPassword } from './described-transfers.js'
import { type Host, type HostOptions, signupAt, startHost, stubCodes } from './kit.js'

const newest = 'This is a new code, and only the newest one works.'

/** A browser that was sent this many codes for one challenge, and these codes. */
async function renewed(
  host: Host,
  { path = '/two-factor', fields = {}, codes = 2 }: { path?: string; fields?: object; codes?: number } = {},
): Promise<[Browser, string[]]> {
  const browser = path === '/two-factor' ? await host.login() : host.browser()
  await browser.post(`${path}/start`, fields)
  const sent = [host.stub.rightCode]
  for (const minutes of [1, 2, 5].slice(0, codes - 1)) {
    host.clock.now += minutes * 60_000
    expect((await browser.post(`${path}/resend`)).status).toBe(200)
    sent.push(host.stub.rightCode)
  }
  return [browser, sent]
}

it('after a resend, the page and the response to the older code explain that only the newest works', async () => {
  const host = await startHost()
  const ana = await host.login()
  await ana.submit('/two-factor/start')
  const older = host.stub.rightCode
  expect((await ana.open('/two-factor')).text).not.toContain(newest)
  host.clock.now += 60_000
  await ana.submit('/two-factor/resend')
  expect(host.stub.sends).toHaveLength(2)
  expect((await ana.open('/two-factor')).text).toContain(newest)
  expect((await ana.submit('/two-factor/verify', { code: older })).text).toContain(newest)
  expect((await ana.verify(host.stub.rightCode)).status).toBe(200)
})

const adapter: NonNullable<HostOptions['provider']> = (stub) => {
  let sends = 0
  return {
    tellsCodesApart: true,
    async sendCode() {
      sends += 1
      stub.rightCode = String(482_912 + sends)
      return { result: 'sent', handle: `h${sends}`, lifetimeMs: 300_000 }
    },
    checkCode: async ({ code }) => (code === stub.rightCode ? 'approved' : 'rejected'),
  }
}

const behindFailover: HostOptions['provider'] = (stub) =>
  failover([
    { ...own(stub), name: 'own' },
    { ...stubCodes(stub), name: 'spare' },
  ])

const onlyNewest = {
  en: 'A new code was sent, and only the newest one works.',
  es: 'Enviamos un código nuevo: solo funciona el más reciente.',
  pt: 'Enviamos um código novo: só o mais recente funciona.',
}

describe.each<[string, HostOptions['provider'], left: number]>([
  ['a client', undefined, 4],
  ['an adapter', adapter, 4],
  ['own codes', own, 5],
  ['own codes behind a fail-over', behindFailover, 5],
])('the older code of %s', (_kind, provider, left) => {
  it.each(['en', 'es', 'pt'] as const)(
    'is answered in JSON with the sentence about the newest: %s',
    async (lang) => {
      const host = await startHost({ provider, mount: signupAt('/number') })
      for (const [path, fields] of [
        ['/two-factor', {}],
        ['/number', { phone: '+573011112233', country: 'CO' }],
      ] as const) {
        const [browser, [older = '']] = await renewed(host, { path, fields })
        const type = (code: string) => browser.post(`${path}/verify`, { code }, { 'accept-language': lang })
        for (const time of ['first', 'again']) {
          const { refusal, json } = await type(older)
          expect([time, refusal, json.attemptsRemaining]).toEqual([time, [422, 'code_not_accepted'], left])
          expect(json.detail).toContain(onlyNewest[lang])
        }
        const wrong = await type('000000')
        expect([wrong.json.attemptsRemaining, wrong.json.detail]).toEqual([
          left - 1,
          expect.stringContaining(onlyNewest[lang]),
        ])
        expect((await type(host.stub.rightCode)).status).toBe(200)
      }
    },
  )
})

describe('with own codes', () => {
  const start = () => startHost({ provider: own })

  it('an older code uses no attempt on the page, and the page says why', async () => {
    const host = await start()
    const [ana, [older = '']] = await renewed(host)
    const { text } = await ana.submit('/two-factor/verify', { code: older })
    expect(text).toContain(`${onlyNewest.en} You have 5 tries left.`)
  })

  it('each older code uses no attempt, and five other codes are still all', async () => {
    const host = await start()
    const [ana, older] = await renewed(host, { codes: 3 })
    host.stub.checks.length = 0
    const right = older.pop()
    for (const code of [...older, ...older]) {
      expect((await ana.verify(code)).json.attemptsRemaining).toBe(5)
    }
    // A repeated one is not compared again.
    expect(host.stub.checks).toHaveLength(2)
    for (let left = 4; left >= 0; left -= 1) {
      expect((await ana.verify(`00000${left}`)).json.attemptsRemaining).toBe(left)
    }
    for (const code of [...older, right, '000009']) expect((await ana.verify(code)).status).not.toBe(200)
    expect(host.stub.checks).toHaveLength(7)
  })

  it('an older code counts in no limit of the account and its number', async () => {
    const host = await start()
    const [ana, [older = '']] = await renewed(host)
    const counts = async () => {
      const { judged, number } = await host.tf.subjects.state('ana', { phone: '+573001234567' })
      return [judged, number?.wrongCodesInDay.count]
    }
    await ana.verify(older)
    expect(await counts()).toEqual([0, 0])
    await ana.verify('000000')
    expect(await counts()).toEqual([1, 1])
  })

  it('an older code of another challenge is a wrong code', async () => {
    const host = await start()
    const [, [other = '']] = await renewed(host)
    host.clock.now += 61 * 60_000
    const [ana] = await renewed(host)
    expect((await ana.verify(other)).json.attemptsRemaining).toBe(4)
  })

  it('an older code before an unanswered resend is not told that a code was sent', async () => {
    const host = await start()
    const [ana, [older = '']] = await renewed(host, { codes: 1 })
    host.clock.now += 60_000
    host.stub.answerSend = () => ({ status: 502, text: '' })
    expect((await ana.post('/two-factor/resend')).json.delivery).toBe('unconfirmed')
    const { json } = await ana.verify(older)
    expect([json.attemptsRemaining, json.detail]).toEqual([
      5,
      'A newer code is on its way. Enter the newest one. You have 5 tries left.',
    ])
  })

  it('an older code uses an attempt with the profile psd2', async () => {
    const options: HostOptions['options'] = { limits: { profile: 'psd2' } }
    const host = await startHost({ provider: own, routes: transfersAfterPassword, options })
    const [ana, [older = '']] = await renewed(host)
    expect((await ana.verify(older)).json).toMatchObject({
      attemptsRemaining: 4,
      detail: expect.stringContaining(onlyNewest.en),
    })
  })
})

it('a provider that recognises every code gives back no more attempts than there are older codes', async () => {
  const recognisesAll: HostOptions['provider'] = (stub) => ({
    ...(adapter(stub) as CodeProvider),
    checkCode: async () => 'replaced',
  })
  const host = await startHost({ provider: recognisesAll })
  const ana = await host.challenged()
  expect((await ana.verify('000000')).json.attemptsRemaining).toBe(4)
  host.clock.now += 60_000
  await ana.post('/two-factor/resend')
  const left = []
  for (const code of ['000001', '000002', '000003'])
    left.push((await ana.verify(code)).json.attemptsRemaining)
  expect(left).toEqual([4, 3, 2])
})
