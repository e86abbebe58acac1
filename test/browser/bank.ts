import type { RequestListener } from 'node:http'
import { type Sandbox, startSandbox } from 'express-two-factor/sandbox'
import type { Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { createDemo, type Demo } from '../../examples/demo/app.js'
import { Browser } from '../express/browser.js'
import { listening } from '../listening.js'

const phone = '+573001234567'

/** The demo's bank and its sandbox, on free ports. Both end with the test. */
export interface Bank {
  readonly sandbox: Sandbox
  readonly demo: Demo
  readonly origin: string
  /** Returns an address that gives a browser the cookies of a new sign-in by code, and leads to `path`. */
  signedInAt(path: string): Promise<string>
}

export interface BankOptions {
  readonly scheme?: 'http' | 'https'
  /** Whether the pages may run scripts, as if the browser ran none where false. Default: true. */
  readonly scripts?: boolean
}

export async function openBank({ scheme, scripts = true }: BankOptions = {}): Promise<Bank> {
  const sandbox = await startSandbox()
  const demo = createDemo(sandbox)
  const handler = scripts ? demo.app : withoutScripts(demo.app)
  const cookies = new Map<string, readonly string[]>()
  const { origin, close } = await listening(
    (req, res) => {
      const given = cookies.get(req.url ?? '')
      if (given === undefined) return handler(req, res)
      const Location = req.url?.replace(handOver, '')
      return res.writeHead(303, { Location, 'Set-Cookie': [...given] }).end()
    },
    'localhost',
    scheme,
  )
  onTestFinished(async () => {
    await close()
    await demo.close()
    await sandbox.close()
  })
  async function signedInAt(path: string): Promise<string> {
    const ana = new Browser(origin)
    await ana.submit('/login', { name: 'ana', password: 'sesame' })
    const { code } = await sandbox.inbox.waitFor(phone, { timeoutMs: 60_000 })
    const { headers } = await ana.submit('/two-factor/verify', { code })
    cookies.set(handOver + path, headers.getSetCookie())
    return origin + handOver + path
  }
  return { sandbox, demo, origin, signedInAt }
}

const handOver = '/hand-over'

/**
 * Has a browser run no script of the pages, and show what is meant for that. Not every engine has a switch for it.
 * In such a sandbox browsers ignore `autofocus`, too.
 */
export function withoutScripts(handler: RequestListener): RequestListener {
  const sandbox = 'sandbox allow-downloads allow-forms allow-popups allow-same-origin allow-top-navigation'
  return (req, res) => {
    const { writeHead } = res
    // Beside the policy that a page has set meanwhile.
    const addSandbox = (...given: readonly unknown[]): unknown => {
      res.appendHeader('Content-Security-Policy', sandbox)
      return Reflect.apply(writeHead, res, given)
    }
    handler(req, Object.assign(res, { writeHead: addSandbox }))
  }
}

/** The newest code of a number; Ana's by default. */
export async function codeFor({ sandbox }: Bank, number = phone): Promise<string> {
  return (await sandbox.inbox.waitFor(number, { timeoutMs: 60_000 })).code
}

/** A code that is not right; another one for each `distance`, because a wrong code typed again costs nothing. */
export const wrong = (code: string, distance = 1) =>
  code.replace(/.$/, (last) => String((Number(last) + distance) % 10))

// ── what a person does and sees on a page ────────────────────────────────────────────────────────

export const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
export const heading = (page: Page) => page.locator('h1').innerText()
export const problem = (page: Page) => page.getByRole('alert').innerText()

export async function enter(page: Page, code: string): Promise<void> {
  // Key by key: what fills in a whole code at once is taken for the phone, and the page sends it by itself.
  await page.getByLabel('Security code').clear()
  await page.getByLabel('Security code').pressSequentially(code)
  await press(page, 'Continue')
}

export async function givePassword(page: Page, { origin }: Pick<Bank, 'origin'>): Promise<void> {
  await page.goto(`${origin}/login`)
  await press(page, 'Sign in')
}
