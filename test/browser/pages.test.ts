import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTexts } from '../../src/express/messages/locales.js'
import { assets, pageHeaders } from '../../src/express/pages/assets.js'
import { renderPage } from '../../src/express/pages/render-page.js'
import { states } from '../express/pages/views.js'
import { axeFindings, describeInChromium } from './chromium.js'

const texts = createTexts({ es: { 'phone.lostUrl': '/help' } })
const looks = [
  { colorScheme: 'light', viewport: { width: 1_000, height: 800 } },
  { colorScheme: 'dark', viewport: { width: 320, height: 640 } },
] as const

describeInChromium('the pages', (browser) => {
  let server: Server
  let origin: string

  beforeAll(async () => {
    server = createServer((req, res) => {
      const path = (req.url ?? '/').replace('/two-factor', '')
      const asset = assets[path as keyof typeof assets]
      if (asset !== undefined) return res.setHeader('Content-Type', asset.contentType).end(asset.body)
      const [, locale = '', state = ''] = path.split('/').map(decodeURIComponent)
      const view = states[state]
      const language = texts.get(locale)
      if (view === undefined || language === undefined) return res.writeHead(404).end()
      res.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', ...pageHeaders })
      return res.end(renderPage(view, language))
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => server.close())

  const open = async (options: Parameters<Browser['newPage']>[0], locale: string, state: string) => {
    const page = await browser().newPage(options)
    const troubles: string[] = []
    page.on('console', (message) => troubles.push(message.text()))
    page.on('pageerror', (error) => troubles.push(error.message))
    await page.goto(`${origin}/${locale}/${encodeURIComponent(state)}`)
    return { page, troubles }
  }

  it.each([...texts.keys()].flatMap((locale) => Object.keys(states).map((state) => ({ locale, state }))))(
    'are clean in $locale: $state',
    async ({ locale, state }) => {
      for (const look of looks) {
        const { page, troubles } = await open(look, locale, state)
        expect(await axeFindings(page)).toEqual([])
        expect(troubles).toEqual([])
        expect(await sidewaysScroll(page)).toBe(0)
        if (process.env.SHOTS)
          await page.screenshot({ path: `${process.env.SHOTS}/${locale}-${state}-${look.colorScheme}.png` })
        await page.close()
      }
    },
  )
})

function sidewaysScroll(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
}
