import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Express } from 'express'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { Render } from '../../src/index.js'
import { type HostOptions, startHost } from '../express/kit.js'
import { axeFindings, describeInChromium } from './chromium.js'

const image =
  '<svg xmlns="http://www.w3.org/2000/svg" width="96" height="32"><rect width="96" height="32" fill="#0b6e4f"/></svg>'

function mount(app: Express): void {
  app.get('/enter', (req, res) => {
    req.session.pendingUserId = 'ana'
    res.redirect('/two-factor')
  })
  app.get('/image.svg', (_req, res) => {
    res.type('svg').send(image)
  })
  // Asked for by browsers where the policy allows images of the site.
  app.get('/favicon.ico', (_req, res) => {
    res.status(204).end()
  })
}

/** Kept for whoever wants to look at them. */
const screenshots = mkdtempSync(join(tmpdir(), 'two-factor-brand-'))

describeInChromium('a look of one’s own', (browser) => {
  async function look(options: NonNullable<HostOptions['options']>, colorScheme: 'light' | 'dark') {
    const host = await startHost({ mount, options })
    const page = await browser().newPage({ colorScheme, viewport: { width: 390, height: 640 } })
    const troubles: string[] = []
    page.on('console', (message) => troubles.push(message.text()))
    await page.goto(`${host.url}/enter`)
    const seen = {
      troubles,
      axe: await axeFindings(page),
      title: await page.title(),
      button: await styleOf(page, 'button.main', 'backgroundColor'),
      corners: await styleOf(page, 'button.main', 'borderTopLeftRadius'),
      font: await styleOf(page, 'body', 'fontFamily'),
      imageWidth: await page.evaluate("document.querySelector('img')?.naturalWidth"),
      screenshot: await page.screenshot(),
    }
    writeFileSync(
      join(screenshots, `${options.pages?.render ? 'render' : 'brand'}-${colorScheme}.png`),
      seen.screenshot,
    )
    await page.close()
    return seen
  }

  it('is a render of the host with an image of its site under the policy as it is', async () => {
    const render: Render = (_view, { html }) => html.replace('<main>', '<main><img src="/image.svg" alt="">')
    const seen = await look({ pages: { render } }, 'dark')
    expect(seen).toMatchObject({ troubles: [], axe: [], imageWidth: 96 })
  })
})

function styleOf(page: Page, selector: string, property: string): Promise<string> {
  return page.evaluate(`getComputedStyle(document.querySelector('${selector}')).${property}`)
}
