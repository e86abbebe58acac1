import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type axe from 'axe-core'
import { type Browser, type BrowserContextOptions, chromium, type Frame, type Page } from 'playwright-core'
import { beforeAll, describe } from 'vitest'

/** The one without the windows of a desktop first: it opens a page for half the CPU. */
const executablePath = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find(existsSync)

export const args = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export const patienceMs = 120_000

export const axeScript = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

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
      launched ??= launch()
      browser = await launched
    })
    suite(() => {
      if (browser === undefined) throw new Error('the browser is open inside tests alone')
      return browser
    })
  })
}

/** One for all files of a worker. It ends with its process. */
let launched: Promise<Browser> | undefined

async function launch(): Promise<Browser> {
  if (executablePath === undefined) throw new Error('CI needs Chromium in /usr/bin')
  return patient(await chromium.launch({ executablePath, args, timeout: patienceMs }))
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

/** What axe finds on the page, each as a line that names the rule and the place; by all its rules, or by one. */
export async function axeFindings(page: Page | Frame, rule?: string): Promise<string[]> {
  // Evaluated over the debugger: the policy of the page lets no script tag in.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axeScript)
  // Frames are looked at one by one: what axe says from one to another may get lost where a frame loads anew.
  const options = {
    iframes: false,
    resultTypes: ['violations'],
    ...(rule !== undefined && { runOnly: rule }),
  }
  const { violations } = (await page.evaluate(`axe.run(${JSON.stringify(options)})`)) as axe.AxeResults
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target}`))
}

/** Moves the focus by the Tab key alone, through the frame too, until it is on what is so called. */
export async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press('Tab')
    const reached = await page.evaluate(`{
      let element = document.activeElement
      for (let root; (root = element?.contentDocument ?? element?.shadowRoot); ) element = root.activeElement
      element?.matches('a, button, input, select, summary')
        ? (element.ariaLabel ?? (element.labels?.[0] ?? element).textContent).trim()
        : ''
    }`)
    if (String(reached).includes(name)) return
  }
  throw new Error(`Tab never reached ${name}`)
}

export async function pressKey(page: Page, name: string): Promise<void> {
  await tabTo(page, name)
  await page.keyboard.press('Enter')
}

/** Waits until the page has put the focus on a field, which may be after the load. What is typed sooner gets lost. */
export function focusOn(page: Page, autocomplete: string): Promise<void> {
  return page.locator(`[autocomplete=${autocomplete}]:focus`).waitFor()
}
