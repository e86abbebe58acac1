import { existsSync } from 'node:fs'
import axe from 'axe-core'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe } from 'vitest'

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
)

const args = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

const patienceMs = 120_000

/**
 * A suite in a real Chromium. Where there is none it is skipped and says so; under CI it must run.
 *
 * @example
 * describeInChromium('the code page', (browser) => {
 *   it('has a title', async () => { const page = await browser().newPage() })
 * })
 */
export function describeInChromium(title: string, suite: (browser: () => Browser) => void): void {
  const skipped = executablePath === undefined && process.env.CI !== 'true'
  if (skipped) console.warn(`skipped, no Chromium in /usr/bin: ${title}`)
  describe.skipIf(skipped)(title, () => {
    let browser: Browser | undefined
    beforeAll(async () => {
      if (executablePath === undefined) throw new Error('CI needs Chromium in /usr/bin')
      browser = patient(await chromium.launch({ executablePath, args, timeout: patienceMs }))
    })
    afterAll(() => browser?.close())
    suite(() => {
      if (browser === undefined) throw new Error('the browser is open inside tests alone')
      return browser
    })
  })
}

/** Pages wait as long as a busy machine takes: what never comes is noticed a little later. */
function patient(browser: Browser): Browser {
  const newContext = browser.newContext.bind(browser)
  return Object.assign(browser, {
    async newContext(options?: BrowserContextOptions) {
      const context = await newContext(options)
      context.setDefaultTimeout(patienceMs)
      return context
    },
  })
}

/** What axe finds on the page, each as a line that names the rule and the place. */
export async function axeFindings(page: Page): Promise<string[]> {
  // Evaluated over the debugger: the policy of the page lets no script tag in.
  await page.evaluate(axe.source)
  const { violations } = (await page.evaluate("axe.run({ resultTypes: ['violations'] })")) as axe.AxeResults
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target}`))
}
