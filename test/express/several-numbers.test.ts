import { describe, expect, it } from 'vitest'
import type { TwoFactorOptions } from '../../src/index.js'
import type { Browser } from './browser.js'
import { gate, startHost, withCookies } from './kit.js'

const numbers = ['+573001234567', '+573007654321']

const withNumbers = (options: Partial<TwoFactorOptions> = {}) =>
  startHost({ listens: true, options: { phone: () => numbers, ...options } })

async function idOf(browser: Browser, tail: string): Promise<string> {
  type Listed = { id: string; masked: string; method: string }
  const { destinations } = (await browser.get('/two-factor')).json
  return destinations.find(({ masked, method }: Listed) => masked.endsWith(tail) && method === 'sms').id
}

const start = async (browser: Browser, tail: string) =>
  browser.start({ destination: await idOf(browser, tail) })

describe('several numbers of one person', () => {
  it('tell when a code will really be sent, with what went to the others', async () => {
    const host = await withNumbers({ limits: { sendsPerHour: 3 } })
    const ana = await host.login()
    for (const tail of ['67', '21']) {
      await start(ana, tail)
      host.clock.now += 120_000
    }
    const { challenge } = (await start(ana, '67')).json
    host.clock.now += 180_000
    const { status, json } = await ana.post('/two-factor/resend', {})
    expect([status, json.code]).toEqual([429, 'send_limit'])
    expect(json.retryAfterMs).toBe(challenge.resendInMs - 180_000)
  })

  it('show no session where the code of another one went', async () => {
    const host = await withNumbers()
    await start(await host.login(), '67')
    const { challenge, destinations } = (await (await host.login()).get('/two-factor')).json
    expect(challenge).toBeNull()
    expect(destinations.some(({ isCurrent }: { isCurrent: boolean }) => isCurrent)).toBe(false)
  })

  it.each(['67', '21'])(
    'report that a code to %s took the place of that of another session',
    async (tail) => {
      const host = await withNumbers()
      const [one, two] = [await host.login(), await host.login()]
      await start(one, '67')
      host.clock.now += 61_000
      await start(two, tail)
      expect((await one.verify(host.stub.rightCode)).json.code).toBe('challenge_superseded')
      expect(host.events.filter(({ type }) => type === 'challenge.superseded')).toHaveLength(1)
    },
  )

  it('tell a start that another one overtook', async () => {
    const held = gate()
    const asked = gate()
    const host = await startHost({
      provider: () => ({
        async sendCode({ destination }) {
          if (destination === numbers[0]) {
            asked.open()
            await held.opened
          }
          return { result: 'sent' }
        },
        checkCode: async () => 'rejected',
      }),
      options: { phone: () => numbers },
    })
    const ana = await host.login()
    const ids = [await idOf(ana, '67'), await idOf(ana, '21')]
    const slow = ana.start({ destination: ids[0] })
    await asked.opened
    await ana.start({ destination: ids[1] })
    held.open()
    expect((await slow).refusal).toEqual([409, 'challenge_superseded'])
  })
})

// The ids are for one session, and a page alone kept none.
describe('several numbers, where nothing else keeps the session', () => {
  const hosts = {
    'cookie-session': () =>
      startHost({ ...withCookies, options: { ...withCookies.options, phone: () => numbers } }),
    'express-session, the person named elsewhere': () =>
      withNumbers({ subject: (req) => req.get('x-user'), onVerified: () => undefined }),
  }

  it.each(Object.entries(hosts))('can be chosen on the page: %s', async (name, startIt) => {
    const host = await startIt()
    const ana = host.browser({ 'x-user': 'ana' })
    if (name === 'cookie-session') await ana.post('/login', { user: 'ana' })
    const { text, fields } = await ana.open('/two-factor')
    const [, destination = ''] = /name="destination" value="([^"]+)"/.exec(text) ?? []
    expect((await ana.submit('/two-factor/start', { ...fields, destination })).status).toBe(303)
    expect(host.stub.sends).toHaveLength(1)
  })

  it('can be chosen by JSON', async () => {
    const host = await hosts['cookie-session']()
    const ana = await host.login()
    expect((await start(ana, '21')).status).toBe(201)
  })
})
