import express, { type Express } from 'express'
import helmet from 'helmet'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import type { FetchWithCodeOptions, fetchWithCode } from '../../../src/browser/index.js'
import { en, type Texts } from '../../../src/express/pages/messages/en.js'
import type { TwoFactor } from '../../../src/index.js'
import { type Host, type HostOptions, startHost, usualRoutes } from '../kit.js'

declare global {
  interface Window {
    fetchWithCode: typeof fetchWithCode
  }
}

const html = `<!doctype html><html lang="en"><head><title>Acme</title><link rel="icon" href="data:,">
<script type="module" src="/app.js"></script></head>
<body><main><h1>Acme</h1><button id="opener">Transfer</button></main></body></html>`

/** A single-page app under the default policy of helmet, opened by somebody who has given a password and a code. */
export interface SinglePage {
  readonly host: Host
  readonly page: Page
  /** What reached the guarded routes: method, path, content type and body, in order. */
  readonly received: string[]
  /** Everything that the console and the policy complained about. */
  readonly troubles: string[]
}

export async function openSinglePage(
  browser: Browser,
  given: HostOptions & {
    readonly context?: BrowserContextOptions
    readonly user?: string
    /** Added to the default policy. */
    readonly directives?: Readonly<Record<string, readonly string[] | null>>
    /** Whether the clock of the browser stands still until the test moves it: no wait of the dialog ends before. */
    readonly clock?: boolean
  } = {},
): Promise<SinglePage> {
  const received: string[] = []
  const host = await startHost({
    ...given,
    routes(app: Express, tf: TwoFactor) {
      app.use(helmet({ contentSecurityPolicy: { directives: given.directives ?? {} } }))
      app.get('/', (_req, res) => res.type('html').send(html))
      app.get('/app.js', (_req, res) => {
        res
          .type('js')
          .send("import { fetchWithCode } from '/two-factor/dialog.js'\nwindow.fetchWithCode = fetchWithCode")
      })
      app.use('/guarded', express.text({ type: () => true }), (req, _res, next) => {
        const { 'content-type': type = '', 'x-own': own = '' } = req.headers
        const body = typeof req.body === 'string' ? req.body : ''
        received.push([req.method, req.url, type, own, body].filter((part) => part !== '').join(' '))
        next()
      })
      app.all(
        '/guarded/settings',
        tf.requireTwoFactor({
          purpose: 'settings',
          bind: () => ({ language: 'es' }),
          describe: () => ({ title: 'Settings', rows: [['Language', 'Spanish']] }),
        }),
        (_req, res) => res.json({ saved: true }),
      )
      let asked = 0
      const never = { purpose: 'never', bind: () => ({ asked: ++asked }) }
      app.all('/guarded/never', tf.requireTwoFactor(never), (_req, res) => res.json({}))
      const bound = { purpose: 'bill', once: true, bind: (req: { url: string }) => ({ url: req.url }) }
      app.all('/guarded/pay/:id', tf.requireTwoFactor(bound), (req, res) => res.json({ paid: req.params.id }))
      usualRoutes(app, tf)
    },
  })
  const page = given.clock || given.context ? await pageOfItsOwn(browser, given) : await usualPage(browser)
  const context = page.context()
  const troubles: string[] = []
  page.on('console', (message) => troubles.push(message.text()))
  page.on('pageerror', (error) => troubles.push(error.message))
  await page.goto(host.url)
  const visitor = await host.login(given.user)
  const cookies = [...visitor.cookies].map(([name, value]) => ({ name, value, url: host.url }))
  await context.addCookies(cookies)
  return { host, page, received, troubles }
}

async function pageOfItsOwn(
  browser: Browser,
  { clock, context: settings }: { clock?: boolean; context?: BrowserContextOptions },
): Promise<Page> {
  const context = await browser.newContext(settings)
  onTestFinished(() => context.close())
  const page = await context.newPage()
  if (clock) {
    await page.clock.install()
    await page.clock.pauseAt(Date.now() + 60_000)
  }
  return page
}

let usual: Page | undefined

/** One for many tests: to open another takes as long as most of them. Each host is another origin to it. */
async function usualPage(browser: Browser): Promise<Page> {
  usual ??= await (await browser.newContext()).newPage()
  const page = usual
  onTestFinished(async () => {
    page.removeAllListeners()
    await page.unrouteAll()
    await page.context().setOffline(false)
    await page.context().clearCookies()
    await page.goto('about:blank')
  })
  return page
}

/** Status and body, or what it rejected with. */
export type Outcome = readonly [status: number | string, text: string]

/** Calls `fetchWithCode` in the page and leaves it waiting. */
export function call(
  page: Page,
  path: string,
  init: RequestInit = { method: 'POST' },
  further: FetchWithCodeOptions = {},
): Promise<Outcome> {
  const outcome = page.evaluate(
    async ([url, given, options]) => {
      try {
        const response = await window.fetchWithCode(url, given, options)
        return [response.status, await response.text()] as const
      } catch (error) {
        return error instanceof Error
          ? ([error.name, error.message] as const)
          : (['thrown', String(error)] as const)
      }
    },
    [path, init, further] as const,
  )
  // A test that looks at the dialog alone leaves it open.
  outcome.catch(() => undefined)
  return outcome
}

/** Types a code into the dialog and sends it. */
export async function enter(page: Page, code: string, texts: Texts = en): Promise<void> {
  await page.getByRole('dialog').getByLabel(texts['code.label']).fill(code)
  await page.getByRole('dialog').getByRole('button', { name: texts['code.submit'] }).click()
}

export const json = (body: object): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

/** The document that another tab of the session is sent. */
export const ask = (page: Page, path: string, init?: RequestInit) =>
  page.evaluate(async ([to, given]) => (await fetch(to, given)).json(), [path, init] as const)

/** Sends the code of the dialog without it. */
export async function verifyInAnotherTab(page: Page, code: string): Promise<void> {
  const challenge = await page.getByRole('dialog').locator('[name=challenge]').first().inputValue()
  const { verified } = await ask(page, '/two-factor/verify', json({ challenge, code }))
  expect(verified).toBe(true)
}

export async function expectNoDialog(page: Page): Promise<void> {
  await page.locator('two-factor-dialog dialog').waitFor({ state: 'detached' })
  expect(await page.getByRole('dialog').count()).toBe(0)
}
