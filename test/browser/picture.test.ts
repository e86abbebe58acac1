import { mkdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import express from 'express'
import session from 'express-session'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { createClient, twoFactor } from '../../src/index.js'
import { startSandbox } from '../../src/sandbox/index.js'
import { describeInChromium } from './chromium.js'

const screenshots = fileURLToPath(new URL('../../screenshots/', import.meta.url))

describeInChromium('the inbox beside the code page', (browser) => {
  test('shows the way of one code from the page to the phone and back', async () => {
    await using sandbox = await startSandbox()
    await using tf = twoFactor({
      provider: createClient({ baseUrl: sandbox.baseUrl, ...sandbox.credentials }),
      approvedStatuses: sandbox.approvedStatuses,
      appName: 'Acme',
      secret: 'only for tests, at least 32 bytes long',
      countries: ['CO'],
      subject: () => 'ana',
      phone: () => '+573001234567',
    })
    const app = express()
    app.use(session({ secret: 'test', resave: false, saveUninitialized: true, cookie: { sameSite: 'lax' } }))
    app.use('/two-factor', tf.routes())
    app.get('/account', tf.requireTwoFactor(), (_req, res) => res.send('<h1>Your account</h1>'))
    const server = createServer(app).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo

    const half = { locale: 'en', viewport: { width: 640, height: 640 } }
    const codePage = await browser().newPage(half)
    const inbox = await browser().newPage(half)
    await inbox.goto(sandbox.inboxUrl)
    await codePage.goto(`http://127.0.0.1:${port}/account`)
    await codePage.getByRole('button').first().click()
    const field = codePage.getByLabel('Security code')
    await field.waitFor()
    await inbox.getByText('Delivered').first().waitFor()

    mkdirSync(screenshots, { recursive: true })
    await sideBySide(await browser().newPage(), [codePage, inbox])

    await field.fill(await inbox.locator('.code').innerText())
    await field.press('Enter')
    await codePage.getByRole('heading', { name: 'Your account' }).waitFor()
    expect(sandbox.requests.count('verifyCode')).toBe(1)
    server.close()
    server.closeAllConnections()
  })
})

/** One picture of two pages: they refuse to be framed, so it is made of their screenshots. */
async function sideBySide(canvas: Page, pages: readonly Page[]): Promise<void> {
  const shots = await Promise.all(pages.map((page) => page.screenshot()))
  const images = shots.map((shot) => `<img src="data:image/png;base64,${shot.toString('base64')}" alt="">`)
  await canvas.setViewportSize({ width: 1_340, height: 680 })
  await canvas.setContent(
    `<style>body{margin:20px;display:flex;gap:20px;background:#c9ced6}img{width:640px;border-radius:8px}</style>${images.join('')}`,
  )
  await canvas.screenshot({ path: `${screenshots}inbox-and-code-page.png` })
}
