import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { startSandbox } from 'express-two-factor/sandbox'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { createDemo } from '../../examples/demo/app.js'
import { listening } from '../listening.js'
import { describeInChromium } from './chromium.js'

const screenshots = fileURLToPath(new URL('../../screenshots/', import.meta.url))

describeInChromium('the demo on a phone, beside the inbox', (browser) => {
  test('shows the way of one code from the page to the phone and back', async () => {
    await using sandbox = await startSandbox()
    const demo = createDemo(sandbox)
    const { origin, close } = await listening(demo.app, 'localhost')

    const phone = await browser().newPage({ locale: 'en', viewport: { width: 360, height: 640 } })
    const inbox = await browser().newPage({ locale: 'en', viewport: { width: 760, height: 640 } })
    await inbox.goto(sandbox.inboxUrl)
    await phone.goto(`${origin}/login`)
    await phone.getByRole('button', { name: 'Sign in' }).click()
    const field = phone.getByLabel('Security code')
    await field.waitFor()
    await inbox.getByText('Delivered').first().waitFor()

    mkdirSync(screenshots, { recursive: true })
    await sideBySide(await browser().newPage(), phone, inbox)

    await field.fill(await inbox.locator('.code').innerText())
    await field.press('Enter')
    await phone.getByRole('heading', { name: 'Account' }).waitFor()
    expect(sandbox.requests.count('verifyCode')).toBe(1)
    await close()
    await demo.close()
  })
})

/** One picture of two pages: they refuse to be framed, so it is made of their screenshots. */
async function sideBySide(canvas: Page, phone: Page, inbox: Page): Promise<void> {
  const image = async (page: Page, name: string) =>
    `<img class="${name}" src="data:image/png;base64,${(await page.screenshot()).toString('base64')}" alt="">`
  await canvas.setViewportSize({ width: 1_240, height: 740 })
  await canvas.setContent(`<style>
body { margin: 0; height: 100vh; display: flex; gap: 40px; align-items: center; justify-content: center; background: #c9ced6 }
.phone { border: 12px solid #17191c; border-radius: 36px; box-shadow: 0 8px 24px #0004 }
.inbox { border-radius: 8px; box-shadow: 0 4px 16px #0003 }
</style>${await image(phone, 'phone')}${await image(inbox, 'inbox')}`)
  await canvas.screenshot({ path: `${screenshots}inbox-and-code-page.png` })
}
