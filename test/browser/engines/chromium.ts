import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'
import { args, patienceMs } from '../chromium.js'
import { cornerOfFrame } from './in-page.js'
import type { Look, Tab } from './tab.js'

/** The whole browser: without its windows, Chromium keeps no page that was left. */
export const chromiumPath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
)

/** Chromium, over its debugging protocol. */
export async function openChromium(look: Look = 'light'): Promise<Tab> {
  if (chromiumPath === undefined) throw new Error('there is no Chromium in /usr/bin')
  const browser = await chromium.launch({
    executablePath: chromiumPath,
    args,
    timeout: patienceMs,
    // People have it: a page that was left comes back as it was, with all that it shows.
    ignoreDefaultArgs: ['--disable-back-forward-cache'],
  })
  const context = await browser.newContext({ colorScheme: look, ignoreHTTPSErrors: true, locale: 'en-US' })
  context.setDefaultTimeout(patienceMs)
  const page = await context.newPage()
  async function press(keys: readonly string[]): Promise<void> {
    for (const key of keys) await page.keyboard.press(key)
  }
  return {
    engine: 'Chromium',
    open: async (url) => void (await page.goto(url)),
    async back() {
      try {
        // A page from the cache has no load event to be waited for.
        await page.goBack({ waitUntil: 'commit' })
      } catch (error) {
        // The page was the response to a form, and Chromium asks before it sends the form again.
        if (!String(error).includes('ERR_CACHE_MISS')) throw error
        await page.waitForURL('chrome-error://chromewebdata/')
      }
    },
    reload: async () => void (await page.reload()),
    evaluate: (expression) => page.evaluate(expression),
    clickAt: (x, y) => page.mouse.click(x, y),
    press,
    resize: (size) => page.setViewportSize(size),
    picture: async () => (await page.screenshot()).toString('base64'),
    async frame() {
      const [, frame] = page.frames()
      if (frame === undefined) throw new Error('the page has no frame')
      return {
        evaluate: (expression) => frame.evaluate(expression),
        async clickAt(x, y) {
          const corner = await page.evaluate(cornerOfFrame)
          await page.mouse.click(corner.x + x, corner.y + y)
        },
        press,
      }
    },
    forget: () => context.clearCookies(),
    close: () => browser.close(),
  }
}
