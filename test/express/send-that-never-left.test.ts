import { describe, expect, it } from 'vitest'
import type { CodeProvider, SendResult } from '../../src/index.js'
import { startAppHost } from './app-kit.js'
import type { Browser } from './browser.js'
import { bringDevice, gate, type Host, startHost, startLoggedIn } from './kit.js'

const right = '482913'

/** A service that is told what becomes of a send, and what happens before it says so. */
function scripted() {
  const script: {
    result: SendResult['result']
    whileSent?: () => Promise<unknown>
    whileChecked?: () => Promise<unknown>
  } = { result: 'sent' }
  const checked: string[] = []
  const once = async (name: 'whileSent' | 'whileChecked') => {
    const { [name]: happens } = script
    delete script[name]
    await happens?.()
  }
  const provider: CodeProvider = {
    async sendCode() {
      await once('whileSent')
      return { result: script.result }
    },
    async checkCode({ code }) {
      checked.push(code)
      await once('whileChecked')
      return code === right ? 'approved' : 'rejected'
    },
  }
  return { script, checked, provider: () => provider }
}

/** A browser that is known to Ana, with a new session. */
async function knownBrowser(host: Host, first: (browser: Browser) => Promise<unknown>): Promise<Browser> {
  const before = await host.login()
  await first(before)
  expect((await before.verify(right)).status).toBe(200)
  host.clock.now += 120_000
  return bringDevice(await host.login(), before)
}

describe('a send of a known browser that never left', () => {
  it('brings back nothing where a browser that is not known has begun anew by app', async () => {
    const { script, provider } = scripted()
    const { host, shows } = await startAppHost({ channels: ['sms', 'app'] }, { provider })
    const by = async (browser: Browser, method: string) => {
      const { json } = await browser.get('/two-factor')
      return json.destinations.find((way: { method: string }) => way.method === method).id
    }
    const known = await knownBrowser(host, async (browser) => {
      await browser.start({ destination: await by(browser, 'sms') })
    })
    const other = await host.login()
    const app = await by(other, 'app')
    expect((await other.start({ destination: app })).status).toBe(201)
    script.result = 'not-sent'
    script.whileSent = async () => {
      expect((await other.start({ destination: app })).status).toBe(201)
    }
    expect((await known.start({ destination: await by(known, 'sms') })).status).toBe(503)
    expect((await other.verify(shows())).refusal).toEqual([200, undefined])
  })

  it('brings back a challenge with what was tried meanwhile', async () => {
    const { script, checked, provider } = scripted()
    const host = await startHost({ provider })
    const known = await knownBrowser(host, (browser) => browser.start())
    const other = await host.login()
    await other.start()
    const [asked, answered] = [gate(), gate()]
    script.whileChecked = async () => {
      asked.open()
      await answered.opened
    }
    const typing = other.verify('111111')
    await asked.opened
    script.result = 'not-sent'
    script.whileSent = async () => {
      answered.open()
      expect((await typing).status).toBe(410)
    }
    expect((await known.start()).status).toBe(503)
    expect((await other.verify('111111')).json).toMatchObject({ attemptsRemaining: 3 })
    expect(checked).toEqual([right, '111111', '111111'])
  })
})

it('leaves the code of a resend that has left meanwhile good', async () => {
  const { script, provider } = scripted()
  const { host, ana } = await startLoggedIn({ provider })
  script.whileSent = async () => {
    host.clock.now += 60_000
    expect((await ana.post('/two-factor/resend', {})).status).toBe(200)
    script.result = 'not-sent'
  }
  expect((await ana.start()).status).toBe(503)
  expect((await ana.verify(right)).status).toBe(200)
})
