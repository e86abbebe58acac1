import { mkdirSync } from 'node:fs'
import { build } from 'esbuild'
import type { Express } from 'express'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { expect, it, onTestFinished } from 'vitest'
import { englishTexts } from '../../src/index.js'
import { axeFindings, describeInChromium } from '../browser/chromium.js'
import { phones } from '../express/kit.js'
import { type AccountHost, newNumber, otherNumber, path, shownByApp, signIn, startAccounts } from './kit.js'

const narrow = { width: 320, height: 640 }
/** Where pictures go, for whoever looks at them. */
const pictures = process.env.PICTURES

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const heading = (page: Page) => page.locator('h1').innerText()

describeInChromium('the account pages', (browser) => {
  /** Ana, signed in, in a browser. */
  async function startWalk(
    more: BrowserContextOptions = {},
    hashes: string[] = [],
    mount: (app: Express) => void = () => undefined,
  ) {
    const host = await startAccounts({
      numbers: [String(phones.ana), otherNumber],
      hashes,
      mount,
      options: { pages: { messages: { ar: { ...englishTexts, lang: 'ar' } } } },
    })
    const ana = await signIn(host, { trustDevice: true })
    const context = await browser().newContext({ viewport: narrow, ...more })
    onTestFinished(() => context.close())
    const cookies = [...ana.cookies].filter(([name]) => name === 'connect.sid')
    await context.addCookies(cookies.map(([name, value]) => ({ name, value, url: host.url })))
    const page = await context.newPage()
    page.setDefaultTimeout(20_000)
    await page.goto(host.url + path)
    return { host, page }
  }

  /** Looks at the page: it fits, axe finds nothing. */
  async function look(page: Page, name: string): Promise<void> {
    // It waits by timers, which do not run in a page without scripts.
    if (!name.startsWith('without')) expect([name, await axeFindings(page)]).toEqual([name, []])
    // Colours depend on no language.
    if (name.startsWith('with scripts, en')) {
      await page.emulateMedia({ colorScheme: 'dark' })
      expect([name, await axeFindings(page, 'color-contrast')]).toEqual([name, []])
      await page.emulateMedia({ colorScheme: 'light' })
    }
    const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
    expect([name, overflow]).toEqual([name, 0])
    if (pictures === undefined) return
    mkdirSync(pictures, { recursive: true })
    await page.screenshot({ path: `${pictures}/${name}.png`, fullPage: true })
  }

  /** Types the code that a change asks for, which makes the change. */
  async function confirm(host: AccountHost, page: Page, name: string): Promise<void> {
    await look(page, `${name} ways`)
    await press(page, 'Text the number ending in 6 7')
    await look(page, `${name} code`)
    await page.locator('#code').fill(host.stub.rightCode)
    await press(page, 'Continue')
  }

  it.each([
    ['with scripts, en', { locale: 'en-GB' }],
    ['without scripts, en', { locale: 'en-GB', javaScriptEnabled: false }],
    ['with scripts, ar', { locale: 'ar' }],
  ])('lead from way to way, %s', async (mode, options) => {
    const { host, page } = await startWalk(options)
    host.clock.now += 5 * 60_000
    await look(page, `${mode} overview`)
    expect(await page.locator('html').getAttribute('dir')).toBe(mode.endsWith('ar') ? 'rtl' : 'ltr')

    await page.getByRole('link', { name: 'Add a number' }).click()
    await page.locator('#phone').fill(newNumber)
    await page.locator('button.main').click()
    await page.locator('#code').fill(host.stub.rightCode)
    await press(page, 'Continue')
    expect(await heading(page)).toBe("Confirm that it's you")
    expect(await page.locator('h2').innerText()).toBe('Adding +57 300 9876543')
    await confirm(host, page, `${mode} add`)
    expect(await page.locator('.notice:focus').innerText()).toBe('The number ending in 4 3 was added.')
    await look(page, `${mode} added`)
    expect(host.filed.ana?.numbers).toHaveLength(3)

    host.clock.now += 5 * 60_000
    await press(page, 'Make main the number ending in 4 3')
    await confirm(host, page, `${mode} first`)
    expect(host.filed.ana?.numbers[0]).toBe(newNumber)

    host.clock.now += 5 * 60_000
    await press(page, 'Set up an app')
    await confirm(host, page, `${mode} app`)
    await look(page, `${mode} app`)
    await page.getByLabel('Code from the app').fill('000000')
    await press(page, 'Turn on')
    await look(page, `${mode} app wrong`)
    const key = await page.locator('.key').innerText()
    await page.getByLabel('Code from the app').fill(shownByApp(host, key.replaceAll(' ', '')))
    await press(page, 'Turn on')
    expect(await page.locator('.notice').innerText()).toBe('The authenticator app was turned on.')
    await look(page, `${mode} app on`)
    host.clock.now += 5 * 60_000

    await press(page, 'Make recovery codes')
    await confirm(host, page, `${mode} recovery`)
    if (mode.startsWith('without')) await press(page, 'Show my codes')
    await page.getByRole('link', { name: 'I have saved them' }).waitFor()
    await look(page, `${mode} recovery codes`)
    expect(await page.locator('.codes li').count()).toBe(10)
    const sheets = (await page.pdf({ format: 'A4' })).toString('latin1').match(/\/Type \/Page\b/g)
    expect(sheets).toHaveLength(1)
    expect(await page.getByRole('button', { name: 'Print' }).isVisible()).toBe(!mode.startsWith('without'))
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('Acme-recovery-codes.txt')
    await page.getByRole('link', { name: 'I have saved them' }).click()
    await look(page, `${mode} end`)
  })

  it.each([
    ['says that the codes were copied', 'resolve', 'Copied'],
    ['says that they could not be', 'reject', "Couldn't copy"],
  ])('%s', async (_, outcome, said) => {
    const { host, page } = await startWalk()
    const faults: Error[] = []
    page.on('pageerror', (error) => faults.push(error))
    host.clock.now += 5 * 60_000
    await page.goto(host.url + path)
    await press(page, 'Make recovery codes')
    await confirm(host, page, 'copied')
    await page.getByRole('link', { name: 'I have saved them' }).waitFor()
    await page.evaluate(
      `navigator.clipboard.writeText = async (text) => { await Promise.${outcome}(window.text = text) }`,
    )
    await press(page, 'Copy')
    await page.getByRole('button', { name: said }).waitFor()
    expect(await page.getByRole('status').textContent()).toBe(said)
    expect(await page.evaluate('text')).toBe((await page.locator('.codes li').allInnerTexts()).join('\n'))
    expect(faults).toEqual([])
  })

  it.each([
    ['a computer', {}, false],
    ['a phone', { hasTouch: true, isMobile: true }, true],
  ])('offer to open the app on the device itself on %s: %j, %j', async (_, device, isOffered) => {
    const { host, page } = await startWalk(device)
    host.clock.now += 5 * 60_000
    await page.goto(host.url + path)
    await press(page, 'Set up an app')
    await confirm(host, page, 'device')
    await page.getByLabel('Code from the app').waitFor()
    expect(await page.getByText('Open the app on this device').isVisible()).toBe(isOffered)
  })

  it('ask before a reload loses the codes, and no more once they are saved', async () => {
    const { host, page } = await startWalk()
    host.clock.now += 5 * 60_000
    await page.goto(host.url + path)
    await press(page, 'Make recovery codes')
    await confirm(host, page, 'lost')
    const saved = page.getByRole('link', { name: 'I have saved them' })
    await saved.waitFor()
    const asked: string[] = []
    page.on('dialog', (dialog) => {
      asked.push(dialog.type())
      return dialog.dismiss()
    })
    // Chromium asks nobody who has not touched the page.
    await page.locator('h1').click()
    await page.evaluate('void setTimeout(() => location.reload())')
    await expect.poll(() => asked).toEqual(['beforeunload'])
    expect(await page.locator('.codes li').count()).toBe(10)
    await saved.click()
    await page.getByText('10 left').waitFor()
    expect(asked).toHaveLength(1)
  })

  it('are the settings of a single page, with its codes in a dialog', async () => {
    const bundled = await build({
      entryPoints: ['examples/react-account.tsx'],
      bundle: true,
      write: false,
      format: 'esm',
      define: { 'process.env.NODE_ENV': '"production"' },
      alias: { 'express-two-factor/browser': './src/browser/index.ts' },
    })
    const { host, page } = await startWalk({}, [], (app) => {
      app.get('/single.js', (_req, res) => void res.type('js').send(bundled.outputFiles[0]?.text))
      app.get(
        '/single',
        (_req, res) => void res.send('<body><script type="module" src="/single.js"></script>'),
      )
    })
    host.clock.now += 5 * 60_000
    await page.goto(`${host.url}/single`)
    await page.getByText('Recovery codes left: 0').waitFor()
    await press(page, 'Make recovery codes')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Security code').waitFor()
    await dialog.getByLabel('Security code').fill(host.stub.rightCode)
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('Recovery codes left: 10').waitFor()
    expect((await page.locator('pre').innerText()).split('\n')).toHaveLength(10)
  })
})
