import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { fetchWithCode } from '../../src/browser/index.js'
import { states } from '../express/pages/views.js'
import { axeFindings, describeInChromium } from './chromium.js'
import { type States, serveStates } from './states.js'

declare global {
  interface Window {
    fetchWithCode: typeof fetchWithCode
  }
}

const desktop = { width: 1_280, height: 800 }
/** The width at which long words are the most trouble. */
const narrow = { width: 320, height: 640 }
const everyState = Object.keys(states)
const languages = ['en', 'es', 'pt']

describeInChromium('every state', (browser) => {
  let server: States
  beforeAll(async () => {
    server = await serveStates()
  })
  afterAll(() => server.close())

  const open = async (javaScriptEnabled = true) => {
    const page = await browser().newPage({ javaScriptEnabled })
    // To be set forward.
    if (javaScriptEnabled) await page.clock.install()
    return page
  }

  it.each(languages)('of the pages can be left and fits, without scripts: %s', async (locale) => {
    const page = await open(false)
    await page.goto(server.urlOf(locale, 'code'))
    for (const state of everyState) {
      await page.evaluate(show, server.markupOf(locale, state))
      await expectToFit(page, state)
      await expectToFitLarge(page, state)
    }
    await page.close()
  })

  it('of the pages says that it works, is no form to send again, and is clean for axe', async () => {
    const page = await open()
    // At none of the addresses that it is then led to: an address that it is at already is not waited for.
    await page.goto(server.app)
    for (const state of everyState) {
      // In response to a form; a reload must not send that again.
      const url = server.urlOf('en', state)
      await page.evaluate(submitTo, `${url}?posted`)
      await page.waitForURL(url)
      const reloaded = await page.reload()
      expect([state, reloaded?.request().method(), page.url()]).toEqual([state, 'GET', url])
      await expectToFit(page, state)
      const resume = () => page.evaluate("dispatchEvent(new Event('pageshow'))")
      expect([state, await silent(page, resume)]).toEqual([state, []])
      await expectNothingFound(page, state)
    }
    await page.close()
  })

  it.each(languages)('of the dialog can be left and fits: %s', async (locale) => {
    const page = await open()
    await page.goto(server.app)
    const posts: (() => Promise<void>)[] = []
    const fail = async () => {
      await expect.poll(() => posts.length).toBe(1)
      await posts.pop()?.()
      await page.locator('[data-unreachable]').waitFor()
    }
    for (const state of everyState) {
      await page.unrouteAll()
      await page.evaluate(fetchIn, server.urlOf(locale, state))
      await page.getByRole('dialog').waitFor()
      await expectToFit(page, state)
      await page.route('**/two-factor/*', (route) => void posts.push(() => route.abort()))
      // What the buttons do is the same in all languages.
      if (locale === 'en') {
        expect([state, await silent(page, fail)]).toEqual([state, []])
        await expectNothingFound(page, state)
      }
      await page.keyboard.press('Escape')
      // Gone from the document, not just closed: until then a request waits for the code that is being asked for.
      await page.locator('two-factor-dialog dialog').waitFor({ state: 'detached' })
    }
    await page.close()
  })

  it('would be found with a fault', async () => {
    const page = await open()
    await page.goto(server.urlOf('en', 'code'))
    await page.evaluate(`{
      for (const form of document.forms) form.addEventListener('submit', (event) => event.stopPropagation())
      document.querySelector('[action$=cancel]').remove()
      document.querySelector('label').remove()
      document.documentElement.style.setProperty('--ink', '#aaa')
      document.querySelector('h1').style.width = '2000px'
    }`)
    const { ways, overflow } = await look(page)
    expect([ways, overflow > 0, await silent(page, async () => {})]).toEqual([0, true, ['Continue']])
    const rules = (await axeFindings(page)).map((line) => line.replace(/:.*/, ''))
    expect(new Set(rules)).toEqual(new Set(['label', 'color-contrast']))
    await page.close()
  })
})

/** A way out in sight, and nothing beyond the edge. */
async function expectToFit(page: Page, state: string): Promise<void> {
  for (const size of [desktop, narrow]) {
    await page.setViewportSize(size)
    const { ways, overflow } = await look(page)
    expect([state, size.width, ways > 0, overflow]).toEqual([state, size.width, true, 0])
  }
}

/** Nor with text of double size on a narrow screen, and no word broken in the middle. */
async function expectToFitLarge(page: Page, state: string): Promise<void> {
  await page.evaluate("document.documentElement.style.fontSize = '200%'")
  const { overflow, broken } = await look(page)
  expect([state, overflow, broken]).toEqual([state, 0, []])
  await page.evaluate("document.documentElement.style.fontSize = ''")
}

async function expectNothingFound(page: Page, state: string): Promise<void> {
  expect([state, await axeFindings(page)]).toEqual([state, []])
  await page.emulateMedia({ colorScheme: 'dark' })
  expect([state, await axeFindings(page, 'color-contrast')]).toEqual([state, []])
  await page.emulateMedia({ colorScheme: 'light' })
}

/** The buttons that post and do not say so within 300 ms, each form by its first. */
async function silent(page: Page, settle: () => Promise<unknown>): Promise<string[]> {
  const found: string[] = []
  for (const form of await page.locator('form[method=post]').all()) {
    const button = form.locator('button:enabled').first()
    if ((await button.count()) === 0) continue
    const label = await button.innerText()
    await button.evaluate(sendBy)
    await page.clock.runFor(300)
    if (!(await button.evaluate(isBusy))) found.push(label)
    await settle()
    expect(await button.innerText()).toBe(label)
  }
  return found
}

/** An event that no button made sends nothing by itself. */
function sendBy(button: HTMLElement | SVGElement): void {
  const submitter = button as HTMLButtonElement
  submitter.form?.dispatchEvent(new SubmitEvent('submit', { submitter, bubbles: true, cancelable: true }))
}

function isBusy(button: HTMLElement | SVGElement): boolean {
  const { ariaBusy, textContent, dataset, className } = button as HTMLElement
  return ariaBusy === 'true' && (textContent === dataset.busy || className === 'plain')
}

function show(markup: string): void {
  const { documentElement, title, body } = new DOMParser().parseFromString(markup, 'text/html')
  document.documentElement.lang = documentElement.lang
  document.title = title
  document.body.replaceWith(body)
}

function submitTo(url: string): void {
  const form = Object.assign(document.createElement('form'), { method: 'post', action: url })
  document.body.append(form)
  form.submit()
}

function fetchIn(url: string): void {
  void window.fetchWithCode(url, { method: 'POST' }).catch(() => undefined)
}

interface Look {
  /** Links and buttons that lead away; in a dialog they are seen without scrolling. */
  readonly ways: number
  readonly overflow: number
  /** Words that are on more than one line. */
  readonly broken: readonly string[]
}

/** What is seen of the dialog, or of the page where none is open. */
function look(page: Page): Promise<Look> {
  return page.evaluate(() => {
    const dialog = document.querySelector('two-factor-dialog')?.shadowRoot?.querySelector('dialog')
    const root = dialog ?? document.documentElement
    const ways = [
      ...root.querySelectorAll(
        'a[href]:not([href^="#"], [href*="method="]), [action$="/cancel"] button, [method=dialog] button',
      ),
    ].filter((way) => {
      const { top, bottom } = way.getBoundingClientRect()
      return way.checkVisibility() && (dialog === undefined || (top >= 0 && bottom <= innerHeight))
    })
    const broken: string[] = []
    const texts = document.createTreeWalker(dialog ?? document.body, NodeFilter.SHOW_TEXT)
    for (let text = texts.nextNode() as Text | null; text; text = texts.nextNode() as Text | null) {
      if (text.parentElement?.closest('.unseen, option, [hidden]')) continue
      for (const { 0: word, index } of text.data.matchAll(/[\p{L}\p{N}]+/gu)) {
        const range = document.createRange()
        range.setStart(text, index)
        range.setEnd(text, index + word.length)
        const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)))
        if (lines.size > 1) broken.push(word)
      }
    }
    return { ways: ways.length, overflow: root.scrollWidth - root.clientWidth, broken }
  })
}
