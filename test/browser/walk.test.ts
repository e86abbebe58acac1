import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { fetchWithCode } from '../../src/browser/index.js'
import { states } from '../express/pages/views.js'
import { axeFindings, describeInChromium } from './chromium.js'
import { elementsOf, show } from './one-document.js'
import { type States, serveStates } from './states.js'

declare global {
  interface Window {
    fetchWithCode: typeof fetchWithCode
    show: typeof show
    look: typeof look
    held: (() => void)[]
    later: (run: (value: unknown) => void) => void
  }
}

const desktop = { width: 1_280, height: 800 }
/** The width at which long words are the most trouble. */
const narrow = { width: 320, height: 640 }
const everyState = Object.keys(states)
const languages = ['en', 'es', 'pt', 'ar']

describeInChromium('every state', (browser) => {
  let server: States
  beforeAll(async () => {
    server = await serveStates()
  })
  afterAll(() => server.close())

  const open = async (javaScriptEnabled = true) => {
    const page = await browser().newPage({ javaScriptEnabled, viewport: narrow })
    await page.addInitScript(holdWaits)
    return page
  }

  it.each(languages)('of the pages can be left and fits, without scripts: %s', async (locale) => {
    const page = await open(false)
    await page.goto(server.urlOf(locale, 'code'))
    await page.evaluate(`Object.assign(window, { show: ${show}, look: ${look} })`)
    const markups = everyState.map((state) => [state, server.markupOf(locale, state)] as const)
    // All of them at once: a browser paints what it shows between two questions.
    const looks = () =>
      page.evaluate((shown) => {
        return shown.map(([state, markup]) => {
          window.show(markup)
          return { state, ...window.look() }
        })
      }, markups)
    for (const size of [desktop, narrow]) {
      await page.setViewportSize(size)
      for (const { state, ...seen } of await looks()) expectToFit(state, size, seen)
    }
    expect(await page.evaluate('getComputedStyle(document.body).hyphens')).toBe('auto')
    // Nor with text of double size on a narrow screen, and no word broken in the middle, where nobody can hyphenate it.
    await page.evaluate(
      "Object.assign(document.documentElement.style, { fontSize: '200%', hyphens: 'none' })",
    )
    for (const { state, overflow, broken } of await looks()) {
      expect([state, overflow, broken]).toEqual([state, 0, []])
    }
    await page.close()
  })

  // In one language: neither roles nor colours depend on it.
  it('of the pages shows progress, posts no form again, keeps its policy, and is clean for axe', async () => {
    const page = await open()
    const troubles: string[] = []
    page.on('console', (message) => troubles.push(message.text()))
    page.on('pageerror', (error) => troubles.push(error.message))
    // At none of the addresses that it is then led to: an address that it is at already is not waited for.
    await page.goto(server.app)
    const seen = new Set<string>()
    const toCheck: (readonly [string, string])[] = []
    for (const state of everyState) {
      // In response to a form; a reload must not send that again.
      const url = server.urlOf('en', state)
      await page.evaluate(submitTo, `${url}?posted`)
      await page.waitForURL(({ href }) => href.startsWith(url) && !href.includes('posted'))
      expectToFit(state, narrow, await page.evaluate(look))
      expect([state, await page.evaluate(silent)]).toEqual([state, []])
      if (await isNew(page, seen)) toCheck.push([state, await page.content()])
    }
    // One after the other in one document: axe in each of theirs takes longer to load than to look.
    await page.evaluate(`Object.assign(window, { show: ${show} })`)
    for (const [state, markup] of toCheck) {
      await page.evaluate((shown) => window.show(shown), markup)
      await expectNothingFound(page, state)
    }
    const reloaded = await page.reload()
    expect([reloaded?.request().method(), troubles]).toEqual(['GET', []])
    await page.close()
  })

  it.each(['en', 'es', 'ar'])('of the dialog can be left and fits: %s', async (locale) => {
    const page = await open()
    // The longer words in the narrower window.
    const size = locale === 'en' ? desktop : narrow
    await page.setViewportSize(size)
    await page.goto(server.app)
    const seen = new Set<string>()
    for (const state of everyState) {
      await page.evaluate(fetchIn, server.urlOf(locale, state))
      await page.getByRole('dialog').waitFor()
      await page.waitForFunction(isStyled)
      expectToFit(state, size, await page.evaluate(look))
      // What the buttons do is the same in all languages.
      if (locale === 'en') {
        expect([state, await page.evaluate(silent)]).toEqual([state, []])
        if (await isNew(page, seen)) await expectNothingFound(page, state)
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
    const { ways, overflow } = await page.evaluate(look)
    expect([ways, overflow > 0, await page.evaluate(silent)]).toEqual([0, true, ['Continue']])
    const rules = (await axeFindings(page)).map((line) => line.replace(/:.*/, ''))
    expect(new Set(rules)).toEqual(new Set(['label', 'color-contrast']))
    await page.close()
  })
})

/** A way out in sight, and nothing beyond the edge. */
function expectToFit(state: string, { width }: typeof narrow, { ways, overflow }: Look): void {
  expect([state, width, ways > 0, overflow]).toEqual([state, width, true, 0])
}

/** By axe, in light and in dark colours. */
async function expectNothingFound(page: Page, state: string): Promise<void> {
  expect([state, await axeFindings(page)]).toEqual([state, []])
  await page.emulateMedia({ colorScheme: 'dark' })
  expect([state, await axeFindings(page, 'color-contrast')]).toEqual([state, []])
  await page.emulateMedia({ colorScheme: 'light' })
}

/** Whether it is made of other elements than each state before. */
async function isNew(page: Page, seen: Set<string>): Promise<boolean> {
  const made = await page.evaluate(elementsOf)
  return seen.size < seen.add(made).size
}

/** Has what waits no longer than 300 ms wait for the test, however slow the machine is. */
function holdWaits(): void {
  const { setTimeout: later } = window
  const held: (() => void)[] = []
  const hold = (run: () => void, ms = 0) => (ms > 0 && ms <= 300 ? -held.push(run) : later(run, ms))
  Object.assign(window, { held, later, setTimeout: hold })
}

/** The buttons that post and do not say so within 300 ms until it fails, each form by its first. */
async function silent(): Promise<string[]> {
  const found: string[] = []
  const dialog = document.querySelector('two-factor-dialog')?.shadowRoot
  const { fetch } = window
  for (const form of (dialog ?? document).querySelectorAll<HTMLFormElement>('form[method=post]')) {
    const submitter = form.querySelector<HTMLButtonElement>('button:enabled')
    if (submitter === null) continue
    const label = submitter.textContent
    let fail: (error: Error) => void = () => dispatchEvent(new Event('pageshow'))
    window.fetch = () =>
      new Promise((_, reject) => {
        fail = reject
      })
    // An event that no button made sends nothing by itself.
    form.dispatchEvent(new SubmitEvent('submit', { submitter, bubbles: true, cancelable: true }))
    for (const run of window.held.splice(0)) run()
    const { ariaBusy, textContent, dataset, className } = submitter
    const isBusy = ariaBusy === 'true' && (textContent === dataset.busy || className === 'plain')
    fail(new TypeError())
    await new Promise((resolve) => window.later(resolve))
    const isOver = submitter.textContent === label && submitter.ariaBusy === null
    const isTold = dialog?.querySelector<HTMLElement>('[data-unreachable]')?.hidden !== true
    if (!isBusy || !isOver || !isTold) found.push(label)
  }
  window.fetch = fetch
  return found
}

function submitTo(url: string): void {
  const form = Object.assign(document.createElement('form'), { method: 'post', action: url })
  document.body.append(form)
  form.submit()
}

function fetchIn(url: string): void {
  void window.fetchWithCode(url, { method: 'POST' }).catch(() => undefined)
}

function isStyled(): boolean {
  return document.querySelector('two-factor-dialog')?.shadowRoot?.adoptedStyleSheets.length === 1
}

interface Look {
  /** Links and buttons that lead away; in a dialog they are seen without scrolling. */
  readonly ways: number
  readonly overflow: number
  /** Words that are on more than one line. */
  readonly broken: readonly string[]
}

/** What is seen of the dialog, or of the page where none is open. */
function look(): Look {
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
}
