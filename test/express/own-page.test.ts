import { expect, it } from 'vitest'
import type { PageTools, PageView } from '../../src/index.js'
import { hiddenFields } from './browser.js'
import { startHost } from './kit.js'

type Key = Parameters<PageTools['t']>[0]

/** A host whose pages are what `render` is given, in brackets. */
async function startOwnHost(...keys: Key[]) {
  const pages: (readonly (string | undefined)[])[] = []
  const render = (view: PageView, page: PageTools) => {
    expect(page.html).toContain(`<html lang="${page.locale}"`)
    expect(Object.keys(page.fields)).toEqual(Object.keys(hiddenFields(page.html)))
    pages.push([view.page, page.problem, ...keys.map((key) => page.t(key))])
    return page.html
  }
  const messages = { en: { 'instead.call': 'Ring me' } }
  const trustedDevices = { maxAgeMs: 86_400_000 }
  const host = await startHost({ options: { pages: { render, messages }, trustedDevices } })
  return { ...host, pages }
}

it('a page of the host says what the built-in one says, in plain text', async () => {
  const host = await startOwnHost(
    'code.sent',
    'resend.wait',
    'code.trust',
    'code.triesLeft.other',
    'code.destination',
    'instead.call',
    'resend.carrier-pigeon',
  )
  const ana = await host.login()
  await ana.open('/two-factor')
  await ana.submit('/two-factor/start')
  await ana.open('/two-factor')
  await ana.submit('/two-factor/verify', { code: '000000' })
  await ana.submit('/two-factor/verify', { code: '000001' })
  const spanish = await ana.get('/two-factor', { accept: 'text/html', 'accept-language': 'es' })
  expect(spanish.status).toBe(200)
  const [started, sent, , wrong] = host.pages
  expect(started?.slice(0, 2)).toEqual(['start', undefined])
  expect(sent).toEqual([
    'code',
    undefined,
    'We sent a code to ••••••67. It works for 5 minutes.',
    'You can ask for another in 1 minute.',
    "Don't ask for a code at sign-in on this device for 24 hours",
    'You have 5 tries left.',
    'the number ending in 67',
    'Ring me',
    'Send a new code by carrier-pigeon',
  ])
  expect(wrong?.slice(0, 2)).toEqual(['code', 'That code is not right. You have 3 tries left.'])
})
