import { expect, it } from 'vitest'
import type { PageTools, PageView, TwoFactorOptions } from '../../src/index.js'
import { hiddenFields } from './browser.js'
import { startLoggedIn } from './kit.js'

it('a page of the app shows the text of the built-in one as plain text', async () => {
  const keys: Parameters<PageTools['t']>[0][] = [
    'code.sent',
    'resend.wait',
    'code.trust',
    'code.triesLeft.other',
    'code.destination',
    'instead.call',
    'resend.carrier-pigeon',
  ]
  const pages: (readonly (string | undefined)[])[] = []
  const render = (view: PageView, page: PageTools) => {
    expect(page.html).toContain(`<html lang="${page.locale}"`)
    expect(Object.keys(page.fields)).toEqual(Object.keys(hiddenFields(page.html)))
    pages.push([view.page, page.problem, ...keys.map((key) => page.t(key))])
    return page.html
  }
  const messages = { en: { 'instead.call': 'Ring me' } }
  const trustedDevices = { maxAgeMs: 86_400_000 }
  const { ana } = await startLoggedIn({ options: { pages: { render, messages }, trustedDevices } })
  await ana.open('/two-factor')
  await ana.submit('/two-factor/start')
  await ana.open('/two-factor')
  await ana.submit('/two-factor/verify', { code: '000000' })
  const spanish = await ana.get('/two-factor', { accept: 'text/html', 'accept-language': 'es' })
  expect(spanish.status).toBe(200)
  const [started, sent, wrong] = pages
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
  expect(wrong?.slice(0, 2)).toEqual(['code', 'That code is not right. You have 4 tries left.'])
})

it.each<[string, NonNullable<NonNullable<TwoFactorOptions['pages']>['render']>]>([
  ['render must return the HTML of the page as a string, not undefined', () => undefined as never],
  [
    'page.t: there is no text "code.titel"; see docs/pages.md',
    (_view, { t }) => t('code.titel' as 'code.title'),
  ],
])('a render is told what it got wrong: %s', async (error, render) => {
  const { ana } = await startLoggedIn({ options: { pages: { render } } })
  expect((await ana.open('/two-factor')).json).toEqual({ host: error })
})
