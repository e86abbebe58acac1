import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startSandbox } from 'express-two-factor/sandbox'
import { expect, it } from 'vitest'
import { createDemo } from '../../examples/demo/app.js'
import { describeInChromium } from './chromium.js'

const file = new URL('picture.png', import.meta.url)
const view = { viewport: { width: 460, height: 560 }, locale: 'en-US' }

describeInChromium('the picture of the README', (browser) => {
  // UPDATE_PICTURE=1 puts what this run saw in place of the checked-in file.
  it('shows the inbox beside the code page', async () => {
    const sandbox = await startSandbox()
    const demo = createDemo(sandbox)
    const server = createServer(demo.app).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    try {
      const page = await browser().newPage(view)
      await page.goto(`http://localhost:${(server.address() as AddressInfo).port}/login`)
      await page.getByRole('button', { name: 'Sign in' }).click()
      const { code } = await sandbox.inbox.waitFor('+573001234567')
      const inbox = await browser().newPage(view)
      await inbox.goto(sandbox.inboxUrl)
      await inbox.getByText(code).first().waitFor()
      await page.getByLabel('Security code').fill(code)

      const shots = [await inbox.screenshot(), await page.screenshot()]
      const frame = await browser().newPage({ viewport: { width: 960, height: 592 } })
      const images = shots.map((png) => `<img src="data:image/png;base64,${png.toString('base64')}">`)
      await frame.setContent(
        `<style>body { margin: 0; padding: 16px; display: flex; gap: 8px; background: #dde1e7 } img { border-radius: 10px }</style>${images.join('')}`,
      )
      const picture = await frame.screenshot()
      if (process.env.UPDATE_PICTURE === '1') writeFileSync(file, picture)
    } finally {
      server.closeAllConnections()
      server.close()
      await demo.close()
      await sandbox.close()
    }
    const checkedIn = readFileSync(file)
    expect(checkedIn.subarray(1, 4).toString()).toBe('PNG')
    expect(checkedIn.length).toBeLessThan(200_000)
  })
})
