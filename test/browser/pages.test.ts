import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createAssets, createPageHeaders } from '../../src/express/pages/brand.js'
import { createTexts } from '../../src/express/pages/messages/locales.js'
import { pageOf, states } from '../express/pages/views.js'
import { type Listening, listening } from '../listening.js'
import { axeFindings, describeInChromium } from './chromium.js'

const texts = createTexts({ es: { 'phone.lostUrl': '/help' } })
const assets: ReturnType<typeof createAssets> = {
  ...createAssets(undefined),
  '/page.js': {
    contentType: 'text/javascript',
    body: readFileSync(new URL('../../dist/browser/page.js', import.meta.url), 'utf8'),
  },
}
const logo =
  '<svg xmlns="http://www.w3.org/2000/svg" width="96" height="32"><rect width="96" height="32"/></svg>'

describeInChromium('the pages', (browser) => {
  let server: Listening

  beforeAll(async () => {
    server = await listening((req, res) => {
      const path = (req.url ?? '').replace('/two-factor', '')
      const asset = assets[path]
      if (asset !== undefined) return res.setHeader('Content-Type', asset.contentType).end(asset.body)
      // Asked for by browsers where the policy allows images of the site.
      if (path === '/favicon.ico') return res.writeHead(204).end()
      if (path === '/logo.svg') return res.setHeader('Content-Type', 'image/svg+xml').end(logo)
      const [, locale = '', state = ''] = path.split('/').map(decodeURIComponent)
      const view = states[state]
      const language = texts.get(locale)
      if (view === undefined || language === undefined) return res.writeHead(404).end()
      res.writeHead(200, {
        'Content-Type': 'text/html; charset=utf-8',
        ...createPageHeaders({ name: 'Acme', logoUrl: '/logo.svg' }),
      })
      return res.end(pageOf(view, language))
    })
  })
  afterAll(() => server.close())

  const address = (locale: string, state: string) => `${server.origin}/${locale}/${encodeURIComponent(state)}`
  const open = async (state: string) => {
    const page = await browser().newPage()
    // Stands still until a test moves it, however long the page takes to open.
    await page.clock.install()
    await page.clock.pauseAt(Date.now() + 60_000)
    await page.goto(address('en', state))
    return page
  }

  /** Every state by turns in one window, which loads its styles once: to open each takes as long as to judge it. */
  async function* shownByTurns(page: Page, locale: string) {
    await page.goto(address(locale, 'code'))
    for (const state of Object.keys(states)) {
      const markup = await (await fetch(address(locale, state))).text()
      await page.evaluate(show, markup)
      yield state
    }
  }

  it('keep their own policy', async () => {
    const page = await browser().newPage()
    const troubles: string[] = []
    page.on('console', (message) => troubles.push(message.text()))
    page.on('pageerror', (error) => troubles.push(error.message))
    for (const state of Object.keys(states)) await page.goto(address('en', state))
    expect(troubles).toEqual([])
    await page.close()
  })

  // What it finds lies in the markup and the colours, which are those of every language.
  it('have nothing for axe to find, light and dark', async () => {
    const page = await browser().newPage()
    for await (const state of shownByTurns(page, 'en')) {
      await page.emulateMedia({ colorScheme: 'light' })
      expect([state, await axeFindings(page)]).toEqual([state, []])
      await page.emulateMedia({ colorScheme: 'dark' })
      expect([state, await axeFindings(page, 'color-contrast')]).toEqual([state, []])
    }
    await page.close()
  })

  it('would not be clean with a seeded fault', async () => {
    const page = await browser().newPage()
    for await (const state of shownByTurns(page, 'en')) if (state === 'code') break
    await page.evaluate(
      "document.querySelector('label').remove(); document.documentElement.style.setProperty('--ink', '#aaa')",
    )
    const rules = (await axeFindings(page)).map((line) => line.replace(/:.*/, ''))
    expect(new Set(rules)).toEqual(new Set(['label', 'color-contrast']))
    await page.evaluate("document.querySelector('h1').style.width = '2000px'")
    expect(await overflow(page)).toBeGreaterThan(0)
    await page.close()
  })

  it.each(['en', 'es', 'pt'])(
    'fit a width of 320 pixels and text of double size, and break no word in the middle: %s',
    async (locale) => {
      const page = await browser().newPage({ viewport: { width: 320, height: 640 } })
      for await (const state of shownByTurns(page, locale)) {
        await page.evaluate("document.documentElement.style.fontSize = ''")
        expect([state, await overflow(page)]).toEqual([state, 0])
        await page.evaluate("document.documentElement.style.fontSize = '200%'")
        expect([state, await overflow(page), await brokenWords(page)]).toEqual([state, 0, []])
      }
      await page.close()
    },
  )

  it('tick the wait, keep the buttons still for its length and say once that it is over', async () => {
    const page = await open('code')
    const again = page.getByRole('button', { name: 'Send a new code' })
    const spoken = page.getByRole('status')
    await page.clock.runFor(18_000)
    expect(await page.locator('[data-clock][aria-hidden]').textContent()).toBe('0:42')
    expect(await again.isDisabled()).toBe(true)
    expect(await page.getByRole('button', { name: 'Call me instead' }).isDisabled()).toBe(true)
    expect(await spoken.textContent()).toBe('')
    await page.clock.runFor(42_000)
    expect(await again.isEnabled()).toBe(true)
    expect(await spoken.textContent()).toBe('You can ask for a new code now.')
    expect(await page.locator('[data-wait-ms]').isVisible()).toBe(false)
    await page.close()
  })

  it('say that a code ran out while they are open', async () => {
    const page = await open('code')
    const sentence = page.getByText('We sent a code to')
    const spoken = page.getByRole('status')
    await page.clock.runFor(10 * 60_000 - 1_000)
    expect([await sentence.isVisible(), await spoken.textContent()]).toEqual([
      true,
      'You can ask for a new code now.',
    ])
    await page.clock.runFor(2_000)
    expect(await sentence.isVisible()).toBe(false)
    expect(await spoken.innerText()).toBe('This code no longer works. Ask for a new one.')
    expect((await spoken.boundingBox())?.height).toBeGreaterThan(10)
    await page.close()
  })

  it('show the way on from a lock when the wait is over', async () => {
    const page = await open('locked')
    const again = page.getByRole('link', { name: 'Try again' })
    await page.clock.runFor(14 * 60_000)
    expect(await again.isVisible()).toBe(false)
    await page.clock.runFor(61_000)
    expect(await again.isVisible()).toBe(true)
    await page.close()
  })

  it('leave the wait to the server when there is no script', async () => {
    const page = await browser().newPage({ javaScriptEnabled: false })
    await page.goto(address('en', 'code'))
    expect(await page.locator('[data-wait-ms]').innerText()).toBe('You can ask for another in 1 minute.')
    expect(await page.getByRole('button', { name: 'Send a new code' }).isEnabled()).toBe(true)
    await page.close()
  })

  it.each([true, false])(
    'put the focus where the person goes on, with a script: %s',
    async (javaScriptEnabled) => {
      const page = await browser().newPage({ javaScriptEnabled })
      const focused = async (state: string) => {
        await page.goto(address('en', state))
        return page.locator(':focus').getAttribute('id')
      }
      expect(await focused('code')).toBe('code')
      expect(await focused('phone')).toBe('phone')
      expect(await focused('second wrong code')).toBe('code')
      expect(await focused('unchecked')).toBe('problem')
      await page.close()
    },
  )

  it('take a pasted code whole, with whatever surrounds it', async () => {
    const page = await open('code')
    await page.locator('#code').focus()
    await page.keyboard.insertText('  123-456 is your code')
    expect(await page.locator('#code').inputValue()).toBe('  123-456 is your code')
    await page.close()
  })

  it('name what a voice would read', async () => {
    const page = await open('second wrong code')
    const snapshot = await page.locator('main').ariaSnapshot()
    expect(snapshot).toContain('We sent a code to the number ending in 6 7')
    expect(snapshot).toContain('textbox "Security code"')
    expect(snapshot).not.toContain('••')
    expect(await page.title()).toBe('Error: Check your phone')
    await page.close()
  })
})

function show(markup: string): void {
  const { documentElement, title, body } = new DOMParser().parseFromString(markup, 'text/html')
  document.documentElement.lang = documentElement.lang
  document.title = title
  document.body.replaceWith(body)
}

function overflow(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
}

/** Words that are on more than one line. */
function brokenWords(page: Page): Promise<string[]> {
  return page.evaluate(`{
    const broken = []
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      if (text.parentElement.closest('.unseen, option, [hidden]')) continue
      for (const { 0: word, index } of text.data.matchAll(/[\\p{L}\\p{N}]+/gu)) {
        const range = document.createRange()
        range.setStart(text, index)
        range.setEnd(text, index + word.length)
        const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)))
        if (lines.size > 1) broken.push(word)
      }
    }
    broken
  }`)
}
