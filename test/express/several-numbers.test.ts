import { describe, expect, it } from 'vitest'
import type { Browser } from './browser.js'
import { gate, startHost, withCookies } from './kit.js'

const numbers = ['+573001234567', '+573007654321']
const options = { phone: () => numbers }

async function idOf(browser: Browser, tail: string): Promise<string> {
  type Listed = { id: string; masked: string; method: string }
  const { destinations } = (await browser.get('/two-factor')).json
  return destinations.find(({ masked, method }: Listed) => masked.endsWith(tail) && method === 'sms').id
}

const start = async (browser: Browser, tail: string) =>
  browser.start({ destination: await idOf(browser, tail) })

describe('several numbers of one person', () => {
  it('hide from a session where the code of a different session went, which a code to another number supersedes', async () => {
    const host = await startHost({ listens: true, options })
    const [one, two] = [await host.login(), await host.login()]
    await start(one, '67')
    const { challenge, destinations } = (await two.get('/two-factor')).json
    expect(challenge).toBeNull()
    expect(destinations.some(({ isCurrent }: { isCurrent: boolean }) => isCurrent)).toBe(false)
    await start(two, '21')
    expect((await one.verify(host.stub.rightCode)).json.code).toBe('challenge_superseded')
    expect(host.events.filter(({ type }) => type === 'challenge.superseded')).toHaveLength(1)
  })

  it('return that a start was overtaken by a later one', async () => {
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
      options,
    })
    const ana = await host.login()
    const ids = [await idOf(ana, '67'), await idOf(ana, '21')]
    const slow = ana.start({ destination: ids[0] })
    await asked.opened
    await ana.start({ destination: ids[1] })
    held.open()
    expect((await slow).refusal).toEqual([409, 'challenge_superseded'])
  })

  // The ids are for one session, and a page alone kept none.
  it.each([
    ['cookie-session', { ...withCookies, options: { ...withCookies.options, ...options } }],
    [
      'express-session, the person named elsewhere',
      { options: { ...options, subject: () => 'ana', onVerified: () => undefined } },
    ],
  ])('can be chosen where nothing else keeps the session: %s', async (name, given) => {
    const host = await startHost(given)
    const ana = name === 'cookie-session' ? await host.login() : host.browser()
    const { text, fields } = await ana.open('/two-factor')
    const [, destination = ''] = /name="destination" value="([^"]+)"/.exec(text) ?? []
    expect((await ana.submit('/two-factor/start', { ...fields, destination })).status).toBe(303)
    expect((await start(ana, '21')).status).toBe(201)
    expect(host.stub.sends).toHaveLength(2)
  })
})
