import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { Texts } from '../../../src/express/pages/messages/en.js'
import { createTexts } from '../../../src/express/pages/messages/locales.js'
import { axeFindings, describeInChromium } from '../../browser/chromium.js'
import { call, enter, openSinglePage, verifyInAnotherTab } from './single-page.js'

const dialogOf = (page: Page) => page.getByRole('dialog')
/** The width at which long words are the most trouble. */
const viewport = { width: 320, height: 640 }
const links = { addPhone: '/phone', support: '/help' }

describeInChromium('axe in <two-factor-dialog>', (browser) => {
  async function openDialog(given: Parameters<typeof openSinglePage>[1]) {
    const opened = await openSinglePage(browser(), given)
    void call(opened.page, '/guarded/settings')
    await dialogOf(opened.page).waitFor()
    return opened
  }

  /** Nothing beyond the edge, and nothing to find: in the markup and the colours, which every language shares. */
  async function look(page: Page, state: string, { lang }: Texts): Promise<void> {
    const overflow = await dialogOf(page).evaluate((element) => element.scrollWidth - element.clientWidth)
    expect([state, overflow]).toEqual([state, 0])
    if (lang !== 'en') return
    expect([state, await axeFindings(page)]).toEqual([state, []])
    await page.emulateMedia({ colorScheme: 'dark' })
    expect([state, await axeFindings(page, 'color-contrast')]).toEqual([state, []])
    await page.emulateMedia({ colorScheme: 'light' })
  }

  const appears = (page: Page, text: string) => dialogOf(page).getByText(text).first().waitFor()

  async function walk(locale: string, texts: Texts): Promise<void> {
    const context = { locale, viewport }
    const { host, page } = await openDialog({
      clock: true,
      context,
      options: { limits: { attemptsPerChallenge: 3 } },
    })
    const pass = async (ms: number) => {
      host.clock.now += ms
      await page.clock.runFor(ms)
    }
    await look(page, 'code', texts)
    await enter(page, '', texts)
    await appears(page, texts['code.empty.title'])
    await look(page, 'empty', texts)
    await enter(page, '000000', texts)
    await appears(page, texts['problem.code_not_accepted.title'])
    await look(page, 'wrong', texts)
    await page.context().setOffline(true)
    await enter(page, '000001', texts)
    await appears(page, texts['dialog.unreachable'])
    await look(page, 'unreachable', texts)
    await page.context().setOffline(false)
    await pass(60_000)
    await look(page, 'ready', texts)
    await dialogOf(page).getByRole('button', { name: texts['instead.call'] }).click()
    await appears(page, texts['sent.call'].split('{')[0] ?? '')
    await look(page, 'call', texts)
    await pass(300_000)
    await look(page, 'expired', texts)
    await enter(page, '000000', texts)
    await appears(page, texts['problem.challenge_gone.title'])
    await look(page, 'gone', texts)
  }

  /** The screens without a field: they only lead on, or say when. */
  async function walkOut(locale: string, texts: Texts): Promise<void> {
    const context = { locale, viewport }
    const limits = { attemptsPerChallenge: 2, failuresBeforeLock: 1 }
    const locked = await openDialog({ context, options: { limits, pages: { links } } })
    await enter(locked.page, '000000', texts)
    await appears(locked.page, texts['problem.phone_locked.title'])
    await look(locked.page, 'locked', texts)

    const disabled = await openDialog({
      context,
      options: { limits: { failuresBeforeDisable: 1 }, pages: { links } },
    })
    await enter(disabled.page, '000000', texts)
    await appears(disabled.page, texts['problem.phone_disabled.title'])
    await look(disabled.page, 'disabled', texts)

    const nobody = await openDialog({ context, user: 'nobody', options: { pages: { links } } })
    await appears(nobody.page, texts['problem.no_phone.title'])
    await look(nobody.page, 'no phone', texts)

    const { host, page } = await openDialog({ context })
    await verifyInAnotherTab(page, host.stub.rightCode)
    await enter(page, host.stub.rightCode, texts)
    await appears(page, texts['done.title'])
    await look(page, 'done', texts)
  }

  const languages = [...createTexts({})].slice(0, 3)

  it.each(languages)('has nothing to find while a code is asked for: %s', walk)

  it.each(languages)('has nothing to find where no code can be typed: %s', walkOut)

  it('would find a seeded fault', async () => {
    const { page } = await openDialog({})
    await dialogOf(page).evaluate((element) => element.querySelector('label')?.remove())
    expect(await axeFindings(page)).toEqual([expect.stringMatching(/^label:/)])
  })
})
